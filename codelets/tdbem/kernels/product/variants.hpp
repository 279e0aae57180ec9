// SPDX-License-Identifier: Apache-2.0
// The other ways of section 3 of the paper to use a row-vector, to compare the multi-vectors/vector product with:
// --kernel scalar and matrix-vector. Both work on the same tiles; CPU only.
#pragma once

#include "codelets/tdbem/kernels/product/product.hpp"

namespace asterism::tdbem::cpu {

/// Sums as those of product(), by one scalar product per row-vector and summation vector: matrices are read `group`
/// times (section 3.2). Windows of wave 0 only, and so below.
template <class T>
void scalar_products(const Tile<T>* tiles, std::int32_t count, const Windows<T>& windows, const Sums<T>& sums);

/// Past values of one summation vector after the other: a_j^(n+g-k) at
/// values[(g * slices + j - slice_begin) * stride + reach - k], zeros where n + g - k >= n.
template <class T>
struct SeparateWindows {
  const T* values = nullptr;
  std::int32_t slice_begin = 0;
  std::int32_t slices = 0;
  WindowShape shape;  ///< stride >= reach
};
/// Sums as those of product(), by a row-vector times a matrix of past values, one row of it per summation vector
/// (section 3.3, first optimisation): a row-vector is read once, but the past of each summation vector is an array of
/// its own.
template <class T>
void matrix_vector_products(const Tile<T>* tiles, std::int32_t count, const SeparateWindows<T>& windows,
                            const Sums<T>& sums);

/// Elements of SeparateWindows::values.
template <class T>
constexpr std::int64_t separate_elements(const SeparateWindows<T>& windows) {
  return static_cast<std::int64_t>(windows.shape.group) * windows.slices * windows.shape.stride;
}
/// Writes what `windows` of wave 0 hold for separate summation vectors to `values`.
template <class T>
void separate(const Windows<T>& windows, const SeparateWindows<T>& shape, T* values);

}  // namespace asterism::tdbem::cpu
