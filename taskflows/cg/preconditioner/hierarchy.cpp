// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/hierarchy.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "runtime/clock.hpp"
#include "taskflows/cg/preconditioner/aggregation.hpp"
#include "taskflows/cg/preconditioner/sparse_products.hpp"
#include "taskflows/cg/preconditioner/spectrum.hpp"

namespace asterism::cg {
namespace {

/// Connections below this are weak, on the finest level; half of it on each coarser one (Vanek and others, section 4).
constexpr double scalar_threshold = 0.08;
/// A mode that the others explain in an aggregate up to this factor has no coarse unknown there.
constexpr double dependent = 1e-8;
constexpr int most_levels = 12;
constexpr int lanczos_steps = 10;
/// The largest Ritz value is a lower bound.
constexpr double safety = 1.1;

/// The tentative prolongation: an orthonormal base of the modes in each aggregate (modified Gram-Schmidt, twice), and
/// the modes in that base, which are those of the next level.
CsrMatrix tentative(const Aggregates& aggregates, int size, NearNullspace& modes) {
  const auto m = static_cast<std::int64_t>(modes.size());
  const std::int64_t nodes = static_cast<std::int64_t>(aggregates.of_node.size());
  std::vector<std::vector<std::int32_t>> members(as_size(aggregates.count()));
  for (std::int64_t i = 0; i < nodes; ++i)
    if (aggregates.of_node[as_size(i)] >= 0)
      members[as_size(aggregates.of_node[as_size(i)])].push_back(static_cast<std::int32_t>(i));
  CsrMatrix p;
  p.n = aggregates.count() * m;
  p.row_begin = Array<std::int64_t>(as_size(nodes * size) + 1);
  p.row_begin[0] = 0;
  for (std::int64_t row = 0; row < nodes * size; ++row)
    p.row_begin[as_size(row) + 1] = p.row_begin[as_size(row)] + (aggregates.of_node[as_size(row / size)] >= 0 ? m : 0);
  p.column = Array<std::int32_t>(as_size(p.nnz()));
  p.value = Array<double>(as_size(p.nnz()));
  NearNullspace coarse(as_size(m), std::vector<double>(as_size(p.n), 0.0));
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t a = 0; a < aggregates.count(); ++a) {
    const auto& nodes_of = members[as_size(a)];
    const auto rows = static_cast<std::int64_t>(nodes_of.size()) * size;
    Eigen::MatrixXd q(rows, m);
    for (std::int64_t k = 0; k < rows; ++k)
      for (std::int64_t c = 0; c < m; ++c)
        q(k, c) = modes[as_size(c)][as_size(std::int64_t{nodes_of[as_size(k / size)]} * size + k % size)];
    for (std::int64_t c = 0; c < m; ++c) {
      const double before = q.col(c).norm();
      for (int pass = 0; pass < 2; ++pass)
        for (std::int64_t d = 0; d < c; ++d) {
          const double share = q.col(d).dot(q.col(c));
          q.col(c) -= share * q.col(d);
          coarse[as_size(c)][as_size(a * m + d)] += share;
        }
      const double after = q.col(c).norm();
      const bool independent = after > dependent * before && before > 0;
      q.col(c) *= independent ? 1 / after : 0;
      coarse[as_size(c)][as_size(a * m + c)] = independent ? after : 0;
    }
    for (std::int64_t k = 0; k < rows; ++k) {
      const std::int64_t row = std::int64_t{nodes_of[as_size(k / size)]} * size + k % size;
      for (std::int64_t c = 0; c < m; ++c) {
        p.column[as_size(p.begin_of(row) + c)] = static_cast<std::int32_t>(a * m + c);
        p.value[as_size(p.begin_of(row) + c)] = q(k, c);
      }
    }
  }
  modes = std::move(coarse);
  return p;
}

/// P = (I - omega D^-1 A) P^, omega = 4/3 over the largest eigenvalue of D^-1 A.
CsrMatrix smooth(const CsrMatrix& a, const Level& level, const CsrMatrix& tentative) {
  CsrMatrix p = product(a, tentative);
  const double omega = 4.0 / 3.0 * safety / level.largest;
  const int size = level.size;
#pragma omp parallel for schedule(dynamic, 256)
  for (std::int64_t node = 0; node < p.rows() / size; ++node) {
    // rows of a node name the same columns up to entries that are zero: gathered in dense rows
    std::vector<std::int32_t> columns(p.column.begin() + p.begin_of(node * size),
                                      p.column.begin() + p.begin_of((node + 1) * size));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(size, static_cast<Eigen::Index>(columns.size()));
    const auto place = [&](std::int32_t column) {
      return std::lower_bound(columns.begin(), columns.end(), column) - columns.begin();
    };
    for (int i = 0; i < size; ++i)
      for (std::int64_t k = p.begin_of(node * size + i); k < p.begin_of(node * size + i + 1); ++k)
        rows(i, place(p.column[as_size(k)])) = p.value[as_size(k)];
    for (int i = 0; i < size; ++i) {
      const std::int64_t row = node * size + i;
      const double* const inverse = level.inverse.data() + row * size;
      std::int64_t t = tentative.begin_of(row);
      for (std::int64_t k = p.begin_of(row); k < p.begin_of(row + 1); ++k) {
        const std::int32_t column = p.column[as_size(k)];
        double sum = 0;
        for (int l = 0; l < size; ++l) sum = sum + inverse[l] * rows(l, place(column));
        const bool here = t < tentative.begin_of(row + 1) && tentative.column[as_size(t)] == column;
        p.value[as_size(k)] = (here ? tentative.value[as_size(t++)] : 0) - omega * sum;
      }
    }
  }
  return p;
}

/// Unknowns that stand for nothing (dependent modes) have rows of zeros: 1 on the diagonal makes them harmless.
void mend_empty_rows(CsrMatrix& a, const std::string& name) {
  double largest = 0;
  std::vector<std::int64_t> at(as_size(a.rows()), -1);
  for (std::int64_t row = 0; row < a.rows(); ++row)
    for (std::int64_t k = a.begin_of(row); k < a.begin_of(row + 1); ++k)
      if (a.column[as_size(k)] == row) {
        at[as_size(row)] = k;
        largest = std::max(largest, a.value[as_size(k)]);
      }
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    if (at[as_size(row)] < 0) failed("{}: a coarse row without diagonal entry", name);
    double& diagonal = a.value[as_size(at[as_size(row)])];
    if (diagonal == 0) diagonal = largest;
  }
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
    for (std::int64_t node = 0; node < a.n / size; ++node) {
      const std::int64_t begin = a.begin_of(node * size);
      const std::int64_t length = a.begin_of(node * size + 1) - begin;
      bool same = length % size == 0;
      for (int i = 1; i < size && same; ++i)
        same = a.begin_of(node * size + i + 1) - a.begin_of(node * size + i) == length &&
               std::equal(a.column.begin() + begin, a.column.begin() + begin + length,
                          a.column.begin() + a.begin_of(node * size + i));
      for (std::int64_t k = 0; k < length && same; k += size)
        same = a.column[as_size(begin + k)] % size == 0 &&
               a.column[as_size(begin + k + size - 1)] == a.column[as_size(begin + k)] + size - 1;
      whole += same ? 1 : 0;
    }
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

std::vector<double> inverse_diagonal(const CsrMatrix& a, int size, const std::string& preconditioner,
                                     const std::string& name) {
  const std::int64_t nodes = a.rows() / size;
  std::vector<double> result(as_size(a.rows() * size), 0.0);
  std::int64_t bad = nodes;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (std::int64_t node = 0; node < nodes; ++node) {
    Eigen::MatrixXd block = Eigen::MatrixXd::Zero(size, size);
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t k = a.begin_of(node * size + i); k < a.begin_of(node * size + i + 1); ++k)
        if (a.column[as_size(k)] / size == node) block(i, a.column[as_size(k)] % size) = a.value[as_size(k)];
    const Eigen::LLT<Eigen::MatrixXd> factor(block);
    if (factor.info() != Eigen::Success) {
      bad = std::min(bad, node);
      continue;
    }
    const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(size, size));
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < size; ++k)
        result[as_size((node * size + i) * size + k)] = (inverse(i, k) + inverse(k, i)) / 2;
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
  for (std::int64_t row = 0; row < a.rows(); ++row)  // a row without others, as of a support, is no part of a motion
    if (a.begin_of(row + 1) - a.begin_of(row) == 1)
      for (std::vector<double>& mode : modes) mode[as_size(row)] = 0;
  double entries = 0;
  double threshold = size == 1 ? scalar_threshold : 0;
  while (true) {
    Level& level = result.level.back();
    const CsrMatrix& matrix = result.level.size() == 1 ? a : level.a;
    level.rows = matrix.rows();
    entries += static_cast<double>(matrix.nnz());
    if (result.level.size() > 1 && level.rows <= coarsest_rows) {
      result.inverse = dense_inverse(matrix, a.name);
      break;
    }
    // a mode that its aggregate does not need is a row without entries
    level.inverse = inverse_diagonal(matrix, level.size, "amg", a.name);
    const double largest = estimate_spectrum(matrix, level.size, level.inverse, lanczos_steps).largest;
    level.largest = largest > 0 ? safety * largest : 1;
    if (result.level.size() == most_levels) break;
    const Aggregates aggregates = aggregate(matrix, level.size, threshold);
    const auto coarse_rows = aggregates.count() * static_cast<std::int64_t>(modes.size());
    if (aggregates.count() == 0 || coarse_rows > 9 * level.rows / 10) break;  // nothing that coarse unknowns could do
    for (const std::int32_t node : aggregates.first) level.first.push_back(std::int64_t{node} * level.size);
    level.p = smooth(matrix, level, tentative(aggregates, level.size, modes));
    level.r = transpose(level.p);
    Level next;
    next.size = static_cast<int>(modes.size());
    next.a = product(level.r, product(matrix, level.p));
    mend_empty_rows(next.a, a.name);
    result.level.push_back(std::move(next));
    threshold /= 2;
  }
  result.operator_complexity = entries / static_cast<double>(a.nnz());
  result.seconds = seconds_since(begin);
  return result;
}

}  // namespace asterism::cg
