// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/structure/selector.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "io/text_words.hpp"

namespace asterism::cg {
namespace {

constexpr const char* kinds[] = {"points", "lines", "triangles", "tetrahedra"};

std::string shown(const MeshGroup& group) {
  return group.name.empty() ? fmt::format("{} ({})", group.tag, kinds[group.dimension])
                            : fmt::format("{} ({})", in_quotes(group.name), kinds[group.dimension]);
}

std::string shown(const Selection& part) {
  return part.tag ? std::to_string(*part.tag) : in_quotes(part.name);
}

bool is(const MeshGroup& group, const Selection& part) {
  return part.tag ? group.tag == *part.tag : group.name == part.name;
}

void keep_unique(std::vector<std::int32_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

Selector::Selector(const TetMesh& mesh, const ElasticityNodes& nodes, double unit)
    : mesh_(mesh), nodes_(nodes), unit_(unit) {
  constexpr double share = 1e-6;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto [low, high] = std::minmax_element(mesh.node.begin(), mesh.node.end(),
                                                 [c](const Vector3& a, const Vector3& b) { return a[c] < b[c]; });
    tolerance_ = std::max(tolerance_, share * ((*high)[c] - (*low)[c]));
  }
}

const MeshGroup& Selector::group(const Selection& part, std::initializer_list<int> dimensions) const {
  for (const int dimension : dimensions) {
    for (const MeshGroup& group : mesh_.group) {
      if (group.dimension != dimension || !is(group, part)) continue;
      if (group.foreign > 0)
        bad_input("{}: group {} of {}: {} of its elements are on no tetrahedron; expected none", part.place,
                  shown(group), mesh_.name, group.foreign);
      if (group.entry.empty())
        bad_input("{}: group {} of {} has no elements; expected some", part.place, shown(group), mesh_.name);
      return group;
    }
  }
  std::vector<std::string> known;
  std::vector<std::string> names;
  for (const MeshGroup& group : mesh_.group) {
    if (std::find(dimensions.begin(), dimensions.end(), group.dimension) == dimensions.end()) continue;
    known.push_back(shown(group));
    if (!group.name.empty()) names.push_back(group.name);
  }
  const std::string near = part.tag ? "" : nearest(part.name, names);
  bad_input("{}: found group {}; expected {}{}", part.place, shown(part),
            known.empty() ? fmt::format("a physical group of {}, which has none of this kind", mesh_.name)
                          : fmt::format("one of those of {}: {}", mesh_.name, fmt::join(known, ", ")),
            near.empty() ? "" : "; the nearest is " + in_quotes(near));
}

bool Selector::inside(const Region& region, const Vector3& x) const {
  for (std::size_t c = 0; c < 3; ++c) {
    if (!region.range[c]) continue;
    const auto [low, high] = *region.range[c];
    if (x[c] < low - tolerance_ || x[c] > high + tolerance_) return false;
  }
  if (!region.cylinder) return true;
  const Cylinder& cylinder = *region.cylinder;
  const Vector3 d = difference(x, cylinder.centre);
  return std::hypot(d[(cylinder.axis + 1) % 3], d[(cylinder.axis + 2) % 3]) <= cylinder.radius + tolerance_;
}

const std::vector<Selector::TetFace>& Selector::all_faces() const {
  if (!faces_.empty()) return faces_;
  faces_.reserve(4 * mesh_.tet.size());
  for (std::size_t e = 0; e < mesh_.tet.size(); ++e) {
    for (std::int32_t opposite = 0; opposite < 4; ++opposite) {
      TetFace face{.key = {}, .tetrahedron = static_cast<std::int32_t>(e), .opposite = opposite};
      for (std::size_t k = 0; k < 3; ++k) face.key[k] = mesh_.tet[e][(as_size(opposite) + 1 + k) % 4];
      std::sort(face.key.begin(), face.key.end());
      faces_.push_back(face);
    }
  }
  std::sort(faces_.begin(), faces_.end(), [](const TetFace& a, const TetFace& b) {
    return a.key != b.key ? a.key < b.key : a.tetrahedron < b.tetrahedron;
  });
  return faces_;
}

Face Selector::face_of(const TetFace& face, bool inner) const {
  // of the tetrahedron (0, 1, 2, 3), which has positive volume
  constexpr std::size_t outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  const auto& tet = mesh_.tet[as_size(face.tetrahedron)];
  const auto& local = outward[face.opposite];
  return {.corner = {tet[local[0]], tet[local[1]], tet[local[2]]}, .inner = inner};
}

std::vector<Face> Selector::faces(const Selection& part) const {
  std::vector<Face> found;
  const std::vector<TetFace>& all = all_faces();
  if (part.region) {
    for (std::size_t i = 0; i < all.size();) {
      const bool inner = i + 1 < all.size() && all[i].key == all[i + 1].key;
      const auto& key = all[i].key;
      if (!inner && std::all_of(key.begin(), key.end(),
                                [&](std::int32_t corner) { return inside(*part.region, mesh_.node[as_size(corner)]); }))
        found.push_back(face_of(all[i], false));
      i += inner ? 2 : 1;
    }
    if (found.empty())
      bad_input("{}: found no face of the surface of {} in where; expected some", part.place, mesh_.name);
    return found;
  }
  const MeshGroup& from = group(part, {2});
  std::vector<std::array<std::int32_t, 3>> keys;
  for (std::size_t i = 0; i < from.entry.size(); i += 3) {
    keys.push_back({from.entry[i], from.entry[i + 1], from.entry[i + 2]});
    std::sort(keys.back().begin(), keys.back().end());
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const auto& key : keys) {
    const auto at = std::lower_bound(all.begin(), all.end(), key,
                                     [](const TetFace& face, const auto& wanted) { return face.key < wanted; });
    if (at == all.end() || at->key != key)
      bad_input("{}: group {} of {}: the triangle of nodes {}, {} and {} is no face of a tetrahedron", part.place,
                shown(from), mesh_.name, mesh_.number[as_size(key[0])], mesh_.number[as_size(key[1])],
                mesh_.number[as_size(key[2])]);
    found.push_back(face_of(*at, at + 1 != all.end() && (at + 1)->key == key));
  }
  return found;
}

Elements Selector::elements(const Selection& part) const {
  if (part.region) return {.dimension = 2, .faces = faces(part)};
  const MeshGroup& from = group(part, {2, 1, 0, 3});
  Elements result{.dimension = from.dimension};
  if (from.dimension == 2) result.faces = faces(part);
  if (from.dimension == 3) result.tetrahedra = tetrahedra(part);
  if (from.dimension == 0) {
    result.points = from.entry;
    keep_unique(result.points);
  }
  if (from.dimension == 1) {
    for (std::size_t i = 0; i < from.entry.size(); i += 2)
      result.lines.push_back({std::min(from.entry[i], from.entry[i + 1]), std::max(from.entry[i], from.entry[i + 1])});
    std::sort(result.lines.begin(), result.lines.end());
    result.lines.erase(std::unique(result.lines.begin(), result.lines.end()), result.lines.end());
  }
  return result;
}

std::vector<std::int32_t> Selector::tetrahedra(const Selection& part) const {
  std::vector<std::int32_t> found;
  if (part.group()) {
    found = group(part, {3}).entry;
    keep_unique(found);
    return found;
  }
  for (std::size_t e = 0; e < mesh_.tet.size(); ++e) {
    const auto& tet = mesh_.tet[e];
    if (!part.region || std::all_of(tet.begin(), tet.end(), [&](std::int32_t corner) {
          return inside(*part.region, mesh_.node[as_size(corner)]);
        }))
      found.push_back(static_cast<std::int32_t>(e));
  }
  if (found.empty()) bad_input("{}: found no tetrahedron of {} in where; expected some", part.place, mesh_.name);
  return found;
}

std::vector<std::int32_t> Selector::nodes(const Selection& part) const {
  std::vector<std::int32_t> found;
  if (part.region) {
    for (std::size_t i = 0; i < nodes_.position.size(); ++i) {
      const Vector3& x = nodes_.position[i];
      if (inside(*part.region, {x[0] / unit_, x[1] / unit_, x[2] / unit_}))
        found.push_back(static_cast<std::int32_t>(i));
    }
    if (found.empty()) bad_input("{}: found no node of {} in where; expected some", part.place, mesh_.name);
    return found;
  }
  const MeshGroup& from = group(part, {2, 1, 0, 3});
  if (from.dimension == 3) {
    for (const std::int32_t e : from.entry) {
      const std::int32_t* const node = nodes_.element.data() + as_size(e) * as_size(nodes_.per_element);
      found.insert(found.end(), node, node + nodes_.per_element);
    }
  } else {
    const std::size_t corners = as_size(from.dimension) + 1;
    for (std::size_t i = 0; i < from.entry.size(); i += corners) {
      for (std::size_t k = 0; k < corners; ++k) {
        found.push_back(nodes_.corner(from.entry[i + k]));
        for (std::size_t l = 0; nodes_.per_element == 10 && l < k; ++l) {
          const std::int32_t middle = nodes_.midpoint(from.entry[i + k], from.entry[i + l]);
          if (middle >= 0) found.push_back(middle);
        }
      }
    }
  }
  keep_unique(found);
  return found;
}

}  // namespace asterism::cg
