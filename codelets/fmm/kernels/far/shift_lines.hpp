// SPDX-License-Identifier: Apache-2.0
// M2M and L2L on CPUs: a shift is the same triangular matrix along each axis.
#pragma once

#include <cstdint>

#include "codelets/fmm/kernels/far/lanes.hpp"

namespace asterism::fmm::lanes {

/// The coefficients of a basis as lines along an axis, on which a shift acts one after the other.
class Lines {
 public:
  explicit Lines(const BasisView& basis) {
    const int l = basis.order;
    const auto index = [&](int a, int b, int c) {
      const int row = a < l && b < l ? basis.row_of[a * l + b] : -1;
      return row >= 0 && c < basis.row_begin[row + 1] - basis.row_begin[row] ? basis.row_begin[row] + c : -1;
    };
    for (int axis = 0; axis < 3; ++axis)
      for (int i = 0; i < l; ++i)
        for (int j = 0; j < l; ++j) {
          Line line{};
          for (int k = 0; k < l; ++k) {
            const int at = axis == 0 ? index(k, i, j) : axis == 1 ? index(i, k, j) : index(i, j, k);
            if (at < 0) break;  // whoever has a degree has all lower ones
            line.at[line.length++] = static_cast<std::int16_t>(at);
          }
          if (line.length > 0) lines_[count_++] = line;
        }
  }
  struct Line {
    std::int16_t length;
    std::int16_t at[max_order];
  };
  [[nodiscard]] const Line* begin() const { return lines_; }
  [[nodiscard]] const Line* end() const { return lines_ + count_; }

 private:
  int count_ = 0;
  Line lines_[3 * max_order * max_order];
};

/// The lower triangle of a shift matrix, row after row: entry (a, b) at a (a + 1) / 2 + b.
struct Triangle {
  explicit Triangle(const double* matrix, int order) {
    for (int a = 0; a < order; ++a)
      for (int b = 0; b <= a; ++b) entry[a * (a + 1) / 2 + b] = matrix[a * order + b];
  }
  double entry[max_order * (max_order + 1) / 2];
};

/// One line times the triangle or its transpose, in registers.
template <int n, bool transposed>
ASTERISM_INLINE void shift_line(const double* entry, const std::int16_t* at, Vector* w) {
  Vector in[n];
#pragma GCC unroll 16
  for (int a = 0; a < n; ++a) in[a] = w[at[a]];
#pragma GCC unroll 16
  for (int a = 0; a < n; ++a) {
    Vector v = entry[a * (a + 1) / 2 + a] * in[a];
    if constexpr (transposed) {
#pragma GCC unroll 16
      for (int b = a + 1; b < n; ++b) v += entry[b * (b + 1) / 2 + a] * in[b];
    } else {
#pragma GCC unroll 16
      for (int b = 0; b < a; ++b) v += entry[a * (a + 1) / 2 + b] * in[b];
    }
    w[at[a]] = v;
  }
}

/// w = S w along x, y and z (or S^T w) for eight expansions at once.
template <bool transposed>
ASTERISM_INLINE void shift_all(const Lines& lines, const Triangle& s, Vector* w) {
  for (const Lines::Line& line : lines) {
    switch (line.length) {
      // clang-format off
      case 1: shift_line<1, transposed>(s.entry, line.at, w); break;
      case 2: shift_line<2, transposed>(s.entry, line.at, w); break;
      case 3: shift_line<3, transposed>(s.entry, line.at, w); break;
      case 4: shift_line<4, transposed>(s.entry, line.at, w); break;
      case 5: shift_line<5, transposed>(s.entry, line.at, w); break;
      case 6: shift_line<6, transposed>(s.entry, line.at, w); break;
      case 7: shift_line<7, transposed>(s.entry, line.at, w); break;
      case 8: shift_line<8, transposed>(s.entry, line.at, w); break;
      case 9: shift_line<9, transposed>(s.entry, line.at, w); break;
      case 10: shift_line<10, transposed>(s.entry, line.at, w); break;
      case 11: shift_line<11, transposed>(s.entry, line.at, w); break;
      case 12: shift_line<12, transposed>(s.entry, line.at, w); break;
      case 13: shift_line<13, transposed>(s.entry, line.at, w); break;
      case 14: shift_line<14, transposed>(s.entry, line.at, w); break;
      case 15: shift_line<15, transposed>(s.entry, line.at, w); break;
      default: shift_line<16, transposed>(s.entry, line.at, w); break;
        // clang-format on
        shift_line<12, transposed>(s.entry, line.at, w);
        break;
    }
  }
}
static_assert(max_order == 16, "as many cases as orders");

}  // namespace asterism::fmm::lanes
