// SPDX-License-Identifier: Apache-2.0
// The grid in blocks of rows, as equal as they can be.
#pragma once

#include <cstdint>

namespace asterism::heat {

struct Decomposition {
  std::int32_t rows = 0;
  int blocks = 1;

  /// First row of a block; of `blocks`: the end.
  [[nodiscard]] std::int32_t first(int block) const {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(rows) * block / blocks);
  }
  [[nodiscard]] std::int32_t rows_of(int block) const { return first(block + 1) - first(block); }
};

}  // namespace asterism::heat
