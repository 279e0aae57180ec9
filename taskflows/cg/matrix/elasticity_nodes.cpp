// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/elasticity_nodes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "taskflows/cg/matrix/node_graph.hpp"

namespace asterism::cg {
namespace {

void add_midpoints(const TetMesh& mesh, ElasticityNodes& nodes) {
  std::vector<std::int64_t>& edges = nodes.edge;
  edges.reserve(mesh.tet.size() * tet_edges.size());
  for (const auto& tet : mesh.tet) {
    for (const auto& [a, b] : tet_edges) edges.push_back(edge_key(tet[as_size(a)], tet[as_size(b)]));
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  const std::size_t corners = nodes.position.size();
  for (const std::int64_t edge : edges) {
    const auto& a = nodes.position[as_size(edge >> 32)];
    const auto& b = nodes.position[as_size(edge & 0xffffffff)];
    nodes.position.push_back({(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2});
  }
  for (std::size_t e = 0; e < mesh.tet.size(); ++e) {
    for (std::size_t k = 0; k < tet_edges.size(); ++k) {
      const auto [a, b] = tet_edges[k];
      const auto found =
          std::lower_bound(edges.begin(), edges.end(), edge_key(mesh.tet[e][as_size(a)], mesh.tet[e][as_size(b)]));
      nodes.element[10 * e + 4 + k] = static_cast<std::int32_t>(corners + as_size(found - edges.begin()));
    }
  }
}

void renumber(ElasticityNodes& nodes) {
  const std::vector<std::int32_t> order = reverse_cuthill_mckee(node_graph(nodes, elements_of_nodes(nodes)));
  std::vector<std::array<double, 3>> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    nodes.place[as_size(order[i])] = static_cast<std::int32_t>(i);
    position[i] = nodes.position[as_size(order[i])];
  }
  nodes.position = std::move(position);
  for (std::int32_t& node : nodes.element) node = nodes.place[as_size(node)];
}

}  // namespace

std::string name_of(Element element) {
  return element == Element::p1 ? "p1" : "p2";
}

std::string name_of(Numbering numbering) {
  return numbering == Numbering::mesh ? "mesh" : "rcm";
}

std::int32_t ElasticityNodes::midpoint(std::int32_t a, std::int32_t b) const {
  const std::int64_t key = edge_key(a, b);
  const auto found = std::lower_bound(edge.begin(), edge.end(), key);
  return found == edge.end() || *found != key ? -1 : place[as_size(corners) + as_size(found - edge.begin())];
}

ElasticityNodes elasticity_nodes(const TetMesh& mesh, std::vector<std::array<double, 3>> position, Element element,
                                 Numbering numbering) {
  ElasticityNodes nodes;
  nodes.position = std::move(position);
  nodes.corners = static_cast<std::int32_t>(nodes.position.size());
  nodes.per_element = element == Element::p1 ? 4 : 10;
  nodes.element.resize(mesh.tet.size() * as_size(nodes.per_element));
  for (std::size_t e = 0; e < mesh.tet.size(); ++e) {
    std::copy(mesh.tet[e].begin(), mesh.tet[e].end(), nodes.element.data() + e * as_size(nodes.per_element));
  }
  if (element == Element::p2) add_midpoints(mesh, nodes);
  if (nodes.position.size() > as_size(std::numeric_limits<std::int32_t>::max()) / 3) {
    bad_input("{}: {} nodes, expected at most {}, so that 32 bits hold an unknown", mesh.name, nodes.position.size(),
              std::numeric_limits<std::int32_t>::max() / 3);
  }
  nodes.place.resize(nodes.position.size());
  std::iota(nodes.place.begin(), nodes.place.end(), 0);
  if (numbering == Numbering::rcm) renumber(nodes);
  return nodes;
}

}  // namespace asterism::cg
