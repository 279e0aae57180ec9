// SPDX-License-Identifier: Apache-2.0
// Floating-point operations and bytes of the kernels (kernels.hpp), as they are counted by the program, the bounds and
// the benchmarks. An addition, multiplication or division is one operation, a square root 15, an exponential 20.
#pragma once

#include "codelets/fmm/kernels/far/views.hpp"

namespace asterism::fmm {

/// Operations of P2P for one unordered pair of particles with both directions from one K: 3 differences, 5 for r^2, the
/// kernel, and for each side 2 for the potential, 1 for q slope and 6 for the field. Square root and exponential are
/// counted as in section 4.1.3 of RR-8513 (http://folding.stanford.edu/home/faq/faq-flops/). The rate of a GPU that
/// computes both directions separately is given with the same number.
template <class Kernel>
inline constexpr int flops_mutual = 3 + 5 + Kernel::flops + 2 * (2 + 1 + 6);

/// Operations of one more vector of charges for one unordered pair.
inline constexpr int flops_mutual_vector = 2 * (2 + 1 + 6);

/// Operations of P2P for one ordered pair: as above, with one side.
template <class Kernel>
inline constexpr int flops_one_way = 3 + 5 + Kernel::flops + 2 + 1 + 6;

/// Operations of P2M for one particle: q T_a T_b of each row, times T_c, added; recurrences.
constexpr double p2m_flops(const BasisView& basis) {
  return 2.0 * basis.size + 2.0 * basis.rows + 9.0 * basis.order;
}

/// Operations of L2P for one particle: sums over c of values and slopes, of which each row makes four; recurrences.
constexpr double l2p_flops(const BasisView& basis) {
  return 4.0 * basis.size + 11.0 * basis.rows + 24.0 * basis.order;
}

/// Operations of M2M or L2L for a family of eight, one direction after the other: 8, 4 and 2 shifts along an axis.
inline double shift_flops(const BasisView& basis) {
  double one = 0;
  for (int row = 0; row < basis.rows; ++row)
    one += 2.0 * (basis.row_a[row] + 1) * (basis.row_begin[row + 1] - basis.row_begin[row]);
  return 14 * one;
}

/// Operations of M2L for one pair of cells, with k coefficients and an operator of rank r: 4 k r - r - k, as RR-8513
/// has it.
constexpr double m2l_flops(double size, double rank) {
  return 4 * size * rank - rank - size;
}

/// Operations of the reduction for one particle that is added: potential and three components of the field.
inline constexpr double reduction_flops = 4;

/// Bytes of a particle: place and charge.
inline constexpr double source_bytes = 4 * sizeof(double);
/// Bytes of a particle's result: potential and field.
inline constexpr double field_bytes = 4 * sizeof(double);
/// Bytes of the multipole or local expansion of one cell. `stride`: doubles from one cell to the next.
constexpr double expansion_bytes(std::int32_t stride) {
  return static_cast<double>(stride) * sizeof(double);
}

}  // namespace asterism::fmm
