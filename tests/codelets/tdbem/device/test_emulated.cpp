// SPDX-License-Identifier: Apache-2.0
// The device code of the boundary element kernels run on the host: what a machine without GPU can check.
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <string>

#include "codelets/tdbem/kernels/march/partial_sums.cuh"
#include "codelets/tdbem/kernels/march/radiation.cuh"
#include "codelets/tdbem/kernels/march/windows.cuh"
#include "codelets/tdbem/kernels/product/full_blocking.cuh"
#include "codelets/tdbem/kernels/product/product.cuh"
#include "codelets/tdbem/kernels/product/with_group.hpp"
#include "tests/codelets/tdbem/march.hpp"
#include "tests/codelets/tdbem/near.hpp"
#include "tests/codelets/tdbem/products.hpp"

namespace asterism::tdbem {
namespace {

template <class T>
class TdbemEmulated : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TdbemEmulated, Precisions);

TYPED_TEST(TdbemEmulated, ProductsAreSumsOverLags) {
  using T = TypeParam;
  for (const ProductCase& c : product_cases())
    for (std::int32_t group = 1; group <= max_group; ++group)
      for (const std::int32_t parts : {1, 3}) {
        const Products<T> p(c.matrix, group, c.row_cuts, c.slice_cuts, c.waves, c.more_reach);
        std::vector<T> s = p.start;
        Sums<T> sums = p.sums;
        sums.values = s.data();
        const std::vector<Tile<T>> tiles = p.tiles();
        const auto rows = c.row_cuts.size() - 1;  // tiles of a column come one after the other
        std::int32_t panels = 0;
        for (const Tile<T>& t : tiles) panels = std::max(panels, t.panels());
        const std::size_t columns = tiles.size() / rows;
        const std::size_t at_once = parts == 1 ? 1 : std::min<std::size_t>(columns, most_blocks_at_once);
        for (std::size_t column = 0; column < tiles.size(); column += at_once * rows) {
          const std::size_t blocks = std::min(at_once, (tiles.size() - column) / rows);
          const ProductShape shape{static_cast<std::int32_t>(blocks * rows), panels, parts};
          const WindowsOfBlocks<T> windows = p.windows_of(column, blocks, p.windows.values);
          std::vector<T> scratch(static_cast<std::size_t>(product_scratch(shape, group, c.waves)), T(1e30));
          with_group<max_group>(group, [&](auto n) {
            cuda_on_host::launch(cuda::product_blocks(shape, c.waves), cuda::product_threads, [&] {
              cuda::product_kernel<T, n.value>(&tiles[column], shape, windows, scratch.data());
            });
          });
          const auto each = static_cast<std::int32_t>(rows);
          cuda_on_host::launch(cuda::add_blocks(shape, each, group, c.waves), cuda::add_threads, [&] {
            cuda::add_parts_kernel<T>(&tiles[column], shape, each, c.waves, group, scratch.data(), sums);
          });
        }
        p.expect(s, std::string(c.name) + ", group " + std::to_string(group) + ", parts " + std::to_string(parts));
      }
}

TYPED_TEST(TdbemEmulated, FullBlocksAreSumsOverLags) {
  using T = TypeParam;
  expect_block_products<T>({1, 2, 7, 8, 16}, [](const Products<T>& p, const BlockShape& shape) {
    std::vector<T> s = p.start;
    Sums<T> sums = p.sums;
    sums.values = s.data();
    for (const TileArrays<T>& a : p.arrays) {
      const FullBlocks<T> of = full_blocks(a.tile(), shape);
      with_group<max_group>(p.windows.shape.group, [&](auto n) {
        cuda_on_host::launch(cuda::full_blocks_grid(view(of).count), static_cast<unsigned>(shape.rows),
                             [&] { cuda::full_blocks_kernel<T, n.value>(view(of), p.windows, sums); });
      });
    }
    return s;
  });
}

TYPED_TEST(TdbemEmulated, PartsAreAddedToWhatWasBegun) {
  using T = TypeParam;
  for (const TotalsShape& shape : totals_shapes())
    for (const Begun begun : ways_to_begin(shape)) {
      RandomSums<T> r(shape);
      const std::vector<T> expected = r.expected(begun);
      cuda::Partials<T> partials;
      partials.count = static_cast<std::int32_t>(r.partials.size());
      std::copy(r.partials.begin(), r.partials.end(), partials.of);
      const std::int64_t values = shape.elements() / shape.width * shape.group;
      cuda_on_host::launch(static_cast<unsigned>((values + cuda::march_threads - 1) / cuda::march_threads),
                           cuda::march_threads, [&] { cuda::combine_kernel(shape, begun, partials, r.totals.data()); });
      EXPECT_EQ(r.totals, expected) << shape.rows << ' ' << static_cast<int>(begun);
    }
}

TYPED_TEST(TdbemEmulated, RightHandSidesAndGuesses) {
  using T = TypeParam;
  const TotalsShape shape{0, 300, 2, 4, 1};
  std::vector<T> incident(600), totals(1200), expected(300), rhs(308, T(7));
  for (std::size_t i = 0; i < incident.size(); ++i) incident[i] = static_cast<T>(i % 17);
  for (std::size_t i = 0; i < totals.size(); ++i) totals[i] = static_cast<T>(i % 23);
  for (const T* lit : {static_cast<const T*>(incident.data()), static_cast<const T*>(nullptr)}) {
    cpu::right_hand_side(shape, 1, RightHandSide<T>{lit, totals.data(), expected.data()});
    cuda_on_host::launch(2, cuda::march_threads, [&] {
      cuda::right_hand_side_kernel(shape, 1, RightHandSide<T>{lit, totals.data(), rhs.data()});
    });
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), rhs.begin()));
  }
  EXPECT_EQ(std::vector<T>(rhs.begin() + 300, rhs.end()), std::vector<T>(8, T(7)));
}

TYPED_TEST(TdbemEmulated, RadiationAddsToLaterSums) {
  using T = TypeParam;
  for_each_radiation<T>([](const Radiation<T>& r, std::int32_t g0, std::int32_t begin, std::int32_t end) {
    std::vector<T> s = r.start;
    Sums<T> sums = r.sums;
    sums.values = s.data();
    const std::int32_t lags = r.near.lags - g0;
    cuda_on_host::launch(cuda::radiation_blocks(r.row_begin, lags, begin, end), cuda::radiation_threads, [&] {
      cuda::radiate_kernel<T>(r.near.view(), g0, lags, {r.found.data(), r.unknown_begin}, sums, begin, end);
    });
    r.expect(s, g0, begin, end);
  });
}

TYPED_TEST(TdbemEmulated, WindowsMoveOn) {
  using T = TypeParam;
  for_each_moving<T>([](const Moving<T>& m) {
    std::vector<T> values[2] = {m.values, m.values};
    MovedBlocks<T> windows;
    windows.count = 2;
    for (int b = 0; b < 2; ++b) {
      windows.of[b] = m.windows();
      windows.of[b].values = values[b].data();
    }
    cuda_on_host::launch(static_cast<unsigned>(2 * m.slices * m.waves), cuda::window_threads,
                         [&] { cuda::move_on_kernel<T>(windows, m.done()); });
    for (const std::vector<T>& moved : values)
      EXPECT_EQ(moved, m.windows_at(m.shape.group)) << "reach " << m.shape.reach << ", group " << m.shape.group;
  });
}

TEST(TdbemProductShape, HasPartsForManyWarps) {
  EXPECT_EQ(product_shape(1, 1, 10).parts, 1);
  EXPECT_EQ(product_shape(1, 1, 24 * 5 + 1).parts, 6);
  EXPECT_EQ(product_shape(16, 1024, 100000).parts, 1);
  EXPECT_EQ(product_shape(4, 1024, 100000).parts, 4);
  EXPECT_EQ(product_shape(0, 0, 10).parts, 1);
  EXPECT_EQ(product_shape(2, 3, 0).parts, 1);
  EXPECT_EQ(product_scratch({2, 3, 4}, 8, 5), 2 * 3 * 4 * 8 * 5 * 32);
}

}  // namespace
}  // namespace asterism::tdbem
