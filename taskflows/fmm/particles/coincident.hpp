// SPDX-License-Identifier: Apache-2.0
// Particles at the same place, whose pairs the kernels leave out.
#pragma once

#include <cstddef>

#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

/// How many of these particles are exactly where another one of them is. Takes two bytes for each and little time where
/// there are none.
std::size_t coincident_particles(const Particles& particles);

}  // namespace asterism::fmm
