// SPDX-License-Identifier: Apache-2.0
// Named distributions of particles and of their charges: the problems that programs generate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

struct GeneratedCase {
  std::string distribution = "cube";  ///< one of distribution_names()
  std::size_t particles = 100000;
  std::uint64_t seed = 1;
  std::string charges = "signs";  ///< one of charge_names()
};

/// cube, ellipsoid, plummer, sphere (particles/generate.hpp).
std::vector<std::string> distribution_names();
/// neutral, ones, signs, uniform (Charges in particles/generate.hpp).
std::vector<std::string> charge_names();

/// A part of the particles of a case, which depends on the case alone. Throws Error (bad_input) for an unknown name.
Particles generate(const GeneratedCase& generated, const Part& part);

}  // namespace asterism::fmm
