// SPDX-License-Identifier: Apache-2.0
// What tests of the radiation stage and of windows that move on share.
#pragma once

#include "codelets/tdbem/kernels/march/radiation.hpp"
#include "codelets/tdbem/kernels/march/windows.hpp"
#include "tests/codelets/tdbem/products.hpp"

namespace asterism::tdbem {

/// Near rows of tiles in main memory, for groups of so many steps.
template <class T>
NearPairs<T> near_pairs(const std::vector<Tile<T>>& tiles, std::int32_t group) {
  NearPairs<T> pairs;
  pairs.lags = group - 1;
  for (const Tile<T>& tile : tiles) add_near_pairs(tile, pairs);
  return pairs;
}

/// Square matrices, as wide as high, of which rows [row_begin, row_begin + rows) pull; the tiles have more rows.
template <class T>
struct Radiation {
  static constexpr std::int32_t unknown_begin = 4;  ///< what the vector of values begins with
  Scattered matrix{9, 13};
  std::int32_t group, row_begin, rows, unknowns;
  std::vector<TileArrays<T>> arrays;
  NearRows<T> near;
  std::vector<T> found;  ///< one step of all unknowns from unknown_begin on
  std::vector<T> start;
  Sums<T> sums;

  Radiation(std::int32_t of_group, std::int32_t of_row_begin, std::int32_t of_rows, std::int32_t of_unknowns)
      : group(of_group), row_begin(of_row_begin), rows(of_rows), unknowns(of_unknowns) {
    std::vector<Tile<T>> tiles;
    const std::int32_t half = unknown_begin + unknowns / 2;
    const std::int32_t cuts[] = {unknown_begin, half, unknown_begin + unknowns};
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 2; ++c)
        arrays.push_back(make_tile<T>(
            cuts[r], cuts[r + 1] - cuts[r], cuts[c], cuts[c + 1] - cuts[c],
            [&](std::int32_t i, std::int32_t j) { return matrix.extent(i, j); },
            [&](std::int32_t i, std::int32_t k, std::int32_t j) { return matrix.value(i, k, j); }));
    for (const TileArrays<T>& a : arrays) tiles.push_back(a.tile());
    near = near_rows(near_pairs(tiles, group), row_begin, rows);
    for (std::int32_t j = 0; j < unknowns; ++j) found.push_back(static_cast<T>(Past{1}(3, unknown_begin + j, 1)));
    sums.row_begin = row_begin - 2;
    start.resize(static_cast<std::size_t>((rows + 4) * group));
    for (std::size_t e = 0; e < start.size(); ++e) start[e] = static_cast<T>(0.01 * static_cast<double>(e % 57));
  }
  /// Rows [begin, end) have pulled, the others are as they were.
  void expect(const std::vector<T>& s, std::int32_t g0, std::int32_t begin, std::int32_t end) const {
    double worst = 0;
    for (std::int32_t i = sums.row_begin; i < row_begin + rows + 2; ++i)
      for (std::int32_t g = 0; g < group; ++g) {
        const auto place = static_cast<std::size_t>((i - sums.row_begin) * group + g);
        double right = start[place];
        double size = std::abs(right) + 1e-30;
        if (i >= begin && i < end && g > g0)
          for (std::int32_t j = unknown_begin; j < unknown_begin + unknowns; ++j) {
            const double term = static_cast<double>(static_cast<T>(matrix.value(i, g - g0, j))) *
                                static_cast<double>(found[static_cast<std::size_t>(j - unknown_begin)]);
            right += term;
            size += std::abs(term);
          }
        const double error = std::abs(static_cast<double>(s[place]) - right) / size;
        worst = error <= worst ? worst : error;
      }
    EXPECT_LE(worst, 8 * std::numeric_limits<T>::epsilon())
        << "group " << group << ", g0 " << g0 << ", rows " << begin << " to " << end;
  }
};
/// Calls f(radiation, g0, begin, end) for awkward sizes.
template <class T, class F>
void for_each_radiation(F f) {
  const std::int32_t cases[][3] = {{4, 97, 97}, {33, 33, 97}, {4, 1, 31}, {40, 57, 97}};  // row_begin, rows, unknowns
  for (const auto& c : cases)
    for (const std::int32_t group : {1, 2, 3, 8, 16}) {
      const Radiation<T> r(group, c[0], c[1], c[2]);
      for (std::int32_t g0 = 0; g0 < group; ++g0) {
        f(r, g0, r.row_begin, r.row_begin + r.rows);
        f(r, g0, r.row_begin + r.rows / 3, r.row_begin + r.rows / 3);
        f(r, g0, r.row_begin + r.rows / 3, r.row_begin + (r.rows + 1) * 2 / 3);
      }
    }
}

/// Windows of a past that is known for longer than they reach, before and after a group of steps.
template <class T>
struct Moving {
  std::int32_t slice_begin, slices, waves;
  WindowShape shape;
  std::vector<T> values;  ///< [wave][slice][stride]
  std::vector<T> done_values;
  static constexpr std::int32_t unknown_begin = 2;

  Moving(std::int32_t reach, std::int32_t group, std::int32_t of_slices, std::int32_t of_waves)
      : slice_begin(5), slices(of_slices), waves(of_waves), shape{reach, group, reach + group + 3} {
    values = windows_at(0);
    const std::int32_t unknowns = slice_begin + slices - unknown_begin;
    for (std::int32_t w = 0; w < waves; ++w)
      for (std::int32_t g = 0; g < group; ++g)
        for (std::int32_t j = 0; j < unknowns; ++j) done_values.push_back(value(w, unknown_begin + j, g));
  }
  [[nodiscard]] static T value(std::int32_t wave, std::int32_t j, std::int32_t time) {
    return static_cast<T>(time + 1000 * wave + 100000 * j + 7);
  }
  [[nodiscard]] Done<T> done() const {
    const std::int32_t unknowns = slice_begin + slices - unknown_begin;
    return {done_values.data(), unknown_begin, unknowns, static_cast<std::int64_t>(unknowns) * shape.group};
  }
  [[nodiscard]] MovedWindows<T> windows() const {
    return {nullptr, slice_begin, slices, waves, slices * shape.stride, shape};
  }
  /// What windows hold when steps before `now` are known; -1 between them.
  [[nodiscard]] std::vector<T> windows_at(std::int32_t now) const {
    std::vector<T> all;
    for (std::int32_t w = 0; w < waves; ++w)
      for (std::int32_t j = 0; j < slices; ++j)
        for (std::int32_t m = 0; m < shape.stride; ++m)
          all.push_back(m < shape.reach                 ? value(w, slice_begin + j, now + m - shape.reach)
                        : m < shape.reach + shape.group ? T(0)
                                                        : T(-1));
    return all;
  }
};
template <class T, class F>
void for_each_moving(F f) {
  for (const std::int32_t reach : {1, 7, 8, 100, 127, 128, 300})
    for (const std::int32_t group : {1, 3, 8, 16})
      for (const std::int32_t waves : {1, 3}) f(Moving<T>(reach, group, 5, waves));
}

}  // namespace asterism::tdbem
