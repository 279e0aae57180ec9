// SPDX-License-Identifier: Apache-2.0
// Where a body is put.
#pragma once

#include <array>
#include <optional>

#include "io/mesh/mesh.hpp"

namespace asterism::mesh {

/// Applied in this order.
struct Placement {
  std::optional<double> length = {};   ///< that the longest side of the bounding box gets, before it is turned
  std::array<double, 3> degrees = {};  ///< turned about the x, then the y, then the z axis, around the box's centre
  std::optional<std::array<double, 3>> centre = {};  ///< where the centre of the turned body's bounding box goes
  std::array<double, 3> translation = {};
};

/// Throws Error (bad_input) for lengths that are not positive, numbers that are not finite, and a mesh of no extent
/// that is to get one.
void place(TriangleMesh& mesh, const Placement& placement);

}  // namespace asterism::mesh
