// SPDX-License-Identifier: Apache-2.0
// What bricks send each other after a half-step. Only what the neighbour needs, five of nineteen populations, and in
// three ordered phases x, y, z, so that what belongs to a neighbour across an edge goes by way of two faces and each
// brick has six partners at most (section 4.3 of the paper).
//
// After alpha, border cells go to the neighbour's ghosts: along x plain, along y with the ghosts in x that have just
// come, along z with those in x and y. After beta, ghosts go to the neighbour's border cells: along x with the ghosts
// in y and z, which the neighbour passes on, along y with those in z, along z plain. Where a face is a wall, its ghosts
// take no part.
#pragma once

#include <array>
#include <vector>

#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm {

/// Faces of a brick beyond which there is a brick, another one or itself.
using Connected = std::array<bool, faces>;

/// Populations that a brick sends through `face` after the half-step `half`.
Transfer outgoing(Half half, const Brick& brick, const Connected& connected, int face);
/// Populations that come through `face`: as many as the neighbour there sends through its opposite face.
Transfer incoming(Half half, const Brick& brick, const Connected& connected, int face);

/// The cells of a brick that are updated first, since neighbours wait for what they send, and the others. The shell is
/// one cell thick, along x `along_x` cells: kernels go along x.
struct Shell {
  std::vector<Box> boxes;  ///< disjoint
  Box core;                ///< empty (x0 = x1) when the shell is everything
};
Shell shell_of(const Brick& brick, const Connected& connected, int along_x);

}  // namespace asterism::lbm
