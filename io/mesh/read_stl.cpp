// SPDX-License-Identifier: Apache-2.0
// STL: triangles without common vertices. Binary: 80 bytes of header, the number of triangles, 50 bytes for each.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "io/mesh/readers.hpp"

namespace asterism::mesh {
namespace {

constexpr std::size_t header_size = 84;
constexpr std::size_t triangle_size = 50;

/// Gives equal points the same index: a hash table of indices with linear probing.
class Merger {
 public:
  Merger(TriangleMesh& mesh, std::size_t points) : mesh_(mesh), table_(std::bit_ceil(points / 3 + 16), none) {}

  std::int32_t index(std::array<double, 3> p) {
    for (double& x : p) x += 0.0;  // -0 becomes 0, which it equals
    if (2 * mesh_.vertices.size() >= table_.size()) grow();
    std::size_t slot = hash(p) & (table_.size() - 1);
    while (table_[slot] != none) {
      if (mesh_.vertices[static_cast<std::size_t>(table_[slot])] == p) return table_[slot];
      slot = (slot + 1) & (table_.size() - 1);
    }
    table_[slot] = static_cast<std::int32_t>(mesh_.vertices.size());
    mesh_.vertices.push_back(p);
    return table_[slot];
  }

 private:
  static constexpr std::int32_t none = -1;

  static std::size_t hash(const std::array<double, 3>& p) {
    std::uint64_t h = 0;
    for (const double x : p) {
      h = (h ^ std::bit_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15U;
      h ^= h >> 32U;
    }
    h *= 0xbf58476d1ce4e5b9U;  // round coordinates differ in their highest bits only
    return h ^ h >> 32U;
  }
  void grow() {
    table_.assign(2 * table_.size(), none);
    for (std::size_t v = 0; v < mesh_.vertices.size(); ++v) {
      std::size_t slot = hash(mesh_.vertices[v]) & (table_.size() - 1);
      while (table_[slot] != none) slot = (slot + 1) & (table_.size() - 1);
      table_[slot] = static_cast<std::int32_t>(v);
    }
  }

  TriangleMesh& mesh_;
  std::vector<std::int32_t> table_;
};

template <class T>
T little_endian(const char* at) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::endian::native == std::endian::big) {
    auto* bytes = reinterpret_cast<char*>(&value);
    std::reverse(bytes, bytes + sizeof value);
  }
  return value;
}

TriangleMesh read_binary(const TextFile& file, std::size_t triangles) {
  check_size(file, 3 * triangles);
  TriangleMesh mesh;
  mesh.triangles.reserve(triangles);
  mesh.vertices.reserve(triangles / 2 + 16);
  Merger merger(mesh, 3 * triangles);
  for (std::size_t t = 0; t < triangles; ++t) {
    const std::size_t offset = header_size + triangle_size * t + 12;  // behind the normal
    std::array<std::int32_t, 3> triangle{};
    for (std::size_t c = 0; c < 3; ++c) {
      std::array<double, 3> p{};
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t at = offset + 4 * (3 * c + d);
        p[d] = little_endian<float>(file.text.data() + at);
        if (!std::isfinite(p[d])) {
          bad_input("{}: byte {}: a coordinate of triangle {} is {}; expected a finite one", file.name, at, t + 1,
                    p[d]);
        }
      }
      triangle[c] = merger.index(p);
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

TriangleMesh read_ascii(const TextFile& file) {
  TriangleMesh mesh;
  Merger merger(mesh, file.text.size() / 80);
  MeshReader words(file);
  const auto require = [&](const char* keyword) {
    const std::string_view found = words.require_word(keyword);
    if (lower_case(found) != keyword) words.unexpected(found, keyword);
  };
  const auto require_line = [&](const char* keyword, const char* second = nullptr) {
    words.require_line(keyword);
    require(keyword);
    if (second != nullptr) require(second);
  };
  bool in_solid = false;
  while (words.next_line()) {
    const std::string_view found = words.word();
    const std::string keyword = lower_case(found);
    const bool begins = keyword == "solid";
    if ((begins || keyword == "endsolid") && begins != in_solid) {
      in_solid = begins;
      continue;
    }
    if (!in_solid) words.unexpected(found, "solid");
    if (keyword != "facet") words.unexpected(found, "facet or endsolid");
    require("normal");
    require_line("outer", "loop");
    std::array<std::int32_t, 3> triangle{};
    for (std::int32_t& corner : triangle) {
      require_line("vertex");
      corner = merger.index(words.point());
    }
    require_line("endloop");
    require_line("endfacet");
    mesh.triangles.push_back(triangle);
    check_size(file, mesh.vertices.size() + 3);
  }
  if (in_solid) words.unexpected({}, "endsolid");
  return mesh;
}

}  // namespace

TriangleMesh read_stl(const TextFile& file) {
  // many binary files begin with "solid": only the size tells
  std::size_t triangles = 0;
  if (file.text.size() >= header_size) {
    triangles = little_endian<std::uint32_t>(file.text.data() + header_size - 4);
    if (file.text.size() == header_size + triangle_size * triangles) return read_binary(file, triangles);
  }
  const std::string_view head = trimmed(file.text.substr(0, 80));
  const bool has_text = head.starts_with("solid") && file.text.substr(0, 1000).find('\0') == std::string_view::npos;
  if (has_text) return read_ascii(file);
  if (file.text.size() < header_size) {
    bad_input("{}: the file has {} bytes and does not begin with \"solid\"; expected an STL file", file.name,
              file.text.size());
  }
  bad_input("{}: byte {}: announces {} triangles, which take {} bytes, but the file has {}; expected an STL file",
            file.name, header_size - 4, triangles, header_size + triangle_size * triangles, file.text.size());
}

}  // namespace asterism::mesh
