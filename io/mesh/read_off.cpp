// SPDX-License-Identifier: Apache-2.0
// OFF (Geomview): counts, vertices, and faces as a number of corners and their indices; colours and normals are
// skipped.
#include "base/error.hpp"
#include "io/mesh/readers.hpp"

namespace asterism::mesh {

TriangleMesh read_off(const TextFile& file) {
  MeshReader words(file);
  words.require_line("OFF");
  const std::string_view header = words.word();
  if (header != "OFF" && header != "COFF" && header != "NOFF" && header != "CNOFF" && header != "STOFF") {
    words.unexpected(header, "OFF");
  }
  if (words.line().find("BINARY") != std::string_view::npos) words.unexpected("BINARY", "an ASCII file");
  // the counts may stand in the line of the header
  const std::size_t vertices = words.count(words.flowing_word("the number of vertices"), "the number of vertices");
  const std::size_t faces = words.count("the number of faces");
  check_size(file, vertices);
  TriangleMesh mesh;
  mesh.vertices.reserve(vertices);
  mesh.triangles.reserve(faces);
  for (std::size_t v = 0; v < vertices; ++v) {
    words.require_line("a vertex");
    mesh.vertices.push_back(words.point());
  }
  std::vector<std::int64_t> corners;
  for (std::size_t f = 0; f < faces; ++f) {
    words.require_line("a face");
    corners.resize(words.count("the number of corners"));
    if (corners.size() < 3) words.unexpected({}, "a face of three vertices or more");
    for (std::int64_t& corner : corners) {
      const std::string_view word = words.require_word("the index of a vertex");
      corner = words.integer(word, "the index of a vertex");
      if (corner < 0 || static_cast<std::size_t>(corner) >= vertices) words.unexpected(word, "the index of a vertex");
    }
    add_fan(mesh, corners.size(), [&](std::size_t i) { return corners[i]; });
  }
  if (words.next_line()) words.unexpected(words.word(), "the end of the file");
  return mesh;
}

}  // namespace asterism::mesh
