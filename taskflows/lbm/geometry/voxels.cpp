// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/geometry/voxels.hpp"

#include <cmath>

#include "base/error.hpp"
#include "io/mesh/voxels.hpp"

namespace asterism::lbm {
namespace {

using Point = std::array<double, 3>;

void check(const Grid& grid) {
  if (grid.nx < 1 || grid.ny < 1 || grid.nz < 1 || !(grid.spacing > 0) || !std::isfinite(grid.spacing)) {
    bad_input("lattice: found {} x {} x {} cells of {}; expected positive numbers", grid.nx, grid.ny, grid.nz,
              grid.spacing);
  }
}

/// Every cell is 1 where inside(x, y, z) of its centre holds.
template <class Inside>
Voxels fill(const Grid& grid, const Inside& inside) {
  check(grid);
  Voxels voxels(grid.cells());
#pragma omp parallel for collapse(2)
  for (std::int32_t k = 0; k < grid.nz; ++k) {
    for (std::int32_t j = 0; j < grid.ny; ++j) {
      std::uint8_t* row = voxels.data() + (static_cast<std::size_t>(k) * static_cast<std::size_t>(grid.ny) +
                                           static_cast<std::size_t>(j)) *
                                              static_cast<std::size_t>(grid.nx);
      for (std::int32_t i = 0; i < grid.nx; ++i) {
        row[i] = inside({grid.centre(0, i), grid.centre(1, j), grid.centre(2, k)}) ? 1 : 0;
      }
    }
  }
  return voxels;
}

void check_size(double size, const char* what) {
  if (!(size > 0) || !std::isfinite(size)) bad_input("{}: found {}; expected a positive number", what, size);
}

}  // namespace

Voxels voxelise(const mesh::TriangleMesh& body, const Grid& grid) {
  const double edge = grid.spacing;
  return mesh::voxelise(body, {{grid.nx, grid.ny, grid.nz}, grid.origin, {edge, edge, edge}});
}

Voxels voxelise(const Sphere& body, const Grid& grid) {
  check_size(body.radius, "radius of a sphere");
  return fill(grid, [&](const Point& p) {
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) square += (p[d] - body.centre[d]) * (p[d] - body.centre[d]);
    return square < body.radius * body.radius;
  });
}

Voxels voxelise(const Cuboid& body, const Grid& grid) {
  for (std::size_t d = 0; d < 3; ++d) check_size(body.high[d] - body.low[d], "side of a cuboid");
  return fill(grid, [&](const Point& p) {
    bool inside = true;
    for (std::size_t d = 0; d < 3; ++d) inside = inside && body.low[d] <= p[d] && p[d] < body.high[d];
    return inside;
  });
}

Voxels voxelise(const Cylinder& body, const Grid& grid) {
  check_size(body.radius, "radius of a cylinder");
  check_size(body.height, "height of a cylinder");
  if (body.axis > 2) bad_input("axis of a cylinder: found {}; expected 0, 1 or 2", body.axis);
  return fill(grid, [&](const Point& p) {
    const double along = p[body.axis] - body.centre[body.axis];
    const double u = p[(body.axis + 1) % 3] - body.centre[(body.axis + 1) % 3];
    const double v = p[(body.axis + 2) % 3] - body.centre[(body.axis + 2) % 3];
    return along >= 0 && along < body.height && u * u + v * v < body.radius * body.radius;
  });
}

}  // namespace asterism::lbm
