// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/elasticity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "taskflows/cg/matrix/node_graph.hpp"

namespace asterism::cg {
namespace {

using Vector = std::array<double, 3>;

Vector difference(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

void add_midpoints(const TetMesh& mesh, ElasticityNodes& nodes) {
  const auto key = [](std::int64_t a, std::int64_t b) { return std::min(a, b) << 32 | std::max(a, b); };
  std::vector<std::int64_t> edges;
  edges.reserve(mesh.tet.size() * tet_edges.size());
  for (const auto& tet : mesh.tet) {
    for (const auto& [a, b] : tet_edges) edges.push_back(key(tet[as_size(a)], tet[as_size(b)]));
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  const std::size_t corners = nodes.position.size();
  for (const std::int64_t edge : edges) {
    const Vector& a = nodes.position[as_size(edge >> 32)];
    const Vector& b = nodes.position[as_size(edge & 0xffffffff)];
    nodes.position.push_back({(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2});
  }
  for (std::size_t e = 0; e < mesh.tet.size(); ++e) {
    for (std::size_t k = 0; k < tet_edges.size(); ++k) {
      const auto [a, b] = tet_edges[k];
      const auto found =
          std::lower_bound(edges.begin(), edges.end(), key(mesh.tet[e][as_size(a)], mesh.tet[e][as_size(b)]));
      nodes.element[10 * e + 4 + k] = static_cast<std::int32_t>(corners + as_size(found - edges.begin()));
    }
  }
}

/// A piece is held if three of its clamped nodes are not on one line; otherwise it could move at no cost and the
/// matrix would be singular. (Pieces that are joined at a single node are not found: there is no cheap test for them.)
void require_held(const TetMesh& mesh, const ElasticityNodes& nodes, const NodeLists& graph) {
  std::vector<std::int32_t> level(nodes.position.size(), -1);
  for (std::size_t seed = 0; seed < level.size(); ++seed) {
    if (level[seed] >= 0) continue;
    std::vector<Vector> held;
    for (const std::int32_t node : breadth_first(graph, static_cast<std::int32_t>(seed), level)) {
      if (nodes.clamped[as_size(node)]) held.push_back(nodes.position[as_size(node)]);
    }
    double longest = 0;
    Vector line{};
    for (const Vector& x : held) {
      const Vector d = difference(x, held.front());
      if (dot(d, d) > longest) {
        longest = dot(d, d);
        line = d;
      }
    }
    const bool off_line = std::any_of(held.begin(), held.end(), [&](const Vector& x) {
      const Vector area = cross(line, difference(x, held.front()));
      return std::sqrt(dot(area, area)) > 1e-9 * longest;
    });
    if (!off_line) {
      bad_input(
          "{}: a connected piece of the mesh has {} clamped nodes (lowest 5 % of the longest axis), "
          "expected three or more that are not on one line",
          mesh.name, held.size());
    }
  }
}

/// Gradients of the four barycentric coordinates, constant in the element, and its volume.
struct Geometry {
  std::array<Vector, 4> gradient;
  double volume;
};

std::vector<Geometry> geometries(const TetMesh& mesh, const ElasticityNodes& nodes) {
  std::vector<Geometry> result;
  result.reserve(mesh.tet.size());
  for (std::size_t e = 0; e < mesh.tet.size(); ++e) {
    const std::int32_t* corner = nodes.element.data() + e * as_size(nodes.per_element);
    const Vector& x0 = nodes.position[as_size(corner[0])];
    const Vector e1 = difference(nodes.position[as_size(corner[1])], x0);
    const Vector e2 = difference(nodes.position[as_size(corner[2])], x0);
    const Vector e3 = difference(nodes.position[as_size(corner[3])], x0);
    Geometry g{.gradient = {Vector{}, cross(e2, e3), cross(e3, e1), cross(e1, e2)}, .volume = 0};
    const double six_volume = dot(e1, g.gradient[1]);
    if (!(six_volume > 0)) {
      bad_input("{}: tetrahedron {} has volume {:g}, expected a positive one", mesh.name, e + 1, six_volume / 6);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t k = 1; k < 4; ++k) {
        g.gradient[k][c] /= six_volume;
        g.gradient[0][c] -= g.gradient[k][c];
      }
    }
    g.volume = six_volume / 6;
    result.push_back(g);
  }
  return result;
}

/// derivative[q][a][k] = dN_a / d(barycentric coordinate k) at integration point q; all points weigh the same.
struct Rule {
  int points;
  std::array<std::array<std::array<double, 4>, 10>, 4> derivative;
};

Rule integration_rule(Element element) {
  Rule rule{};
  if (element == Element::p1) {  // constant gradients
    rule.points = 1;
    for (std::size_t k = 0; k < 4; ++k) rule.derivative[0][k][k] = 1;
    return rule;
  }
  // Products of linear gradients: the 4-point rule of degree 2 is exact.
  const double near = (5 + 3 * std::sqrt(5.0)) / 20;
  const double far = (5 - std::sqrt(5.0)) / 20;
  rule.points = 4;
  for (std::size_t q = 0; q < 4; ++q) {
    const auto l = [&](std::size_t k) { return k == q ? near : far; };
    for (std::size_t k = 0; k < 4; ++k) rule.derivative[q][k][k] = 4 * l(k) - 1;  // N = l (2 l - 1)
    for (std::size_t k = 0; k < tet_edges.size(); ++k) {                          // N = 4 l_a l_b
      const std::size_t a = as_size(tet_edges[k][0]);
      const std::size_t b = as_size(tet_edges[k][1]);
      rule.derivative[q][4 + k][a] = 4 * l(b);
      rule.derivative[q][4 + k][b] = 4 * l(a);
    }
  }
  return rule;
}

using Block = std::array<std::array<double, 3>, 3>;

/// The blocks A_ab of one element for its local node a and all its nodes b. Every sum runs in an order that does not
/// depend on which of a and b is the row, which makes A_ba exactly the transpose of A_ab.
void element_blocks(const Rule& rule, const Geometry& geometry, std::size_t a, std::span<Block> blocks, double lambda,
                    double mu) {
  std::array<std::array<Vector, 10>, 4> gradient{};
  for (std::size_t q = 0; q < as_size(rule.points); ++q) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t c = 0; c < 3; ++c) gradient[q][b][c] += rule.derivative[q][b][k] * geometry.gradient[k][c];
      }
    }
  }
  const double weight = geometry.volume / rule.points;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Block outer{};  // sum over the points of grad N_a grad N_b^T
    for (std::size_t q = 0; q < as_size(rule.points); ++q) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) outer[i][j] += gradient[q][a][i] * gradient[q][b][j];
      }
    }
    const double trace = outer[0][0] + outer[1][1] + outer[2][2];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        blocks[b][i][j] = weight * (lambda * outer[i][j] + mu * outer[j][i] + (i == j ? mu * trace : 0));
      }
    }
  }
}

/// Sizes the arrays: a free node's three rows hold all components of its free neighbours, a clamped one's only
/// their diagonal.
CsrMatrix empty_rows(const ElasticityNodes& nodes, const NodeLists& graph) {
  CsrMatrix matrix;
  matrix.n = 3 * static_cast<std::int64_t>(nodes.position.size());
  matrix.row_begin = Array<std::int64_t>(as_size(matrix.n) + 1);
  matrix.row_begin[0] = 0;
  for (std::int64_t a = 0; a < matrix.n / 3; ++a) {
    const std::int64_t free_neighbours =
        std::count_if(graph[a].begin(), graph[a].end(), [&](std::int32_t b) { return !nodes.clamped[as_size(b)]; });
    const std::int64_t length = nodes.clamped[as_size(a)] ? 1 : 3 * free_neighbours;
    for (std::int64_t row = 3 * a; row < 3 * a + 3; ++row) {
      matrix.row_begin[as_size(row) + 1] = matrix.row_begin[as_size(row)] + length;
    }
  }
  matrix.column = Array<std::int32_t>(as_size(matrix.nnz()));
  matrix.value = Array<double>(as_size(matrix.nnz()));
  return matrix;
}

}  // namespace

ElasticityNodes elasticity_nodes(const TetMesh& mesh, const ElasticityOptions& options) {
  constexpr double clamped_part = 0.05;
  ElasticityNodes nodes;
  nodes.per_element = options.element == Element::p1 ? 4 : 10;
  Vector low = mesh.node.at(0);
  Vector high = low;
  for (const Vector& x : mesh.node) {
    for (std::size_t c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], x[c]);
      high[c] = std::max(high[c], x[c]);
    }
  }
  const Vector side = difference(high, low);
  const auto axis = as_size(std::max_element(side.begin(), side.end()) - side.begin());
  nodes.position.reserve(mesh.node.size());
  for (const Vector& x : mesh.node) {
    const Vector d = difference(x, low);
    nodes.position.push_back({d[0] / side[axis], d[1] / side[axis], d[2] / side[axis]});
  }
  nodes.element.resize(mesh.tet.size() * as_size(nodes.per_element));
  for (std::size_t e = 0; e < mesh.tet.size(); ++e) {
    std::copy(mesh.tet[e].begin(), mesh.tet[e].end(), nodes.element.data() + e * as_size(nodes.per_element));
  }
  if (options.element == Element::p2) add_midpoints(mesh, nodes);
  if (nodes.position.size() > as_size(std::numeric_limits<std::int32_t>::max()) / 3) {
    bad_input("{}: {} nodes, expected at most {}, so that 32 bits hold an unknown", mesh.name, nodes.position.size(),
              std::numeric_limits<std::int32_t>::max() / 3);
  }

  if (options.numbering == Numbering::rcm) {
    const std::vector<std::int32_t> order = reverse_cuthill_mckee(node_graph(nodes, elements_of_nodes(nodes)));
    std::vector<std::int32_t> rank(order.size());
    std::vector<Vector> position(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank[as_size(order[i])] = static_cast<std::int32_t>(i);
      position[i] = nodes.position[as_size(order[i])];
    }
    nodes.position = std::move(position);
    for (std::int32_t& node : nodes.element) node = rank[as_size(node)];
  }

  nodes.clamped.resize(nodes.position.size());
  std::transform(nodes.position.begin(), nodes.position.end(), nodes.clamped.begin(),
                 [&](const Vector& x) { return options.clamp && x[axis] <= clamped_part; });
  return nodes;
}

std::string name_of(Element element) {
  return element == Element::p1 ? "p1" : "p2";
}

std::string name_of(Numbering numbering) {
  return numbering == Numbering::mesh ? "mesh" : "rcm";
}

CsrMatrix assemble_elasticity(const TetMesh& mesh, const ElasticityOptions& options) {
  if (!(options.young > 0) || !std::isfinite(options.young)) {
    bad_input("elasticity: Young's modulus {}, expected a positive number", options.young);
  }
  if (!(options.poisson > -1 && options.poisson < 0.5)) {
    bad_input("elasticity: Poisson's ratio {}, expected a number between -1 and 0.5", options.poisson);
  }
  const double mu = options.young / (2 * (1 + options.poisson));
  const double lambda = 2 * mu * options.poisson / (1 - 2 * options.poisson);

  const ElasticityNodes nodes = elasticity_nodes(mesh, options);
  const std::vector<Geometry> geometry = geometries(mesh, nodes);
  const NodeLists elements = elements_of_nodes(nodes);
  const NodeLists graph = node_graph(nodes, elements);
  if (options.clamp) require_held(mesh, nodes, graph);
  const Rule rule = integration_rule(options.element);
  const std::size_t per_element = as_size(nodes.per_element);

  CsrMatrix matrix = empty_rows(nodes, graph);
  matrix.name = mesh.name + (options.element == Element::p1 ? " P1 elasticity" : " P2 elasticity");
  const std::int64_t count = matrix.n / 3;
  std::vector<double> trace(as_size(count), 0.0);

  // A thread computes whole rows: for each of its nodes a, the row of blocks A_ab of every element around a. Each
  // element is so visited once per node, which is cheaper than agreeing on who adds what where.
#pragma omp parallel
  {
    std::vector<std::int32_t> slot(as_size(count));  // of a neighbour within the row; valid for neighbours only
    std::array<Block, 10> blocks{};
#pragma omp for schedule(static)
    for (std::int64_t a = 0; a < count; ++a) {
      if (nodes.clamped[as_size(a)]) {
        for (std::int64_t row = 3 * a; row < 3 * a + 3; ++row) {
          matrix.column[as_size(matrix.row_begin[as_size(row)])] = static_cast<std::int32_t>(row);
        }
        continue;
      }
      const std::int64_t begin = matrix.row_begin[as_size(3 * a)];
      const std::int64_t length = matrix.row_begin[as_size(3 * a + 1)] - begin;
      double* const value = matrix.value.data() + begin;
      std::fill_n(value, 3 * length, 0.0);
      std::int32_t filled = 0;
      for (const std::int32_t b : graph[a]) {
        slot[as_size(b)] = nodes.clamped[as_size(b)] ? -1 : filled;
        if (nodes.clamped[as_size(b)]) continue;
        for (std::int32_t c = 0; c < 9; ++c) {
          matrix.column[as_size(begin + c / 3 * length + filled + c % 3)] = 3 * b + c % 3;
        }
        filled += 3;
      }
      for (const std::int32_t e : elements[a]) {
        const std::int32_t* const node = nodes.element.data() + as_size(e) * per_element;
        const std::size_t local = as_size(std::find(node, node + per_element, a) - node);
        element_blocks(rule, geometry[as_size(e)], local, std::span(blocks).first(per_element), lambda, mu);
        for (std::size_t b = 0; b < per_element; ++b) {
          const std::int32_t at = slot[as_size(node[b])];
          if (at < 0) continue;
          for (std::int64_t c = 0; c < 9; ++c)
            value[c / 3 * length + at + c % 3] += blocks[b][as_size(c / 3)][as_size(c % 3)];
        }
      }
      for (std::int64_t c = 0; c < 3; ++c) trace[as_size(a)] += value[c * length + slot[as_size(a)] + c];
    }
  }

  const auto free_nodes = static_cast<double>(std::count(nodes.clamped.begin(), nodes.clamped.end(), 0));
  const double mean_diagonal = std::accumulate(trace.begin(), trace.end(), 0.0) / (3 * free_nodes);
  for (std::int64_t a = 0; a < count; ++a) {
    if (nodes.clamped[as_size(a)])
      std::fill_n(matrix.value.data() + matrix.row_begin[as_size(3 * a)], 3, mean_diagonal);
  }
  return matrix;
}

}  // namespace asterism::cg
