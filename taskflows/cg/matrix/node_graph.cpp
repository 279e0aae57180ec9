// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/node_graph.hpp"

#include <algorithm>
#include <numeric>

#include "base/as_size.hpp"

namespace asterism::cg {

NodeLists elements_of_nodes(const ElasticityNodes& nodes) {
  NodeLists lists{.begin = std::vector<std::int64_t>(nodes.position.size() + 1, 0),
                  .entry = std::vector<std::int32_t>(nodes.element.size())};
  for (const std::int32_t node : nodes.element) ++lists.begin[as_size(node) + 1];
  std::partial_sum(lists.begin.begin(), lists.begin.end(), lists.begin.begin());
  std::vector<std::int64_t> next(lists.begin.begin(), lists.begin.end() - 1);
  for (std::size_t k = 0; k < nodes.element.size(); ++k) {
    lists.entry[as_size(next[as_size(nodes.element[k])]++)] = static_cast<std::int32_t>(k / as_size(nodes.per_element));
  }
  return lists;
}

NodeLists node_graph(const ElasticityNodes& nodes, const NodeLists& elements) {
  const auto count = static_cast<std::int64_t>(nodes.position.size());
  NodeLists graph{.begin = std::vector<std::int64_t>(as_size(count) + 1, 0), .entry = {}};
#pragma omp parallel
  {
    std::vector<std::int32_t> found;
    const auto collect = [&](std::int64_t node) {
      found.clear();
      for (const std::int32_t e : elements[node]) {
        const auto first = nodes.element.begin() + std::int64_t{e} * nodes.per_element;
        found.insert(found.end(), first, first + nodes.per_element);
      }
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
    };
    // Counting and then collecting again costs less than holding one small vector per node.
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
      collect(i);
      graph.begin[as_size(i) + 1] = static_cast<std::int64_t>(found.size());
    }
#pragma omp single
    {
      std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
      graph.entry.resize(as_size(graph.begin.back()));
    }
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
      collect(i);
      std::copy(found.begin(), found.end(), graph.entry.begin() + graph.begin[as_size(i)]);
    }
  }
  return graph;
}

std::vector<std::int32_t> breadth_first(const NodeLists& graph, std::int32_t start, std::vector<std::int32_t>& level) {
  std::vector<std::int32_t> order{start};
  level[as_size(start)] = 0;
  for (std::size_t head = 0; head < order.size(); ++head) {
    const std::int32_t node = order[head];
    const auto first_new = static_cast<std::ptrdiff_t>(order.size());
    for (const std::int32_t neighbour : graph[node]) {
      if (level[as_size(neighbour)] >= 0) continue;
      level[as_size(neighbour)] = level[as_size(node)] + 1;
      order.push_back(neighbour);
    }
    std::stable_sort(order.begin() + first_new, order.end(),
                     [&](std::int32_t a, std::int32_t b) { return graph[a].size() < graph[b].size(); });
  }
  return order;
}

std::vector<std::int32_t> reverse_cuthill_mckee(const NodeLists& graph) {
  const std::size_t count = graph.begin.size() - 1;
  std::vector<std::int32_t> order;
  order.reserve(count);
  std::vector<std::int32_t> level(count, -1);
  for (std::size_t seed = 0; seed < count; ++seed) {
    if (level[seed] >= 0) continue;
    std::vector<std::int32_t> piece = breadth_first(graph, static_cast<std::int32_t>(seed), level);
    for (std::int32_t depth = -1; level[as_size(piece.back())] > depth;) {
      depth = level[as_size(piece.back())];
      const std::int32_t far_end = piece.back();
      for (const std::int32_t node : piece) level[as_size(node)] = -1;
      piece = breadth_first(graph, far_end, level);
    }
    order.insert(order.end(), piece.begin(), piece.end());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace asterism::cg
