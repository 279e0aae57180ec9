// SPDX-License-Identifier: Apache-2.0
// From the number of summation vectors computed at once, known at run time, to kernels compiled for it.
#pragma once

#include <type_traits>

namespace asterism::tdbem {

/// Calls f(std::integral_constant<int, group>) if 1 <= group <= most.
template <int most, class F>
void with_group(int group, F&& f) {
  if constexpr (most > 0) {
    if (group == most)
      f(std::integral_constant<int, most>{});
    else
      with_group<most - 1>(group, f);
  }
}

}  // namespace asterism::tdbem
