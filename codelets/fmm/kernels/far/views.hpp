// SPDX-License-Identifier: Apache-2.0
// The arguments of the far-field kernels, on CPUs and GPUs: plain structures of pointers and sizes. Passed by value;
// every pointer is to the memory of the unit that runs the kernel. No more than C++17, for nvcc.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace asterism::fmm {

/// A basis as kernels see it, on any memory node. The coefficients of a cell are ordered by a, then b, then c; those of
/// one (a, b) form a row.
struct BasisView {
  std::int32_t order;   ///< l
  std::int32_t size;    ///< k, number of coefficients
  std::int32_t stride;  ///< doubles from one cell to the next: k rounded up to 8, the rest are zeros
  std::int32_t rows;
  const std::int32_t* row_begin;  ///< rows + 1
  const std::int32_t* row_a;
  const std::int32_t* row_b;
  const std::int32_t* row_of;  ///< l x l: the row of (a, b), -1 when there is none
};

/// Largest order that the kernels are compiled for.
inline constexpr int max_order = 16;

/// A cell's place in the grid of its level.
struct CellIndex {
  std::int32_t x, y, z;
};

/// The cells of a level: cell (i, j, k) is centred at origin + (i + 1/2, j + 1/2, k + 1/2) width.
struct Grid {
  double x, y, z;
  double width;
};

/// Leaves of a group, and where their particles are.
struct LeafView {
  std::int32_t cells;
  const CellIndex* index;     ///< cells
  const std::int32_t* begin;  ///< cells + 1
};

/// A cell with those of its children that are in one group of the next level, where they stand one after the other.
struct Family {
  std::int32_t parent;
  std::int32_t first_child;
  std::int32_t children;
};

/// Child of a cell by the parities of its index.
ASTERISM_HOST_DEVICE constexpr int octant_of(const CellIndex& cell) {
  return (cell.x & 1) | (cell.y & 1) << 1 | (cell.z & 1) << 2;
}

/// One interaction of an M2L task.
struct M2LPair {
  std::uint32_t target;  ///< cell of the target group
  std::uint32_t source;  ///< buffer << source_bits | cell of that source group
};
inline constexpr int source_bits = 24;

/// The interactions of an M2L task, direction after direction, within a direction in the order of the targets' tiles:
/// a tile is up to `tile` targets, first all targets of octant 0, then those of octant 1 and so on.
struct M2LList {
  std::int32_t tiles;
  const std::int32_t* begin;  ///< [direction][tiles + 1]: the pairs of a direction with targets of a tile
  const M2LPair* pairs;
  /// Place of each cell of the target group in that order: tile = rank / m2l_tile. Only GPUs need it.
  const std::int32_t* rank = nullptr;
};
inline constexpr int m2l_tile = 64;

/// Relative positions t = target - source, in cells, as numbers 0 .. 342; those within one cell are never used.
inline constexpr int directions = 343;
ASTERISM_HOST_DEVICE constexpr int direction_of(int dx, int dy, int dz) {
  return ((dx + 3) * 7 + dy + 3) * 7 + dz + 3;
}

struct M2LDirection {
  std::int32_t rank;    ///< r; 0 for a direction that is no interaction
  std::int32_t padded;  ///< r rounded up to 8; the columns between are zeros
  std::int64_t v;       ///< where V begins in `data`: size x padded, row after row
  std::int64_t u;       ///< where U^T begins: rank x stride, row after row
};

struct M2LView {
  std::int32_t size;              ///< k
  std::int32_t stride;            ///< doubles from one cell to the next
  const M2LDirection* direction;  ///< 343
  const double* data;
};

}  // namespace asterism::fmm
