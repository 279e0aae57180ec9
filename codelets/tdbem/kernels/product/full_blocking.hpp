// SPDX-License-Identifier: Apache-2.0
// Full-Blocking (section 5.1 of the paper): slices cut into dense blocks of values that stay in their rows and columns,
// so that all rows of a block meet the same past values, at the price of zeros between row-vectors: --kernel
// full-blocking.
//
// The cut: a block begins at a row-vector that has values and takes those of the rows after it, up to `rows` rows, as
// long as all its row-vectors together lie within `columns` lags; the first one that does not fit begins the next. The
// block's first lag is the smallest of its row-vectors', so a row may begin before the rows above it. Rows without
// values fit anywhere and begin no block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "codelets/tdbem/kernels/product/product.hpp"
#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

struct BlockShape {
  std::int32_t rows = 32;     ///< b_r: 32, 64 or 128
  std::int32_t columns = 16;  ///< b_c: 16, 32, 64 or 128
};

/// Where a block is in its slice.
struct BlockPlace {
  std::int32_t row = 0;
  std::int32_t lag = 0;
};

/// Calls block(BlockPlace) for each block of a slice; extent(i) has `first` and `length` of row i < rows. Throws
/// std::invalid_argument for a row-vector longer than shape.columns.
template <class ExtentOf, class OnBlock>
void cut_slice(std::int32_t rows, const BlockShape& shape, ExtentOf extent, OnBlock block) {
  std::int32_t begin = -1, lag = 0, lag_end = 0;
  for (std::int32_t i = 0; i < rows; ++i) {
    const auto e = extent(i);
    if (e.length == 0) continue;
    if (e.length > shape.columns) throw std::invalid_argument("full blocking: a row-vector is longer than blocks");
    const std::int32_t least = std::min<std::int32_t>(lag, e.first);
    const std::int32_t end = std::max<std::int32_t>(lag_end, e.first + e.length);
    if (begin >= 0 && i - begin < shape.rows && end - least <= shape.columns) {
      lag = least;
      lag_end = end;
    } else {
      if (begin >= 0) block(BlockPlace{begin, lag});
      begin = i;
      lag = e.first;
      lag_end = e.first + e.length;
    }
  }
  if (begin >= 0) block(BlockPlace{begin, lag});
}

/// Table 4 of the paper.
struct BlockCounts {
  std::int64_t blocks = 0;
  std::int64_t values = 0;
  [[nodiscard]] constexpr double share(const BlockShape& shape) const {
    return blocks == 0 ? 0.0 : static_cast<double>(values) / (static_cast<double>(blocks) * shape.rows * shape.columns);
  }
};
/// Adds those of a slice, without its values.
template <class ExtentOf>
void count_blocks(std::int32_t rows, const BlockShape& shape, ExtentOf extent, BlockCounts& counts) {
  for (std::int32_t i = 0; i < rows; ++i) counts.values += extent(i).length;
  cut_slice(rows, shape, extent, [&](const BlockPlace&) { ++counts.blocks; });
}

/// Number of the blocks that a tile is cut into; `tile` needs no values. Errors as cut_slice.
template <class T>
std::int64_t number_of_full_blocks(const Tile<T>& tile, const BlockShape& shape);

/// Blocks of consecutive slices for all rows of a tile, in the order of slices.
template <class T>
struct FullBlocks {
  BlockShape shape;
  std::int32_t row_begin = 0;
  std::int32_t rows = 0;
  std::vector<std::int32_t> slice;  ///< of each block
  std::vector<BlockPlace> place;    ///< rows from row_begin on
  std::vector<T> values;            ///< [block][column][row], zeros where there is none
};
/// Cuts a tile in main memory. Errors as cut_slice.
template <class T>
FullBlocks<T> full_blocks(const Tile<T>& tile, const BlockShape& shape);

/// The arrays of FullBlocks where a product runs.
template <class T>
struct FullBlocksView {
  BlockShape shape;
  std::int32_t row_begin = 0;
  std::int32_t rows = 0;
  std::int32_t count = 0;
  const std::int32_t* slice = nullptr;
  const BlockPlace* place = nullptr;
  const T* values = nullptr;
};
template <class T>
FullBlocksView<T> view(const FullBlocks<T>& blocks) {
  return {blocks.shape,        blocks.row_begin,    blocks.rows,         static_cast<std::int32_t>(blocks.slice.size()),
          blocks.slice.data(), blocks.place.data(), blocks.values.data()};
}

/// Where the blocks of a tile are in a piece of memory: its arrays begin at these bytes.
struct PlacedFullBlocks {
  std::int64_t slice = 0, place = 0, values = 0;
  std::int32_t row_begin = 0, rows = 0;
  std::int32_t count = 0;
};
template <class T>
FullBlocksView<T> full_blocks_in(const void* memory, const PlacedFullBlocks& p, const BlockShape& shape) {
  const char* const bytes = static_cast<const char*>(memory);
  return {shape,
          p.row_begin,
          p.rows,
          p.count,
          reinterpret_cast<const std::int32_t*>(bytes + p.slice),
          reinterpret_cast<const BlockPlace*>(bytes + p.place),
          reinterpret_cast<const T*>(bytes + p.values)};
}

namespace cpu {

/// As product(), of wave 0. Throws std::invalid_argument for other groups than 1 to max_group and other shapes.
template <class T>
void full_blocks_product(const FullBlocksView<T>& blocks, const Windows<T>& windows, const Sums<T>& sums);

}  // namespace cpu

/// Throws std::invalid_argument for shapes and groups that no kernel is compiled for.
void check_blocks(const BlockShape& shape, std::int32_t group);

}  // namespace asterism::tdbem
