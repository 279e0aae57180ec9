// SPDX-License-Identifier: Apache-2.0
// What each rank knows of a tree: its groups as they are in the whole tree, and messages that both ends agree on.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "base/as_size.hpp"
#include "taskflows/fmm/decomposition.hpp"
#include "taskflows/fmm/groups/cell_messages.hpp"
#include "taskflows/fmm/particles/generate.hpp"
#include "taskflows/fmm/tree/tree.hpp"
#include "tests/taskflows/fmm/trees.hpp"

namespace asterism::fmm {
namespace {

struct Trees {
  Tree whole;
  std::vector<Tree> of_rank;
};

Trees make_trees(const Particles& p, const TreeShape& shape, const std::vector<std::int32_t>& first_group) {
  const Box box = bounding_box(p.x, p.y, p.z);
  Trees trees{whole_tree(p, shape), {}};
  for (std::size_t rank = 0; rank + 1 < first_group.size(); ++rank)
    trees.of_rank.emplace_back(leaves_of(trees.whole), box, shape, first_group, static_cast<int>(rank));
  return trees;
}

/// All groups of leaves of a tree dealt in about equal numbers.
std::vector<std::int32_t> deal(const Particles& p, const TreeShape& shape, int ranks) {
  const Tree whole = whole_tree(p, shape);
  const std::vector<double> costs(whole.leaves().groups.size(), 1.0);
  return cut(costs, ranks);
}

void expect_same(const NearSet& a, const NearSet& b) {
  EXPECT_EQ(a.ghosts, b.ghosts);
  EXPECT_EQ(a.image, b.image);
  EXPECT_EQ(a.begin, b.begin);
  EXPECT_EQ(a.upper_begin, b.upper_begin);
  EXPECT_EQ(a.upper, b.upper);
  EXPECT_EQ(a.source_begin, b.source_begin);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.pairs, b.pairs);
}

void expect_same(const M2LTask& a, const M2LTask& b) {
  EXPECT_EQ(a.source_groups, b.source_groups);
  EXPECT_EQ(a.begin, b.begin);
  ASSERT_EQ(a.pairs.size(), b.pairs.size());
  for (std::size_t i = 0; i < a.pairs.size(); ++i) {
    EXPECT_EQ(a.pairs[i].target, b.pairs[i].target);
    EXPECT_EQ(a.pairs[i].source, b.pairs[i].source);
  }
}

void expect_same_families(const Level& a, const Level& b, std::size_t g) {
  ASSERT_EQ(a.families[g].size(), b.families[g].size());
  for (std::size_t f = 0; f < a.families[g].size(); ++f) {
    EXPECT_EQ(a.families[g][f].parent, b.families[g][f].parent);
    EXPECT_EQ(a.families[g][f].first_child, b.families[g][f].first_child);
    EXPECT_EQ(a.families[g][f].children, b.families[g][f].children);
  }
  ASSERT_EQ(a.parent_groups[g].size(), b.parent_groups[g].size());
  for (std::size_t r = 0; r < a.parent_groups[g].size(); ++r) {
    EXPECT_EQ(a.parent_groups[g][r].parent_group, b.parent_groups[g][r].parent_group);
    EXPECT_EQ(a.parent_groups[g][r].begin, b.parent_groups[g][r].begin);
    EXPECT_EQ(a.parent_groups[g][r].end, b.parent_groups[g][r].end);
  }
}

/// Each group of each level has one owner, who has the first of its leaves, and is there as in the whole tree.
void expect_groups_of_the_whole(const Trees& trees) {
  const int leaf = trees.whole.leaf_level();
  for (int l = 0; l <= leaf; ++l) {
    const Level& whole = trees.whole.level(l);
    std::int32_t next = 0;
    for (std::size_t rank = 0; rank < trees.of_rank.size(); ++rank) {
      const Tree& tree = trees.of_rank[rank];
      const Range own = tree.own(l);
      EXPECT_EQ(own.begin, next);
      next = own.end;
      for (std::int32_t g = own.begin; g < own.end; ++g) {
        for (const Tree& any : trees.of_rank) EXPECT_EQ(any.owner(l, g), static_cast<int>(rank));
        const std::uint64_t first_leaf = whole.key[as_size(whole.groups[as_size(g)].first)] << 3 * (leaf - l);
        const auto& keys = trees.whole.leaves().key;
        const auto number = std::lower_bound(keys.begin(), keys.end(), first_leaf) - keys.begin();
        EXPECT_TRUE(tree.own_leaves().holds(static_cast<std::int32_t>(number))) << l << ' ' << g;
        EXPECT_EQ(tree.level(l).rank[as_size(g)], whole.rank[as_size(g)]);
        if (l < tree.top_level()) continue;
        ASSERT_EQ(tree.level(l).far[as_size(g)].size(), whole.far[as_size(g)].size());
        for (std::size_t t = 0; t < whole.far[as_size(g)].size(); ++t)
          expect_same(tree.level(l).far[as_size(g)][t], whole.far[as_size(g)][t]);
        if (l > tree.top_level()) expect_same_families(tree.level(l), whole, as_size(g));
        if (l == leaf) continue;
        const Range children = tree.child_groups(l, {g, g + 1});
        for (std::int32_t c = 0; c < static_cast<std::int32_t>(trees.whole.level(l + 1).groups.size()); ++c) {
          const auto& ranges = trees.whole.level(l + 1).parent_groups[as_size(c)];
          EXPECT_EQ(children.holds(c), std::any_of(ranges.begin(), ranges.end(),
                                                   [&](const FamilyRange& r) { return r.parent_group == g; }));
          if (children.holds(c)) expect_same_families(tree.level(l + 1), trees.whole.level(l + 1), as_size(c));
        }
      }
    }
    EXPECT_EQ(next, static_cast<std::int32_t>(whole.groups.size()));
  }
}

/// Places in a group's set of the particles that it sends.
std::vector<std::int32_t> places_of(const NearOut& out) {
  std::vector<std::int32_t> places;
  for (const NearOut::Part& part : out.parts)
    for (std::int32_t i = 0; i < part.count; ++i) places.push_back(part.first + i);
  EXPECT_EQ(places.size(), as_size(out.count));
  return places;
}

/// Near sets and what is added to which particle, whoever computed it.
void expect_near_of_the_whole(const Trees& trees) {
  const int leaf = trees.whole.leaf_level();
  std::int64_t pairs = 0;
  for (const Tree& tree : trees.of_rank) {
    pairs += tree.near_pairs();
    const Range own = tree.own(leaf);
    for (std::int32_t g = own.begin; g < own.end; ++g) {
      expect_same(tree.near(as_size(g)), trees.whole.near(as_size(g)));
      const auto& here = tree.contributors(as_size(g));
      const auto& whole = trees.whole.contributors(as_size(g));
      ASSERT_EQ(here.size(), whole.size());
      for (std::size_t c = 0; c < here.size(); ++c) {
        ASSERT_EQ(here[c].near_set, whole[c].near_set);
        ASSERT_EQ(here[c].parts.size(), whole[c].parts.size());
        EXPECT_EQ(here[c].image, whole[c].image);
        std::vector<std::int32_t> places;  // in the other group's set, of what it sends
        if (!own.holds(here[c].near_set)) {
          const Tree& sender = trees.of_rank[as_size(tree.owner(leaf, here[c].near_set))];
          for (const NearOut& out : sender.near_out(as_size(here[c].near_set)))
            if (out.rank == tree.owner(leaf, g)) places = places_of(out);
          EXPECT_FALSE(places.empty());
        }
        for (std::size_t k = 0; k < here[c].parts.size(); ++k) {
          const std::int32_t from = here[c].parts[k].from;
          EXPECT_EQ(places.empty() ? from : places.at(as_size(from)), whole[c].parts[k].from);
          EXPECT_EQ(here[c].parts[k].to, whole[c].parts[k].to);
          EXPECT_EQ(here[c].parts[k].count, whole[c].parts[k].count);
        }
      }
    }
  }
  EXPECT_EQ(pairs, trees.whole.near_pairs());
}

using Message = std::array<std::int64_t, 5>;  // from, to, level or -1, group, kind or size

/// What is sent is what is received.
void expect_matching_messages(const Trees& trees) {
  const int leaf = trees.whole.leaf_level();
  std::set<Message> sent;
  std::set<Message> received;
  for (std::size_t r = 0; r < trees.of_rank.size(); ++r) {
    const auto rank = static_cast<std::int64_t>(r);
    const Tree& tree = trees.of_rank[r];
    for (std::int32_t g = tree.own(leaf).begin; g < tree.own(leaf).end; ++g)
      for (const NearOut& out : tree.near_out(as_size(g))) sent.insert({rank, out.rank, -1, g, out.count});
    for (const NearIn& in : tree.near_in()) {
      received.insert({tree.owner(leaf, in.group), rank, -1, in.group, in.particles});
      EXPECT_TRUE(std::is_sorted(in.ghosts.begin(), in.ghosts.end()));
    }
    for (int l = tree.top_level(); l <= leaf; ++l) {
      const CellMessages messages = cell_messages(tree, l);
      for (const Reader& reader : messages.multipoles_out) sent.insert({rank, reader.rank, l, reader.group, 0});
      for (const Reader& reader : messages.locals_out) sent.insert({rank, reader.rank, l, reader.group, 1});
      for (const std::int32_t g : messages.multipoles_in) received.insert({tree.owner(l, g), rank, l, g, 0});
      for (const std::int32_t g : messages.locals_in) received.insert({tree.owner(l, g), rank, l, g, 1});
    }
    // particles of ghosts
    std::vector<std::int32_t> ghosts;
    for (const Tree& other : trees.of_rank) {
      if (&other == &tree) continue;
      const std::vector<std::int32_t> from = other.ghosts_of(static_cast<int>(rank));
      ghosts.insert(ghosts.end(), from.begin(), from.end());
    }
    EXPECT_EQ(ghosts, tree.foreign_ghosts());
    EXPECT_TRUE(tree.ghosts_of(static_cast<int>(rank)).empty());
  }
  EXPECT_EQ(sent, received);
  EXPECT_FALSE(sent.empty());
  for (const Message& message : sent) EXPECT_NE(message[0], message[1]);
}

void expect_sound(const Trees& trees) {
  expect_groups_of_the_whole(trees);
  expect_near_of_the_whole(trees);
  expect_matching_messages(trees);
}

TEST(TreeOfRanks, HasItsGroupsAsTheWholeTree) {
  const Particles cloud = cube(900, 3, Charges::ones);
  const Particles surface = ellipsoid(1500, 5, Charges::ones);
  for (const auto& [particles, height, group_size] : {std::tuple{&cloud, 2, 1},
                                                      {&cloud, 3, 7},
                                                      {&cloud, 4, 10},
                                                      {&cloud, 4, 1},
                                                      {&surface, 5, 11},
                                                      {&surface, 6, 30}})
    for (const int ranks : {2, 3, 5}) {
      SCOPED_TRACE(testing::Message() << height << " levels, " << group_size << " per group, " << ranks << " ranks");
      const TreeShape shape{height, group_size, height == 5 ? FarTasks::separate : FarTasks::joined};
      expect_sound(make_trees(*particles, shape, deal(*particles, shape, ranks)));
    }
}

TEST(TreeOfRanks, PeriodicBoxesHaveTheirGroupsAsTheWholeTree) {
  const Particles cloud = cube(900, 3, Charges::ones);
  for (const int periodic : {1, 2, 3})
    for (const auto& [height, group_size] : {std::pair{2, 1}, {2, 3}, {3, 7}, {4, 10}, {4, 1}})
      for (const int ranks : {2, 3, 5}) {
        SCOPED_TRACE(testing::Message() << periodic << " directions, " << height << " levels, " << group_size
                                        << " per group, " << ranks << " ranks");
        TreeShape shape{height, group_size};
        shape.periodic = periodic;
        expect_sound(make_trees(cloud, shape, deal(cloud, shape, ranks)));
      }
}

TEST(TreeOfRanks, SomeHaveNoGroups) {
  const Particles cloud = cube(100, 3, Charges::ones);
  const auto groups = static_cast<std::int32_t>(make_trees(cloud, {4, 30}, {}).whole.leaves().groups.size());
  ASSERT_GT(groups, 2);
  expect_sound(make_trees(cloud, {4, 30}, {0, 0, 1, 1, groups, groups}));
}

TEST(TreeOfRanks, FollowsParticlesInTheSameLeaves) {
  Particles p = cube(3000, 9, Charges::ones);
  const TreeShape shape{3, 5};
  const std::vector<std::int32_t> dealt = deal(p, shape, 3);
  Trees trees = make_trees(p, shape, dealt);
  // the places of particles in other leaves: as many leaves, other numbers
  for (std::size_t i = 0; i < 200; ++i) {
    p.x[i] = p.x[i + 300];
    p.y[i] = p.y[i + 300];
    p.z[i] = p.z[i + 300];
  }
  ASSERT_EQ(trees.whole.update(p.x, p.y, p.z), Change::particles);
  for (Tree& tree : trees.of_rank) tree.update(trees.whole.leaf_begin());
  expect_sound(trees);
}

/// Tasks that a rank submits in an evaluation, without reductions to zero, and messages that it looks at.
struct Walk {
  std::int64_t tasks = 0;
  std::int64_t messages = 0;
};

Walk walk_of(const Tree& tree) {
  Walk walk;
  const int leaf = tree.leaf_level();
  walk.messages += static_cast<std::int64_t>(tree.near_in().size());
  for (std::int32_t g = tree.own(leaf).begin; g < tree.own(leaf).end; ++g) {
    const auto out = static_cast<std::int64_t>(tree.near_out(as_size(g)).size());
    walk.messages += out;
    walk.tasks += 4 + out;  // P2M, P2P, L2P, reduction, packing
  }
  for (int l = Tree::first_far_level; l <= leaf; ++l) {
    const CellMessages messages = cell_messages(tree, l);
    walk.messages += static_cast<std::int64_t>(messages.multipoles_in.size() + messages.multipoles_out.size() +
                                               messages.locals_in.size() + messages.locals_out.size());
    for (std::int32_t g = tree.own(l).begin; g < tree.own(l).end; ++g) {
      walk.tasks += static_cast<std::int64_t>(tree.level(l).far[as_size(g)].size());
      if (l > Tree::first_far_level)
        walk.tasks += 2 * static_cast<std::int64_t>(tree.level(l).parent_groups[as_size(g)].size());
    }
  }
  return walk;
}

TEST(TreeOfRanks, WhatARankLooksAtStaysWhenRanksAndParticlesGrow) {
  Walk most[3];
  for (int k = 0; k < 3; ++k) {  // 8, 64 and 512 ranks with as many particles each
    const std::size_t n = std::size_t{256} << 3 * (k + 1);
    const int ranks = 8 << 3 * k;
    const TreeShape shape{4 + k, 8};
    const Particles p = cube(n, 1, Charges::ones);
    const Box box{0, 0, 0, 1};
    const Leaves leaves = leaves_of(count_leaves(sort_by_cell(box, shape.height - 1, p.x, p.y, p.z)));
    const std::vector<double> costs((leaves.key.size() + 7) / 8, 1.0);
    const std::vector<std::int32_t> dealt = cut(costs, ranks);
    for (int rank = 0; rank < ranks; rank += k == 2 ? 37 : 1) {
      const Walk walk = walk_of(Tree(leaves, box, shape, dealt, rank));
      most[k].tasks = std::max(most[k].tasks, walk.tasks);
      most[k].messages = std::max(most[k].messages, walk.messages);
    }
    RecordProperty("ranks_" + std::to_string(ranks),
                   std::to_string(most[k].tasks) + " tasks, " + std::to_string(most[k].messages) + " messages");
  }
  EXPECT_LE(most[1].tasks, 2 * most[0].tasks);
  EXPECT_LE(most[2].tasks, most[1].tasks * 5 / 4);
  EXPECT_LE(most[2].messages, most[1].messages * 5 / 4);
}

}  // namespace
}  // namespace asterism::fmm
