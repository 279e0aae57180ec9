// SPDX-License-Identifier: Apache-2.0
// What gmsh's files hold: nodes, 3-node triangles and 4-node tetrahedra.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/text_file.hpp"

namespace asterism::mesh {

struct GmshMesh {
  /// Corners are numbers of nodes as the file gives them; the line is where the element stands, for complaints.
  template <std::size_t corners>
  struct Element {
    std::array<std::int64_t, corners> node;
    std::int64_t line;
  };

  std::string file;
  std::vector<std::array<double, 3>> nodes;              ///< coordinates, in the order and the units of the file
  std::unordered_map<std::int64_t, std::int32_t> index;  ///< of a node's number in `nodes`
  std::vector<Element<3>> triangles;
  std::vector<Element<4>> tetrahedra;

  /// The index in `nodes` of a node's number. Throws Error (bad_input), naming the line, where the file has no such
  /// node.
  [[nodiscard]] std::int32_t node_index(std::int64_t number, std::int64_t line) const;
};

/// Reads an MSH 2.2 or 4.1 ASCII file. Other elements are ignored; corners are not looked up. Throws Error (bad_input),
/// one line naming the file, the line, what was found and what was expected.
GmshMesh read_gmsh(const TextFile& file);

}  // namespace asterism::mesh
