// SPDX-License-Identifier: Apache-2.0
// Space-filling curves and the score of a numbering.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "io/mesh/space_filling.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/ordering.hpp"
#include "taskflows/tdbem/surface/surface.hpp"
#include "tests/taskflows/tdbem/fixture.hpp"

namespace asterism::tdbem {
namespace {

TEST(TdbemOrdering, HilbertsNeighboursShareFaces) {
  for (const int bits : {1, 2, 3, 4}) {
    const std::uint32_t n = 1U << bits;
    std::vector<std::array<int, 3>> cell(static_cast<std::size_t>(n) * n * n, {-1, -1, -1});
    for (std::uint32_t x = 0; x < n; ++x)
      for (std::uint32_t y = 0; y < n; ++y)
        for (std::uint32_t z = 0; z < n; ++z) {
          const std::uint64_t key = hilbert({x, y, z}, bits);
          ASSERT_LT(key, cell.size());
          EXPECT_EQ(cell[key][0], -1) << "two cells with one index";
          cell[key] = {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
        }
    for (std::size_t k = 1; k < cell.size(); ++k) {
      int steps = 0;
      for (std::size_t d = 0; d < 3; ++d) steps += std::abs(cell[k][d] - cell[k - 1][d]);
      EXPECT_EQ(steps, 1) << k;
    }
  }
}

/// A finer curve goes through the cells of the coarser one in the same order.
TEST(TdbemOrdering, HilbertsCurvesAreNested) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::uint32_t> any(0, (1U << curve_bits) - 1);
  for (int n = 0; n < 100; ++n) {
    // every third level turns the axes back
    const std::array<std::uint32_t, 3> x = {any(random), any(random), any(random)};
    EXPECT_EQ(hilbert(x, curve_bits) >> 9U, hilbert({x[0] >> 3U, x[1] >> 3U, x[2] >> 3U}, curve_bits - 3));
    EXPECT_LT(hilbert(x, curve_bits), std::uint64_t{1} << 63U);
  }
}

TEST(TdbemOrdering, Permutations) {
  const Surface s = prepare_surface(ellipsoid(3, {1, 0.7, 0.5}));
  double length[3] = {};
  for (const Ordering ordering : {Ordering::mesh, Ordering::morton, Ordering::hilbert}) {
    const std::vector<std::int32_t> order = order_of(s.vertices, ordering);
    const Surface r = renumbered(s, order);  // refuses what is no permutation
    for (std::size_t i = 1; i < r.vertices.size(); ++i)
      length[static_cast<int>(ordering)] += norm(r.vertices[i] - r.vertices[i - 1]);
  }
  EXPECT_LT(length[1], 0.75 * length[0]);
  EXPECT_LT(length[2], 0.85 * length[1]);
  // 2 x 2 x 2 points in reversed order: Morton has x lowest, whatever the place and size of the cube
  std::vector<Point> cube;
  for (int k = 7; k >= 0; --k) cube.push_back({3.0 + (k & 1), -5.0 + (k >> 1 & 1), 0.5 * (k >> 2)});
  EXPECT_EQ(order_of(cube, Ordering::morton), (std::vector<std::int32_t>{7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(order_of(cube, Ordering::mesh), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  const std::vector<Point> same(5, Point{1, 2, 3});
  EXPECT_EQ(order_of(same, Ordering::hilbert), (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(order_of({}, Ordering::morton).empty());
}

TEST(TdbemOrdering, Names) {
  EXPECT_EQ(ordering_named("mesh"), Ordering::mesh);
  EXPECT_EQ(ordering_named("morton"), Ordering::morton);
  EXPECT_EQ(ordering_named("hilbert"), Ordering::hilbert);
  expect_names(complaint([] { ordering_named("peano"); }), "'peano'");
}

TEST(TdbemOrdering, ScoreByHand) {
  // slice 0: lags 2..5, 4..8, 9: shares 2, then 0. Slice 1: 1..3 three times: shares 3 and 3
  const RowExtent extent[2][3] = {{{2, 4}, {4, 5}, {9, 1}}, {{1, 3}, {1, 3}, {1, 3}}};
  const auto at = [&](std::int32_t i, std::int32_t j) { return extent[j][i]; };
  EXPECT_DOUBLE_EQ(ordering_score(3, 2, at), ((4 + 0) / 2.0 + (9 + 9) / 2.0) / 2);
  EXPECT_DOUBLE_EQ(ordering_score(2, 1, at), 4);
  EXPECT_EQ(ordering_score(1, 2, at), 0);
  EXPECT_EQ(ordering_score(3, 0, at), 0);
}

TEST(TdbemOrdering, ScoreOfATile) {
  constexpr std::int32_t rows = 77, slices = 5;
  Tile<float> tile;
  tile.row_begin = 1000;
  tile.rows = rows;
  tile.slices = slices;
  std::mt19937 random(8);
  std::vector<std::uint16_t> first(static_cast<std::size_t>(tile.panels() * slices * panel_rows));
  std::vector<std::uint8_t> length(first.size());
  for (auto& f : first) f = static_cast<std::uint16_t>(1 + random() % 9);
  for (auto& l : length) l = static_cast<std::uint8_t>(random() % 9);
  tile.first = first.data();
  tile.length = length.data();
  double sum = 0;
  for (int j = 0; j < slices; ++j)
    for (int i = 0; i + 1 < rows; ++i) {
      const auto at = [&](int row) { return static_cast<std::size_t>(((row / 32) * slices + j) * 32 + row % 32); };
      int shared = 0;
      for (int k = 0; k < 100; ++k) {
        const auto has = [&](std::size_t x) { return k >= first[x] && k < first[x] + length[x]; };
        shared += has(at(i)) && has(at(i + 1)) ? 1 : 0;
      }
      sum += shared * shared;
    }
  EXPECT_NEAR(ordering_score(tile), sum / (slices * (rows - 1)), 1e-12);
}

}  // namespace
}  // namespace asterism::tdbem
