// SPDX-License-Identifier: Apache-2.0
// The body in the case "stream", as solid cells.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/mesh/mesh.hpp"
#include "taskflows/lbm/problem.hpp"

namespace asterism::lbm {

/// A body without a mesh.
enum class Shape {
  sphere,
  cylinder,  ///< along y, through the whole domain
};

struct BodyOptions {
  std::string file;         ///< closed triangle mesh; empty: `mesh`
  mesh::TriangleMesh mesh;  ///< without triangles: `shape`
  Shape shape = Shape::sphere;
  std::array<double, 3> degrees{};  ///< turned about x, y and z
  std::optional<std::array<double, 3>>
      position;  ///< of the body's centre, in cells; default: a quarter of the way along x
};

/// In cells: where the centre of the shape, or of the box around the body, is.
std::array<double, 3> centre_of(const BodyOptions& options, const std::array<int, 3>& cells);

/// `length`: diameter of the shape, or longest side of the body, in cells. Throws Error (bad input): a surface that is
/// not closed, a body that has no cell in the domain.
std::vector<std::uint8_t> solid_cells(const BodyOptions& options, const std::array<int, 3>& cells, double length);

/// Problem::distances of the same body, whose solid cells `problem` has.
std::vector<WallDistance> wall_distances(const BodyOptions& options, const Problem& problem, double length);

}  // namespace asterism::lbm
