// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ: v x y z, f with v, v/vt, v/vt/vn or v//vn, counted from 1, or from the last vertex if negative.
#include <algorithm>

#include "io/mesh/readers.hpp"

namespace asterism::mesh {
namespace {

/// Keywords that say nothing on the surface.
bool is_ignored(std::string_view keyword) {
  constexpr std::array<std::string_view, 18> ignored = {
      "vt",     "vn",     "vp",         "l",     "p",         "g",        "o",        "s",   "mg",
      "usemtl", "mtllib", "shadow_obj", "bevel", "trace_obj", "c_interp", "d_interp", "lod", "usemap"};
  return std::find(ignored.begin(), ignored.end(), keyword) != ignored.end();
}

}  // namespace

TriangleMesh read_obj(const TextFile& file) {
  TriangleMesh mesh;
  std::vector<std::int64_t> corners;
  MeshReader words(file);
  while (words.next_line()) {
    const std::string_view keyword = words.word();
    if (keyword == "v") {
      mesh.vertices.push_back(words.point());
      check_size(file, mesh.vertices.size());
    } else if (keyword == "f") {
      corners.clear();
      const auto known = static_cast<std::int64_t>(mesh.vertices.size());
      for (std::string_view word = words.word(); !word.empty(); word = words.word()) {
        const std::int64_t index = words.integer(word.substr(0, word.find('/')), "the number of a vertex");
        const std::int64_t corner = index < 0 ? known + index : index - 1;
        if (corner < 0 || corner >= known) words.unexpected(word, "the number of a vertex above this line");
        corners.push_back(corner);
      }
      if (corners.size() < 3) words.unexpected({}, "a face of three vertices or more");
      add_fan(mesh, corners.size(), [&](std::size_t i) { return corners[i]; });
    } else if (!is_ignored(keyword)) {
      words.unexpected(keyword, "a keyword of OBJ files, such as v or f");
    }
  }
  return mesh;
}

}  // namespace asterism::mesh
