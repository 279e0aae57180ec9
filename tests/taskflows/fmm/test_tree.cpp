// SPDX-License-Identifier: Apache-2.0
// The group tree: every pair of particles must be computed exactly once, near or far, whatever the groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "taskflows/fmm/particles/generate.hpp"
#include "taskflows/fmm/tree/morton.hpp"
#include "taskflows/fmm/tree/tree.hpp"
#include "taskflows/fmm/tree/tree_cost_model.hpp"
#include "tests/taskflows/fmm/trees.hpp"

namespace asterism::fmm {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;

Tree make_tree(const Particles& p, int height, int group_size) {
  return whole_tree(p, {height, group_size});
}

/// Cell of each level that contains a leaf.
std::int32_t ancestor(const Tree& tree, std::int32_t leaf, int level) {
  const std::uint64_t key = tree.leaves().key[static_cast<std::size_t>(leaf)] >> 3 * (tree.leaf_level() - level);
  const std::vector<std::uint64_t>& keys = tree.level(level).key;
  return static_cast<std::int32_t>(std::lower_bound(keys.begin(), keys.end(), key) - keys.begin());
}

/// How often each ordered pair of cells of a level is in the far lists.
std::map<Pair, int> far_pairs(const Tree& tree, int l) {
  std::map<Pair, int> count;
  const Level& level = tree.level(l);
  for (std::size_t g = 0; g < level.groups.size(); ++g) {
    EXPECT_FALSE(level.far[g].empty());
    for (const M2LTask& each : level.far[g]) {
      const M2LTask* const task = &each;
      const bool separate = tree.shape().far_tasks == FarTasks::separate;
      EXPECT_LE(level.far[g].size(), separate ? 2U : 1U);
      const std::size_t tiles = (static_cast<std::size_t>(level.groups[g].cells) + m2l_tile - 1) / m2l_tile;
      EXPECT_EQ(task->begin.size(), directions * (tiles + 1));
      for (std::size_t d = 0; d < directions; ++d)
        for (std::size_t t = 0; t < tiles; ++t)
          for (std::int32_t i = task->begin[d * (tiles + 1) + t]; i < task->begin[d * (tiles + 1) + t + 1]; ++i) {
            const M2LPair& pair = task->pairs[static_cast<std::size_t>(i)];
            const auto target = level.groups[g].first + static_cast<std::int32_t>(pair.target);
            const auto buffer = static_cast<std::size_t>(pair.source >> source_bits);
            const std::int32_t group = task->source_groups[buffer];
            const auto source = level.groups[static_cast<std::size_t>(group)].first +
                                static_cast<std::int32_t>(pair.source & ((1U << source_bits) - 1));
            if (separate && level.far[g].size() == 2) {
              EXPECT_EQ(group == static_cast<std::int32_t>(g), task == &level.far[g].front());
            }
            const CellIndex& a = level.index[static_cast<std::size_t>(target)];
            const CellIndex& b = level.index[static_cast<std::size_t>(source)];
            EXPECT_EQ(static_cast<int>(d), direction_of(a.x - b.x, a.y - b.y, a.z - b.z));
            EXPECT_EQ(static_cast<std::size_t>(level.rank[g][pair.target]) / m2l_tile, t);
            ++count[{target, source}];
          }
    }
  }
  return count;
}

/// Every ordered pair of leaves: once in the near field when adjacent, else once far on some level.
void expect_complete(const Tree& tree) {
  std::vector<std::map<Pair, int>> far(static_cast<std::size_t>(tree.shape().height));
  for (int l = Tree::first_far_level; l <= tree.leaf_level(); ++l)
    far[static_cast<std::size_t>(l)] = far_pairs(tree, l);
  const auto cpu = near_pairs(tree, false);
  const auto gpu = near_pairs(tree, true);
  EXPECT_EQ(cpu, gpu);
  const auto leaves = static_cast<std::int32_t>(tree.leaves().key.size());
  std::int64_t near_total = 0;
  for (std::int32_t a = 0; a < leaves; ++a)
    for (std::int32_t b = 0; b < leaves; ++b) {
      int times = 0;
      for (int l = Tree::first_far_level; l <= tree.leaf_level(); ++l) {
        const auto& level = far[static_cast<std::size_t>(l)];
        const auto found = level.find({ancestor(tree, a, l), ancestor(tree, b, l)});
        times += found == level.end() ? 0 : found->second;
      }
      const CellIndex& p = tree.leaves().index[static_cast<std::size_t>(a)];
      const CellIndex& q = tree.leaves().index[static_cast<std::size_t>(b)];
      const bool adjacent = std::max({std::abs(p.x - q.x), std::abs(p.y - q.y), std::abs(p.z - q.z)}) <= 1;
      const auto near = cpu.find({a, b});
      const int near_times = near == cpu.end() ? 0 : near->second;
      ASSERT_EQ(near_times, adjacent ? 1 : 0) << a << " " << b;
      ASSERT_EQ(times, adjacent ? 0 : 1) << a << " " << b;
      if (adjacent) {
        const auto size = [&](std::int32_t leaf) {
          const auto i = static_cast<std::size_t>(leaf);
          return tree.leaf_begin()[i + 1] - tree.leaf_begin()[i];
        };
        near_total += a == b ? size(a) * (size(a) - 1) : size(a) * size(b);
      }
    }
  EXPECT_EQ(tree.near_pairs(), near_total / 2);
}

/// Families: every cell below level 2 once, under the cell that contains it.
void expect_families(const Tree& tree) {
  for (int l = Tree::first_far_level + 1; l <= tree.leaf_level(); ++l) {
    const Level& level = tree.level(l);
    const Level& parents = tree.level(l - 1);
    for (std::size_t g = 0; g < level.groups.size(); ++g) {
      std::int32_t next = 0;
      std::int32_t range_end = 0;
      for (const FamilyRange& range : level.parent_groups[g]) {
        EXPECT_EQ(range.begin, range_end);
        range_end = range.end;
        for (std::int32_t f = range.begin; f < range.end; ++f) {
          const Family& family = level.families[g][static_cast<std::size_t>(f)];
          EXPECT_EQ(family.first_child, next);
          const Group& parent_group = parents.groups[static_cast<std::size_t>(range.parent_group)];
          ASSERT_LT(family.parent, parent_group.cells);
          for (std::int32_t c = 0; c < family.children; ++c, ++next)
            EXPECT_EQ(level.key[static_cast<std::size_t>(level.groups[g].first + next)] >> 3,
                      parents.key[static_cast<std::size_t>(parent_group.first + family.parent)]);
        }
      }
      EXPECT_EQ(range_end, static_cast<std::int32_t>(level.families[g].size()));
      EXPECT_EQ(next, level.groups[g].cells);
    }
  }
}

void expect_sound(const Tree& tree) {
  expect_complete(tree);
  expect_reductions(tree);
  expect_families(tree);
}

TEST(Tree, EveryPairOfLeavesOnceWhateverTheGroups) {
  const Particles cloud = cube(700, 3, Charges::ones);
  for (const int height : {1, 2, 3, 4})
    for (const int group_size : {1, 7, 64, 65, 100000}) {
      SCOPED_TRACE(testing::Message() << "height " << height << " group size " << group_size);
      expect_sound(make_tree(cloud, height, group_size));
    }
  expect_sound(whole_tree(cloud, {4, 50, FarTasks::separate}));
}

TEST(Tree, SurfacesWithEmptyCells) {
  const Particles surface = ellipsoid(900, 5, Charges::ones);
  for (const int height : {3, 5, 6}) {
    SCOPED_TRACE(height);
    const Tree tree = make_tree(surface, height, 13);
    expect_sound(tree);
    EXPECT_LT(tree.leaves().key.size(), std::size_t{1} << 3 * (height - 1));
  }
}

TEST(Tree, PiecesOfTheNearField) {
  const Particles cloud = cube(700, 3, Charges::ones);
  const Box box{-0.01, -0.01, -0.01, 1.02};
  for (const int group_size : {7, 100, 100000})
    for (const NearPieces& pieces : {NearPieces{0.1, 3}, NearPieces{0.6, 20}, NearPieces{0.9, 1}}) {
      SCOPED_TRACE(testing::Message() << group_size << " cells, " << pieces.count << " pieces");
      const Tree tree(cloud.x, cloud.y, cloud.z, box, {4, group_size}, pieces);
      expect_sound(tree);
      EXPECT_GE(tree.near_pieces(), 1);
      double of_pieces = 0;
      double most = 0;
      for (std::int32_t n = 0; n < tree.near_pieces(); ++n) {
        const auto pairs = static_cast<double>(tree.near(static_cast<std::size_t>(n)).pairs);
        of_pieces += pairs;
        most = std::max(most, pairs);
      }
      const auto all = static_cast<double>(tree.near_pairs());
      EXPECT_NEAR(of_pieces / all, pieces.share, 0.5 * pieces.share / pieces.count + 0.01);
      EXPECT_LE(most / all, 1.1 * pieces.share / pieces.count + 0.01);
    }
}

TEST(Tree, OneCellPerGroup) {
  // up to 189 sources, all in one task: below max_sources, whose splitting no test reaches
  const Tree tree = make_tree(cube(3000, 1, Charges::ones), 4, 1);
  for (const auto& tasks : tree.leaves().far) {
    EXPECT_LE(tasks.size(), 1U);
    for (const M2LTask& task : tasks) EXPECT_LE(task.source_groups.size(), 189U);
  }
  expect_families(tree);
}

TEST(Tree, OrderKeepsEveryParticleInItsLeaf) {
  const Particles p = plummer(2000, 2, Charges::ones);
  const Tree tree = make_tree(p, 5, 20);
  std::vector<bool> seen(p.size(), false);
  const Grid grid = tree.grid(tree.leaf_level());
  for (std::size_t leaf = 0; leaf < tree.leaves().key.size(); ++leaf) {
    ASSERT_LT(tree.leaf_begin()[leaf], tree.leaf_begin()[leaf + 1]);
    const CellIndex& cell = tree.leaves().index[leaf];
    for (std::int64_t s = tree.leaf_begin()[leaf]; s < tree.leaf_begin()[leaf + 1]; ++s) {
      const std::uint32_t i = tree.order()[static_cast<std::size_t>(s)];
      ASSERT_FALSE(seen[i]);
      seen[i] = true;
      const double rounding = 1e-12;
      EXPECT_GE(p.x[i], grid.x + cell.x * grid.width - rounding);
      EXPECT_LE(p.x[i], grid.x + (cell.x + 1) * grid.width + rounding);
      EXPECT_GE(p.y[i], grid.y + cell.y * grid.width - rounding);
      EXPECT_LE(p.y[i], grid.y + (cell.y + 1) * grid.width + rounding);
      EXPECT_GE(p.z[i], grid.z + cell.z * grid.width - rounding);
      EXPECT_LE(p.z[i], grid.z + (cell.z + 1) * grid.width + rounding);
    }
  }
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](bool b) { return b; }));
}

TEST(Tree, UpdateEqualsANewTree) {
  Particles p = cube(1500, 9, Charges::ones);
  const Box box{-0.1, -0.1, -0.1, 1.2};
  Tree tree(p.x, p.y, p.z, box, {4, 30});
  EXPECT_EQ(tree.update(p.x, p.y, p.z), Change::none);
  bool saw_cells = false;
  for (int step = 0; step < 6; ++step) {
    const double reach = step < 3 ? 0.002 : 0.08;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const auto phase = static_cast<double>(i * 7 + static_cast<std::size_t>(step));
      p.x[i] += reach * std::sin(phase);
      p.y[i] = std::clamp(p.y[i] + reach * std::cos(2 * phase), -0.09, 1.09);
      p.z[i] = std::clamp(p.z[i] + reach * std::sin(3 * phase), -0.09, 1.09);
      p.x[i] = std::clamp(p.x[i], -0.09, 1.09);
    }
    const Change change = tree.update(p.x, p.y, p.z);
    saw_cells |= change == Change::cells;
    const Tree fresh(p.x, p.y, p.z, box, {4, 30});
    ASSERT_EQ(tree.leaves().key, fresh.leaves().key);
    ASSERT_EQ(tree.leaf_begin(), fresh.leaf_begin());
    ASSERT_TRUE(std::equal(tree.order().begin(), tree.order().end(), fresh.order().begin()));
    ASSERT_EQ(tree.near_pairs(), fresh.near_pairs());
    for (std::size_t g = 0; g < fresh.leaves().groups.size(); ++g) {
      ASSERT_EQ(tree.near(g).begin, fresh.near(g).begin);
      ASSERT_EQ(tree.near(g).source, fresh.near(g).source);
    }
  }
  EXPECT_TRUE(saw_cells);
  expect_sound(tree);
}

TEST(Tree, UpdateWithTheSameLeavesKeepsTheCells) {
  // two particles per octant; one of each pair moves to the next octant, so that none becomes empty
  Particles p(16);
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t o = i / 2;
    p.x[i] = (o & 1 ? 0.75 : 0.25) + 0.01 * static_cast<double>(i % 2);
    p.y[i] = o & 2 ? 0.75 : 0.25;
    p.z[i] = o & 4 ? 0.75 : 0.25;
    p.charge[i] = 1;
  }
  Tree tree(p.x, p.y, p.z, {0, 0, 0, 1}, {2, 3});
  for (std::size_t i = 0; i < 16; i += 2) p.x[i] = 1 - p.x[i];
  EXPECT_EQ(tree.update(p.x, p.y, p.z), Change::particles);
  expect_sound(tree);
}

TEST(Tree, AllInOnePlace) {
  Particles p(5);
  for (std::size_t i = 0; i < 5; ++i) p.x[i] = p.y[i] = p.z[i] = 1e6, p.charge[i] = 1;
  const Tree tree = make_tree(p, 5, 10);
  EXPECT_EQ(tree.leaves().key.size(), 1U);
  EXPECT_EQ(tree.near_pairs(), 10);
  EXPECT_EQ(tree.far_pairs(), 0);
}

TEST(Tree, BadShapes) {
  const Particles p = cube(10, 1, Charges::ones);
  EXPECT_THROW(make_tree(p, 0, 10), Error);
  EXPECT_THROW(make_tree(p, max_height + 1, 10), Error);
  EXPECT_THROW(make_tree(p, 3, 0), Error);
  EXPECT_THROW(make_tree(Particles(0), 3, 5), Error);
}

TEST(Morton, InterleavesThreeCoordinates) {
  EXPECT_EQ(morton(1, 0, 0), 1U);
  EXPECT_EQ(morton(0, 1, 0), 2U);
  EXPECT_EQ(morton(0, 0, 1), 4U);
  EXPECT_EQ(morton(3, 5, 6), 0b110'101'011U | 0U);
  const CellIndex c = cell_of(morton(123456, 654321, 2097151));
  EXPECT_EQ(c.x, 123456);
  EXPECT_EQ(c.y, 654321);
  EXPECT_EQ(c.z, 2097151);
}

TEST(Shape, UnitsThatDoNotRunEverythingLeaveItToOthers) {
  UnitRates core{1, 1, 1, 1, 1}, gpu{1, 0.1, 0.5, INFINITY, INFINITY};
  Workload work;
  work.particles = 4;
  work.near_pairs = 10;
  EXPECT_DOUBLE_EQ(predicted_seconds(work, {core, gpu}), 4);  // particles on the core, pairs on the GPU
  work.near_pairs = 100;                                      // 10 (1 - x) = 4 + 100 x
  EXPECT_DOUBLE_EQ(predicted_seconds(work, {core, gpu}), 10 * (1 - 6. / 110));
  work.cells = 8;
  EXPECT_DOUBLE_EQ(predicted_seconds(work, {core, gpu}), 12);
}

}  // namespace
}  // namespace asterism::fmm
