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
  if (extension == ".msh") return read_gmsh;
  return nullptr;
}

/// By the first bytes; OBJ files and binary STL files have nothing that marks them.
Reader reader_of_text(std::string_view text) {
  const std::string_view first = text.substr(0, std::min(text.size(), text.find_first_of(" \r\n")));
  if (first == "ply") return read_ply;
  if (first == "$MeshFormat") return read_gmsh;
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
         ".msh  gmsh MSH 2.2 or 4.1, ASCII: 3-node triangles\n"
         "Files may be compressed (.gz).\n";
}

// ---- words ---------------------------------------------------------------------------------------------

bool Words::next_line() {
  while (lines_.next(line_)) {
    rest_ = trimmed(line_.substr(0, line_.find('#')));
    if (!rest_.empty()) return true;
  }
  line_ = rest_ = {};
  return false;
}

void Words::require_line(const char* expected) {
  if (!next_line()) unexpected({}, expected);
}

std::string_view Words::word() {
  std::size_t begin = 0;
  while (begin < rest_.size() && is_blank(rest_[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest_.size() && !is_blank(rest_[end])) ++end;
  const std::string_view found = rest_.substr(begin, end - begin);
  rest_.remove_prefix(end);
  return found;
}

std::string_view Words::require_word(const char* expected) {
  const std::string_view found = word();
  if (found.empty()) unexpected({}, expected);
  return found;
}

std::string_view Words::flowing_word(const char* expected) {
  std::string_view found = word();
  while (found.empty()) {
    require_line(expected);
    found = word();
  }
  return found;
}

double Words::coordinate(std::string_view word) const {
  double value = 0;
  if (!parse_number(word, value)) unexpected(word, "a coordinate");
  if (!std::isfinite(value)) unexpected(word, "a finite coordinate");
  return value;
}

std::array<double, 3> Words::point() {
  std::array<double, 3> p{};
  for (double& x : p) x = coordinate();
  return p;
}

std::int64_t Words::integer(std::string_view word, const char* expected) const {
  std::int64_t value = 0;
  if (!parse_integer(word, value)) unexpected(word, expected);
  return value;
}

std::size_t Words::count(const char* expected) {
  const std::string_view found = require_word(expected);
  const std::int64_t value = integer(found, expected);
  if (value < 0 || static_cast<std::size_t>(value) > file_.text.size()) unexpected(found, expected);
  return static_cast<std::size_t>(value);
}

void Words::unexpected(std::string_view found, const char* expected) const {
  if (found.empty() && line_.empty())
    bad_input("{}: line {}: the file ends; expected {}", file_.name, number(), expected);
  bad_input("{}: line {}: found {}; expected {}", file_.name, number(),
            found.empty() ? "the end of the line" : in_quotes(found), expected);
}

void check_size(const TextFile& file, std::size_t vertices) {
  if (vertices > std::numeric_limits<std::int32_t>::max()) {
    bad_input("{}: there are {} vertices; expected 2^31 - 1 at most", file.name, vertices);
  }
}

}  // namespace asterism::mesh
