// SPDX-License-Identifier: Apache-2.0
// Which rank gets which groups of leaves: intervals of the Morton curve, cut between groups so that all have about the
// same work. Within a rank, groups of a fixed number of cells (TreeShape) are the pieces that tasks work on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taskflows/fmm/tree/leaves.hpp"
#include "taskflows/fmm/tree/neighbours.hpp"

namespace asterism::fmm {

/// The quantity of which ranks get equal shares.
enum class ShareOf {
  work,       ///< the time of P2P and of M2L between leaves
  particles,  ///< particles, whatever their neighbours
};

/// The work of a leaf.
struct LeafWork {
  std::int64_t near_pairs = 0;  ///< unordered pairs of particles, those of two leaves with the first in Morton order
  std::int64_t far_pairs = 0;   ///< leaves in its interaction list
};
/// The work of each leaf in `range` of a tree of this height; `periodic`: as TreeShape::periodic.
std::vector<LeafWork> work_of_leaves(const Leaves& leaves, int height, const Range& range, int periodic = 0);

/// Seconds of a near and of a far pair, or anything that they are proportional to.
struct PairCosts {
  double near = 1, far = 1;
};

/// Costs of groups of `group_size` leaves. All ranks call this together, each with an interval of the leaves; they get
/// the same numbers.
std::vector<double> costs_of_groups(const Leaves& leaves, int height, int group_size, const Range& mine, ShareOf share,
                                    const PairCosts& costs, int periodic = 0);

/// The particles of this rank's part in the order of leaves, and the leaves of all parts.
struct DistributedLeaves {
  std::vector<Keyed> sorted;
  Leaves leaves;
  Range interval;  ///< leaves that this rank has sorted: an interval of the Morton curve
};
/// Sorts the particles of all ranks, which have to call this together, by the cells of a level.
DistributedLeaves distribute_leaves(const Box& box, int leaf_level, const Particles& part);

/// The first group of each rank, and the end: every rank has at least one if there are enough.
std::vector<std::int32_t> cut(std::span<const double> costs, int ranks);

}  // namespace asterism::fmm
