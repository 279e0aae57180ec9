// SPDX-License-Identifier: Apache-2.0
// Particles of several ranks as one set: run by mpirun with one to four ranks, each of which checks what it gets
// against what it computes from all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/ranks/ranks.hpp"
#include "taskflows/fmm/decomposition.hpp"
#include "taskflows/fmm/particles/generate.hpp"
#include "taskflows/fmm/plan/rates.hpp"
#include "taskflows/fmm/tree/leaves.hpp"
#include "taskflows/fmm/tree/tree_cost_model.hpp"

namespace asterism::fmm {
namespace {

constexpr std::size_t particles = 6001;

Part mine() {
  return {rank_group().rank(), rank_group().ranks()};
}

std::vector<LeafCount> runs(const Particles& p, const Box& box, int level) {
  return count_leaves(sort_by_cell(box, level, p.x, p.y, p.z));
}

void expect_same(const std::vector<LeafCount>& a, const std::vector<LeafCount>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].key, b[i].key);
    EXPECT_EQ(a[i].particles, b[i].particles);
  }
}

TEST(PartsOfRanks, ReachWhatAllDo) {
  const Particles all = plummer(particles, 3, Charges::ones);
  const Box box = bounding_box(all.x, all.y, all.z);
  const Box of_ranks = box_around(extent(plummer(particles, 3, Charges::ones, mine()), Ranks::any));
  EXPECT_TRUE(box.x == of_ranks.x && box.y == of_ranks.y && box.z == of_ranks.z && box.width == of_ranks.width);
}

TEST(PartsOfRanks, AreSortedIntoEqualIntervals) {
  const Box box{0, 0, 0, 1};
  for (const int level : {1, 4, 20}) {
    const std::vector<LeafCount> interval =
        sort_over_ranks(runs(plummer(particles, 3, Charges::ones, mine()), box, level));
    const std::vector<LeafCount> expected = runs(plummer(particles, 3, Charges::ones), box, level);
    const std::vector<LeafCount> all = intervals_of_all(interval);
    expect_same(all, expected);
    std::size_t first = 0;
    std::size_t leaves = 0;
    for (int rank = 0; const std::size_t size : rank_group().all_gather(interval.size())) {
      if (rank++ < rank_group().rank()) first += size;
      leaves += size;
    }
    EXPECT_EQ(leaves, expected.size());  // none in two intervals
    expect_same(interval, {expected.begin() + static_cast<std::ptrdiff_t>(first),
                           expected.begin() + static_cast<std::ptrdiff_t>(first + interval.size())});
    if (level < 20) continue;
    std::int64_t held = 0;
    for (const LeafCount& run : interval) held += run.particles;
    EXPECT_NEAR(static_cast<double>(held) * rank_group().ranks() / particles, 1, 0.1);
  }
}

TEST(PartsOfRanks, AreEstimatedAsTheWhole) {
  const Box box{0, 0, 0, 1};
  for (const int most : {6, max_height}) {
    const auto whole = estimate_workloads(ellipsoid(particles, 3, Charges::ones), box, most, Ranks::one);
    const auto parts = estimate_workloads(ellipsoid(particles, 3, Charges::ones, mine()), box, most, Ranks::any);
    ASSERT_EQ(parts.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(parts[i].height, whole[i].height);
      EXPECT_EQ(parts[i].leaves, whole[i].leaves);
      EXPECT_EQ(parts[i].cells, whole[i].cells);
      EXPECT_EQ(parts[i].near_pairs, whole[i].near_pairs);
      EXPECT_EQ(parts[i].far_pairs, whole[i].far_pairs);
      EXPECT_EQ(parts[i].particles, whole[i].particles);
    }
  }
}

TEST(PartsOfRanks, CostWhatTheirLeavesDo) {
  const Box box{0, 0, 0, 1};
  constexpr int height = 5;
  const std::vector<LeafCount> interval =
      sort_over_ranks(runs(sphere(particles, 3, Charges::ones, mine()), box, height - 1));
  std::int32_t first = 0;
  for (int rank = 0; const std::size_t size : rank_group().all_gather(interval.size()))
    if (rank++ < rank_group().rank()) first += static_cast<std::int32_t>(size);
  const Leaves leaves = leaves_of(intervals_of_all(interval));
  const auto count = static_cast<std::int32_t>(leaves.key.size());
  const PairCosts seconds{2, 3};
  for (const int group_size : {1, 7, 1000}) {
    std::vector<double> work(leaves.key.size() / static_cast<std::size_t>(group_size) + 1, 0.0);
    std::vector<double> held = work;
    const std::vector<LeafWork> of_leaves = work_of_leaves(leaves, height, {0, count});
    for (std::size_t i = 0; i < of_leaves.size(); ++i) {
      const std::size_t group = i / static_cast<std::size_t>(group_size);
      work[group] += 2 * static_cast<double>(of_leaves[i].near_pairs) + 3 * static_cast<double>(of_leaves[i].far_pairs);
      held[group] += static_cast<double>(leaves.begin[i + 1] - leaves.begin[i]);
    }
    const Range own{first, first + static_cast<std::int32_t>(interval.size())};
    for (const auto& [share, expected] : {std::pair{ShareOf::work, work}, {ShareOf::particles, held}}) {
      const std::vector<double> costs = costs_of_groups(leaves, height, group_size, own, share, seconds);
      for (std::size_t g = 0; g < costs.size(); ++g) EXPECT_DOUBLE_EQ(costs[g], expected[g]);
      EXPECT_EQ(costs.size(), static_cast<std::size_t>((count + group_size - 1) / group_size));
    }
  }
}

TEST(PartsOfRanks, HaveTheUnitsOfAll) {
  const int ranks = rank_group().ranks();
  const double rank = rank_group().rank();
  const std::vector<UnitRates> rates = rates_of_all({{2, 1 + rank, 2, 3, 4}, {1, 0.5, 0.25, 1, 1}});
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[0].units, 2 * ranks);
  EXPECT_EQ(rates[1].units, ranks);
  EXPECT_DOUBLE_EQ(rates[0].near_pair, 1 + (ranks - 1) / 2.0);
  EXPECT_DOUBLE_EQ(rates[0].far_pair, 2);
  EXPECT_DOUBLE_EQ(rates[1].cell, 1);
  const PairCosts seconds = pair_seconds({{2, 1, 2, 3, 4}, {1, 0.5, 0.25, 1, 1}});
  EXPECT_DOUBLE_EQ(seconds.near, 0.25);
  EXPECT_DOUBLE_EQ(seconds.far, 0.2);
}

}  // namespace
}  // namespace asterism::fmm
