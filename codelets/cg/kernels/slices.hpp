// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector on the CPU, for some slices of a matrix: what products, and steps that use a product while
// it is in the caches, are made of.
#pragma once

#include <cmath>
#include <cstdint>

#include "codelets/cg/kernels/simd.hpp"
#include "codelets/cg/kernels/views.hpp"

namespace asterism::cg::cpu {

/// How far ahead of its use the matrix is fetched, in entries: the streams end with every slice, too short for the
/// hardware's prefetcher to learn (measured: 10 % of the product's time on two Sapphire Rapids cores).
inline constexpr std::int64_t prefetch_distance = 1024;

ASTERISM_INLINE void prefetch_entries(const double* value, const std::int32_t* column) {
  for (int l = 0; l < slice_height; l += 8) __builtin_prefetch(value + prefetch_distance + l);
  for (int l = 0; l < slice_height; l += 16) __builtin_prefetch(column + prefetch_distance + l);
}

/// The rows of one slice: sum[l] (+)= sum_k value[k][l] x[column[k][l]], in the order of k.
ASTERISM_INLINE void slice_product(const SellView& a, std::int64_t s, const double* x, double* sum) {
  const std::int64_t begin = a.slice_begin[s];
  const std::int64_t end = a.slice_begin[s + 1];
  const std::int64_t columns = a.slice_columns != nullptr ? a.slice_columns[s] : begin;
  if (columns < 0) {  // diagonals: no column to read, no gather
    const std::int32_t* offset = a.column + ~columns;
    for (std::int64_t k = begin; k < end; k += slice_height, ++offset) {
      const double* value = a.value + k;
      const double* shifted = x + (s * slice_height + *offset);
      for (int l = 0; l < slice_height; l += 8) __builtin_prefetch(value + prefetch_distance + l);
#pragma GCC ivdep
      for (int l = 0; l < slice_height; ++l) sum[l] = std::fma(value[l], shifted[l], sum[l]);
    }
    return;
  }
  for (std::int64_t k = begin; k < end; k += slice_height) {
    const double* value = a.value + k;
    const std::int32_t* column = a.column + columns + (k - begin);
    prefetch_entries(value, column);
#pragma GCC ivdep
    for (int l = 0; l < slice_height; ++l) sum[l] = std::fma(value[l], x[column[l]], sum[l]);
  }
}

/// y (+)= A x in the rows of slices [begin, end), and the dot product p.y over them.
template <ProductDot dot>
ASTERISM_INLINE Sum slices_product(const SellView& a, std::int64_t begin, std::int64_t end, const double* x, double* y,
                                   bool accumulate, const double* p) {
  LaneSums lane_sums;
  for (std::int64_t s = begin; s < end; ++s) {
    double sum[slice_height] = {};
    const std::int64_t first = s * slice_height;
    constexpr bool own = dot == ProductDot::own;  // then y stays out of the sums until the end
    if (a.row == nullptr && first + slice_height <= a.rows) {
      if (accumulate && !own)
        for (int l = 0; l < slice_height; ++l) sum[l] = y[first + l];
      slice_product(a, s, x, sum);
      for (int l = 0; l < slice_height; ++l) y[first + l] = accumulate && own ? y[first + l] + sum[l] : sum[l];
      if constexpr (dot != ProductDot::none)
        for (int l = 0; l < slice_height; l += lanes) lane_sums.add_products(p + first + l, sum + l);
      continue;
    }
    std::int32_t row[slice_height];
    for (int l = 0; l < slice_height; ++l) {
      row[l] = a.row != nullptr ? a.row[first + l] : first + l < a.rows ? static_cast<std::int32_t>(first + l) : -1;
      if (accumulate && !own && row[l] >= 0) sum[l] = y[row[l]];
    }
    slice_product(a, s, x, sum);
    double p_row[slice_height];
    for (int l = 0; l < slice_height; ++l) {
      p_row[l] = 0;
      if (row[l] < 0) {
        sum[l] = 0;
        continue;
      }
      y[row[l]] = accumulate && own ? y[row[l]] + sum[l] : sum[l];
      if constexpr (dot != ProductDot::none) p_row[l] = p[row[l]];
    }
    if constexpr (dot != ProductDot::none)
      for (int l = 0; l < slice_height; l += lanes) lane_sums.add_products(p_row + l, sum + l);
  }
  return lane_sums.total();
}

}  // namespace asterism::cg::cpu
