// SPDX-License-Identifier: Apache-2.0
// Products of small dense blocks, with constants for the sizes of scalars and bodies. All sums are made of explicit
// multiply-adds in one order: the same bits with every instruction set.
#pragma once

#include <cmath>
#include <type_traits>

#include "base/isa.hpp"

namespace asterism::cg {

/// Calls call(height, inner, width) with constants for the blocks of scalars and bodies, else with what is given.
template <class Call>
ASTERISM_INLINE void with_sizes(int height, int inner, int width, Call call) {
  using std::integral_constant;
  const int code = 10000 * height + 100 * inner + width;
  if (code == 10101)
    call(integral_constant<int, 1>{}, integral_constant<int, 1>{}, integral_constant<int, 1>{});
  else if (code == 30306)
    call(integral_constant<int, 3>{}, integral_constant<int, 3>{}, integral_constant<int, 6>{});
  else if (code == 60306)
    call(integral_constant<int, 6>{}, integral_constant<int, 3>{}, integral_constant<int, 6>{});
  else if (code == 60606)
    call(integral_constant<int, 6>{}, integral_constant<int, 6>{}, integral_constant<int, 6>{});
  else if (code == 30303)
    call(integral_constant<int, 3>{}, integral_constant<int, 3>{}, integral_constant<int, 3>{});
  else if (code == 30301)
    call(integral_constant<int, 3>{}, integral_constant<int, 3>{}, integral_constant<int, 1>{});
  else if (code == 60601)
    call(integral_constant<int, 6>{}, integral_constant<int, 6>{}, integral_constant<int, 1>{});
  else
    call(height, inner, width);
}

/// c += a b for blocks of height x inner and inner x width numbers; c is neither a nor b.
template <class Height, class Inner, class Width>
ASTERISM_INLINE void add_block(Height height, Inner inner, Width width, const double* a, const double* b, double* c) {
  for (int i = 0; i < height; ++i) {
#pragma omp simd
    for (int j = 0; j < width; ++j) {
      double sum = c[i * width + j];
      for (int k = 0; k < inner; ++k) sum = std::fma(a[i * inner + k], b[k * width + j], sum);
      c[i * width + j] = sum;
    }
  }
}

}  // namespace asterism::cg
