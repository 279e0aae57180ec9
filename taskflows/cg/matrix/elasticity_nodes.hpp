// SPDX-License-Identifier: Apache-2.0
// The nodes of finite elements on a tetrahedral mesh: corners, and midpoints of edges for quadratic elements; and the
// numbering that the rows of a matrix have.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "taskflows/cg/matrix/gmsh_reader.hpp"

namespace asterism::cg {

enum class Element {
  p1,  ///< 4 nodes, linear: about 45 entries per row
  p2,  ///< 10 nodes (corners and edge midpoints), quadratic: about 80 entries per row, twice the order of accuracy
};

/// "p1" or "p2".
std::string name_of(Element element);

enum class Numbering {
  mesh,  ///< corners in the order of the file, then midpoints
  rcm,   ///< reverse Cuthill-McKee: neighbours close to each other
};

/// "mesh" or "rcm".
std::string name_of(Numbering numbering);

/// Corners of the edges in the order in which their midpoints follow the corners of a P2 element.
inline constexpr std::array<std::array<int, 2>, 6> tet_edges{{{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}}};

/// What the unknowns mean: unknown 3 i + c is the displacement of node i along axis c.
struct ElasticityNodes {
  std::vector<std::array<double, 3>> position;
  std::vector<std::int32_t> element;  ///< per_element nodes of each tetrahedron, in the mesh's order
  int per_element = 0;                ///< 4 corners; 10 with the midpoints of `tet_edges`
  /// The node that each node of the mesh's numbering is: corners in the order of TetMesh, then midpoints in the order
  /// of `edge`.
  std::vector<std::int32_t> place;
  std::vector<std::int64_t> edge;  ///< P2: edge_key() of each midpoint, ascending
  std::int32_t corners = 0;

  /// The node of a corner of the mesh.
  [[nodiscard]] std::int32_t corner(std::int32_t mesh_node) const { return place[static_cast<std::size_t>(mesh_node)]; }
  /// P2: the node between two corners of the mesh, or -1 where there is no such edge.
  [[nodiscard]] std::int32_t midpoint(std::int32_t a, std::int32_t b) const;
};

/// One number for an edge between two corners of the mesh.
inline std::int64_t edge_key(std::int64_t a, std::int64_t b) {
  return a < b ? a << 32 | b : b << 32 | a;
}

/// Adds midpoints (P2) to the corners, which are at `position`, and numbers the nodes. Throws Error (bad_input) when
/// there are too many for 32-bit unknowns.
ElasticityNodes elasticity_nodes(const TetMesh& mesh, std::vector<std::array<double, 3>> position, Element element,
                                 Numbering numbering);

}  // namespace asterism::cg
