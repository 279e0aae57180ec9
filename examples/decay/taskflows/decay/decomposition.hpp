// SPDX-License-Identifier: Apache-2.0
// The points in blocks, as equal as they can be.
#pragma once

#include <cstdint>

namespace asterism::decay {

struct Decomposition {
  std::int32_t points = 0;
  int blocks = 1;

  /// First point of a block; of `blocks`: the end.
  [[nodiscard]] std::int32_t first(int block) const {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(points) * block / blocks);
  }
  [[nodiscard]] std::int32_t points_of(int block) const { return first(block + 1) - first(block); }
};

}  // namespace asterism::decay
