// SPDX-License-Identifier: Apache-2.0
// Boxes with periodic directions: the cube that the tree divides, and particles brought into it.
#pragma once

#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/box.hpp"

namespace asterism::fmm {

/// Particles whose first `directions` coordinates (1 to 3) have this period.
struct PeriodicBox {
  int directions = 3;
  double width = 1;
};

/// Brings coordinates of periodic directions to [0, width).
void wrap(const PeriodicBox& box, Particles& particles);

/// The cube of that width: from 0 in periodic directions, around the particles in others. Throws Error (bad_input) when
/// they extend farther there.
Box box_of(const PeriodicBox& box, const Particles& particles);

/// Throws Error (bad_input) unless the sum of the charges is 0 to rounding, relative to the sum of their magnitudes.
void check_neutral(const Particles& particles);

}  // namespace asterism::fmm
