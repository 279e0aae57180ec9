// SPDX-License-Identifier: Apache-2.0
// Vectors of 64 bytes for CPU kernels, which compilers split where registers are smaller.
#pragma once

namespace asterism {

template <class T>
struct Lanes;
template <>
struct Lanes<double> {
  using Vector = double __attribute__((vector_size(64)));
  /// The same anywhere in memory.
  using Unaligned = double __attribute__((vector_size(64), aligned(8), may_alias));
};
template <>
struct Lanes<float> {
  using Vector = float __attribute__((vector_size(64)));
  using Unaligned = float __attribute__((vector_size(64), aligned(4), may_alias));
};
template <class T>
using Vector = typename Lanes<T>::Vector;
template <class T>
inline constexpr int width = static_cast<int>(64 / sizeof(T));

}  // namespace asterism
