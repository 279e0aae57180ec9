// SPDX-License-Identifier: Apache-2.0
// A slice of a panel with the `group` sums of a row in vector registers: a value times neighbouring elements of a
// window, which begin anywhere. For every instruction set.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/isa.hpp"
#include "codelets/tdbem/kernels/product/group_lanes.hpp"
#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

template <class T, int group>
struct alignas(64) PanelByRows {
  /// Independent chains of additions that are in registers at once.
  static constexpr int rows_at_once = GroupLanes<T, group>::pieces == 1 ? 8 : 4;

  T sums[panel_rows * group];

  ASTERISM_INLINE void clear() { std::fill_n(sums, panel_rows * group, T(0)); }

  [[nodiscard]] ASTERISM_INLINE T sum(int row, int g) const { return sums[row * group + g]; }

  /// `window`: where times n begin (slices.hpp: window_j + reach). Asks for the same number of bytes from `next` on.
  ASTERISM_INLINE void add(const T* values, std::int32_t columns, const std::uint16_t* first, const T* window,
                           const WindowShape&, const char* next) {
    for (int row = 0; row < panel_rows; row += rows_at_once) {
      const T* past[rows_at_once];
      GroupLanes<T, group> s[rows_at_once];
      for (int r = 0; r < rows_at_once; ++r) {
        past[r] = window - first[row + r];
        s[r].load(sums + (row + r) * group);
      }
      const T* v = values + row;
      for (std::int32_t c = 0; c < columns; ++c) {
        __builtin_prefetch(next);
        next += rows_at_once * sizeof(T);
#pragma GCC unroll 8
        for (int r = 0; r < rows_at_once; ++r) s[r].add(v[r], past[r] - c);
        v += panel_rows;
      }
      for (int r = 0; r < rows_at_once; ++r) s[r].store(sums + (row + r) * group);
    }
  }
};

}  // namespace asterism::tdbem
