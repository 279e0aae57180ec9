// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/hierarchy.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "runtime/clock.hpp"
#include "taskflows/cg/preconditioner/aggregation.hpp"
#include "taskflows/cg/preconditioner/row_parts.hpp"
#include "taskflows/cg/preconditioner/sparse_blocks.hpp"
#include "taskflows/cg/preconditioner/spectrum.hpp"

namespace asterism::cg {
namespace {

/// Connections below this are weak, on the finest level; half of it on each coarser one (Vanek and others, section 4).
constexpr double scalar_threshold = 0.08;
/// A mode that the others explain in an aggregate up to this factor has no coarse unknown there.
constexpr double dependent = 1e-8;
constexpr int most_levels = 12;
/// Fewest iterations on grids of 7 points and on beams of tetrahedra, of 0.05, 0.1, 0.2 and 0.3.
constexpr double share_on_grids = 0.2;
constexpr double share_on_bodies = 0.1;
constexpr int lanczos_steps = 10;
/// The largest Ritz value is a lower bound.
constexpr double safety = 1.1;
/// Row sums of D^-1 |A| up to this are as good a bound.
constexpr double sharp_row_sums = 2 * (1 + 1e-12);

/// The tentative prolongation: one block in the rows of each node, in the column of its aggregate.
struct Tentative {
  const Aggregates& aggregates;
  std::vector<double> block;  ///< of each node, rows of the node by modes
};

/// An orthonormal base of the modes in each aggregate (modified Gram-Schmidt, twice), and the modes in that base, which
/// are those of the next level.
Tentative tentative(const Aggregates& aggregates, int size, NearNullspace& modes) {
  const std::size_t m = modes.size();
  const std::size_t nodes = aggregates.of_node.size();
  const auto count = as_size(aggregates.count());
  std::vector<std::int64_t> begin(count + 1, 0);
  for (const std::int32_t of : aggregates.of_node)
    if (of >= 0) ++begin[as_size(of) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::int32_t> members(as_size(begin.back()));
  std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < nodes; ++i)
    if (const std::int32_t of = aggregates.of_node[i]; of >= 0)
      members[as_size(next[as_size(of)]++)] = static_cast<std::int32_t>(i);
  Tentative result{aggregates, std::vector<double>(nodes * as_size(size) * m, 0.0)};
  NearNullspace coarse(m, std::vector<double>(count * m, 0.0));
#pragma omp parallel
  {
    std::vector<double> q;  // by modes
#pragma omp for schedule(dynamic, 256)
    for (std::int64_t a = 0; a < aggregates.count(); ++a) {
      const auto nodes_of =
          std::span(members).subspan(as_size(begin[as_size(a)]), as_size(begin[as_size(a) + 1] - begin[as_size(a)]));
      const std::size_t rows = nodes_of.size() * as_size(size);
      q.resize(rows * m);
      for (std::size_t c = 0; c < m; ++c)
        for (std::size_t k = 0; k < nodes_of.size(); ++k)
          std::copy_n(modes[c].data() + std::int64_t{nodes_of[k]} * size, size,
                      q.data() + c * rows + k * as_size(size));
      const auto dot = [&](std::size_t c, std::size_t d) {
        return std::inner_product(q.data() + c * rows, q.data() + (c + 1) * rows, q.data() + d * rows, 0.0);
      };
      for (std::size_t c = 0; c < m; ++c) {
        const double before = std::sqrt(dot(c, c));
        for (int pass = 0; pass < 2; ++pass)
          for (std::size_t d = 0; d < c; ++d) {
            const double share = dot(d, c);
            for (std::size_t k = 0; k < rows; ++k) q[c * rows + k] = q[c * rows + k] - share * q[d * rows + k];
            coarse[c][as_size(a) * m + d] += share;
          }
        const double after = std::sqrt(dot(c, c));
        const bool independent = after > dependent * before && before > 0;
        for (std::size_t k = 0; k < rows; ++k) q[c * rows + k] *= independent ? 1 / after : 0;
        coarse[c][as_size(a) * m + c] = independent ? after : 0;
      }
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t of_matrix = as_size(nodes_of[row / as_size(size)]) * as_size(size) + row % as_size(size);
        for (std::size_t c = 0; c < m; ++c) result.block[of_matrix * m + c] = q[c * rows + row];
      }
    }
  }
  modes = std::move(coarse);
  return result;
}

/// A row of P = (I - omega D^-1 A) P^ where nodes have one row, and one mode.
void smooth_scalar_row(const SparseBlocks& a, double factor, const Tentative& tentative, std::int64_t row,
                       BlockRow& sum) {
  const std::vector<std::int32_t>& aggregate = tentative.aggregates.of_node;
  for (std::int64_t k = a.begin[as_size(row)]; k < a.begin[as_size(row) + 1]; ++k) {
    const std::int32_t j = a.column[as_size(k)];
    if (aggregate[as_size(j)] < 0) continue;
    double& entry = *sum.at(aggregate[as_size(j)]);
    entry = entry + ((j == row ? 1 : 0) - factor * a.value[as_size(k)]) * tentative.block[as_size(j)];
  }
}

/// P = (I - omega D^-1 A) P^
SparseBlocks smooth(const SparseBlocks& a, const std::vector<double>& inverse, double omega, const Tentative& tentative,
                    int modes) {
  const int size = a.height;
  const std::vector<std::int32_t>& aggregate = tentative.aggregates.of_node;
  const std::int64_t of_block = std::int64_t{size} * modes;
  return RowParts(a.rows(), tentative.aggregates.count(), size, modes,
                  [&](std::int64_t node, BlockRow& sum) {
                    if (of_block == 1) {
                      smooth_scalar_row(a, omega * inverse[as_size(node)], tentative, node, sum);
                      return sum.sort();
                    }
                    for (std::int64_t k = a.begin[as_size(node)]; k < a.begin[as_size(node) + 1]; ++k) {
                      const std::int64_t j = a.column[as_size(k)];
                      if (const std::int32_t of = aggregate[as_size(j)]; of >= 0)
                        add_product(size, size, modes, a.block(k), tentative.block.data() + j * of_block, sum.at(of));
                    }
                    double product[most_rows_of_nodes * most_rows_of_nodes];
                    for (const std::int32_t column : sum.column()) {
                      double* const block = sum.at(column);
                      std::copy_n(block, of_block, product);
                      std::fill_n(block, of_block, 0.0);
                      add_product(size, size, modes, inverse.data() + node * a.size(), product, block);
                      const bool here = column == aggregate[as_size(node)];
                      for (std::int64_t e = 0; e < of_block; ++e)
                        block[e] = (here ? tentative.block[as_size(node * of_block + e)] : 0) - omega * block[e];
                    }
                    sum.sort();
                  })
      .joined();
}

/// Unknowns that stand for nothing (dependent modes) have rows of zeros: 1 on the diagonal makes them harmless.
void mend_empty_rows(SparseBlocks& a, const std::string& name) {
  double largest = 0;
  std::vector<std::int64_t> at(as_size(a.rows()), -1);
  for (std::int64_t node = 0; node < a.rows(); ++node)
    for (std::int64_t k = a.begin[as_size(node)]; k < a.begin[as_size(node) + 1]; ++k)
      if (a.column[as_size(k)] == node) {
        at[as_size(node)] = k;
        for (int i = 0; i < a.height; ++i) largest = std::max(largest, a.block(k)[i * a.width + i]);
      }
  for (std::int64_t node = 0; node < a.rows(); ++node) {
    if (at[as_size(node)] < 0) failed("{}: a coarse row without diagonal entry", name);
    for (int i = 0; i < a.height; ++i) {
      double& diagonal = a.value[as_size(at[as_size(node)] * a.size() + i * a.width + i)];
      if (diagonal == 0) diagonal = largest;
    }
  }
}

/// The largest eigenvalue of D^-1 A: what it is about, and at most.
struct Eigenvalue {
  double estimate;
  double bound;
};

/// By row sums where they are at most twice the diagonal, as those of a grid, else by some steps of Lanczos.
Eigenvalue largest_eigenvalue(const SparseBlocks& a, const std::vector<double>& inverse) {
  if (a.size() == 1)
    if (const double bound = row_sum_bound(a, inverse); bound <= sharp_row_sums) return {bound, bound};
  const double largest = estimate_spectrum(a, inverse, lanczos_steps).largest;
  if (largest <= 0) return {1, 1};
  return {largest, safety * largest};
}

/// Nodes of a difference stencil have few neighbours: aggregates of these alone would leave large coarse levels.
Reach reach_of(const SparseBlocks& a) {
  constexpr std::int64_t few = 12;
  const bool stencil = a.size() == 1 && static_cast<std::int64_t>(a.column.size()) <= few * a.rows();
  return stencil ? Reach::neighbours_of_neighbours : Reach::neighbours;
}

/// The inverse of a small matrix, dense.
CsrMatrix dense_inverse(const CsrMatrix& a, const std::string& name) {
  const std::int64_t n = a.rows();
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = a.begin_of(i); k < a.begin_of(i + 1); ++k)
      dense(i, a.column[as_size(k)]) = a.value[as_size(k)];
  const Eigen::LLT<Eigen::MatrixXd> factor(dense);
  if (factor.info() != Eigen::Success)
    bad_input("{}: not positive definite: its coarsest matrix of --preconditioner amg has no Cholesky factor", name);
  const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(n, n));
  CsrMatrix result = room_for_rows(n, "inverse", 0, n, n * n);
  for (std::int64_t i = 0; i < n; ++i) {
    result.row_begin[as_size(i) + 1] = (i + 1) * n;
    for (std::int64_t j = 0; j < n; ++j) {
      result.column[as_size(i * n + j)] = static_cast<std::int32_t>(j);
      result.value[as_size(i * n + j)] = (inverse(i, j) + inverse(j, i)) / 2;
    }
  }
  return result;
}

}  // namespace

int rows_of_nodes(const CsrMatrix& a) {
  for (const int size : {3, 2}) {
    if (a.n % size != 0) continue;
    std::int64_t whole = 0;
#pragma omp parallel for schedule(static) reduction(+ : whole)
    for (std::int64_t node = 0; node < a.n / size; ++node) whole += has_whole_blocks(a, node, size) ? 1 : 0;
    if (10 * whole >= 9 * (a.n / size)) return size;
  }
  return 1;
}

NearNullspace component_constants(std::int64_t rows, int size) {
  NearNullspace modes(as_size(size), std::vector<double>(as_size(rows), 0.0));
  for (std::int64_t i = 0; i < rows; ++i) modes[as_size(i % size)][as_size(i)] = 1;
  return modes;
}

NearNullspace rigid_motions(const std::vector<std::array<double, 3>>& position) {
  NearNullspace modes = component_constants(static_cast<std::int64_t>(position.size()) * 3, 3);
  modes.resize(6, std::vector<double>(position.size() * 3, 0.0));
  std::array<double, 3> centre{};
  for (const auto& x : position)
    for (std::size_t c = 0; c < 3; ++c) centre[c] += x[c] / static_cast<double>(position.size());
  for (std::size_t i = 0; i < position.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {  // e_axis x (position - centre)
      const std::size_t u = (axis + 1) % 3;
      const std::size_t v = (axis + 2) % 3;
      modes[3 + axis][3 * i + v] = position[i][u] - centre[u];
      modes[3 + axis][3 * i + u] = -(position[i][v] - centre[v]);
    }
  return modes;
}

std::vector<double> inverse_diagonal(const SparseBlocks& a, const std::string& preconditioner,
                                     const std::string& name) {
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_rows_of_nodes, most_rows_of_nodes>;
  const int size = a.height;
  const std::int64_t nodes = a.rows();
  std::vector<double> result(as_size(nodes * a.size()), 0.0);
  std::int64_t bad = nodes;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (std::int64_t node = 0; node < nodes; ++node) {
    const std::int32_t* const first = a.column.begin() + a.begin[as_size(node)];
    const std::int32_t* const last = a.column.begin() + a.begin[as_size(node) + 1];
    const std::int64_t k = std::find(first, last, node) - a.column.begin();
    double* const to = result.data() + node * a.size();
    if (k == last - a.column.begin()) {
      bad = std::min(bad, node);
    } else if (size == 1) {
      *to = 1 / *a.block(k);
      if (!(*to > 0)) bad = std::min(bad, node);
    } else {
      const Block block = Eigen::Map<const Eigen::MatrixXd>(a.block(k), size, size).transpose();
      const Eigen::LLT<Block> factor(block);
      if (factor.info() != Eigen::Success) bad = std::min(bad, node);
      const Block inverse = factor.solve(Block::Identity(size, size));
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) to[i * size + j] = (inverse(i, j) + inverse(j, i)) / 2;
    }
  }
  if (bad < nodes)
    bad_input(
        "{}: not positive definite: a diagonal block of {} rows, seen by --preconditioner {}, has no Cholesky "
        "factor; --preconditioner jacobi or none needs none",
        name, size, preconditioner);
  return result;
}

Hierarchy smoothed_aggregation(const CsrMatrix& a, int size, NearNullspace modes) {
  const auto begin = Clock::now();
  Hierarchy result;
  result.level.emplace_back();
  result.level.back().size = size;
#pragma omp parallel for schedule(static)  // a row without others, as of a support, is no part of a motion
  for (std::int64_t row = 0; row < a.rows(); ++row)
    if (a.begin_of(row + 1) - a.begin_of(row) == 1)
      for (std::vector<double>& mode : modes) mode[as_size(row)] = 0;
  const auto row_modes = static_cast<int>(modes.size());
  double entries = 0;
  double threshold = size == 1 ? scalar_threshold : 0;
  SparseBlocks matrix = gather_blocks(a, size);
  while (true) {
    Level& level = result.level.back();
    level.rows = matrix.rows() * level.size;
    entries += static_cast<double>(matrix.value.size());
    const auto keep_matrix = [&] {
      if (result.level.size() > 1) level.a = scatter_blocks(std::move(matrix));
    };
    if (result.level.size() > 1 && level.rows <= coarsest_rows) {
      keep_matrix();
      result.inverse = dense_inverse(level.a, a.name);
      break;
    }
    level.inverse = inverse_diagonal(matrix, "amg", a.name);
    const Eigenvalue largest = largest_eigenvalue(matrix, level.inverse);
    level.largest = largest.bound;
    level.smoothed_share = size == 1 ? share_on_grids : share_on_bodies;
    if (result.level.size() == most_levels) {
      keep_matrix();
      break;
    }
    const Aggregates aggregates = aggregate(matrix, threshold, reach_of(matrix));
    const auto coarse_rows = aggregates.count() * row_modes;
    if (aggregates.count() == 0 || coarse_rows > 9 * level.rows / 10) {  // nothing that coarse unknowns could do
      keep_matrix();
      break;
    }
    for (const std::int32_t node : aggregates.first) level.first.push_back(std::int64_t{node} * level.size);
    SparseBlocks p = smooth(matrix, level.inverse, 4.0 / 3.0 / largest.estimate,
                            tentative(aggregates, level.size, modes), row_modes);
    const BlocksOfColumns columns = by_columns(p);
    SparseBlocks coarse = triple_product(matrix, p, columns);
    mend_empty_rows(coarse, a.name);
    keep_matrix();
    level.r = scatter_transposed(p, columns);
    level.p = scatter_blocks(std::move(p));
    matrix = std::move(coarse);
    result.level.emplace_back().size = row_modes;
    threshold /= 2;
  }
  result.operator_complexity = entries / static_cast<double>(a.nnz());
  result.seconds = seconds_since(begin);
  return result;
}

}  // namespace asterism::cg
