// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/gmsh_builder.hpp"

#include <algorithm>
#include <cstdlib>

namespace asterism::mesh {
namespace {

constexpr std::int64_t line_type = 1;
constexpr std::int64_t triangle_type = 2;
constexpr std::int64_t tetrahedron_type = 4;
constexpr std::int64_t point_type = 15;

template <std::size_t corners>
void append(std::vector<GmshMesh::Element<corners>>& elements, const std::int64_t* node, std::int64_t line,
            std::int32_t groups) {
  GmshMesh::Element<corners> element{.node = {}, .line = line, .groups = groups};
  std::copy_n(node, corners, element.node.begin());
  elements.push_back(element);
}

}  // namespace

bool GmshBuilder::add_node(std::int64_t number, const std::array<double, 3>& point) {
  const bool is_new = mesh_.index.emplace(number, static_cast<std::int32_t>(mesh_.nodes.size())).second;
  if (is_new) mesh_.nodes.push_back(point);
  return is_new;
}

std::size_t GmshBuilder::corners_of(std::int64_t type) {
  switch (type) {
    case point_type:
      return 1;
    case line_type:
      return 2;
    case triangle_type:
      return 3;
    case tetrahedron_type:
      return 4;
    default:
      return 0;
  }
}

void GmshBuilder::add_element(std::int64_t type, const std::int64_t* node, std::int64_t line, std::int32_t groups) {
  switch (type) {
    case point_type:
      return append(mesh_.points, node, line, groups);
    case line_type:
      return append(mesh_.lines, node, line, groups);
    case triangle_type:
      return append(mesh_.triangles, node, line, groups);
    case tetrahedron_type:
      return append(mesh_.tetrahedra, node, line, groups);
    default:
      return;
  }
}

std::int32_t GmshBuilder::groups(std::vector<std::int64_t> tags) {
  // a negative tag turns the orientation of the entity within the group, which nothing here depends on
  for (std::int64_t& tag : tags) tag = tag < 0 ? -tag : tag;
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  if (!tags.empty() && tags.front() == 0) tags.erase(tags.begin());
  if (tags.empty()) return 0;
  const auto [found, is_new] = sets_.emplace(tags, static_cast<std::int32_t>(mesh_.group_sets.size()));
  if (is_new) mesh_.group_sets.push_back(std::move(tags));
  return found->second;
}

void GmshBuilder::add_entity(int dimension, std::int64_t tag, std::vector<std::int64_t> tags) {
  entities_[{dimension, tag}] = groups(std::move(tags));
}

std::int32_t GmshBuilder::groups_of_entity(std::int64_t dimension, std::int64_t tag) const {
  const auto found = entities_.find({dimension, tag});
  return found == entities_.end() ? 0 : found->second;
}

void GmshBuilder::name_group(int dimension, std::int64_t tag, std::string name) {
  mesh_.group_names[{dimension, tag}] = std::move(name);
}

}  // namespace asterism::mesh
