// SPDX-License-Identifier: Apache-2.0
// Tetrahedral meshes from gmsh's MSH 2.2 and 4.1 files, ASCII or binary, plain or gzip.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace asterism::cg {

/// A physical group of a mesh: elements of one dimension under one tag, and mostly with a name.
struct MeshGroup {
  int dimension = 0;  ///< 0 points, 1 lines, 2 triangles, 3 tetrahedra
  std::int64_t tag = 0;
  std::string name;  ///< may be empty
  /// dimension < 3: dimension + 1 nodes for each element; 3: the index of each tetrahedron, ascending.
  std::vector<std::int32_t> entry = {};
  std::int64_t foreign = 0;  ///< elements with a node that no tetrahedron uses; they are not in `entry`
};

/// Every node is used by at least one tetrahedron, and every tetrahedron has positive volume: seen from
/// corner 3, corners 0, 1, 2 turn clockwise, i.e. (x1 - x0) . ((x2 - x0) x (x3 - x0)) > 0.
struct TetMesh {
  std::vector<std::array<double, 3>> node;       ///< coordinates, in the file's units
  std::vector<std::array<std::int32_t, 4>> tet;  ///< 0-based corners
  std::string name;                              ///< what to call it in reports
  std::vector<std::int64_t> number = {};         ///< of each node, as the file has it
  std::vector<MeshGroup> group = {};             ///< by dimension and tag
};

/// Reads the 4-node tetrahedra (gmsh type 4) and the nodes they use, in the file's order, with the physical groups of
/// points, lines, triangles and tetrahedra; other elements are ignored and inverted tetrahedra turned. A tetrahedron
/// that stands in the file once for each of its groups (MSH 2.2) is one. Throws Error (bad_input) naming file, line and
/// what was expected.
TetMesh read_gmsh(const std::filesystem::path& file);

}  // namespace asterism::cg
