// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "io/mesh/readers.hpp"

namespace asterism::mesh {
namespace {

using Reader = TriangleMesh (*)(const TextFile&);

Reader reader_of(const std::string& extension) {
  if (extension == ".stl") return read_stl;
  if (extension == ".obj") return read_obj;
  if (extension == ".off") return read_off;
  if (extension == ".ply") return read_ply;
  if (extension == ".msh") return read_gmsh_surface;
  return nullptr;
}

/// By the first bytes; OBJ files and binary STL files have nothing that marks them.
Reader reader_of_text(std::string_view text) {
  const std::string_view first = text.substr(0, std::min(text.size(), text.find_first_of(" \r\n")));
  if (first == "ply") return read_ply;
  if (first == "$MeshFormat") return read_gmsh_surface;
  if (first.ends_with("OFF")) return read_off;
  if (first == "solid") return read_stl;
  return nullptr;
}

}  // namespace

TriangleMesh read_mesh(const std::filesystem::path& path) {
  const bool compressed = lower_case(path.extension().string()) == ".gz";
  const std::string extension = lower_case((compressed ? path.stem() : path).extension().string());
  const TextFile file(path, "a triangle mesh");
  Reader reader = reader_of(extension);
  if (reader == nullptr) reader = reader_of_text(file.text);
  if (reader == nullptr) {
    bad_input("{}: {} is no known extension of meshes; expected .stl, .obj, .off, .ply or .msh", file.name,
              in_quotes(extension));
  }
  TriangleMesh mesh = reader(file);
  if (mesh.triangles.empty()) bad_input("{}: there are no triangles; expected some", file.name);
  return mesh;
}

const char* mesh_formats() {
  return ".stl  STL, binary or ASCII; equal vertices become one\n"
         ".obj  Wavefront OBJ: v and f; polygons become triangles\n"
         ".off  OFF, ASCII\n"
         ".ply  PLY, ASCII or binary\n"
         ".msh  gmsh MSH 2.2 or 4.1, ASCII or binary: 3-node triangles\n"
         "Files may be compressed (.gz).\n";
}

std::array<double, 3> MeshReader::point() {
  std::array<double, 3> p{};
  for (double& x : p) {
    const std::string_view found = require_word("a coordinate");
    if (!parse_number(found, x)) unexpected(found, "a coordinate");
    if (!std::isfinite(x)) unexpected(found, "a finite coordinate");
  }
  return p;
}

void check_size(const TextFile& file, std::size_t vertices) {
  if (vertices > std::numeric_limits<std::int32_t>::max()) {
    bad_input("{}: there are {} vertices; expected 2^31 - 1 at most", file.name, vertices);
  }
}

}  // namespace asterism::mesh
