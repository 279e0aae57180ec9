// SPDX-License-Identifier: Apache-2.0
// A kernel as a user writes it, outside asterism::fmm: K = 1 / (r^2 + a^2), finite at r = 0.
#pragma once

#include "codelets/fmm/kernels/near/kernel_function.hpp"

namespace user {

struct Plummer {
  static constexpr const char* name = "plummer";
  static constexpr bool homogeneous = false;
  static constexpr int degree = 0;
  static constexpr int flops = 5;

  double a;

  template <class V>
  ASTERISM_FMM_FUNCTION void operator()(V r2, V& value, V& slope) const {
    value = 1.0 / (r2 + a * a);
    slope = -2.0 * value * value;
  }
};

/// Laplace through the functions that kernels may call.
struct Root {
  static constexpr const char* name = "root";
  static constexpr bool homogeneous = true;
  static constexpr int degree = -1;
  static constexpr int flops = 18;

  template <class V>
  ASTERISM_FMM_FUNCTION void operator()(V r2, V& value, V& slope) const {
    using asterism::fmm::sqrt;
    value = 1.0 / sqrt(r2);
    slope = -value / r2;
  }
};

}  // namespace user
