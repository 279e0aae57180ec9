// SPDX-License-Identifier: Apache-2.0
// The surface of the bodies as the method needs it: closed, oriented outward, one unknown per vertex, with the normals,
// areas and surface curls of its triangles and the triangles around each vertex.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codelets/tdbem/kernels/assembly/surface_view.hpp"
#include "io/mesh/mesh.hpp"

namespace asterism::tdbem {

/// What is done with bodies whose triangles turn clockwise seen from outside.
enum class Inward : std::uint8_t { refused, turned };

struct EdgeLengths {
  double shortest = 0, mean = 0, longest = 0;
};

struct Surface {
  std::vector<Point> vertices;
  std::vector<Triangle> triangles;
  std::vector<Point> normals;               ///< of triangles: unit, outward
  std::vector<double> areas;                ///< of triangles
  std::vector<std::array<Point, 3>> curls;  ///< of triangles: surface curl grad b_i x n of their basis functions, 1/m
  std::vector<std::int32_t> start;          ///< vertices + 1: where in `around` the triangles of a vertex begin
  std::vector<std::int32_t> around;         ///< 3 * triangle + corner, ascending
  std::vector<std::int32_t> mesh_vertices;  ///< of each vertex: its number in the mesh
  std::int32_t bodies = 0;                  ///< closed pieces without common vertices
  EdgeLengths edges;                        ///< m; each edge counts once
  double area = 0, volume = 0;              ///< m^2, m^3
  double diameter = 0;                      ///< m, largest distance of two vertices

  [[nodiscard]] std::int32_t unknowns() const { return static_cast<std::int32_t>(vertices.size()); }
  [[nodiscard]] SurfaceView view() const;
};

/// Throws Error (bad_input), one line saying what was found and where: less than 4 triangles, open or crowded edges,
/// neighbours that turn in opposite ways, triangles without area, vertices at the same place or of no triangle, and
/// pieces oriented inward if these are refused.
Surface prepare_surface(const mesh::TriangleMesh& mesh, Inward inward = Inward::refused);

/// A surface with vertex i where order[i] was, and triangles sorted by their lowest vertex. Throws Error
/// (bad_input) if `order` is no permutation.
Surface renumbered(const Surface& surface, std::span<const std::int32_t> order);

/// Values of the unknowns in the numbering of the mesh, which has as many vertices.
template <class T>
std::vector<T> in_mesh_order(const Surface& surface, std::span<const T> values) {
  std::vector<T> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[static_cast<std::size_t>(surface.mesh_vertices[i])] = values[i];
  return out;
}

/// The largest distance of two of the points, exact: only pairs of boxes that may hold a larger one are searched.
double diameter(std::span<const Point> points);

}  // namespace asterism::tdbem
