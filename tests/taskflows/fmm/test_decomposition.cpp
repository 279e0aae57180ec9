// SPDX-License-Identifier: Apache-2.0
// What each rank has of the particles and of the work: equal parts, cut between groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "taskflows/fmm/decomposition.hpp"
#include "taskflows/fmm/particles/generate.hpp"
#include "tests/taskflows/fmm/trees.hpp"

namespace asterism::fmm {
namespace {

TEST(Shares, AreOfWork) {
  const Particles cloud = plummer(2000, 3, Charges::ones);
  const TreeShape shape{4, 6};
  const Tree whole = whole_tree(cloud, shape);
  const auto leaves = static_cast<std::int32_t>(whole.leaves().key.size());
  const std::vector<LeafWork> work = work_of_leaves(leaves_of(whole), shape.height, {0, leaves});
  LeafWork sum;
  for (const LeafWork& leaf : work) {
    sum.near_pairs += leaf.near_pairs;
    sum.far_pairs += leaf.far_pairs;
  }
  EXPECT_EQ(sum.near_pairs, whole.near_pairs());
  std::size_t far = 0;
  for (const auto& tasks : whole.leaves().far)
    for (const M2LTask& task : tasks) far += task.pairs.size();
  EXPECT_EQ(sum.far_pairs, static_cast<std::int64_t>(far));
  // an interval knows as much of its leaves as all do
  const std::vector<LeafWork> some = work_of_leaves(leaves_of(whole), shape.height, {leaves / 3, leaves / 2});
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].near_pairs, work[static_cast<std::size_t>(leaves / 3) + i].near_pairs);
    EXPECT_EQ(some[i].far_pairs, work[static_cast<std::size_t>(leaves / 3) + i].far_pairs);
  }
  EXPECT_TRUE(work_of_leaves(leaves_of(whole), shape.height, {}).empty());
}

TEST(Shares, AreCutBetweenGroups) {
  EXPECT_EQ(cut(std::vector<double>{1, 1, 1, 1, 1, 1}, 3), (std::vector<std::int32_t>{0, 2, 4, 6}));
  EXPECT_EQ(cut(std::vector<double>{6, 1, 1, 1, 1, 2}, 2), (std::vector<std::int32_t>{0, 1, 6}));
  EXPECT_EQ(cut(std::vector<double>{2, 2, 8, 1, 1}, 2), (std::vector<std::int32_t>{0, 2, 5}));
  EXPECT_EQ(cut(std::vector<double>{1, 1, 10, 1}, 4), (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(cut(std::vector<double>{100, 1, 1}, 3), (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(cut(std::vector<double>{1, 1, 100}, 3), (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(cut(std::vector<double>{5}, 1), (std::vector<std::int32_t>{0, 1}));
  const std::vector<std::int32_t> few = cut(std::vector<double>{1, 1}, 4);
  ASSERT_EQ(few.size(), 5U);
  EXPECT_TRUE(few.front() == 0 && few.back() == 2 && std::is_sorted(few.begin(), few.end()));
}

TEST(Parts, FollowEachOtherAndAreEqual) {
  for (const std::size_t n : {0U, 1U, 5U, 12U, 13U})
    for (const int of : {1, 3, 4, 7}) {
      std::size_t next = 0;
      for (int number = 0; number < of; ++number) {
        const Part part{number, of};
        EXPECT_EQ(part.begin(n), next);
        next = part.end(n);
        EXPECT_LE(next - part.begin(n), (n + static_cast<std::size_t>(of) - 1) / static_cast<std::size_t>(of));
      }
      EXPECT_EQ(next, n);
    }
}

TEST(Parts, OfGeneratedParticlesAreThoseOfAll) {
  for (const auto make : {cube, ellipsoid, sphere, plummer}) {
    const Particles all = make(101, 5, Charges::neutral, {});
    std::size_t i = 0;
    for (int number = 0; number < 3; ++number) {
      const Particles part = make(101, 5, Charges::neutral, {number, 3});
      for (std::size_t k = 0; k < part.size(); ++k, ++i)
        EXPECT_TRUE(part.x[k] == all.x[i] && part.y[k] == all.y[i] && part.z[k] == all.z[i] &&
                    part.charge[k] == all.charge[i]);
    }
    EXPECT_EQ(i, all.size());
  }
}

}  // namespace
}  // namespace asterism::fmm
