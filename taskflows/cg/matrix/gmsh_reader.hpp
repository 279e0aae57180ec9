// SPDX-License-Identifier: Apache-2.0
// Tetrahedral meshes from gmsh's MSH 2.2 and 4.1 ASCII files, plain or gzip.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace asterism::cg {

/// Every node is used by at least one tetrahedron, and every tetrahedron has positive volume: seen from
/// corner 3, corners 0, 1, 2 turn clockwise, i.e. (x1 - x0) . ((x2 - x0) x (x3 - x0)) > 0.
struct TetMesh {
  std::vector<std::array<double, 3>> node;       ///< coordinates, in the file's units
  std::vector<std::array<std::int32_t, 4>> tet;  ///< 0-based corners
  std::string name;                              ///< what to call it in reports
};

/// Reads the 4-node tetrahedra (gmsh type 4) and the nodes they use, in the file's order; other elements are
/// ignored and inverted tetrahedra turned. Throws Error (bad_input) naming file, line and what was expected.
TetMesh read_gmsh(const std::filesystem::path& file);

}  // namespace asterism::cg
