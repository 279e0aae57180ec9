// SPDX-License-Identifier: Apache-2.0
// Blocks of unknowns, and intervals of them for ranks and units.
#include <gtest/gtest.h>

#include <algorithm>
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

/// The last block may be short: it goes where it makes rows equal.
TEST(TdbemDecomposition, EqualRows) {
  using Ends = std::vector<std::size_t>;
  EXPECT_EQ(equal_rows(blocks_of_unknowns(7 * 32, 32), 3), (Ends{2, 5, 7}));
  EXPECT_EQ(equal_rows(blocks_of_unknowns(642, 160), 2), (Ends{2, 5}));
  EXPECT_EQ(equal_rows(blocks_of_unknowns(32, 32), 1), (Ends{1}));
}

/// A step of cores alone takes as long as the core with the most rows.
TEST(TdbemDecomposition, CoresHaveEqualRows) {
  for (const std::int32_t cores : {2, 4, 14, 16})
    for (const std::int32_t unknowns : {2562, 5000, 7490, 10242, 24000}) {
      const std::int32_t wanted = suitable_block_size(unknowns, cores, 0);
      const auto blocks = blocks_of_unknowns(unknowns, block_size_for_cores(unknowns, wanted, cores));
      EXPECT_GE(blocks.size(), 2U * static_cast<unsigned>(cores) - 1);  // for the assembly
      std::int32_t most = 0, begin = 0;
      for (const std::size_t end : equal_rows(blocks, static_cast<std::size_t>(cores))) {
        most = std::max(most, blocks[end - 1].end - begin);
        begin = blocks[end - 1].end;
      }
      EXPECT_LE(most, 1.25 * unknowns / cores) << unknowns << " unknowns, " << cores << " cores";
    }
}

}  // namespace
}  // namespace asterism::tdbem
