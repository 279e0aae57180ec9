// SPDX-License-Identifier: Apache-2.0
// A brick of cells and where its populations lie.
#pragma once

#include <cstdint>

#include "codelets/lbm/kernels/lattice.hpp"

namespace asterism::lbm {

/// Cells [x0, x1) x [y0, y1) x [z0, z1) of a brick, ghosts having -1 and n.
struct Box {
  std::int32_t x0, x1, y0, y1, z0, z1;
  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t cells() const {
    return static_cast<std::int64_t>(x1 - x0) * (y1 - y0) * (z1 - z0);
  }
};

/// nx x ny x nz cells with one layer of ghosts. Structure of arrays: slot i of all cells, then slot i + 1; x runs
/// fastest. The cell x = 0 of every row begins a 128-byte line, the ghost before it ends the line before; the distance
/// of slots is an odd multiple of 128 bytes beyond a multiple of 4096, so that the nineteen streams of a row fall into
/// different sets of a cache.
struct Brick {
  std::int32_t nx, ny, nz;
  std::int32_t lead;   ///< elements before x = 0 in the first row, the ghost included
  std::int32_t pitch;  ///< elements from row to row
  std::int64_t slot;   ///< elements from slot to slot

  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t cell(int x, int y, int z) const {
    return lead + x + pitch * ((y + 1) + static_cast<std::int64_t>(ny + 2) * (z + 1));
  }
  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t at(int i, int x, int y, int z) const {
    return i * slot + cell(x, y, z);
  }
  /// From a cell to its neighbour at c_i.
  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t step(int i) const {
    const Velocity c = velocity(i);
    return c.x + pitch * (c.y + static_cast<std::int64_t>(ny + 2) * c.z);
  }
  [[nodiscard]] ASTERISM_HOST_DEVICE std::int64_t elements() const { return q * slot; }
  [[nodiscard]] ASTERISM_HOST_DEVICE Box interior() const { return {0, nx, 0, ny, 0, nz}; }
  /// The cells of the brick beside a face.
  [[nodiscard]] ASTERISM_HOST_DEVICE Box layer(int face) const {
    Box b = interior();
    if (axis_of(face) == 0) (side_of(face) < 0 ? b.x1 : b.x0) = side_of(face) < 0 ? 1 : nx - 1;
    if (axis_of(face) == 1) (side_of(face) < 0 ? b.y1 : b.y0) = side_of(face) < 0 ? 1 : ny - 1;
    if (axis_of(face) == 2) (side_of(face) < 0 ? b.z1 : b.z0) = side_of(face) < 0 ? 1 : nz - 1;
    return b;
  }
};

/// Rows begin at multiples of so many bytes.
constexpr int line_bytes = 128;

/// `element`: bytes of a population.
constexpr Brick make_brick(int nx, int ny, int nz, int element) {
  const int line = line_bytes / element;
  const int lead = line;
  const int pitch = (nx + 2 + line - 1) / line * line;
  const std::int64_t rows = static_cast<std::int64_t>(ny + 2) * (nz + 2);
  const std::int64_t page = 4096 / element;
  const std::int64_t slot = (rows * pitch + page - 1) / page * page + 5 * line;
  return {nx, ny, nz, lead, pitch, slot};
}

}  // namespace asterism::lbm
