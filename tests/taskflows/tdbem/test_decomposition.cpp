// SPDX-License-Identifier: Apache-2.0
// Blocks of unknowns, and intervals of them for ranks and units.
#include <gtest/gtest.h>

#include <vector>

#include "taskflows/tdbem/decomposition.hpp"
#include "tests/taskflows/tdbem/fixture.hpp"

namespace asterism::tdbem {
namespace {

TEST(TdbemDecomposition, BlocksCoverTheUnknowns) {
  EXPECT_EQ(blocks_of_unknowns(100, 32), (std::vector<Range>{{0, 32}, {32, 64}, {64, 96}, {96, 100}}));
  EXPECT_EQ(blocks_of_unknowns(64, 64), (std::vector<Range>{{0, 64}}));
  EXPECT_EQ(blocks_of_unknowns(3, 96), (std::vector<Range>{{0, 3}}));
  expect_names(complaint([] { blocks_of_unknowns(100, 33); }), "33");
  expect_names(complaint([] { blocks_of_unknowns(100, 0); }), "0");
  expect_names(complaint([] { blocks_of_unknowns(0, 32); }), "0 unknowns");
}

/// Half as many tasks of the assembly run at a time as there are blocks.
TEST(TdbemDecomposition, BlocksForTheUnits) {
  const auto blocks = [](std::int32_t unknowns, std::int32_t cores, std::int32_t gpus, std::int32_t ranks = 1) {
    const std::int32_t size = suitable_block_size(unknowns, cores, gpus, ranks);
    return (unknowns + size - 1) / size;
  };
  for (const std::int32_t cores : {1, 4, 14}) EXPECT_GE(blocks(2562, cores, 1), 2 * cores - 1);
  EXPECT_EQ(suitable_block_size(12000, 14, 1), 256);     // a GPU wants large ones
  EXPECT_EQ(blocks(2562, 120, 1), blocks(2562, 16, 1));  // and is not cut for all the cores that it may have beside it
  EXPECT_GE(blocks(642, 2, 0, 4), 8);
}

TEST(TdbemDecomposition, RanksHaveEqualValues) {
  using Begins = std::vector<std::int32_t>;
  EXPECT_EQ(equal_values({1, 1, 1, 1, 1, 1}, 3), (Begins{0, 2, 4, 6}));
  EXPECT_EQ(equal_values({6, 1, 1, 1, 1, 2}, 2), (Begins{0, 1, 6}));
  EXPECT_EQ(equal_values({2, 1, 1, 1, 1, 6}, 2), (Begins{0, 5, 6}));
  EXPECT_EQ(equal_values({1, 4, 1}, 2), (Begins{0, 1, 3}));     // half of the block on either side
  EXPECT_EQ(equal_values({9, 1, 1}, 3), (Begins{0, 1, 2, 3}));  // one at least
  EXPECT_EQ(equal_values({1, 1, 9}, 3), (Begins{0, 1, 2, 3}));
  EXPECT_EQ(equal_values({5, 3}, 1), (Begins{0, 2}));
  EXPECT_THROW(equal_values({5, 3}, 3), Error);
}

TEST(TdbemDecomposition, EqualIntervals) {
  using Ends = std::vector<std::size_t>;
  EXPECT_EQ(equal_intervals(7, 3), (Ends{2, 4, 7}));
  EXPECT_EQ(equal_intervals(2, 3), (Ends{0, 1, 2}));
}

}  // namespace
}  // namespace asterism::tdbem
