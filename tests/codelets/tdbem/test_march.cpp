// SPDX-License-Identifier: Apache-2.0
// What happens to sums between the products and the solutions, and where tiles of a block are.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "codelets/tdbem/kernels/product/block.hpp"
#include "tests/codelets/tdbem/march.hpp"

namespace asterism::tdbem {
namespace {

template <class T>
class TdbemMarch : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TdbemMarch, Precisions);

TYPED_TEST(TdbemMarch, PartsAreAddedToWhatWasBegun) {
  for (const TotalsShape& shape : totals_shapes())
    for (const Begun begun : ways_to_begin(shape)) {
      RandomSums<TypeParam> r(shape);
      const std::vector<TypeParam> expected = r.expected(begun);
      cpu::combine(shape, begun, r.partials.data(), static_cast<std::int32_t>(r.partials.size()), r.totals.data());
      EXPECT_EQ(r.totals, expected) << shape.rows << ' ' << static_cast<int>(begun);
    }
}

TYPED_TEST(TdbemMarch, RightHandSideIsLightLessSums) {
  const TotalsShape shape{4, 3, 2, 4, 1};
  const std::vector<TypeParam> incident = {1, 2, 3, 4, 5, 6}, totals = {10, 20, 0, 0, 30, 40, 0, 0, 50, 60, 0, 0};
  std::vector<TypeParam> rhs(3);
  cpu::right_hand_side(shape, 1, RightHandSide<TypeParam>{incident.data(), totals.data(), rhs.data()});
  EXPECT_EQ(rhs, (std::vector<TypeParam>{-18, -36, -54}));
  cpu::right_hand_side(shape, 0, RightHandSide<TypeParam>{nullptr, totals.data(), rhs.data()});
  EXPECT_EQ(rhs, (std::vector<TypeParam>{-10, -30, -50}));
}

TYPED_TEST(TdbemMarch, GuessGoesOnInAStraightLine) {
  const std::vector<TypeParam> last = {1, -2, 5}, before = {3, -3, 5};
  std::vector<TypeParam> guess(3);
  cpu::extrapolate(3, Guess<TypeParam>{last.data(), before.data()}, guess.data());
  EXPECT_EQ(guess, (std::vector<TypeParam>{-1, -1, 5}));
}

TYPED_TEST(TdbemMarch, GuessGoesOnAlongTheCubic) {
  const auto at = [](TypeParam n) { return std::vector<TypeParam>{n * n * n - 2 * n, 3 * n * n - n + 7, 4 - n}; };
  const std::vector<TypeParam> last = at(3), before = at(2), third = at(1), fourth = at(0);
  std::vector<TypeParam> guess(3);
  cpu::extrapolate(3, Guess<TypeParam>{last.data(), before.data(), third.data(), fourth.data()}, guess.data());
  EXPECT_EQ(guess, at(4));
}

/// The first step that was not solved stays, and a residual that is no number is never forgotten.
TEST(SolveTally, KeepsTheWorst) {
  SolveTally tally;
  add(tally, {1e-12, 7, Ending::converged}, 3);
  add(tally, {1e-3, 200, Ending::most_iterations}, 4);
  add(tally, {1e-2, 11, Ending::breakdown}, 5);
  EXPECT_EQ(tally.solves, 3);
  EXPECT_EQ(tally.iterations, 218);
  EXPECT_EQ(tally.most_iterations, 200);
  EXPECT_EQ(tally.ending, Ending::most_iterations);
  EXPECT_EQ(tally.failed_step, 4);
  EXPECT_EQ(tally.residual, 1e-2);
  add(tally, {std::numeric_limits<double>::quiet_NaN(), 1, Ending::breakdown}, 6);
  add(tally, {1e-12, 1, Ending::converged}, 7);
  EXPECT_TRUE(std::isnan(tally.residual));
}

TEST(Block, TilesAreWhereTheDirectorySays) {
  alignas(64) char block[1024] = {};
  const PlacedTile placed[2] = {{64, 128, 192, 256, 32, 20, 0, 5}, {320, 384, 448, 512, 64, 7, 5, 3}};
  std::copy_n(reinterpret_cast<const char*>(placed), sizeof placed, block + 640);
  const Tile<double> tile = tile_of_block<double>(block, 640, 1);
  EXPECT_EQ(static_cast<const void*>(tile.values), block + 320);
  EXPECT_EQ(static_cast<const void*>(tile.start), block + 384);
  EXPECT_EQ(static_cast<const void*>(tile.first), block + 448);
  EXPECT_EQ(static_cast<const void*>(tile.length), block + 512);
  EXPECT_EQ(tile.row_begin, 64);
  EXPECT_EQ(tile.rows, 7);
  EXPECT_EQ(tile.slice_begin, 5);
  EXPECT_EQ(tile.slices, 3);
  EXPECT_EQ(tile_of_block<float>(block, 640, 0).slices, 5);
}

}  // namespace
}  // namespace asterism::tdbem
