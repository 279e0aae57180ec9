// SPDX-License-Identifier: Apache-2.0
// Which nodes of a mesh share elements, and the numbering of the nodes that keeps neighbours close.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taskflows/cg/matrix/elasticity_nodes.hpp"

namespace asterism::cg {

/// A list for each node: of its elements, or of its neighbours.
struct NodeLists {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> entry;

  [[nodiscard]] std::span<const std::int32_t> operator[](std::int64_t node) const {
    const auto at = static_cast<std::size_t>(node);
    return {entry.data() + begin[at], entry.data() + begin[at + 1]};
  }
};

/// The elements of each node, ascending.
NodeLists elements_of_nodes(const ElasticityNodes& nodes);

/// The nodes that share an element with each node, itself included, ascending.
NodeLists node_graph(const ElasticityNodes& nodes, const NodeLists& elements);

/// Breadth-first search from `start`, neighbours by ascending degree: the connected piece in Cuthill-McKee order.
/// `level` is -1 for nodes not reached yet and becomes the distance from `start`.
std::vector<std::int32_t> breadth_first(const NodeLists& graph, std::int32_t start, std::vector<std::int32_t>& level);

/// New order of the nodes, reverse Cuthill-McKee: each piece is searched from a node at (nearly) the greatest distance
/// from others, found by moving to the far end until that gets no farther (George and Liu, 1979).
std::vector<std::int32_t> reverse_cuthill_mckee(const NodeLists& graph);

}  // namespace asterism::cg
