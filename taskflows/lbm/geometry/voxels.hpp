// SPDX-License-Identifier: Apache-2.0
// Bodies on a lattice: one byte per cell, 1 where the centre of the cell lies inside, x fastest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/mesh/mesh.hpp"
#include "taskflows/lbm/geometry/grid.hpp"

namespace asterism::lbm {

using Voxels = std::vector<std::uint8_t>;

/// As mesh::voxelise.
Voxels voxelise(const mesh::TriangleMesh& body, const Grid& grid);

struct Sphere {
  std::array<double, 3> centre;
  double radius;
};
/// low <= centre of a cell < high.
struct Cuboid {
  std::array<double, 3> low, high;
};
struct Cylinder {
  std::size_t axis;              ///< 0, 1, 2: x, y, z
  std::array<double, 3> centre;  ///< of its lower end
  double radius;
  double height;
};
Voxels voxelise(const Sphere& body, const Grid& grid);
Voxels voxelise(const Cuboid& body, const Grid& grid);
Voxels voxelise(const Cylinder& body, const Grid& grid);

}  // namespace asterism::lbm
