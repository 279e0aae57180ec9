// SPDX-License-Identifier: Apache-2.0
// Collects what the readers of gmsh's formats find. Internal to read_gmsh().
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "io/mesh/gmsh.hpp"

namespace asterism::mesh {

class GmshBuilder {
 public:
  explicit GmshBuilder(GmshMesh& mesh) : mesh_(mesh) {}

  /// False: the number was used before.
  bool add_node(std::int64_t number, const std::array<double, 3>& point);

  /// Nodes of an element of a type, as gmsh numbers the types; 0: such elements are ignored.
  static std::size_t corners_of(std::int64_t type);
  /// node: as many as corners_of(type).
  void add_element(std::int64_t type, const std::int64_t* node, std::int64_t line, std::int32_t groups);

  /// The index of a set of tags in GmshMesh::group_sets; tags in any order, 0 is none.
  std::int32_t groups(std::vector<std::int64_t> tags);
  /// The groups of a geometric entity (MSH 4.1), to which elements refer.
  void add_entity(int dimension, std::int64_t tag, std::vector<std::int64_t> tags);
  [[nodiscard]] std::int32_t groups_of_entity(std::int64_t dimension, std::int64_t tag) const;

  void name_group(int dimension, std::int64_t tag, std::string name);

 private:
  GmshMesh& mesh_;
  std::map<std::vector<std::int64_t>, std::int32_t> sets_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> entities_;
};

}  // namespace asterism::mesh
