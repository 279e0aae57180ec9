// SPDX-License-Identifier: Apache-2.0
// Results that several ranks have, for one that writes them.
#pragma once

#include "taskflows/fmm/particles/write_particles.hpp"

namespace asterism::fmm {

/// This rank's part of the particles and their results, which have to outlive what is returned, and those of the
/// others: rank 0 gets them in turn. All ranks call it, and what uses it, together.
ResultParts parts_of_ranks(const Particles& particles, const Result& result, const Motion* motion = nullptr,
                           const ResultNames& names = {});

}  // namespace asterism::fmm
