// SPDX-License-Identifier: Apache-2.0
// Surfaces made of triangles, and the files that they come in.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace asterism::mesh {

struct TriangleMesh {
  std::vector<std::array<double, 3>> vertices;         ///< in the units of the file
  std::vector<std::array<std::int32_t, 3>> triangles;  ///< 0-based; seen from outside, corners turn anticlockwise
};

/// Reads at least one triangle; plain or gzip. STL (binary and ASCII, several solids; equal vertices become one), OBJ,
/// OFF, PLY (ASCII and binary), gmsh MSH 2.2 and 4.1 (3-node triangles and the nodes that they use); polygons
/// become fans. The extension tells the format, the first bytes do when it is another one. Throws Error (bad_input),
/// one line naming the file and the line or offset: missing, foreign, cut off or damaged files, coordinates that are
/// not finite, corners that do not exist.
TriangleMesh read_mesh(const std::filesystem::path& path);

/// Extensions and formats, one line each, for --help.
const char* mesh_formats();

}  // namespace asterism::mesh
