// Floating-point operations of the far-field operators, for rates, bounds and StarPU's tasks. They count what the CPU
// kernels do per item; M2L is counted as in the paper (codelets/fmm/m2l_operators.hpp), P2P in kernel_function.hpp.
#pragma once

#include "codelets/fmm/basis.hpp"

namespace asterism::fmm {

/// P2M per particle: Chebyshev recurrences in three directions, two products per row, one multiply-add per coefficient.
/// Bytes: 32 per particle, 8 k per leaf.
constexpr double p2m_flops(const BasisView& b) {
  return 3.0 * 2 * b.order + 2.0 * b.rows + 2.0 * b.size;
}
/// L2P per particle: recurrences with slopes, two sums over the coefficients, nine operations and three products per
/// row. Bytes: 24 + 32 per particle, 8 k per leaf.
constexpr double l2p_flops(const BasisView& b) {
  return 3.0 * 7 * b.order + 11.0 * b.rows + 4.0 * b.size;
}
/// M2M or L2L per child: three triangular passes of on average (l + 1) / 2 terms per coefficient.  Bytes: 16 k per
/// child.
constexpr double shift_flops(const BasisView& b) {
  return 3.0 * b.size * (b.order + 1);
}

}  // namespace asterism::fmm
