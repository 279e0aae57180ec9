// SPDX-License-Identifier: Apache-2.0
// Threads to cells: those of several boxes one after the other, x fastest, so that neighbouring threads touch
// neighbouring cells whatever the shape of a box.
#pragma once

#include <cstdint>

#include "codelets/lbm/kernels/brick.hpp"

namespace asterism::lbm {

/// Up to one box per face. 32 bits are enough: 2^32 cells fill 300 GB in single precision.
struct ThreadCells {
  struct Cell {
    int box;
    std::uint32_t number;  ///< in its box
    int x, y, z;
  };
  std::uint32_t first[faces + 1];  ///< thread of the first cell of each box; then their number, for all others
  struct Part {
    std::int32_t x0, y0, z0;
    std::uint32_t nx, ny;
  } part[faces];

  [[nodiscard]] ASTERISM_HOST_DEVICE std::uint32_t cells() const { return first[faces]; }
  [[nodiscard]] ASTERISM_HOST_DEVICE Cell cell(std::uint32_t thread) const {
    int k = 0;
    for (int later = 1; later < faces; ++later) k += thread >= first[later] ? 1 : 0;
    const Part& p = part[k];
    const std::uint32_t number = thread - first[k];
    const std::uint32_t row = number / p.nx;
    const std::uint32_t layer = row / p.ny;
    return {k, number, p.x0 + static_cast<int>(number - row * p.nx), p.y0 + static_cast<int>(row - layer * p.ny),
            p.z0 + static_cast<int>(layer)};
  }
};

/// box(k) for k < count.
template <class BoxOf>
ThreadCells thread_cells(std::int32_t count, BoxOf box) {
  ThreadCells s{};
  std::uint32_t cells = 0;
  for (int k = 0; k < faces; ++k) {
    s.first[k] = cells;
    if (k >= count) continue;
    const Box b = box(k);
    s.part[k] = {b.x0, b.y0, b.z0, static_cast<std::uint32_t>(b.x1 - b.x0), static_cast<std::uint32_t>(b.y1 - b.y0)};
    if (b.x1 > b.x0 && b.y1 > b.y0 && b.z1 > b.z0) cells += static_cast<std::uint32_t>(b.cells());
  }
  s.first[faces] = cells;
  return s;
}

}  // namespace asterism::lbm
