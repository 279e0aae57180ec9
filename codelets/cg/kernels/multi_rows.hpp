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

/// For K = 2, 4 or 8 vectors, with the registers that this processor has.
RowsProduct rows_product_for(int vectors);

}  // namespace asterism::cg::cpu
