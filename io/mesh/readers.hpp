// SPDX-License-Identifier: Apache-2.0
// One reader per format, and what those of text formats share. Internal to read_mesh().
#pragma once

#include <string_view>

#include "io/mesh/gmsh.hpp"
#include "io/mesh/mesh.hpp"
#include "io/text_file.hpp"
#include "io/text_reader.hpp"

namespace asterism::mesh {

TriangleMesh read_stl(const TextFile& file);
TriangleMesh read_obj(const TextFile& file);
TriangleMesh read_off(const TextFile& file);
TriangleMesh read_ply(const TextFile& file);
TriangleMesh read_gmsh_surface(const TextFile& file);

/// Whether the file says that it is a binary one: "$MeshFormat", then "4.1 1 8".
bool is_binary_gmsh(const TextFile& file);
/// MSH 2.2 or 4.1.
GmshMesh read_binary_gmsh(const TextFile& file);

/// Reads a mesh in words; what follows '#' is a comment.
class MeshReader : public TextReader {
 public:
  explicit MeshReader(const TextFile& file) : TextReader(file.name, file.text, CommentMarks{.anywhere = "#"}) {}
  MeshReader(const TextFile& file, const Lines& lines) : TextReader(file.name, lines, CommentMarks{.anywhere = "#"}) {}

  std::array<double, 3> point();
};

/// Throws Error (bad_input) unless there are as few vertices as 32-bit indices take.
void check_size(const TextFile& file, std::size_t vertices);

/// Adds a polygon of n corners as a fan; corner(i) is the index of one.
template <class Corner>
void add_fan(TriangleMesh& mesh, std::size_t n, const Corner& corner) {
  for (std::size_t i = 2; i < n; ++i) {
    mesh.triangles.push_back({static_cast<std::int32_t>(corner(0)), static_cast<std::int32_t>(corner(i - 1)),
                              static_cast<std::int32_t>(corner(i))});
  }
}

}  // namespace asterism::mesh
