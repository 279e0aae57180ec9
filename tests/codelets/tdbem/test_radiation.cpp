// SPDX-License-Identifier: Apache-2.0
// The radiation stage and windows that move on; both and products together march as a convolution does.
#include <gtest/gtest.h>

#include <string>

#include "codelets/tdbem/kernels/costs.hpp"
#include "tests/codelets/tdbem/near.hpp"

namespace asterism::tdbem {
namespace {

template <class T>
class TdbemRadiation : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TdbemRadiation, Precisions);

TYPED_TEST(TdbemRadiation, AddsToLaterSums) {
  using T = TypeParam;
  for_each_radiation<T>([](const Radiation<T>& r, std::int32_t g0, std::int32_t begin, std::int32_t end) {
    std::vector<T> s = r.start;
    Sums<T> sums = r.sums;
    sums.values = s.data();
    cpu::radiate(r.near.view(), g0, {r.found.data(), r.unknown_begin}, sums, begin, end);
    r.expect(s, g0, begin, end);
  });
}

TYPED_TEST(TdbemRadiation, HasNearPairsOnly) {
  using T = TypeParam;
  const Radiation<T> r(8, 8, 97, 97);
  std::int64_t pairs = 0;
  for (std::int32_t i = 8; i < 8 + 93; ++i)  // what the tiles have of 97 rows
    for (std::int32_t j = r.unknown_begin; j < r.unknown_begin + 97; ++j) {
      const Extent e = r.matrix.extent(i, j);
      pairs += e.length > 0 && e.first <= 7 ? 1 : 0;
    }
  EXPECT_EQ(r.near.pairs, pairs);
  EXPECT_GT(pairs, 0);
  EXPECT_EQ(radiation_flops(pairs, 7), 2.0 * 7 * static_cast<double>(pairs));
  EXPECT_EQ((Radiation<T>(1, 8, 97, 97).near.pairs), 0);
}

TYPED_TEST(TdbemRadiation, WindowsMoveOn) {
  using T = TypeParam;
  for_each_moving<T>([](const Moving<T>& m) {
    std::vector<T> values = m.values;
    MovedWindows<T> windows = m.windows();
    windows.values = values.data();
    cpu::move_on(windows, m.done());
    EXPECT_EQ(values, m.windows_at(m.shape.group)) << "reach " << m.shape.reach << ", group " << m.shape.group;
  });
}

/// a^n = f^n - sum_k M^k a^(n-k), by groups and step by step.
TYPED_TEST(TdbemRadiation, GroupsMarchAsStepsDo) {
  using T = TypeParam;
  constexpr std::int32_t n = 37, steps = 48;
  Scattered matrix{6, 20};
  const auto value = [&](std::int32_t i, std::int32_t k, std::int32_t j) { return 0.02 * matrix.value(i, k, j); };
  const auto force = [](std::int32_t step, std::int32_t i) {
    return step < 9 ? std::sin(0.3 * (step + 1) * (i + 1)) : 0;
  };
  std::vector<std::vector<double>> right;
  for (std::int32_t step = 0; step < steps; ++step) {
    std::vector<double> a(n);
    for (std::int32_t i = 0; i < n; ++i) {
      a[static_cast<std::size_t>(i)] = force(step, i);
      for (std::int32_t j = 0; j < n; ++j) {
        const Extent e = matrix.extent(i, j);
        for (std::int32_t k = e.first; k < e.first + e.length && k <= step; ++k)
          a[static_cast<std::size_t>(i)] -=
              value(i, k, j) * right[static_cast<std::size_t>(step - k)][static_cast<std::size_t>(j)];
      }
    }
    right.push_back(a);
  }
  const auto tile_arrays = make_tile<T>(
      0, n, 0, n, [&](std::int32_t i, std::int32_t j) { return matrix.extent(i, j); }, value);
  const Tile<T> tile = tile_arrays.tile();
  for (const std::int32_t group : {1, 2, 6, 16}) {
    const WindowShape shape{tile_arrays.last_lag() + 2, group, tile_arrays.last_lag() + 20};
    const NearRows<T> near = near_rows(near_pairs(std::vector{tile}, group), 0, n);
    std::vector<T> windows(static_cast<std::size_t>(n * shape.stride)), done(static_cast<std::size_t>(n * group));
    double error = 0;
    for (std::int32_t begin = 0; begin < steps; begin += group) {
      std::vector<T> s(static_cast<std::size_t>(n * group));
      const Sums<T> sums{s.data(), 0, 0};
      cpu::product(&tile, 1, Windows<T>{windows.data(), 0, 1, 0, shape}, sums);
      for (std::int32_t g = 0; g < group; ++g) {
        T* const a = done.data() + g * n;
        for (std::int32_t i = 0; i < n; ++i) {
          a[i] = static_cast<T>(force(begin + g, i)) - s[static_cast<std::size_t>(i * group + g)];
          error = std::max(error, std::abs(static_cast<double>(a[i]) -
                                           right[static_cast<std::size_t>(begin + g)][static_cast<std::size_t>(i)]));
        }
        cpu::radiate(near.view(), g, {a, 0}, sums, 0, n);
      }
      cpu::move_on(MovedWindows<T>{windows.data(), 0, n, 1, 0, shape}, Done<T>{done.data(), 0, n, 0});
    }
    EXPECT_LE(error, 400 * std::numeric_limits<T>::epsilon()) << "group " << group;
  }
}

}  // namespace
}  // namespace asterism::tdbem
