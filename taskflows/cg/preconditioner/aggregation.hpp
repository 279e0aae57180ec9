// SPDX-License-Identifier: Apache-2.0
// Aggregates of smoothed aggregation (P. Vanek, J. Mandel, M. Brezina, Computing 56 (1996), Algorithm 1), on nodes,
// the rows of blocks. Sequential, so that the aggregates are the same on any machine.
#pragma once

#include <cstdint>
#include <vector>

#include "taskflows/cg/preconditioner/sparse_blocks.hpp"

namespace asterism::cg {

struct Aggregates {
  std::vector<std::int32_t> of_node;  ///< -1: a node without strong neighbours, which no coarse unknown stands for
  std::vector<std::int32_t> first;    ///< by aggregate: its first node, ascending
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(first.size()); }
};

enum class Reach { neighbours, neighbours_of_neighbours };

/// Nodes i and j are strongly connected when |A_ij|^2 > threshold^2 |A_ii| |A_jj|, in Frobenius norms of their blocks.
/// An aggregate begins with a node whose neighbours are all free, and takes them, or with
/// Reach::neighbours_of_neighbours also those of their neighbours that are.
Aggregates aggregate(const SparseBlocks& a, double threshold, Reach reach = Reach::neighbours);

}  // namespace asterism::cg
