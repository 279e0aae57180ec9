// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/aggregation.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/as_size.hpp"

namespace asterism::cg {
namespace {

/// Strong neighbours of each node, ascending, with the square of their block's norm.
struct Graph {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> node;
  std::vector<double> weight;
};

/// Calls take(neighbour, squared norm of the block) for the nodes that rows of node i name.
template <class Take>
void for_each_block(const CsrMatrix& a, int size, std::int64_t i, std::vector<double>& square,
                    std::vector<std::int32_t>& named, Take take) {
  named.clear();
  for (std::int64_t k = a.begin_of(i * size); k < a.begin_of((i + 1) * size); ++k) {
    const std::int32_t j = a.column[as_size(k)] / size;
    if (square[as_size(j)] < 0) {
      square[as_size(j)] = 0;
      named.push_back(j);
    }
    square[as_size(j)] += a.value[as_size(k)] * a.value[as_size(k)];
  }
  std::sort(named.begin(), named.end());
  for (const std::int32_t j : named) {
    take(j, square[as_size(j)]);
    square[as_size(j)] = -1;
  }
}

Graph strong_graph(const CsrMatrix& a, int size, double threshold) {
  const std::int64_t nodes = a.rows() / size;
  std::vector<double> diagonal(as_size(nodes), 0.0);  // squared norms
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < nodes; ++i)
    for (std::int64_t k = a.begin_of(i * size); k < a.begin_of((i + 1) * size); ++k)
      if (a.column[as_size(k)] / size == i) diagonal[as_size(i)] += a.value[as_size(k)] * a.value[as_size(k)];
  std::vector<std::vector<std::pair<std::int32_t, double>>> lists(as_size(nodes));
#pragma omp parallel
  {
    std::vector<double> square(as_size(nodes), -1.0);
    std::vector<std::int32_t> named;
#pragma omp for schedule(dynamic, 1024)
    for (std::int64_t i = 0; i < nodes; ++i)
      for_each_block(a, size, i, square, named, [&](std::int32_t j, double norm) {
        // (|A_ij|^2)^2 > threshold^4 |A_ii|^2 |A_jj|^2
        const double least =
            threshold * threshold * threshold * threshold * diagonal[as_size(i)] * diagonal[as_size(j)];
        if (j != i && norm > 0 && norm * norm > least) lists[as_size(i)].emplace_back(j, norm);
      });
  }
  Graph graph;
  graph.begin.push_back(0);
  for (auto& list : lists) {
    for (const auto& [j, norm] : list) {
      graph.node.push_back(j);
      graph.weight.push_back(norm);
    }
    graph.begin.push_back(static_cast<std::int64_t>(graph.node.size()));
    list = {};
  }
  return graph;
}

}  // namespace

Aggregates aggregate(const CsrMatrix& a, int size, double threshold) {
  const Graph graph = strong_graph(a, size, threshold);
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
  // 1: nodes whose neighbours are all free, with these
  for (std::int32_t i = 0; i < nodes; ++i) {
    if (neighbours(i).empty()) of[as_size(i)] = -1;
    if (of[as_size(i)] != open) continue;
    if (std::ranges::any_of(neighbours(i), [&](std::int32_t j) { return of[as_size(j)] != open; })) continue;
    of[as_size(i)] = count;
    for (const std::int32_t j : neighbours(i)) of[as_size(j)] = count;
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
    for (const std::int32_t j : neighbours(i))
      if (of[as_size(j)] == open) of[as_size(j)] = count;
    ++count;
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
