// SPDX-License-Identifier: Apache-2.0
// What tests of products share: awkward tiles, windows of several waves, and the sum over lags written out.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "codelets/tdbem/kernels/product/full_blocking.hpp"
#include "tests/codelets/tdbem/tiles.hpp"

namespace asterism::tdbem {

/// Row-vectors without any pattern: none, one value, the longest that a tile takes, first lags near and far.
struct Scattered {
  std::int32_t longest = 14;
  std::int32_t farthest = 60;
  [[nodiscard]] Extent extent(std::int32_t i, std::int32_t j) const {
    const std::uint32_t h = hash(i, j);
    if (h % 7 == 0) return {1 + static_cast<std::int32_t>(h / 7 % 5), 0};
    const auto length = static_cast<std::int32_t>(1 + h / 11 % static_cast<std::uint32_t>(longest));
    const auto spread = static_cast<std::uint32_t>(j % 3 == 0 ? 4 : farthest);
    return {1 + (j % 3 == 0 ? j % farthest : 0) + static_cast<std::int32_t>(h / 64 % spread), length};
  }
  [[nodiscard]] double value(std::int32_t i, std::int32_t k, std::int32_t j) const {
    const Extent e = extent(i, j);
    if (k < e.first || k >= e.first + e.length) return 0;
    return 0.25 + hash(i + 1000 * k, j) % 1024 / 1024.0 - (k % 3 == 0 ? 1 : 0);
  }
  static std::uint32_t hash(std::int32_t i, std::int32_t j) {
    std::uint32_t h = static_cast<std::uint32_t>(i) * 2654435761U ^ static_cast<std::uint32_t>(j) * 2246822519U;
    h ^= h >> 15;
    h *= 3266489917U;
    return h ^ h >> 13;
  }
};

/// Past of all unknowns and waves: a(wave, j, m) is that m steps ago, 1 the last one known; 0 at m < 1 and m > reach.
struct Past {
  std::int32_t reach;
  [[nodiscard]] double operator()(std::int32_t wave, std::int32_t j, std::int32_t m) const {
    if (m < 1 || m > reach) return 0;
    return Scattered::hash(m + 77 * wave, j) % 2048 / 1024.0 - 1;
  }
};

/// Tiles that cover rows x slices, cut at `row_cuts` and `slice_cuts`, and arrays for products with them.
template <class T>
struct Products {
  Scattered matrix;
  std::int32_t row_begin, rows, slice_begin, slices, waves;
  std::vector<TileArrays<T>> arrays;
  Past past{};
  std::vector<T> window_values;
  Windows<T> windows;
  std::vector<T> start;  ///< of the sums
  Sums<T> sums;

  Products(const Scattered& of, std::int32_t group, std::vector<std::int32_t> row_cuts,
           std::vector<std::int32_t> slice_cuts, std::int32_t wave_count = 1, std::int32_t more_reach = 0)
      : matrix(of),
        row_begin(row_cuts.front()),
        rows(row_cuts.back() - row_begin),
        slice_begin(slice_cuts.front()),
        slices(slice_cuts.back() - slice_begin),
        waves(wave_count) {
    std::int32_t reach = 1;
    for (std::size_t c = 0; c + 1 < slice_cuts.size(); ++c)
      for (std::size_t r = 0; r + 1 < row_cuts.size(); ++r) {
        arrays.push_back(make_tile<T>(
            row_cuts[r], row_cuts[r + 1] - row_cuts[r], slice_cuts[c], slice_cuts[c + 1] - slice_cuts[c],
            [&](std::int32_t i, std::int32_t j) { return matrix.extent(i, j); },
            [&](std::int32_t i, std::int32_t k, std::int32_t j) { return matrix.value(i, k, j); }));
        reach = std::max(reach, arrays.back().last_lag());
      }
    reach += more_reach;
    past.reach = reach;
    windows.slice_begin = slice_begin;
    windows.waves = waves;
    windows.shape = {reach, group, reach + group};
    windows.wave_stride = slices * windows.shape.stride + 5;
    // exactly as long as it has to be: what is read behind it is seen by sanitizers
    window_values.assign(static_cast<std::size_t>((waves - 1) * windows.wave_stride + slices * windows.shape.stride),
                         std::numeric_limits<T>::quiet_NaN());
    for (std::int32_t w = 0; w < waves; ++w)
      for (std::int32_t j = 0; j < slices; ++j)
        for (std::int32_t m = 0; m < reach + group; ++m)
          window_values[static_cast<std::size_t>(w * windows.wave_stride + j * windows.shape.stride + m)] =
              static_cast<T>(past(w, slice_begin + j, reach - m));
    windows.values = window_values.data();
    sums.row_begin = row_begin;
    sums.wave_stride = rows * group + 3;
    start.resize(static_cast<std::size_t>(waves * sums.wave_stride));
    for (std::size_t e = 0; e < start.size(); ++e) start[e] = static_cast<T>(0.001 * static_cast<double>(e % 101));
  }
  [[nodiscard]] std::vector<Tile<T>> tiles() const {
    std::vector<Tile<T>> all;
    for (const TileArrays<T>& a : arrays) all.push_back(a.tile());
    return all;
  }
  /// Windows of `blocks` columns of tiles from tile `first` on, each from where its own slices begin. `values`: of
  /// `windows`.
  [[nodiscard]] WindowsOfBlocks<T> windows_of(std::size_t first, std::size_t blocks, const T* values) const {
    WindowsOfBlocks<T> all;
    const std::size_t each = static_cast<std::size_t>(std::count_if(
        arrays.begin(), arrays.end(), [&](const TileArrays<T>& a) { return a.slice_begin == slice_begin; }));
    all.tiles_of_each = static_cast<std::int32_t>(each);
    for (std::size_t b = 0; b < blocks; ++b) {
      all.of[b] = windows;
      all.of[b].slice_begin = arrays[first + b * each].slice_begin;
      all.of[b].values = values + (all.of[b].slice_begin - slice_begin) * windows.shape.stride;
    }
    return all;
  }
  /// start + sum over j and k of M^k(i, j) a_j^(n + g - k), and the same of absolute values in `size`.
  [[nodiscard]] double expected(std::int32_t wave, std::int32_t i, std::int32_t g, double& size) const {
    double sum = start[place(wave, i, g)];
    size = std::abs(sum);
    for (std::int32_t j = slice_begin; j < slice_begin + slices; ++j) {
      const Extent e = matrix.extent(i, j);
      for (std::int32_t k = e.first; k < e.first + e.length; ++k) {
        const double term = static_cast<double>(static_cast<T>(matrix.value(i, k, j))) *
                            static_cast<double>(static_cast<T>(past(wave, j, k - g)));
        sum += term;
        size += std::abs(term);
      }
    }
    return sum;
  }
  [[nodiscard]] std::size_t place(std::int32_t wave, std::int32_t i, std::int32_t g) const {
    return static_cast<std::size_t>(wave * sums.wave_stride + (i - row_begin) * windows.shape.group + g);
  }
  /// Every sum to rounding; what lies between waves as it was.
  void expect(const std::vector<T>& found, const std::string& what) const {
    double worst = 0;
    std::vector<bool> summed(start.size());
    for (std::int32_t w = 0; w < waves; ++w)
      for (std::int32_t i = row_begin; i < row_begin + rows; ++i)
        for (std::int32_t g = 0; g < windows.shape.group; ++g) {
          double size = 0;
          const double right = expected(w, i, g, size);
          const double error = std::abs(static_cast<double>(found[place(w, i, g)]) - right) / (size + 1e-30);
          worst = error <= worst ? worst : error;  // NaN is worst of all
          summed[place(w, i, g)] = true;
        }
    EXPECT_LE(worst, 8 * std::numeric_limits<T>::epsilon()) << what;
    for (std::size_t e = 0; e < start.size(); ++e)
      if (!summed[e]) {
        EXPECT_EQ(found[e], start[e]) << what << ": beside the sums";
      }
  }
};

/// Cuts and matrices that tests of products go through.
struct ProductCase {
  const char* name;
  Scattered matrix;
  std::vector<std::int32_t> row_cuts, slice_cuts;
  std::int32_t waves = 1;
  std::int32_t more_reach = 0;
};
inline std::vector<ProductCase> product_cases() {
  return {{"97 rows, 31 slices", {}, {3, 100}, {5, 36}},
          {"one row, one slice", {}, {7, 8}, {2, 3}},
          {"33 rows, long row-vectors", {255, 300}, {0, 33}, {0, 4}},
          {"one value each", {1, 90}, {0, 40}, {0, 9}, 1, 40},
          {"neighbours begin together", {9, 3}, {0, 64}, {0, 31}, 1, 70},
          {"neighbours begin within 20 steps", {9, 20}, {0, 64}, {0, 31}, 1, 70},
          {"neighbours begin within 40 steps", {9, 40}, {0, 64}, {0, 31}, 1, 70},
          {"tiles below and beside each other", {}, {0, 32, 33, 97}, {0, 1, 20, 31}},
          {"six waves", {}, {0, 45}, {1, 12}, 6}};
}

/// Numbers of summation vectors that are computed at once: any.
inline std::vector<std::int32_t> all_groups() {
  std::vector<std::int32_t> groups(max_group);
  std::iota(groups.begin(), groups.end(), 1);
  return groups;
}

/// What Full-Blocking makes of the cases, which it knows of one wave only, in blocks of several shapes: the sums that
/// `sums_of(products, shape)` returns.
template <class T, class SumsOf>
void expect_block_products(const std::vector<std::int32_t>& groups, const SumsOf& sums_of) {
  for (const ProductCase& c : product_cases()) {
    if (c.waves > 1) continue;
    for (const std::int32_t group : groups)
      for (const BlockShape shape :
           {BlockShape{32, 16}, BlockShape{64, 32}, BlockShape{128, 64}, BlockShape{32, 128}}) {
        if (c.matrix.longest > shape.columns) continue;
        SCOPED_TRACE(c.name);
        const Products<T> p(c.matrix, group, c.row_cuts, c.slice_cuts, 1, c.more_reach);
        p.expect(sums_of(p, shape), "group " + std::to_string(group));
      }
  }
}

}  // namespace asterism::tdbem
