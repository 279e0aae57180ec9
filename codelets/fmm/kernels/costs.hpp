// Floating-point operations of the far-field operators other than M2L (m2l_flops), as the kernels do them.
#pragma once

#include "codelets/fmm/kernels/far/views.hpp"

namespace asterism::fmm {

/// P2M of a particle: q T_a T_b of each row, times T_c, added; recurrences.
constexpr double p2m_flops(const BasisView& basis) {
  return 2.0 * basis.size + 2.0 * basis.rows + 9.0 * basis.order;
}

/// L2P of a particle: sums over c of values and slopes, of which each row makes four; recurrences.
constexpr double l2p_flops(const BasisView& basis) {
  return 4.0 * basis.size + 11.0 * basis.rows + 24.0 * basis.order;
}

/// M2M or L2L of a family of eight, one direction after the other: 8, 4 and 2 shifts along an axis.
inline double shift_flops(const BasisView& basis) {
  double one = 0;
  for (int row = 0; row < basis.rows; ++row)
    one += 2.0 * (basis.row_a[row] + 1) * (basis.row_begin[row + 1] - basis.row_begin[row]);
  return 14 * one;
}

}  // namespace asterism::fmm
