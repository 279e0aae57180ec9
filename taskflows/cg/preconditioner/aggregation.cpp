// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/aggregation.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/as_size.hpp"

namespace asterism::cg {
namespace {

/// Strong neighbours of each node, ascending, with the square of their block's norm.
struct Graph {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> node;
  std::vector<double> weight;
};

Graph strong_graph(const SparseBlocks& a, double threshold) {
  const std::int64_t nodes = a.rows();
  const int size = a.size();
  std::vector<double> square(a.column.size());  // of the norm of each block
  std::vector<double> diagonal(as_size(nodes), 0.0);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < nodes; ++i)
    for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k) {
      double sum = 0;
      for (int e = 0; e < size; ++e) sum = sum + a.block(k)[e] * a.block(k)[e];
      square[as_size(k)] = sum;
      if (a.column[as_size(k)] == i) diagonal[as_size(i)] = sum;
    }
  const double fourth = threshold * threshold * threshold * threshold;
  const auto strong = [&](std::int64_t i, std::int64_t k) {
    // (|A_ij|^2)^2 > threshold^4 |A_ii|^2 |A_jj|^2
    const std::int32_t j = a.column[as_size(k)];
    const double norm = square[as_size(k)];
    return j != i && norm > 0 && norm * norm > fourth * diagonal[as_size(i)] * diagonal[as_size(j)];
  };
  Graph graph;
  graph.begin.assign(as_size(nodes) + 1, 0);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < nodes; ++i)
    for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k)
      graph.begin[as_size(i) + 1] += strong(i, k) ? 1 : 0;
  std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
  graph.node.resize(as_size(graph.begin.back()));
  graph.weight.resize(graph.node.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < nodes; ++i)
    for (std::int64_t k = a.begin[as_size(i)], to = graph.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k) {
      if (!strong(i, k)) continue;
      graph.node[as_size(to)] = a.column[as_size(k)];
      graph.weight[as_size(to++)] = square[as_size(k)];
    }
  return graph;
}

}  // namespace

Aggregates aggregate(const SparseBlocks& a, double threshold, Reach reach) {
  const Graph graph = strong_graph(a, threshold);
  const auto nodes = static_cast<std::int32_t>(graph.begin.size()) - 1;
  constexpr std::int32_t open = -2;
  Aggregates result;
  std::vector<std::int32_t>& of = result.of_node;
  of.assign(as_size(nodes), open);
  std::int32_t count = 0;
  const auto neighbours = [&](std::int32_t i) {
    return std::span(graph.node)
        .subspan(as_size(graph.begin[as_size(i)]), as_size(graph.begin[as_size(i) + 1] - graph.begin[as_size(i)]));
  };
  const auto take_free = [&](std::int32_t i, std::int32_t aggregate) {
    for (const std::int32_t j : neighbours(i))
      if (of[as_size(j)] == open) of[as_size(j)] = aggregate;
  };
  // 1: nodes whose neighbours are all free, with these, and with what these reach
  for (std::int32_t i = 0; i < nodes; ++i) {
    if (neighbours(i).empty()) of[as_size(i)] = -1;
    if (of[as_size(i)] != open) continue;
    if (std::ranges::any_of(neighbours(i), [&](std::int32_t j) { return of[as_size(j)] != open; })) continue;
    of[as_size(i)] = count;
    take_free(i, count);
    if (reach == Reach::neighbours_of_neighbours)
      for (const std::int32_t j : neighbours(i)) take_free(j, count);
    ++count;
  }
  // 2: the others to the aggregate of the neighbour that they are connected with most
  const std::vector<std::int32_t> before = of;
  for (std::int32_t i = 0; i < nodes; ++i) {
    if (of[as_size(i)] != open) continue;
    double most = 0;
    for (std::int64_t k = graph.begin[as_size(i)]; k < graph.begin[as_size(i) + 1]; ++k) {
      const std::int32_t j = graph.node[as_size(k)];
      if (before[as_size(j)] < 0 || graph.weight[as_size(k)] <= most) continue;
      most = graph.weight[as_size(k)];
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
