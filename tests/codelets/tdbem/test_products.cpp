// SPDX-License-Identifier: Apache-2.0
// Products of tiles with windows of past values, against the sum over lags written out.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "codelets/tdbem/kernels/costs.hpp"
#include "codelets/tdbem/kernels/product/k_order.hpp"
#include "codelets/tdbem/kernels/product/product.hpp"
#include "codelets/tdbem/kernels/product/variants.hpp"
#include "tests/codelets/tdbem/products.hpp"

namespace asterism::tdbem {
namespace {

template <class T>
class TdbemProducts : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TdbemProducts, Precisions);

TYPED_TEST(TdbemProducts, AreSumsOverLags) {
  using T = TypeParam;
  for (const ProductCase& c : product_cases())
    for (std::int32_t group = 1; group <= max_group; ++group) {
      const Products<T> p(c.matrix, group, c.row_cuts, c.slice_cuts, c.waves, c.more_reach);
      const std::vector<Tile<T>> tiles = p.tiles();
      for (const cpu::Panels panels : {cpu::Panels::suited, cpu::Panels::by_rows, cpu::Panels::by_lanes}) {
        if (panels == cpu::Panels::by_lanes && !cpu::permutes_two_registers()) continue;
        std::vector<T> s = p.start;
        Sums<T> sums = p.sums;
        sums.values = s.data();
        cpu::product(tiles.data(), static_cast<std::int32_t>(tiles.size()), p.windows, sums, panels);
        p.expect(s, std::string(c.name) + ", group " + std::to_string(group));
      }
    }
}

TYPED_TEST(TdbemProducts, OfNothingAddNothing) {
  using T = TypeParam;
  const Products<T> p({}, 8, {0, 5}, {0, 3});
  std::vector<T> s = p.start;
  Sums<T> sums = p.sums;
  sums.values = s.data();
  cpu::product<T>(nullptr, 0, p.windows, sums);
  Tile<T> none = p.tiles()[0];
  none.rows = 0;
  cpu::product(&none, 1, p.windows, sums);
  EXPECT_EQ(s, p.start);
}

TYPED_TEST(TdbemProducts, RefuseOtherGroups) {
  using T = TypeParam;
  const Products<T> p({}, 1, {0, 5}, {0, 3});
  for (const std::int32_t group : {0, -1, max_group + 1}) {
    Windows<T> w = p.windows;
    w.shape.group = group;
    EXPECT_THROW(cpu::product(p.tiles().data(), 1, w, p.sums), std::invalid_argument);
  }
}

TYPED_TEST(TdbemProducts, OneByOneAreTheSame) {
  using T = TypeParam;
  for (const ProductCase& c : product_cases())
    for (const std::int32_t group : {1, 2, 5, 8, 16}) {
      const Products<T> p(c.matrix, group, c.row_cuts, c.slice_cuts, 1, c.more_reach);
      const std::vector<Tile<T>> tiles = p.tiles();
      const auto count = static_cast<std::int32_t>(tiles.size());
      const std::string what = std::string(c.name) + ", group " + std::to_string(group);
      std::vector<T> s = p.start;
      Sums<T> sums = p.sums;
      sums.values = s.data();
      cpu::scalar_products(tiles.data(), count, p.windows, sums);
      p.expect(s, "scalar products, " + what);

      cpu::SeparateWindows<T> windows{nullptr, p.slice_begin, p.slices, p.windows.shape};
      windows.shape.stride = windows.shape.reach + 1;
      std::vector<T> values(static_cast<std::size_t>(cpu::separate_elements(windows)));
      cpu::separate(p.windows, windows, values.data());
      windows.values = values.data();
      s = p.start;
      sums.values = s.data();
      cpu::matrix_vector_products(tiles.data(), count, windows, sums);
      p.expect(s, "matrix/vector, " + what);
    }
}

TYPED_TEST(TdbemProducts, ByFrontAreTheSame) {
  using T = TypeParam;
  for (const ProductCase& c : product_cases()) {
    const Products<T> p(c.matrix, 1, c.row_cuts, c.slice_cuts, 1, c.more_reach);
    const std::vector<Tile<T>> tiles = p.tiles();
    const KOrder<T> k_order = k_order_of(tiles.data(), static_cast<std::int32_t>(tiles.size()));
    ASSERT_EQ(k_order.rows, p.rows);
    ASSERT_EQ(k_order.slices, p.slices);
    std::vector<T> past;
    for (std::int32_t k = 1; k <= k_order.lags; ++k)
      for (std::int32_t j = 0; j < p.slices; ++j) past.push_back(static_cast<T>(p.past(0, p.slice_begin + j, k)));
    std::vector<T> s = p.start;
    cpu::k_order_product(k_order, past.data(), s.data());
    p.expect(s, std::string("k-order, ") + c.name);
    SliceCounts counts;
    for (const Tile<T>& t : tiles) counts += count(t);
    EXPECT_EQ(static_cast<std::int64_t>(k_order.values.size()), counts.values);
    for (std::int32_t k = 1; k <= k_order.lags; ++k)
      for (std::int32_t i = 0; i < k_order.rows; ++i)
        for (std::int32_t e = k_order.starts(k)[i] + 1; e < k_order.starts(k)[i + 1]; ++e) {
          const std::int32_t* column = k_order.column.data() + k_order.matrix_begin[static_cast<std::size_t>(k - 1)];
          EXPECT_LT(column[e - 1], column[e]);
        }
  }
  EXPECT_EQ(k_order_of<T>(nullptr, 0).lags, 0);
}

TEST(TdbemCosts, CountWhatATileHolds) {
  // 33 rows: two panels; row i has i % 3 values
  const auto t = make_tile<float>(
      0, 33, 0, 2,
      [](int i, int) {
        return Extent{1, i % 3};
      },
      [](int, int, int) { return 1.0; });
  const SliceCounts c = count(t.tile());
  EXPECT_EQ(c.values, 2 * (11 * 1 + 11 * 2));
  EXPECT_EQ(c.stored, 2 * 32 * (2 + 2));
  EXPECT_EQ(c.extents, 2 * 2 * 32);
  EXPECT_EQ(c.starts, 5);
  EXPECT_EQ(stored_bytes(c, 4), 256 * 4 + 128 * 3 + 5 * 4);
  EXPECT_EQ(product_bytes(c, 8), 256 * 8 + 128 * 2 + 5 * 4);
  EXPECT_EQ(product_flops(c, 8), 2 * 66 * 8);
  EXPECT_EQ(product_flops(c, 8, 3), 3 * 2 * 66 * 8);
  EXPECT_EQ(padded_product_flops(c, 4), 2 * 256 * 4);
  SliceCounts twice = c;
  twice += c;
  EXPECT_EQ(twice.values, 2 * c.values);
  EXPECT_EQ(stored_bytes(twice, 4), 2 * stored_bytes(c, 4));
}

}  // namespace
}  // namespace asterism::tdbem
