// SPDX-License-Identifier: Apache-2.0
#include "taskflows/lbm/geometry/body_size.hpp"

#include <algorithm>

#include "base/as_size.hpp"

namespace asterism::lbm {

BodySize body_size(const std::vector<std::uint8_t>& solid, const std::array<int, 3>& cells) {
  std::array<int, 3> low = cells;
  std::array<int, 3> high{-1, -1, -1};
  BodySize size;
  std::size_t at = 0;
  for (int z = 0; z < cells[2]; ++z)
    for (int y = 0; y < cells[1]; ++y) {
      bool blocked = false;
      for (int x = 0; x < cells[0]; ++x, ++at) {
        if (solid[at] == 0) continue;
        blocked = true;
        const std::array<int, 3> here{x, y, z};
        for (std::size_t a = 0; a < 3; ++a) {
          low[a] = std::min(low[a], here[a]);
          high[a] = std::max(high[a], here[a]);
        }
      }
      if (blocked) ++size.frontal;
    }
  for (std::size_t a = 0; a < 3; ++a) {
    size.extent[a] = std::max(0, high[a] - low[a] + 1);
    size.at_both_ends[a] = low[a] == 0 && high[a] == cells[a] - 1;
  }
  return size;
}

}  // namespace asterism::lbm
