// SPDX-License-Identifier: Apache-2.0
// Boxes with periodic directions: the cube that the tree divides, and particles brought into it. A tree divides cubes
// alone: a box of other sides is repeated until its copies fill one, which has the same images.
#pragma once

#include <array>
#include <cstddef>

#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/box.hpp"

namespace asterism::fmm {

/// Particles whose first `directions` coordinates (1 to 3) have this period.
struct PeriodicBox {
  int directions = 3;
  double width = 1;  ///< of the cube
  /// Copies of the box along x, y and z that fill the cube; 1 where the direction is not periodic.
  std::array<int, 3> copies{1, 1, 1};
  [[nodiscard]] double length(int d) const { return width / copies[static_cast<std::size_t>(d)]; }
  [[nodiscard]] int count() const { return copies[0] * copies[1] * copies[2]; }
};

/// Copies of a box that may fill a cube.
inline constexpr int most_copies = 64;
/// The smallest cube that whole copies of a box of these sides fill in periodic directions, and that is as wide as the
/// others. Throws Error (bad_input) where more than most_copies would be needed.
PeriodicBox box_of_lengths(int directions, const std::array<double, 3>& length);
/// The particles that act, `sources` of them or all, then their copies in the cube, then the others.
Particles repeated(const PeriodicBox& box, const Particles& particles, std::size_t sources);

/// Brings coordinates of periodic directions to [0, length).
void wrap(const PeriodicBox& box, Particles& particles);

/// The cube of that width: from 0 in periodic directions, around what particles reach in others. Throws Error
/// (bad_input) when they extend farther there.
Box box_of(const PeriodicBox& box, const Extent& reached);

/// Throws Error (bad_input) unless the sum of the charges, of all ranks, is 0 to rounding, relative to the sum of their
/// magnitudes. All ranks call this together.
void check_neutral(const Particles& particles);

}  // namespace asterism::fmm
