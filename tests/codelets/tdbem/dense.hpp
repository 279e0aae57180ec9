// SPDX-License-Identifier: Apache-2.0
// Convolution matrices for tests of TD-BEM: from tiles into dense ones, and from the definition.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "codelets/tdbem/kernels/product/slices.hpp"
#include "tests/codelets/tdbem/triangles.hpp"

namespace asterism::tdbem {

/// M^0, M^1, ... of n unknowns; `present` tells stored values from others.
struct DenseMatrices {
  std::int32_t n = 0;
  std::vector<std::vector<double>> of_lag;
  std::vector<std::vector<char>> present;

  explicit DenseMatrices(std::int32_t unknowns) : n(unknowns) {}
  void put(std::int32_t k, std::int32_t i, std::int32_t j, double value) {
    while (static_cast<std::int32_t>(of_lag.size()) <= k) {
      of_lag.emplace_back(static_cast<std::size_t>(n) * n);
      present.emplace_back(static_cast<std::size_t>(n) * n);
    }
    of_lag[k][i * n + j] += value;
    present[k][i * n + j] = 1;
  }
  [[nodiscard]] double at(std::int32_t k, std::int32_t i, std::int32_t j) const { return of_lag[k][i * n + j]; }
  [[nodiscard]] std::int32_t lags() const { return static_cast<std::int32_t>(of_lag.size()); }
  [[nodiscard]] double largest() const {
    double most = 0;
    for (const auto& matrix : of_lag)
      for (const double v : matrix) most = std::max(most, std::abs(v));
    return most;
  }

  /// What pads panels has to be zero.
  template <class T>
  void put_tile(const Tile<T>& tile) {
    for (std::int32_t panel = 0; panel < tile.panels(); ++panel)
      for (std::int32_t s = 0; s < tile.slices; ++s) {
        const std::int64_t x = static_cast<std::int64_t>(panel) * tile.slices + s;
        for (std::int32_t row = 0; row < panel_rows; ++row) {
          const std::int64_t e = x * panel_rows + row;
          const std::int32_t r = panel * panel_rows + row;
          for (std::uint32_t c = 0; c < tile.start[x + 1] - tile.start[x]; ++c) {
            const T value = tile.values[static_cast<std::int64_t>(tile.start[x] + c) * panel_rows + row];
            if (c < tile.length[e]) {
              ASSERT_LT(r, tile.rows);
              ASSERT_EQ(present_at(tile.first[e] + c, tile.row_begin + r, tile.slice_begin + s), 0);
              put(tile.first[e] + static_cast<std::int32_t>(c), tile.row_begin + r, tile.slice_begin + s, value);
            } else {
              ASSERT_EQ(value, 0);
            }
          }
          if (r < tile.rows)
            EXPECT_GE(tile.first[e], 1);
          else
            EXPECT_EQ(tile.length[e], 0);
        }
      }
  }

 private:
  [[nodiscard]] char present_at(std::uint32_t k, std::int32_t i, std::int32_t j) const {
    return k < present.size() ? present[k][i * n + j] : char{0};
  }
};

/// The sum over all pairs of triangles, from the definition. The rule of a pair is the library's choice.
inline DenseMatrices defined_matrices(const SurfaceView& s, const PairRules& rules, const Discretisation& d) {
  DenseMatrices matrices(s.vertex_count);
  const auto far = product_points(rules.options.far_points), near = product_points(rules.options.near_points);
  PairScratch scratch(rules);
  std::vector<PairTriangle> triangles;
  for (std::int32_t t = 0; t < s.triangle_count; ++t) triangles.push_back(pair_triangle(s, rules, t));
  for (std::int32_t x = 0; x < s.triangle_count; ++x)
    for (std::int32_t y = x; y < s.triangle_count; ++y) {
      const Touch t = touch(s.triangles[x], s.triangles[y]);
      const bool is_far =
          pair_distances(rules, triangles[x], triangles[y], scratch).points == static_cast<std::int32_t>(far.size());
      const auto values = defined_values(s, x, y, d,
                                         t.contact != Contact::none ? touching_points(rules.touching(t.contact), t)
                                         : is_far                   ? far
                                                                    : near);
      for (const auto& [lag, matrix] : values)
        for (int a = 0; a < 3; ++a)
          for (int c = 0; c < 3; ++c) {
            matrices.put(lag, s.triangles[x].corner[a], s.triangles[y].corner[c], matrix[a][c]);
            if (x != y) matrices.put(lag, s.triangles[y].corner[c], s.triangles[x].corner[a], matrix[a][c]);
          }
    }
  return matrices;
}

}  // namespace asterism::tdbem
