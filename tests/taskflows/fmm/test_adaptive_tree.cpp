// SPDX-License-Identifier: Apache-2.0
// Adaptive trees: every pair of particles is computed exactly once, near or far; leaves and their pairs are bounded;
// the cost model counts what trees have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "taskflows/fmm/tree/adaptive_cells.hpp"
#include "taskflows/fmm/tree/tree_choice.hpp"
#include "tests/taskflows/fmm/clouds.hpp"
#include "tests/taskflows/fmm/trees.hpp"

namespace asterism::fmm {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;
constexpr int leaf_size = 6;

Tree adaptive(const Particles& p, int group_size, FarTasks tasks = FarTasks::joined) {
  return whole_tree(p, {max_height, group_size, tasks, leaf_size});
}

/// Leaves in the order of their numbers.
struct Leaf {
  int level;
  std::int32_t cell;
};
std::vector<Leaf> leaves_of_levels(const Tree& tree) {
  std::vector<Leaf> leaves;
  for (int l = 0; l <= tree.leaf_level(); ++l)
    for (std::int32_t c = tree.level(l).inner; c < static_cast<std::int32_t>(tree.level(l).key.size()); ++c)
      leaves.push_back({l, c});
  return leaves;
}

/// Ordered pairs of cells of a level in its far lists.
std::map<Pair, int> far_pairs(const Level& level) {
  std::map<Pair, int> count;
  for (std::size_t g = 0; g < level.far.size(); ++g)  // none on the first two levels
    for (const M2LTask& task : level.far[g])
      for (const M2LPair& pair : task.pairs) {
        const std::int32_t group = task.source_groups[pair.source >> source_bits];
        ++count[{level.groups[g].first + static_cast<std::int32_t>(pair.target),
                 level.groups[static_cast<std::size_t>(group)].first +
                     static_cast<std::int32_t>(pair.source & ((1U << source_bits) - 1))}];
      }
  return count;
}

/// Whether leaf b is below a neighbour of leaf a on the level of a, which is not deeper.
bool below_neighbour(const Tree& tree, const Leaf& a, const Leaf& b) {
  const CellIndex& p = tree.level(a.level).index[static_cast<std::size_t>(a.cell)];
  const CellIndex& q = tree.level(b.level).index[static_cast<std::size_t>(b.cell)];
  const int up = b.level - a.level;
  return std::max({std::abs(p.x - (q.x >> up)), std::abs(p.y - (q.y >> up)), std::abs(p.z - (q.z >> up))}) <= 1;
}

/// Every ordered pair of leaves once: near (U, W, X) or between ancestors on one level (V).
void expect_every_pair_once(const Tree& tree) {
  const std::vector<Leaf> leaves = leaves_of_levels(tree);
  const auto cpu = near_pairs(tree, false);
  EXPECT_EQ(cpu, near_pairs(tree, true));
  std::vector<std::map<Pair, int>> far;
  for (int l = 0; l <= tree.leaf_level(); ++l) far.push_back(far_pairs(tree.level(l)));
  const auto ancestor = [&](const Leaf& leaf, int l) {
    const Level& level = tree.level(l);
    const std::uint64_t key = tree.level(leaf.level).key[static_cast<std::size_t>(leaf.cell)] >> 3 * (leaf.level - l);
    if (l == leaf.level) return leaf.cell;
    return static_cast<std::int32_t>(std::lower_bound(level.key.begin(), level.key.begin() + level.inner, key) -
                                     level.key.begin());
  };
  const auto size = [&](std::int32_t leaf) {
    return tree.leaf_begin()[static_cast<std::size_t>(leaf) + 1] - tree.leaf_begin()[static_cast<std::size_t>(leaf)];
  };
  const auto count = static_cast<std::int32_t>(leaves.size());
  std::int64_t near_total = 0;
  for (std::int32_t a = 0; a < count; ++a)
    for (std::int32_t b = 0; b < count; ++b) {
      const Leaf& p = leaves[static_cast<std::size_t>(a)];
      const Leaf& q = leaves[static_cast<std::size_t>(b)];
      int far_times = 0;
      for (int l = Tree::first_far_level; l <= std::min(p.level, q.level); ++l) {
        const auto found = far[static_cast<std::size_t>(l)].find({ancestor(p, l), ancestor(q, l)});
        far_times += found == far[static_cast<std::size_t>(l)].end() ? 0 : found->second;
      }
      const auto near = cpu.find({a, b});
      const int near_times = near == cpu.end() ? 0 : near->second;
      const bool direct = p.level <= q.level ? below_neighbour(tree, p, q) : below_neighbour(tree, q, p);
      ASSERT_EQ(near_times, direct ? 1 : 0) << a << " " << b;
      ASSERT_EQ(far_times, direct ? 0 : 1) << a << " " << b;
      if (direct) near_total += a == b ? size(a) * (size(a) - 1) : size(a) * size(b);
    }
  EXPECT_EQ(tree.near_pairs(), near_total / 2);
}

/// Every cell below level 2 is in one family, under the cell that contains it, and one M2M is the first of its group.
void expect_one_family_per_cell(const Tree& tree) {
  for (int l = Tree::first_far_level + 1; l <= tree.leaf_level(); ++l) {
    const Level& level = tree.level(l);
    const Level& parents = tree.level(l - 1);
    std::vector<int> firsts(parents.groups.size(), 0);
    std::int32_t children = 0;
    for (std::size_t g = 0; g < level.groups.size(); ++g)
      for (const FamilyRange& range : level.parent_groups[g]) {
        firsts[static_cast<std::size_t>(range.parent_group)] += range.first ? 1 : 0;
        EXPECT_LT(range.parent_group, parents.inner_groups);
        const std::int32_t first_parent = parents.groups[static_cast<std::size_t>(range.parent_group)].first;
        for (std::int32_t f = range.begin; f < range.end; ++f) {
          const Family& family = level.families[g][static_cast<std::size_t>(f)];
          for (std::int32_t c = 0; c < family.children; ++c, ++children)
            EXPECT_EQ(level.key[static_cast<std::size_t>(level.groups[g].first + family.first_child + c)] >> 3,
                      parents.key[static_cast<std::size_t>(first_parent + family.parent)]);
        }
      }
    EXPECT_EQ(children, static_cast<std::int32_t>(level.key.size()));
    for (std::size_t g = 0; g < firsts.size(); ++g)
      EXPECT_EQ(firsts[g], static_cast<std::int32_t>(g) < parents.inner_groups ? 1 : 0) << l << " " << g;
  }
}

TEST(AdaptiveTree, EveryPairOfLeavesOnceWhateverTheParticlesAndGroups) {
  for (const auto& [name, particles] : clouds(240))
    for (const int group_size : {1, 7, 1000}) {
      SCOPED_TRACE(testing::Message() << name << ", groups of " << group_size);
      const Tree tree = adaptive(particles, group_size);
      expect_every_pair_once(tree);
      expect_reductions(tree);
      expect_one_family_per_cell(tree);
    }
  expect_every_pair_once(adaptive(plummer(240, 5, Charges::ones, {}), 9, FarTasks::separate));
}

TEST(AdaptiveTree, LeavesAreOnSeveralLevelsWhereParticlesAreClustered) {
  const Tree tree = adaptive(plummer(3000, 5, Charges::ones, {}), 50);
  int levels = 0;
  for (int l = 0; l <= tree.leaf_level(); ++l)
    levels += static_cast<std::int32_t>(tree.level(l).key.size()) > tree.level(l).inner ? 1 : 0;
  EXPECT_GE(levels, 4);
}

TEST(AdaptiveTree, LeavesHaveFewParticlesAndFewPairs) {
  for (const auto& [name, particles] : clouds(2000)) {
    SCOPED_TRACE(name);
    const std::vector<LeafCount> finest = finest_counts(particles, bounding_box(particles.x, particles.y, particles.z));
    const std::vector<AdaptiveLevel> levels = adaptive_levels(finest, max_height, leaf_size);
    std::int64_t seen = 0;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const AdaptiveLevel& level = levels[l];
      for (std::int32_t leaf = level.inner; leaf < level.cells(); ++leaf) {
        EXPECT_GE(l, 2U);
        const std::int64_t own = level.particles(leaf);
        seen += own;
        std::int64_t around = -own;
        for (std::size_t n = 0; n < 27; ++n)
          if (const std::int32_t other = level.neighbours.of(leaf)[n]; other >= 0) around += level.particles(other);
        if (l == static_cast<std::size_t>(finest_level)) continue;
        EXPECT_LE(own * around, 27 * leaf_size * leaf_size);
        if (own <= leaf_size) continue;
        const std::uint64_t key = level.key[static_cast<std::size_t>(leaf)];
        const auto shift = 3 * (static_cast<std::size_t>(finest_level) - l);
        EXPECT_EQ(
            std::count_if(finest.begin(), finest.end(), [&](const LeafCount& f) { return f.key >> shift == key; }), 1)
            << "more than the leaf size, and not in one place";
      }
    }
    EXPECT_EQ(seen, static_cast<std::int64_t>(particles.size()));
  }
}

TEST(AdaptiveTree, OrderKeepsEveryParticleInItsLeaf) {
  const Particles p = plummer(2000, 2, Charges::ones, {});
  const Tree tree = adaptive(p, 20);
  const std::vector<Leaf> leaves = leaves_of_levels(tree);
  std::vector<int> seen(p.size(), 0);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
    for (std::int64_t s = tree.leaf_begin()[leaf]; s < tree.leaf_begin()[leaf + 1]; ++s) {
      const std::uint32_t i = tree.order()[static_cast<std::size_t>(s)];
      ++seen[i];
      EXPECT_EQ(key_of(tree.box(), leaves[leaf].level, p.x[i], p.y[i], p.z[i]),
                tree.level(leaves[leaf].level).key[static_cast<std::size_t>(leaves[leaf].cell)]);
    }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::int64_t>(p.size()));
}

TEST(AdaptiveTree, HasTheWorkThatTheCostModelPredicts) {
  for (const auto& [name, particles] : clouds(8000)) {
    SCOPED_TRACE(name);
    const Box box = bounding_box(particles.x, particles.y, particles.z);
    const auto expect_predicted = [&](const Workload& predicted, const Tree& tree) {
      const auto near = [&](double value, auto actual) {
        EXPECT_NEAR(value, static_cast<double>(actual), 0.15 * static_cast<double>(actual));
      };
      near(predicted.near_pairs, tree.near_pairs());
      near(predicted.far_pairs, tree.far_pairs());
      near(predicted.leaves, tree.leaf_begin().size() - 1);
      std::size_t cells = 0;
      for (int l = Tree::first_far_level; l <= tree.leaf_level(); ++l) cells += tree.level(l).key.size();
      near(predicted.cells, cells);
    };
    for (const int size : {20, 60}) {
      const Workload load = adaptive_workload(finest_counts(particles, box), max_height, size);
      const Tree tree(particles.x, particles.y, particles.z, box, {load.height, 100, FarTasks::joined, size});
      EXPECT_GT(tree.level(tree.leaf_level()).key.size(), 0U);
      expect_predicted(load, tree);
    }
    const Workload uniform = estimate_workloads(particles, box, 4, Ranks::one).back();
    expect_predicted(uniform, Tree(particles.x, particles.y, particles.z, box, {uniform.height, 100}));
  }
}

TEST(Choice, ClusteredParticlesGetAnAdaptiveTreeAndOthersAUniformOne) {
  const std::vector<UnitRates> core{{2, 2e-9, 2e-6, 1e-7, 1e-6}};
  const auto choose = [&](const Particles& p, TreeKind kind, const TreeShape& shape) {
    return TreeChoice(kind, shape, p, bounding_box(p.x, p.y, p.z), Ranks::one).best(core).shape;
  };
  const Particles even = cube(20000, 1, Charges::ones, {});
  const Particles surface = sphere(20000, 1, Charges::ones, {});
  const Particles stars = plummer(20000, 1, Charges::ones, {});
  EXPECT_FALSE(choose(even, TreeKind::automatic, {}).adaptive());
  EXPECT_FALSE(choose(surface, TreeKind::automatic, {}).adaptive());
  EXPECT_FALSE(choose(stars, TreeKind::uniform, {}).adaptive());
  const TreeShape chosen = choose(stars, TreeKind::automatic, {});
  EXPECT_TRUE(chosen.adaptive());
  EXPECT_GE(chosen.height, 6);
  EXPECT_GE(chosen.group_size, 1);
  const TreeShape again = choose(stars, TreeKind::automatic, {});
  EXPECT_EQ(again.leaf_size, chosen.leaf_size);
  EXPECT_EQ(again.group_size, chosen.group_size);
  EXPECT_TRUE(choose(even, TreeKind::adaptive, {}).adaptive());
  EXPECT_EQ(choose(even, TreeKind::automatic, {0, 0, FarTasks::joined, 77}).leaf_size, 77);
  EXPECT_EQ(choose(stars, TreeKind::automatic, {5, 0}).height, 5);
  EXPECT_FALSE(choose(stars, TreeKind::automatic, {5, 0}).adaptive()) << "a given height means a uniform tree";
  EXPECT_THROW(choose(even, TreeKind::uniform, {0, 0, FarTasks::joined, 77}), Error);
}

TEST(Choice, AsksForRatesWhenItNeedsThem) {
  EXPECT_TRUE(needs_rates(TreeKind::automatic, {}));
  EXPECT_TRUE(needs_rates(TreeKind::adaptive, {5, 10}));
  EXPECT_FALSE(needs_rates(TreeKind::automatic, {5, 10}));
  EXPECT_FALSE(needs_rates(TreeKind::automatic, {5, 10, FarTasks::joined, 50}));
  EXPECT_TRUE(needs_rates(TreeKind::automatic, {0, 10, FarTasks::joined, 50}));
  EXPECT_TRUE(needs_rates(TreeKind::automatic, {0, 0, FarTasks::joined, 50}));
}

}  // namespace
}  // namespace asterism::fmm
