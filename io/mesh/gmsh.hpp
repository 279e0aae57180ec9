// SPDX-License-Identifier: Apache-2.0
// What gmsh's files hold: nodes, points, 2-node lines, 3-node triangles and 4-node tetrahedra, and the physical groups
// that these belong to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/text_file.hpp"

namespace asterism::mesh {

struct GmshMesh {
  /// Corners are numbers of nodes as the file gives them; the line is where the element stands, for complaints: see
  /// place().
  template <std::size_t corners>
  struct Element {
    std::array<std::int64_t, corners> node;
    std::int64_t line;
    std::int32_t groups = 0;  ///< index in `group_sets`
  };

  std::string file;
  bool binary = false;                                   ///< elements are counted then, as lines are in a text
  std::vector<std::array<double, 3>> nodes;              ///< coordinates, in the order and the units of the file
  std::unordered_map<std::int64_t, std::int32_t> index;  ///< of a node's number in `nodes`
  std::vector<Element<1>> points;
  std::vector<Element<2>> lines;
  std::vector<Element<3>> triangles;
  std::vector<Element<4>> tetrahedra;
  std::vector<std::vector<std::int64_t>> group_sets{
      {}};  ///< tags of physical groups, ascending; the first set is empty
  std::map<std::pair<int, std::int64_t>, std::string> group_names;  ///< by dimension and tag, of groups that have one

  /// Where an element stands, as messages name it: "line 12", or the number of an element of a binary file.
  [[nodiscard]] std::string place(std::int64_t line) const;
  /// The index in `nodes` of a node's number. Throws Error (bad_input), naming the line, where the file has no such
  /// node.
  [[nodiscard]] std::int32_t node_index(std::int64_t number, std::int64_t line) const;
};

/// Reads an MSH 2.2 or 4.1 file, ASCII or binary. Other elements are ignored; corners are not looked up. An element of
/// several groups stands once for each of them in MSH 2.2, and once in MSH 4.1. Throws Error (bad_input), one line
/// naming the file, the line (of a binary file: the byte), what was found and what was expected.
GmshMesh read_gmsh(const TextFile& file);

}  // namespace asterism::mesh
