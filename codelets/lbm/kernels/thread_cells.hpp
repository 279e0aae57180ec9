// SPDX-License-Identifier: Apache-2.0
// Threads to cells: those of several boxes one after the other, x fastest, so that neighbouring threads touch
// neighbouring cells whatever the shape of a box.
#pragma once

#include <cstdint>

#include "codelets/lbm/kernels/brick.hpp"

namespace asterism::lbm {

/// Division of 32-bit numbers by one that is the same for many: a product and shifts (Granlund and Montgomery,
/// Division by Invariant Integers using Multiplication, PLDI 1994).
struct Divisor {
  std::uint32_t number = 1, multiplier = 1, once = 0, again = 0;

  Divisor() = default;
  /// `n`: at least 1.
  explicit Divisor(std::uint32_t n) : number(n) {
    std::uint32_t bits = 0;
    while (bits < 32 && std::uint64_t{1} << bits < n) ++bits;
    multiplier = static_cast<std::uint32_t>((((std::uint64_t{1} << bits) - n) << 32U) / n + 1);
    once = bits > 0 ? 1 : 0;
    again = bits > 0 ? bits - 1 : 0;
  }
  [[nodiscard]] ASTERISM_HOST_DEVICE std::uint32_t quotient(std::uint32_t dividend) const {
    const auto high = static_cast<std::uint32_t>((std::uint64_t{multiplier} * dividend) >> 32U);
    return (high + ((dividend - high) >> once)) >> again;
  }
};

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
    Divisor nx, ny;

    [[nodiscard]] ASTERISM_HOST_DEVICE Cell cell(int box, std::uint32_t number) const {
      const std::uint32_t row = nx.quotient(number);
      const std::uint32_t layer = ny.quotient(row);
      return {box, number, x0 + static_cast<int>(number - row * nx.number),
              y0 + static_cast<int>(row - layer * ny.number), z0 + static_cast<int>(layer)};
    }
  } part[faces];

  [[nodiscard]] ASTERISM_HOST_DEVICE std::uint32_t cells() const { return first[faces]; }
  [[nodiscard]] ASTERISM_HOST_DEVICE Cell cell(std::uint32_t thread) const {
    if (first[1] == cells()) return part[0].cell(0, thread);
    int k = 0;
    for (int later = 1; later < faces; ++later) k += thread >= first[later] ? 1 : 0;
    return part[k].cell(k, thread - first[k]);
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
    if (b.x1 <= b.x0 || b.y1 <= b.y0 || b.z1 <= b.z0) continue;
    s.part[k] = {b.x0, b.y0, b.z0, Divisor(static_cast<std::uint32_t>(b.x1 - b.x0)),
                 Divisor(static_cast<std::uint32_t>(b.y1 - b.y0))};
    cells += static_cast<std::uint32_t>(b.cells());
  }
  s.first[faces] = cells;
  return s;
}

}  // namespace asterism::lbm
