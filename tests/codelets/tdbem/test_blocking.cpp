// SPDX-License-Identifier: Apache-2.0
// Full-Blocking: where slices are cut, and products with the blocks.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "codelets/tdbem/kernels/product/full_blocking.hpp"
#include "tests/codelets/tdbem/products.hpp"

namespace asterism::tdbem {
namespace {

std::vector<std::pair<std::int32_t, std::int32_t>> cut(const std::vector<Extent>& rows, const BlockShape& shape) {
  std::vector<std::pair<std::int32_t, std::int32_t>> places;
  cut_slice(
      static_cast<std::int32_t>(rows.size()), shape, [&](std::int32_t i) { return rows[static_cast<std::size_t>(i)]; },
      [&](const BlockPlace& p) { places.emplace_back(p.row, p.lag); });
  return places;
}

using Places = std::vector<std::pair<std::int32_t, std::int32_t>>;

TEST(TdbemBlocking, CutsByHand) {
  const BlockShape shape{3, 5};
  EXPECT_EQ(cut({}, shape), (Places{}));
  EXPECT_EQ(cut({{4, 0}, {4, 0}}, shape), (Places{}));
  // lags 4-6, then 2-3: the first lag moves to 2; 7 would be the sixth column
  EXPECT_EQ(cut({{4, 3}, {2, 2}, {7, 1}}, shape), (Places{{0, 2}, {2, 7}}));
  EXPECT_EQ(cut({{4, 3}, {2, 2}, {6, 1}}, shape), (Places{{0, 2}}));
  EXPECT_EQ(cut({{4, 3}, {1, 2}}, shape), (Places{{0, 4}, {1, 1}}));
  // three rows are full; rows without values count as rows, but begin nothing
  EXPECT_EQ(cut({{4, 1}, {4, 1}, {4, 1}, {4, 1}}, shape), (Places{{0, 4}, {3, 4}}));
  EXPECT_EQ(cut({{9, 0}, {4, 1}, {90, 0}, {4, 1}, {4, 1}, {7, 5}}, shape), (Places{{1, 4}, {4, 4}, {5, 7}}));
  EXPECT_EQ(cut({{1, 5}}, shape), (Places{{0, 1}}));
  EXPECT_THROW(cut({{1, 6}}, shape), std::invalid_argument);
}

TEST(TdbemBlocking, CountsBlocksAndValues) {
  const BlockShape shape{32, 16};
  BlockCounts counts;
  EXPECT_EQ(counts.share(shape), 0);
  for (int slice = 0; slice < 3; ++slice)
    count_blocks(
        100, shape,
        [](std::int32_t i) {
          return Extent{1 + i / 50, 8};
        },
        counts);
  EXPECT_EQ(counts.blocks, 3 * 4);
  EXPECT_EQ(counts.values, 3 * 800);
  EXPECT_DOUBLE_EQ(counts.share(shape), 2400.0 / (12 * 512));
}

template <class T>
class TdbemBlocks : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TdbemBlocks, Precisions);

TYPED_TEST(TdbemBlocks, ProductsAreSumsOverLags) {
  using T = TypeParam;
  expect_block_products<T>(all_groups(), [](const Products<T>& p, const BlockShape& shape) {
    std::vector<T> s = p.start;
    Sums<T> sums = p.sums;
    sums.values = s.data();
    std::int64_t blocks = 0;
    for (const TileArrays<T>& a : p.arrays) {
      const FullBlocks<T> of = full_blocks(a.tile(), shape);
      cpu::full_blocks_product(view(of), p.windows, sums);
      BlockCounts counts;
      for (std::int32_t j = a.slice_begin; j < a.slice_begin + a.slices; ++j)
        count_blocks(
            a.rows, shape, [&](std::int32_t i) { return p.matrix.extent(a.row_begin + i, j); }, counts);
      EXPECT_EQ(static_cast<std::int64_t>(of.place.size()), counts.blocks);
      blocks += counts.blocks;
    }
    EXPECT_GT(blocks, 0);
    return s;
  });
}

TYPED_TEST(TdbemBlocks, RefuseOtherShapes) {
  using T = TypeParam;
  FullBlocksView<T> none;
  Windows<T> windows;
  EXPECT_NO_THROW(cpu::full_blocks_product(none, windows, Sums<T>{}));
  windows.shape.group = max_group + 1;
  EXPECT_THROW(cpu::full_blocks_product(none, windows, Sums<T>{}), std::invalid_argument);
  windows.shape.group = 1;
  none.shape = {48, 16};
  EXPECT_THROW(cpu::full_blocks_product(none, windows, Sums<T>{}), std::invalid_argument);
  none.shape = {32, 8};
  EXPECT_THROW(cpu::full_blocks_product(none, windows, Sums<T>{}), std::invalid_argument);
}

}  // namespace
}  // namespace asterism::tdbem
