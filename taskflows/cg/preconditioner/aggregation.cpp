// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/aggregation.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/as_size.hpp"

namespace asterism::cg {
namespace {

/// The square of the norm of block k.
double square_of(const SparseBlocks& a, std::int64_t k) {
  double sum = 0;
  for (int e = 0; e < a.size(); ++e) sum = sum + a.block(k)[e] * a.block(k)[e];
  return sum;
}

/// Strong neighbours of each node, ascending; where all are strong, the node itself is among them.
class Graph {
 public:
  Graph(const SparseBlocks& a, double threshold);
  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(a_.rows()); }
  [[nodiscard]] std::span<const std::int32_t> of(std::int32_t i) const {
    const std::span<const std::int32_t> nodes = all_ ? std::span<const std::int32_t>(a_.column) : std::span(node_);
    const std::span<const std::int64_t> begin = all_ ? std::span<const std::int64_t>(a_.begin) : std::span(begin_);
    return nodes.subspan(as_size(begin[as_size(i)]), as_size(begin[as_size(i) + 1] - begin[as_size(i)]));
  }
  [[nodiscard]] bool has_none(std::int32_t i) const { return begin_[as_size(i)] == begin_[as_size(i) + 1]; }
  /// Block k, of row i, connects i strongly with another node: (|A_ij|^2)^2 > threshold^4 |A_ii|^2 |A_jj|^2.
  [[nodiscard]] bool strong(std::int64_t i, std::int64_t k, double square) const {
    const std::int32_t j = a_.column[as_size(k)];
    return j != i && square > 0 && square * square > fourth_ * diagonal_[as_size(i)] * diagonal_[as_size(j)];
  }

 private:
  const SparseBlocks& a_;
  double fourth_;
  std::vector<double> diagonal_;  ///< squares of the norms of diagonal blocks
  std::vector<std::int64_t> begin_;
  bool all_ = false;  ///< but for the diagonal, every entry is a strong connection: those of the matrix serve
  std::vector<std::int32_t> node_;
};

Graph::Graph(const SparseBlocks& a, double threshold)
    : a_(a), fourth_(threshold * threshold * threshold * threshold), diagonal_(as_size(a.rows()), 0.0) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k)
      if (a.column[as_size(k)] == i) diagonal_[as_size(i)] = square_of(a, k);
  begin_.assign(as_size(a.rows()) + 1, 0);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k)
      begin_[as_size(i) + 1] += strong(i, k, square_of(a, k)) ? 1 : 0;
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  all_ = begin_.back() == static_cast<std::int64_t>(a.column.size()) - a.rows();
  if (all_) return;
  node_.resize(as_size(begin_.back()));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t k = a.begin[as_size(i)], to = begin_[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k)
      if (strong(i, k, square_of(a, k))) node_[as_size(to++)] = a.column[as_size(k)];
}

}  // namespace

Aggregates aggregate(const SparseBlocks& a, double threshold, Reach reach) {
  const Graph graph(a, threshold);
  const std::int32_t nodes = graph.nodes();
  constexpr std::int32_t open = -2;
  Aggregates result;
  std::vector<std::int32_t>& of = result.of_node;
  of.assign(as_size(nodes), open);
  std::int32_t count = 0;
  const auto take_free = [&](std::int32_t i, std::int32_t aggregate) {
    for (const std::int32_t j : graph.of(i))
      if (of[as_size(j)] == open) of[as_size(j)] = aggregate;
  };
  // 1: nodes whose neighbours are all free, with these, and with what these reach
  for (std::int32_t i = 0; i < nodes; ++i) {
    if (graph.has_none(i)) of[as_size(i)] = -1;
    if (of[as_size(i)] != open) continue;
    if (std::ranges::any_of(graph.of(i), [&](std::int32_t j) { return of[as_size(j)] != open; })) continue;
    of[as_size(i)] = count;
    take_free(i, count);
    if (reach == Reach::neighbours_of_neighbours)
      for (const std::int32_t j : graph.of(i)) take_free(j, count);
    ++count;
  }
  // 2: the others to the aggregate of the neighbour that they are connected with most
  const std::vector<std::int32_t> before = of;
  for (std::int32_t i = 0; i < nodes; ++i) {
    if (of[as_size(i)] != open) continue;
    double most = 0;
    for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k) {
      const std::int32_t j = a.column[as_size(k)];
      if (before[as_size(j)] < 0) continue;
      const double square = square_of(a, k);
      if (square <= most || !graph.strong(i, k, square)) continue;
      most = square;
      of[as_size(i)] = before[as_size(j)];
    }
  }
  // 3: what is left, with its free neighbours
  for (std::int32_t i = 0; i < nodes; ++i) {
    if (of[as_size(i)] != open) continue;
    of[as_size(i)] = count;
    take_free(i, count++);
  }
  // numbered by their first nodes
  std::vector<std::int32_t> number(as_size(count), -1);
  for (std::int32_t i = 0; i < nodes; ++i) {
    std::int32_t& aggregate = of[as_size(i)];
    if (aggregate < 0) continue;
    if (number[as_size(aggregate)] < 0) {
      number[as_size(aggregate)] = static_cast<std::int32_t>(result.first.size());
      result.first.push_back(i);
    }
    aggregate = number[as_size(aggregate)];
  }
  return result;
}

}  // namespace asterism::cg
