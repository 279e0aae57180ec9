// SPDX-License-Identifier: Apache-2.0
// Short vectors for the CPU kernels: loops over a fixed number of lanes that the compiler turns into
// vector registers, and clones of a function for the instruction sets of the machines it may run on.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/isa.hpp"
#include "codelets/cg/kernels/compensated.hpp"

namespace asterism::cg {

inline constexpr int lanes = 16;

/// `lanes` independent compensated sums; element i of a vector goes to lane i % lanes.
struct LaneSums {
  double hi[lanes] = {};
  double lo[lanes] = {};

  ASTERISM_INLINE void add_products(const double* a, const double* b) {
#pragma GCC ivdep
    for (int l = 0; l < lanes; ++l) add_product(hi[l], lo[l], a[l], b[l]);
  }
  /// Any number of elements; the last n % lanes of them go to the first lanes.
  ASTERISM_INLINE void add_products(std::int64_t n, const double* a, const double* b) {
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) add_products(a + i, b + i);
    for (int l = 0; i < n; ++i, ++l) add_product(hi[l], lo[l], a[i], b[i]);
  }
  [[nodiscard]] ASTERISM_INLINE Sum total() const {
    Sum s;
    for (int l = 0; l < lanes; ++l) add(s, Sum{hi[l], lo[l]});
    return s;
  }
};

}  // namespace asterism::cg
