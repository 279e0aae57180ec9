// SPDX-License-Identifier: Apache-2.0
// A block of slices: all rows of consecutive slices, in one piece of memory that units hand over as a whole. Tiles come
// one after the other, then a directory of where their arrays are, so that a unit needs nothing else to find them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.hpp"
#include "codelets/tdbem/kernels/product/product.hpp"
#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

/// Where the arrays of a tile begin in the block, in bytes.
struct PlacedTile {
  std::int64_t values = 0, start = 0, first = 0, length = 0;
  std::int32_t row_begin = 0, rows = 0, slice_begin = 0, slices = 0;
};

/// Some blocks in device memory, and the bytes at which the directory, or the part of it that is wanted, begins in
/// each.
struct Directories {
  std::int32_t count = 0;
  const void* block[most_blocks_at_once]{};
  std::int64_t directory[most_blocks_at_once]{};
};

/// Tile t of a block whose directory begins at byte `directory`.
template <class T>
ASTERISM_HOST_DEVICE inline Tile<T> tile_of_block(const void* block, std::int64_t directory, std::int32_t t) {
  const char* const bytes = static_cast<const char*>(block);
  const PlacedTile& p = reinterpret_cast<const PlacedTile*>(bytes + directory)[t];
  Tile<T> tile;
  tile.row_begin = p.row_begin;
  tile.rows = p.rows;
  tile.slice_begin = p.slice_begin;
  tile.slices = p.slices;
  tile.start = reinterpret_cast<const std::uint32_t*>(bytes + p.start);
  tile.first = reinterpret_cast<const std::uint16_t*>(bytes + p.first);
  tile.length = reinterpret_cast<const std::uint8_t*>(bytes + p.length);
  tile.values = reinterpret_cast<const T*>(bytes + p.values);
  return tile;
}

}  // namespace asterism::tdbem
