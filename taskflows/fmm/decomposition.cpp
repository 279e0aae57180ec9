// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/decomposition.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/tree/morton.hpp"
#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

std::vector<LeafWork> work_of_leaves(const Leaves& leaves, int height, const Range& range, int periodic) {
  std::vector<LeafWork> work(static_cast<std::size_t>(std::max(0, range.end - range.begin)));
  if (range.empty()) return work;
  const auto keys = keys_of_levels(leaves.key, height);
  std::vector<Range> needed(keys.size());
  needed.back() = range;
  for (std::size_t l = keys.size() - 1; l-- > 0;) needed[l] = parents_of(needed[l + 1], keys[l + 1], keys[l]);
  Neighbours above;
  Neighbours around = neighbours_of_root(periodic);
  std::vector<std::int32_t> children;
  for (std::size_t l = 1; l < keys.size(); ++l) {
    children = children_by_octant(keys[l - 1], keys[l]);
    above = std::move(around);
    around = neighbours_of(needed[l], keys[l], keys[l - 1], above, children);
  }
  const auto particles = [&](std::int32_t leaf) {
    const auto i = static_cast<std::size_t>(leaf);
    return leaves.begin[i + 1] - leaves.begin[i];
  };
  const auto is_cell = [](std::int32_t cell) { return cell >= 0; };
  std::int32_t parent = height > 1 ? needed[keys.size() - 2].begin : 0;
  for (std::int32_t leaf = range.begin; leaf < range.end; ++leaf) {
    LeafWork& of_leaf = work[static_cast<std::size_t>(leaf - range.begin)];
    const std::int32_t* const next = around.of(leaf);
    of_leaf.near_pairs = particles(leaf) * (particles(leaf) - 1) / 2;
    const CellIndex at = cell_of(leaves.key[static_cast<std::size_t>(leaf)]);
    for (int n = 0; n < 27; ++n) {
      if (next[n] < 0) continue;
      const int image = image_at(height - 1, at.x + n / 9 - 1, at.y + n / 3 % 3 - 1, at.z + n % 3 - 1);
      if (image > 0 || (image == 0 && next[n] > leaf)) of_leaf.near_pairs += particles(leaf) * particles(next[n]);
    }
    if (height < (periodic > 0 ? 2 : 3)) continue;
    // children of the parent's neighbours that are not next to the leaf
    while (keys[keys.size() - 2][static_cast<std::size_t>(parent)] != leaves.key[static_cast<std::size_t>(leaf)] >> 3)
      ++parent;
    for (std::size_t n = 0; n < 27; ++n)
      if (const std::int32_t other = above.of(parent)[n]; other >= 0)
        of_leaf.far_pairs += std::count_if(children.begin() + std::ptrdiff_t{other} * 8,
                                           children.begin() + std::ptrdiff_t{other} * 8 + 8, is_cell);
    of_leaf.far_pairs -= std::count_if(next, next + 27, is_cell);
  }
  return work;
}

std::vector<double> costs_of_groups(const Leaves& leaves, int height, int group_size, const Range& mine, ShareOf share,
                                    const PairCosts& costs, int periodic) {
  const auto groups =
      (leaves.key.size() + static_cast<std::size_t>(group_size) - 1) / static_cast<std::size_t>(group_size);
  std::vector<double> all(groups, 0.0);
  const auto group_of = [&](std::int32_t leaf) { return static_cast<std::size_t>(leaf / group_size); };
  if (share == ShareOf::particles) {
    for (std::size_t leaf = 0; leaf < leaves.key.size(); ++leaf)
      all[leaf / static_cast<std::size_t>(group_size)] +=
          static_cast<double>(leaves.begin[leaf + 1] - leaves.begin[leaf]);
    return all;
  }
  // each rank has looked at its interval; groups at its ends may have leaves of others
  struct Cost {
    std::uint64_t group;
    double cost;
  };
  std::vector<Cost> seen;
  const std::vector<LeafWork> work = work_of_leaves(leaves, height, mine, periodic);
  for (std::int32_t leaf = mine.begin; leaf < mine.end; ++leaf) {
    if (seen.empty() || seen.back().group != group_of(leaf)) seen.push_back({group_of(leaf), 0});
    const LeafWork& of_leaf = work[static_cast<std::size_t>(leaf - mine.begin)];
    seen.back().cost +=
        static_cast<double>(of_leaf.near_pairs) * costs.near + static_cast<double>(of_leaf.far_pairs) * costs.far;
  }
  for (const std::vector<Cost>& part :
       rank_group().exchange(std::vector<std::vector<Cost>>(static_cast<std::size_t>(rank_group().ranks()), seen)))
    for (const Cost& group : part) all[group.group] += group.cost;
  return all;
}

DistributedLeaves distribute_leaves(const Box& box, int leaf_level, const Particles& part) {
  if (part.size() > UINT32_MAX) bad_input("{} particles: expected at most {} per process", part.size(), UINT32_MAX);
  DistributedLeaves distributed;
  distributed.sorted = sort_by_cell(box, leaf_level, part.x, part.y, part.z);
  const std::vector<LeafCount> mine = sort_over_ranks(count_leaves(distributed.sorted));
  for (int rank = 0; const std::size_t leaves : rank_group().all_gather(mine.size())) {
    if (rank < rank_group().rank()) distributed.interval.begin += static_cast<std::int32_t>(leaves);
    ++rank;
  }
  distributed.interval.end = distributed.interval.begin + static_cast<std::int32_t>(mine.size());
  distributed.leaves = leaves_of(intervals_of_all(mine));
  return distributed;
}

std::vector<std::int32_t> cut(std::span<const double> costs, int ranks) {
  const auto groups = static_cast<std::int32_t>(costs.size());
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  std::vector<std::int32_t> first{0};
  double before = 0;
  std::int32_t group = 0;
  for (int rank = 1; rank < ranks; ++rank) {
    const double wanted = total * rank / ranks;
    // a group goes to the side where more than half of it belongs; one for each rank that follows is left, if there is
    const std::int32_t last = std::max(first.back(), groups - (ranks - rank));
    while (group < last && (group <= first.back() || before + costs[static_cast<std::size_t>(group)] / 2 < wanted))
      before += costs[static_cast<std::size_t>(group++)];
    first.push_back(group);
  }
  first.push_back(groups);
  return first;
}

}  // namespace asterism::fmm
