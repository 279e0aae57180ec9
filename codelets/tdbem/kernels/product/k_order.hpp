// SPDX-License-Identifier: Apache-2.0
// Summation in k-order (section 3.1 of the paper): the convolution as sparse products, one for each lag k,
// s^n = sum_k M^k a^(n-k), which is what slices were invented to avoid. Only to compare with; one summation vector at a
// time.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

/// The matrices M^1 .. M^lags for some rows and slices, each in compressed rows; rows and columns count from the first
/// ones. Values that are zero in a row-vector are entries.
template <class T>
struct KOrder {
  std::int32_t row_begin = 0;
  std::int32_t rows = 0;
  std::int32_t slice_begin = 0;
  std::int32_t slices = 0;
  std::int32_t lags = 0;
  std::vector<std::int64_t> matrix_begin;  ///< first entry of M^(k+1) at k; lags + 1
  std::vector<std::int32_t> row_start;     ///< of entry, from the matrix' first: (rows + 1) per matrix
  std::vector<std::int32_t> column;
  std::vector<T> values;

  [[nodiscard]] const std::int32_t* starts(std::int32_t k) const {
    return row_start.data() + static_cast<std::int64_t>(k - 1) * (rows + 1);
  }
};
/// Sorts tiles in main memory that have no pair in common by lag: all rows and slices between the first and the last of
/// them.
template <class T>
KOrder<T> k_order_of(const Tile<T>* tiles, std::int32_t count);

namespace cpu {

/// s[i - row_begin] += sum over k of M^k(i, j) a_j^(n-k), which is past[(k - 1) * slices + j - slice_begin].
template <class T>
void k_order_product(const KOrder<T>& k_order, const T* past, T* s);

}  // namespace cpu
}  // namespace asterism::tdbem
