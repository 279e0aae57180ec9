// SPDX-License-Identifier: Apache-2.0
// Trees that the tests of groups and of ranks are made with.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/tree.hpp"

namespace asterism::fmm {

/// The tree of all particles, in the cube around them.
inline Tree whole_tree(const Particles& p, const TreeShape& shape) {
  return {p.x, p.y, p.z, bounding_box(p.x, p.y, p.z), shape};
}

inline Leaves leaves_of(const Tree& tree) {
  return {tree.leaves().key, tree.leaf_begin()};
}

/// How often each ordered pair of leaves acts in the near sets, by the lists for CPUs or those for GPUs.
inline std::map<std::pair<std::int32_t, std::int32_t>, int> near_pairs(const Tree& tree, bool gpu) {
  std::map<std::pair<std::int32_t, std::int32_t>, int> count;
  for (std::size_t n = 0; n < tree.near_sets(); ++n) {
    const NearSet& set = tree.near(n);
    const Range leaves = tree.leaves_of_near_set(static_cast<std::int32_t>(n));
    const std::int32_t own = leaves.end - leaves.begin;
    const auto global = [&](std::int32_t local) {
      return local < own ? leaves.begin + local : set.ghosts[static_cast<std::size_t>(local - own)];
    };
    const auto all = own + static_cast<std::int32_t>(set.ghosts.size());
    for (std::int32_t a = 0; a < (gpu ? all : own); ++a) {
      const auto& begin = gpu ? set.source_begin : set.upper_begin;
      const auto& list = gpu ? set.source : set.upper;
      if (!gpu) ++count[{global(a), global(a)}];
      for (auto i = static_cast<std::size_t>(begin[static_cast<std::size_t>(a)]);
           i < static_cast<std::size_t>(begin[static_cast<std::size_t>(a) + 1]); ++i) {
        const std::int32_t b = list[i];
        if (gpu) {
          ++count[{global(a), global(b)}];
        } else {
          EXPECT_GT(b, a);
          ++count[{global(a), global(b)}];
          ++count[{global(b), global(a)}];
        }
      }
    }
  }
  return count;
}

/// Each particle of each near set is reduced once, to the particle that it is or of which it is a copy.
inline void expect_reductions(const Tree& tree) {
  std::map<std::pair<std::int32_t, std::int64_t>, std::int64_t> place;  // (near set, particle in it): in the tree
  for (std::int32_t n = 0; n < static_cast<std::int32_t>(tree.near_sets()); ++n) {
    const NearSet& set = tree.near(static_cast<std::size_t>(n));
    std::int64_t next = 0;
    const auto take = [&](std::int32_t leaf) {
      const auto i = static_cast<std::size_t>(leaf);
      for (std::int64_t s = tree.leaf_begin()[i]; s < tree.leaf_begin()[i + 1]; ++s) place[{n, next++}] = s;
    };
    const Range leaves = tree.leaves_of_near_set(n);
    for (std::int32_t leaf = leaves.begin; leaf < leaves.end; ++leaf) take(leaf);
    for (const std::int32_t ghost : set.ghosts) take(ghost);
    EXPECT_EQ(next, set.begin.back());
  }
  std::size_t reduced = 0;
  for (std::int32_t g = 0; g < tree.leaf_groups(); ++g) {
    const auto add = [&](std::int32_t near_set, const Contribution& part) {
      for (std::int64_t k = 0; k < part.count; ++k, ++reduced) {
        const auto found = place.find({near_set, part.from + k});
        ASSERT_NE(found, place.end());
        ASSERT_EQ(found->second, tree.first_particle(g) + part.to + k);
      }
    };
    const Range own = tree.near_sets_of(g);
    if (own.end - own.begin == 1) {
      const Range leaves = tree.leaves_of_near_set(own.begin);
      const auto particles = tree.near(static_cast<std::size_t>(own.begin)).begin;
      add(own.begin, {0, 0, particles[static_cast<std::size_t>(leaves.end - leaves.begin)]});
    }
    for (const Contributor& c : tree.contributors(static_cast<std::size_t>(g))) {
      EXPECT_LT(c.near_set, own.end);
      for (const Contribution& part : c.parts) add(c.near_set, part);
    }
  }
  EXPECT_EQ(reduced, place.size());
}

}  // namespace asterism::fmm
