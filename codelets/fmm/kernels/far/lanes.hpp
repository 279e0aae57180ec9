// SPDX-License-Identifier: Apache-2.0
// Eight doubles at a time for the far-field kernels on CPUs.
#pragma once

#include <cstdint>

#include "base/isa.hpp"
#include "codelets/fmm/kernels/far/basis.hpp"

namespace asterism::fmm::lanes {

inline constexpr int width = 8;
using Vector = double __attribute__((vector_size(64)));
/// Lanes at any address, without alignment.
using Unaligned = double __attribute__((vector_size(64), aligned(8), may_alias));

ASTERISM_INLINE double sum(const Vector& v) {
  double s = 0;
  for (int i = 0; i < width / 2; ++i) s += v[i] + v[i + width / 2];
  return s;
}

/// T_0 .. T_{l-1} at x.
ASTERISM_INLINE void chebyshev(int order, const Vector& x, Vector* t) {
  t[0] = Vector{} + 1.0;
  if (order > 1) t[1] = x;
  const Vector twice = x + x;
  for (int a = 2; a < order; ++a) t[a] = twice * t[a - 1] - t[a - 2];
}

/// Their derivatives: T'_{a+1} = 2 T_a + 2 x T'_a - T'_{a-1}.
ASTERISM_INLINE void chebyshev_slopes(int order, const Vector& x, const Vector* t, Vector* d) {
  d[0] = Vector{};
  if (order > 1) d[1] = Vector{} + 1.0;
  const Vector twice = x + x;
  for (int a = 2; a < order; ++a) d[a] = 2 * t[a - 1] + twice * d[a - 1] - d[a - 2];
}

/// Signs of T_a T_b T_c, by the parities of a, b and c, when the axes on which an octant is the lower one are turned
/// over: one lane per octant.
struct OctantSigns {
  alignas(64) double sign[8][8];
  OctantSigns() {
    for (int parity = 0; parity < 8; ++parity)
      for (int octant = 0; octant < 8; ++octant) {
        const int flips = parity & ~octant;
        sign[parity][octant] = (__builtin_popcount(static_cast<unsigned>(flips)) & 1) != 0 ? -1 : 1;
      }
  }
  [[nodiscard]] ASTERISM_INLINE const Vector& of(int a, int b, int c) const {
    return *reinterpret_cast<const Vector*>(sign[(a & 1) | (b & 1) << 1 | (c & 1) << 2]);
  }
};

/// w *= sign, for the expansions of eight octants, lane by lane.
ASTERISM_INLINE void turn(const BasisView& basis, const OctantSigns& signs, Vector* w) {
  for (int row = 0; row < basis.rows; ++row) {
    const int begin = basis.row_begin[row];
    const int count = basis.row_begin[row + 1] - begin;
    for (int c = 0; c < count; ++c) w[begin + c] *= signs.of(basis.row_a[row], basis.row_b[row], c);
  }
}

/// Largest basis: all products of the largest order.
inline constexpr int max_size = max_order * max_order * max_order;

}  // namespace asterism::fmm::lanes
