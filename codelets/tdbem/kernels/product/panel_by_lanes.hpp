// SPDX-License-Identifier: Apache-2.0
// A slice of a panel with a row in each lane of a 64-byte register. The rows of a register are neighbours and begin at
// lags close to each other, so that what they read of a window is within two registers: permuting these gives the past
// value of every row, and this serves `group` columns, since s^(n+g) reads at lag k what s^(n+g+1) reads at lag k + 1.
// For processors that permute two registers in one instruction (AVX-512). Everything is inlined, as functions compiled
// for less return such vectors in another way.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/isa.hpp"
#include "base/vectors.hpp"
#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

/// Whole numbers as wide as T, one per lane, and lags as tiles have them.
template <class T>
struct LaneNumbers;
template <>
struct LaneNumbers<double> {
  using Vector = std::int64_t __attribute__((vector_size(64)));
  using Wider = std::int32_t __attribute__((vector_size(32)));  ///< than lags; compilers convert in steps of two
  using Lags = std::uint16_t __attribute__((vector_size(16), aligned(2), may_alias));
};
template <>
struct LaneNumbers<float> {
  using Vector = std::int32_t __attribute__((vector_size(64)));
  using Wider = Vector;
  using Lags = std::uint16_t __attribute__((vector_size(32), aligned(2), may_alias));
};

template <class T, int group>
struct alignas(64) PanelByLanes {
  static constexpr int lanes = width<T>;
  /// Sums and past values of so many g are in registers at once: 12 of both leave some of 32 for the rest.
  static constexpr int passes = (group + 11) / 12;
  static constexpr int most_at_once = (group + passes - 1) / passes;
  using V = Vector<T>;
  using Anywhere = typename Lanes<T>::Unaligned;
  using Numbers = typename LaneNumbers<T>::Vector;

  V sums[group * panel_rows / lanes];  ///< [g][row]

  ASTERISM_INLINE void clear() { std::fill_n(sums, group * panel_rows / lanes, V{}); }

  [[nodiscard]] ASTERISM_INLINE T sum(int row, int g) const {
    return sums[g * (panel_rows / lanes) + row / lanes][row % lanes];
  }

  /// `window`: where times n begin (slices.hpp: window_j + reach). Asks for the same number of bytes from `next` on.
  ASTERISM_INLINE void add(const T* values, std::int32_t columns, const std::uint16_t* first, const T* window,
                           const WindowShape& shape, const char* next) {
    for (int block = 0; block < panel_rows / lanes; ++block) {
      const T* const v = values + block * lanes;
      V* const s = sums + block;
      const std::uint16_t* const lag = first + block * lanes;
      std::uint16_t last = 0, least = 65535;
      for (int l = 0; l < lanes; ++l) last = std::max(last, lag[l]);
      for (int l = 0; l < lanes; ++l) least = std::min(least, lag[l]);
      using Of = LaneNumbers<T>;
      const auto lags = __builtin_convertvector(
          __builtin_convertvector(*reinterpret_cast<const typename Of::Lags*>(lag), typename Of::Wider), Numbers);
      if (const Reach<2> near(shape, columns, last); near.holds(least))
        add_block<0>(
            v, columns, s, next, [ =, place = -near.begin - lags ](std::int32_t at) __attribute__((always_inline)) {
              return __builtin_shuffle(load(window + near.begin + at), load(window + near.begin + at + lanes), place);
            });
      else if (const Reach<4> wide(shape, columns, last); wide.holds(least))
        add_block<0>(
            v, columns, s, next, [ =, place = -wide.begin - lags ](std::int32_t at) __attribute__((always_inline)) {
              const T* const from = window + wide.begin + at;
              return place < 2 * lanes ? __builtin_shuffle(load(from), load(from + lanes), place)
                                       : __builtin_shuffle(load(from + 2 * lanes), load(from + 3 * lanes), place);
            });
      else
        add_block<0>(
            v, columns, s, next, [=](std::int32_t at) __attribute__((always_inline)) {
              V past;
              for (int l = 0; l < lanes; ++l) past[l] = window[at - lags[l]];
              return past;
            });
      next += static_cast<std::int64_t>(columns) * lanes * sizeof(T);
    }
  }

 private:
  /// Lane l finds window[m - lags[l]] at place -begin - lags[l] of `registers` registers from window[begin + m] on.
  template <int registers>
  struct Reach {
    static constexpr std::int32_t elements = registers * lanes;
    std::int32_t begin;
    bool inside;  ///< nothing before the window is loaded; nothing behind it ever is, as begin + elements <= 1
    ASTERISM_INLINE Reach(const WindowShape& shape, std::int32_t columns, std::int32_t last_lag)
        : begin(std::min(-last_lag, 1 - elements)), inside(shape.reach + begin >= columns - 1) {}
    [[nodiscard]] ASTERISM_INLINE bool holds(std::int32_t least_lag) const {
      return inside && -begin - least_lag < elements;
    }
  };
  ASTERISM_INLINE static V load(const T* from) { return *reinterpret_cast<const Anywhere*>(from); }

  /// Sums g0 and later; `past(m)`: the past values that lag `first` - m meets.
  template <int g0, class Past>
  ASTERISM_INLINE static void add_block(const T* values, std::int32_t columns, V* sums, const char* next, Past past) {
    constexpr int n = std::min(group - g0, most_at_once);
    constexpr int stride = panel_rows / lanes;
    V s[n], a[n];
    for (int g = 0; g < n; ++g) s[g] = sums[(g0 + g) * stride];
    for (int g = 1; g < n; ++g) a[g - 1] = past(g0 + g);
    for (std::int32_t c = 0; c < columns; ++c) {
      if (g0 == 0) __builtin_prefetch(next + static_cast<std::int64_t>(c) * 64);
      const V v = *reinterpret_cast<const Anywhere*>(values + c * panel_rows);
#pragma GCC unroll 16
      for (int g = n - 1; g > 0; --g) a[g] = a[g - 1];
      a[0] = past(g0 - c);
#pragma GCC unroll 16
      for (int g = 0; g < n; ++g) s[g] += v * a[g];
    }
    for (int g = 0; g < n; ++g) sums[(g0 + g) * stride] = s[g];
    if constexpr (g0 + n < group) add_block<g0 + n>(values, columns, sums, next, past);
  }
};

}  // namespace asterism::tdbem
