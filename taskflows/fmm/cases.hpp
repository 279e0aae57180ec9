// SPDX-License-Identifier: Apache-2.0
// Named distributions of particles and of their charges: the problems that programs generate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taskflows/fmm/particles/crystals.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/box.hpp"

namespace asterism::fmm {

struct GeneratedCase {
  std::string distribution = "cube";  ///< one of distribution_names()
  std::size_t particles = 100000;
  std::uint64_t seed = 1;
  std::string charges = "signs";  ///< one of charge_names(); crystals have their own
  // of crystals (particles/crystals.hpp)
  double spacing = 1;
  double displacement = 0;
};

/// cube, ellipsoid, plummer, sphere, tilted-ellipsoid (particles/generate.hpp), caesium-chloride, salt
/// (particles/crystals.hpp).
std::vector<std::string> distribution_names();
/// neutral, ones, shares, signs, uniform (Charges in particles/generate.hpp).
std::vector<std::string> charge_names();

/// A part of the particles of a case, which depends on the case alone. Throws Error (bad_input) for an unknown name.
Particles generate(const GeneratedCase& generated, const Part& part);

/// The box of the tree where it belongs to the case: the unit cube for tilted-ellipsoid, whose leaves are then those of
/// the paper; none: it is fitted to the particles.
std::optional<Box> box_of(const GeneratedCase& generated);

/// The crystal of a case, and whether there is one.
[[nodiscard]] std::optional<Crystal> crystal_of(const GeneratedCase& generated);
[[nodiscard]] bool is_crystal(const GeneratedCase& generated);

/// The width of the box that fills space with copies of a case: that of a crystal, 1 of the cube; none of others.
std::optional<double> period_of(const GeneratedCase& generated);

}  // namespace asterism::fmm
