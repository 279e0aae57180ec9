// SPDX-License-Identifier: Apache-2.0
// Named distributions of particles and of their charges: the problems that programs generate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/box.hpp"

namespace asterism::fmm {

struct GeneratedCase {
  std::string distribution = "cube";  ///< one of distribution_names()
  std::size_t particles = 100000;
  std::uint64_t seed = 1;
  std::string charges = "signs";  ///< one of charge_names()
};

/// cube, ellipsoid, plummer, sphere, tilted-ellipsoid (particles/generate.hpp).
std::vector<std::string> distribution_names();
/// neutral, ones, shares, signs, uniform (Charges in particles/generate.hpp).
std::vector<std::string> charge_names();

/// A part of the particles of a case, which depends on the case alone. Throws Error (bad_input) for an unknown name.
Particles generate(const GeneratedCase& generated, const Part& part);

/// The box of the tree where it belongs to the case: the unit cube for tilted-ellipsoid, whose leaves are then those of
/// the paper; none: it is fitted to the particles.
std::optional<Box> box_of(const GeneratedCase& generated);

}  // namespace asterism::fmm
