// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/elasticity.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "taskflows/cg/matrix/node_graph.hpp"

namespace asterism::cg {
namespace {

/// How many of the six rigid motions the fixed unknowns of some nodes notice.
Eigen::Index held_motions(const ElasticBody& body, const std::vector<std::int32_t>& nodes) {
  constexpr double negligible = 1e-9;
  Vector3 centre{};
  for (const std::int32_t node : nodes) {
    for (std::size_t c = 0; c < 3; ++c)
      centre[c] += body.nodes.position[as_size(node)][c] / static_cast<double>(nodes.size());
  }
  double size = 0;
  std::vector<std::pair<std::int32_t, std::size_t>> fixed;
  for (const std::int32_t node : nodes) {
    const Vector3 x = difference(body.nodes.position[as_size(node)], centre);
    size = std::max(size, std::sqrt(dot(x, x)));
    for (std::size_t c = 0; c < 3; ++c)
      if (body.fixed[3 * as_size(node) + c]) fixed.emplace_back(node, c);
  }
  if (fixed.empty()) return 0;
  // a row per fixed unknown: its share of three translations and three rotations
  Eigen::MatrixXd motion = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(fixed.size()), 6);
  for (std::size_t row = 0; row < fixed.size(); ++row) {
    const auto [node, c] = fixed[row];
    const Vector3 x = difference(body.nodes.position[as_size(node)], centre);
    const auto at = static_cast<Eigen::Index>(row);
    motion(at, static_cast<Eigen::Index>(c)) = 1;
    const std::size_t d = (c + 1) % 3;
    const std::size_t e = (c + 2) % 3;
    motion(at, static_cast<Eigen::Index>(3 + d)) = x[e] / size;
    motion(at, static_cast<Eigen::Index>(3 + e)) = -x[d] / size;
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(motion);
  factors.setThreshold(negligible);
  return factors.rank();
}

/// Sizes the arrays: the row of a free unknown holds the free unknowns of the neighbours of its node, that of a fixed
/// one only its diagonal.
CsrMatrix empty_rows(const ElasticBody& body, const NodeLists& graph) {
  CsrMatrix matrix;
  matrix.n = 3 * static_cast<std::int64_t>(body.nodes.position.size());
  matrix.row_begin = Array<std::int64_t>(as_size(matrix.n) + 1);
  matrix.row_begin[0] = 0;
  for (std::int64_t a = 0; a < matrix.n / 3; ++a) {
    std::int64_t free_unknowns = 0;
    for (const std::int32_t b : graph[a]) {
      for (std::size_t c = 0; c < 3; ++c) free_unknowns += body.fixed[3 * as_size(b) + c] ? 0 : 1;
    }
    for (std::int64_t row = 3 * a; row < 3 * a + 3; ++row) {
      matrix.row_begin[as_size(row) + 1] =
          matrix.row_begin[as_size(row)] + (body.fixed[as_size(row)] ? 1 : free_unknowns);
    }
  }
  matrix.column = Array<std::int32_t>(as_size(matrix.nnz()));
  matrix.value = Array<double>(as_size(matrix.nnz()));
  return matrix;
}

/// Assembles the three rows of one node at a time.
class Rows {
 public:
  Rows(const ElasticBody& body, const std::vector<TetGeometry>& geometry, const NodeLists& elements,
       const NodeLists& graph, CsrMatrix& matrix)
      : body_(body),
        geometry_(geometry),
        elements_(elements),
        graph_(graph),
        matrix_(matrix),
        slot_(body.fixed.size()) {}

  /// Returns the sum of the diagonal entries of its free unknowns.
  double fill(std::int64_t a) {
    std::array<double*, 3> value{};
    const std::int32_t length = set_columns(a, value);
    for (double* const row : value)
      if (row != nullptr) std::fill_n(row, length, 0.0);
    const std::size_t per_element = as_size(body_.nodes.per_element);
    for (const std::int32_t e : elements_[a]) {
      const std::int32_t* const node = body_.nodes.element.data() + as_size(e) * per_element;
      const std::size_t local = as_size(std::find(node, node + per_element, a) - node);
      element_blocks(rule_, geometry_[as_size(e)], local, std::span(blocks_).first(per_element),
                     body_.material_at(as_size(e)));
      for (std::size_t b = 0; b < per_element; ++b) {
        const std::int32_t* const slot = slot_.data() + 3 * as_size(node[b]);
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; value[i] != nullptr && j < 3; ++j)
            if (slot[j] >= 0) value[i][slot[j]] += blocks_[b][i][j];
        }
      }
    }
    double trace = 0;
    for (std::size_t c = 0; c < 3; ++c)
      if (value[c] != nullptr) trace += value[c][slot_[3 * as_size(a) + c]];
    return trace;
  }

 private:
  /// The columns of the rows of node a, where their values are (nullptr: the unknown is fixed), and the length of those
  /// that are free.
  std::int32_t set_columns(std::int64_t a, std::array<double*, 3>& value) {
    std::int32_t length = 0;
    for (const std::int32_t b : graph_[a]) {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t unknown = 3 * as_size(b) + c;
        slot_[unknown] = body_.fixed[unknown] ? -1 : length++;
      }
    }
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t row = 3 * as_size(a) + c;
      const std::size_t begin = as_size(matrix_.row_begin[row]);
      value[c] = body_.fixed[row] ? nullptr : matrix_.value.data() + begin;
      if (body_.fixed[row]) {
        matrix_.column[begin] = static_cast<std::int32_t>(row);
        continue;
      }
      for (const std::int32_t b : graph_[a]) {
        for (std::int32_t d = 3 * b; d < 3 * b + 3; ++d)
          if (slot_[as_size(d)] >= 0) matrix_.column[begin + as_size(slot_[as_size(d)])] = d;
      }
    }
    return length;
  }

  const ElasticBody& body_;
  const std::vector<TetGeometry>& geometry_;
  const NodeLists& elements_;
  const NodeLists& graph_;
  CsrMatrix& matrix_;
  const TetRule rule_ = integration_rule(body_.element);
  std::vector<std::int32_t> slot_;  ///< of a neighbour's unknown within the row; valid for neighbours only
  std::array<Block3, 10> blocks_{};
};

}  // namespace

void require_held(const ElasticBody& body, const std::string& supports) {
  const NodeLists graph = node_graph(body.nodes, elements_of_nodes(body.nodes));
  std::vector<std::int32_t> level(body.nodes.position.size(), -1);
  for (std::size_t seed = 0; seed < level.size(); ++seed) {
    if (level[seed] >= 0) continue;
    const std::vector<std::int32_t> piece = breadth_first(graph, static_cast<std::int32_t>(seed), level);
    const Eigen::Index held = held_motions(body, piece);
    if (held == 6) continue;
    const auto supported = std::count_if(piece.begin(), piece.end(), [&](std::int32_t node) {
      const std::uint8_t* const fixed = body.fixed.data() + 3 * as_size(node);
      return fixed[0] || fixed[1] || fixed[2];
    });
    bad_input(
        "{}: a connected piece of the mesh has {} supported nodes ({}), which hold {} of its 6 rigid motions; "
        "expected all 6, as three clamped nodes that are not on one line do",
        body.name, supported, supports, held);
  }
}

CsrMatrix assemble_elasticity(const ElasticBody& body) {
  const std::vector<TetGeometry> geometry = tet_geometries(body.nodes, body.name);
  const NodeLists elements = elements_of_nodes(body.nodes);
  const NodeLists graph = node_graph(body.nodes, elements);
  CsrMatrix matrix = empty_rows(body, graph);
  matrix.name = body.name + (body.element == Element::p1 ? " P1 elasticity" : " P2 elasticity");
  const std::int64_t count = matrix.n / 3;
  std::vector<double> trace(as_size(count));

  // A thread computes whole rows: for each of its nodes a, the row of blocks A_ab of every element around a. Each
  // element is so visited once per node, which is cheaper than agreeing on who adds what where.
#pragma omp parallel
  {
    Rows rows(body, geometry, elements, graph, matrix);
#pragma omp for schedule(static)
    for (std::int64_t a = 0; a < count; ++a) trace[as_size(a)] = rows.fill(a);
  }

  const auto free_unknowns = static_cast<double>(std::count(body.fixed.begin(), body.fixed.end(), 0));
  const double mean_diagonal = std::accumulate(trace.begin(), trace.end(), 0.0) / free_unknowns;
  for (std::int64_t row = 0; row < matrix.n; ++row) {
    if (body.fixed[as_size(row)]) matrix.value[as_size(matrix.row_begin[as_size(row)])] = mean_diagonal;
  }
  return matrix;
}

ElasticBody scaled_body(const TetMesh& mesh, const ElasticityOptions& options) {
  constexpr double clamped_part = 0.05;
  ElasticBody body;
  body.name = mesh.name;
  body.element = options.element;
  body.material = {lame(options.young, options.poisson, "elasticity")};
  Vector3 low = mesh.node.at(0);
  Vector3 high = low;
  for (const Vector3& x : mesh.node) {
    for (std::size_t c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], x[c]);
      high[c] = std::max(high[c], x[c]);
    }
  }
  const Vector3 side = difference(high, low);
  const auto axis = as_size(std::max_element(side.begin(), side.end()) - side.begin());
  std::vector<Vector3> position;
  position.reserve(mesh.node.size());
  for (const Vector3& x : mesh.node) {
    const Vector3 d = difference(x, low);
    position.push_back({d[0] / side[axis], d[1] / side[axis], d[2] / side[axis]});
  }
  body.nodes = elasticity_nodes(mesh, std::move(position), options.element, options.numbering);
  body.fixed.assign(3 * body.nodes.position.size(), 0);
  if (!options.clamp) return body;
  for (std::size_t i = 0; i < body.nodes.position.size(); ++i)
    if (body.nodes.position[i][axis] <= clamped_part)
      std::fill_n(body.fixed.begin() + static_cast<std::ptrdiff_t>(3 * i), 3, 1);
  require_held(body, "lowest 5 % of the longest axis");
  return body;
}

}  // namespace asterism::cg
