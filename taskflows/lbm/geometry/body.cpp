// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/geometry/body.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "io/mesh/mesh.hpp"
#include "io/mesh/placement.hpp"
#include "io/mesh/surface.hpp"
#include "taskflows/lbm/geometry/voxels.hpp"
#include "taskflows/lbm/geometry/wall_distances.hpp"

namespace asterism::lbm {

std::array<double, 3> centre_of(const BodyOptions& options, const std::array<int, 3>& cells) {
  return options.position.value_or(std::array<double, 3>{cells[0] / 4.0, cells[1] / 2.0, cells[2] / 2.0});
}

namespace {

bool has_mesh(const BodyOptions& options) {
  return !options.file.empty() || !options.mesh.triangles.empty();
}

/// The shape of a body without a mesh.
template <class Use>
auto with_shape(const BodyOptions& options, const std::array<int, 3>& cells, double length, const Use& use) {
  std::array<double, 3> centre = centre_of(options, cells);
  if (options.shape == Shape::sphere) return use(Sphere{centre, length / 2});
  centre[1] = 0;
  return use(Cylinder{1, centre, length / 2, static_cast<double>(cells[1])});
}

mesh::TriangleMesh placed(const BodyOptions& options, const std::array<int, 3>& cells, double length) {
  mesh::TriangleMesh body = options.file.empty() ? options.mesh : mesh::read_mesh(options.file);
  const mesh::SurfaceReport report = mesh::check_closed_surface(body);
  if (!report.closed())
    bad_input("{}: not a closed surface: {}", options.file.empty() ? "body" : options.file, report.describe());
  mesh::place(body, {length, options.degrees, centre_of(options, cells)});
  return body;
}

}  // namespace

std::vector<std::uint8_t> solid_cells(const BodyOptions& options, const std::array<int, 3>& cells, double length) {
  const Grid grid{cells[0], cells[1], cells[2]};
  Voxels voxels;
  const auto require_room = [&](std::size_t axis, double extent) {
    if (!(extent <= cells[axis]))
      bad_input("the body has {:.6g} cells along {} (--length {}); the domain has {}", extent, "xyz"[axis], length,
                cells[axis]);
  };
  if (!has_mesh(options)) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (options.shape == Shape::sphere || axis != 1) require_room(axis, length);
    voxels = with_shape(options, cells, length, [&](const auto& shape) { return voxelise(shape, grid); });
  } else {
    const mesh::TriangleMesh body = placed(options, cells, length);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto [low, high] = std::minmax_element(body.vertices.begin(), body.vertices.end(),
                                                   [&](const auto& a, const auto& b) { return a[axis] < b[axis]; });
      require_room(axis, (*high)[axis] - (*low)[axis]);
    }
    voxels = voxelise(body, grid);
  }
  if (std::none_of(voxels.begin(), voxels.end(), [](std::uint8_t v) { return v != 0; }))
    bad_input("no cell of the domain lies in the body (--length {}, --position)", length);
  return voxels;
}

std::vector<WallDistance> wall_distances(const BodyOptions& options, const Problem& problem, double length) {
  std::array<bool, 3> periodic{};
  for (std::size_t axis = 0; axis < 3; ++axis) periodic[axis] = problem.face[2 * axis].periodic;
  if (!has_mesh(options))
    return with_shape(options, problem.cells, length,
                      [&](const auto& shape) { return wall_distances(shape, problem.solid, problem.cells, periodic); });
  return wall_distances(placed(options, problem.cells, length), problem.solid, problem.cells, periodic);
}

}  // namespace asterism::lbm
