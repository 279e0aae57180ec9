// SPDX-License-Identifier: Apache-2.0
// A check of assembled matrices.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

/// Every `stride`-th row against its columns: sorted, in range, and exactly equal to the transpose.
inline void expect_symmetric(const CsrMatrix& a, std::int64_t stride = 1) {
  const auto index = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  for (std::int64_t i = 0; i < a.n; i += stride) {
    for (std::int64_t k = a.row_begin[index(i)]; k < a.row_begin[index(i) + 1]; ++k) {
      const std::int64_t j = a.column[index(k)];
      ASSERT_TRUE(j >= 0 && j < a.n);
      if (k > a.row_begin[index(i)]) {
        ASSERT_LT(a.column[index(k) - 1], j);
      }
      const std::int32_t* const begin = a.column.data() + a.row_begin[index(j)];
      const std::int32_t* const end = a.column.data() + a.row_begin[index(j) + 1];
      const std::int32_t* const found = std::lower_bound(begin, end, i);
      ASSERT_TRUE(found != end && *found == i) << i << ' ' << j;
      ASSERT_EQ(a.value[index(found - a.column.data())], a.value[index(k)]) << i << ' ' << j;
    }
  }
}

}  // namespace asterism::cg
