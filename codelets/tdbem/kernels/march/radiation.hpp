// SPDX-License-Identifier: Apache-2.0
// The radiation stage (section 3.3 of the paper): what a time step of a group, just found, adds to the sums of those
// after it. Rows pull: each adds to its own sums only, so that rows may be shared out in any way.
#pragma once

#include <cstdint>

#include "codelets/tdbem/kernels/assembly/near_rows.hpp"
#include "codelets/tdbem/kernels/product/product.hpp"

namespace asterism::tdbem {

/// a^(n+g0) of one wave: of unknown j at values[j - unknown_begin].
template <class T>
struct Found {
  const T* values = nullptr;
  std::int32_t unknown_begin = 0;
};

namespace cpu {

/// For rows [begin, end) of those that `near` has and g0 < g < group: s_i^(n+g) += sum_j M^(g-g0)(i, j) a_j^(n+g0).
/// Sums of one wave, group = near.lags + 1. A column that only fills up a row is read as any other: its value has to be
/// finite.
template <class T>
void radiate(const NearRowsView<T>& near, std::int32_t g0, const Found<T>& found, const Sums<T>& sums,
             std::int32_t begin, std::int32_t end);

}  // namespace cpu
}  // namespace asterism::tdbem
