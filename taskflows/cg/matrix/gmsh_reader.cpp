// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/gmsh_reader.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "io/mesh/gmsh.hpp"

namespace asterism::cg {
namespace {

/// Six times the signed volume over the product of the three edges at corner 0: 0 if flat, at most 1 in magnitude.
double shape(const std::array<double, 3>& x0, const std::array<double, 3>& x1, const std::array<double, 3>& x2,
             const std::array<double, 3>& x3) {
  std::array<std::array<double, 3>, 3> e{};
  for (std::size_t c = 0; c < 3; ++c) {
    e[0][c] = x1[c] - x0[c];
    e[1][c] = x2[c] - x0[c];
    e[2][c] = x3[c] - x0[c];
  }
  const double six_volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                            e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
  const double edges = std::hypot(e[0][0], e[0][1], e[0][2]) * std::hypot(e[1][0], e[1][1], e[1][2]) *
                       std::hypot(e[2][0], e[2][1], e[2][2]);
  return edges > 0 ? six_volume / edges : 0;
}

/// The tetrahedra with positive volume, and for each element of the file which one it is: the same one where elements
/// have the same corners.
std::vector<std::int32_t> add_tetrahedra(const mesh::GmshMesh& read, const std::string& file, TetMesh& mesh) {
  // Coplanar corners with rounded coordinates give a shape of about 1e-16; no usable element comes near 1e-12.
  constexpr double flat = 1e-12;
  mesh.tet.reserve(read.tetrahedra.size());
  for (const auto& from : read.tetrahedra) {
    std::array<std::int32_t, 4> tet{};
    for (std::size_t k = 0; k < 4; ++k) tet[k] = read.node_index(from.node[k], from.line);
    const auto x = [&](std::size_t k) -> const auto& {
      return read.nodes[as_size(tet[k])];
    };
    const double quality = shape(x(0), x(1), x(2), x(3));
    if (!(std::abs(quality) > flat)) {
      bad_input("{}: {}: found a tetrahedron of zero volume; expected a positive one", file, read.place(from.line));
    }
    if (quality < 0) std::swap(tet[2], tet[3]);
    mesh.tet.push_back(tet);
  }

  std::vector<std::int32_t> which(mesh.tet.size());
  std::iota(which.begin(), which.end(), 0);
  std::vector<std::array<std::int32_t, 4>> sorted = mesh.tet;
  for (auto& tet : sorted) std::sort(tet.begin(), tet.end());
  std::vector<std::int32_t> order = which;
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return std::tie(sorted[as_size(a)], a) < std::tie(sorted[as_size(b)], b);
  });
  std::size_t repeated = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (sorted[as_size(order[i])] != sorted[as_size(order[i - 1])]) continue;
    which[as_size(order[i])] = which[as_size(order[i - 1])];
    ++repeated;
  }
  if (repeated == 0) return which;
  std::int32_t kept = 0;
  for (std::size_t e = 0; e < which.size(); ++e) {
    const bool first = which[e] == static_cast<std::int32_t>(e);
    if (first) mesh.tet[as_size(kept)] = mesh.tet[e];
    which[e] = first ? kept++ : which[as_size(which[e])];
  }
  mesh.tet.resize(as_size(kept));
  return which;
}

/// Keeps the nodes that tetrahedra use; the new number of each node of the file, or -1.
std::vector<std::int32_t> keep_used_nodes(const mesh::GmshMesh& read, TetMesh& mesh) {
  std::vector<std::int32_t> renumbered(read.nodes.size(), -1);
  for (const auto& tet : mesh.tet) {
    for (const std::int32_t corner : tet) renumbered[as_size(corner)] = 0;
  }
  for (std::size_t i = 0; i < renumbered.size(); ++i) {
    if (renumbered[i] < 0) continue;
    renumbered[i] = static_cast<std::int32_t>(mesh.node.size());
    mesh.node.push_back(read.nodes[i]);
  }
  for (auto& tet : mesh.tet) {
    for (std::int32_t& corner : tet) corner = renumbered[as_size(corner)];
  }
  mesh.number.resize(mesh.node.size());
  for (const auto& [number, node] : read.index) {
    if (renumbered[as_size(node)] >= 0) mesh.number[as_size(renumbered[as_size(node)])] = number;
  }
  return renumbered;
}

class Groups {
 public:
  Groups(const mesh::GmshMesh& read, const std::vector<std::int32_t>& renumbered)
      : read_(read), renumbered_(renumbered) {
    for (const auto& [key, name] : read.group_names) group(key.first, key.second).name = name;
  }

  /// Points, lines or triangles.
  template <std::size_t corners>
  void add(const std::vector<mesh::GmshMesh::Element<corners>>& elements) {
    for (const auto& element : elements) {
      for (const std::int64_t tag : read_.group_sets[as_size(element.groups)]) {
        MeshGroup& to = group(static_cast<int>(corners) - 1, tag);
        std::array<std::int32_t, corners> node{};
        for (std::size_t k = 0; k < corners; ++k)
          node[k] = renumbered_[as_size(read_.node_index(element.node[k], element.line))];
        if (std::find(node.begin(), node.end(), -1) != node.end())
          ++to.foreign;
        else
          to.entry.insert(to.entry.end(), node.begin(), node.end());
      }
    }
  }
  void add_tetrahedra(const std::vector<std::int32_t>& which) {
    for (std::size_t e = 0; e < which.size(); ++e) {
      for (const std::int64_t tag : read_.group_sets[as_size(read_.tetrahedra[e].groups)])
        group(3, tag).entry.push_back(which[e]);
    }
  }
  std::vector<MeshGroup> take() {
    std::vector<MeshGroup> all;
    for (auto& [key, value] : groups_) all.push_back(std::move(value));
    return all;
  }

 private:
  MeshGroup& group(int dimension, std::int64_t tag) {
    MeshGroup& found = groups_[{dimension, tag}];
    found.dimension = dimension;
    found.tag = tag;
    return found;
  }

  const mesh::GmshMesh& read_;
  const std::vector<std::int32_t>& renumbered_;
  std::map<std::pair<int, std::int64_t>, MeshGroup> groups_;
};

}  // namespace

TetMesh read_gmsh(const std::filesystem::path& file) {
  const mesh::GmshMesh read = mesh::read_gmsh(TextFile(file, "a gmsh mesh"));
  if (read.tetrahedra.empty()) {
    bad_input("{}: no element is a 4-node tetrahedron, expected some (type 4)", file.string());
  }
  TetMesh mesh;
  mesh.name = file.filename().string();
  const std::vector<std::int32_t> which = add_tetrahedra(read, file.string(), mesh);
  const std::vector<std::int32_t> renumbered = keep_used_nodes(read, mesh);
  Groups groups(read, renumbered);
  groups.add(read.points);
  groups.add(read.lines);
  groups.add(read.triangles);
  groups.add_tetrahedra(which);
  mesh.group = groups.take();
  return mesh;
}

}  // namespace asterism::cg
