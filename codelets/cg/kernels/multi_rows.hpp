// SPDX-License-Identifier: Apache-2.0
// Eight rows of a sparse matrix times several vectors: the sums stay in registers while the rows' entries pass by.
#pragma once

#include <cstdint>

#include "codelets/cg/kernels/views.hpp"

namespace asterism::cg::cpu {

/// Rows at once: as many multiply-adds that do not wait for each other.
inline constexpr int multi_rows = 8;

/// sum[j K + v] = sum_k value[k] x_v[column[k]], row l + j of slice s, in the order of k; x_v[i] is at x[i K + v].
using RowsProduct = void (*)(const SellView& a, std::int64_t s, int l, const double* x, double* sum);

/// Which instructions of x86-64 may be used.
enum class Registers {
  suited,        ///< those that this processor has
  at_most_avx2,  ///< as if it had no larger ones than AVX2's
  plain,         ///< what the compiler makes of loops
};

/// For K = 2, 4 or 8 vectors.
RowsProduct rows_product_for(int vectors, Registers registers = Registers::suited);

}  // namespace asterism::cg::cpu
