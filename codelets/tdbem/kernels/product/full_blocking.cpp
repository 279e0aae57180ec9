// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/product/full_blocking.hpp"

#include "base/isa.hpp"
#include "base/vectors.hpp"
#include "codelets/tdbem/kernels/product/with_group.hpp"

namespace asterism::tdbem {
namespace {

constexpr std::int32_t most_columns = 128;
/// How far ahead of their use values are asked for, in bytes.
constexpr std::int64_t ahead = 6144;

/// A row per lane; past[m] is what the block's column shape.columns - 1 - m meets at g = 0. Asks for as many bytes as
/// it reads from `next` on.
template <class T, int group>
ASTERISM_INLINE void multiply_rows(const T* values, const BlockShape& shape, const T* past, std::int32_t rows,
                                   const char* next, T* s) {
  using V = Vector<T>;
  constexpr int lanes = width<T>;
  V sum[group] = {};
  for (std::int32_t c = 0; c < shape.columns; ++c) {
    __builtin_prefetch(next + static_cast<std::int64_t>(c) * 64);
    const V v = *reinterpret_cast<const typename Lanes<T>::Unaligned*>(values + c * shape.rows);
    const T* const a = past + shape.columns - 1 - c;
#pragma GCC unroll 16
    for (int g = 0; g < group; ++g) sum[g] += v * a[g];
  }
  for (std::int32_t r = 0; r < std::min(lanes, rows); ++r)
    for (int g = 0; g < group; ++g) s[r * group + g] += sum[g][r];
}

template <class T, int group>
ASTERISM_INLINE void multiply(const FullBlocksView<T>& blocks, const Windows<T>& windows, const Sums<T>& sums) {
  const WindowShape& shape = windows.shape;
  const std::int32_t columns = blocks.shape.columns;
  for (std::int32_t b = 0; b < blocks.count; ++b) {
    const T* const window = windows.values + (blocks.slice[b] - windows.slice_begin) * shape.stride;
    const BlockPlace place = blocks.place[b];
    T past[most_columns + max_group - 1];
    const std::int32_t begin = shape.reach - (place.lag + columns - 1);
    for (std::int32_t m = 0; m < columns + group - 1; ++m) past[m] = begin + m >= 0 ? window[begin + m] : T(0);
    const T* const values = blocks.values + static_cast<std::int64_t>(b) * blocks.shape.rows * columns;
    T* const s = sums.values + static_cast<std::int64_t>(blocks.row_begin - sums.row_begin + place.row) * group;
    const std::int32_t rows = std::min(blocks.shape.rows, blocks.rows - place.row);
    for (std::int32_t r = 0; r < rows; r += width<T>)
      multiply_rows<T, group>(values + r, blocks.shape, past, rows - r,
                              reinterpret_cast<const char*>(values + static_cast<std::int64_t>(r) * columns) + ahead,
                              s + static_cast<std::int64_t>(r) * group);
  }
}
template <int group>
ASTERISM_CLONES void multiply_clones(const FullBlocksView<double>& blocks, const Windows<double>& windows,
                                     const Sums<double>& sums) {
  multiply<double, group>(blocks, windows, sums);
}
template <int group>
ASTERISM_CLONES void multiply_clones(const FullBlocksView<float>& blocks, const Windows<float>& windows,
                                     const Sums<float>& sums) {
  multiply<float, group>(blocks, windows, sums);
}

}  // namespace

void check_blocks(const BlockShape& shape, std::int32_t group) {
  if (shape.rows != 32 && shape.rows != 64 && shape.rows != 128)
    throw std::invalid_argument("full blocking: blocks have 32, 64 or 128 rows");
  if (shape.columns != 16 && shape.columns != 32 && shape.columns != 64 && shape.columns != 128)
    throw std::invalid_argument("full blocking: blocks have 16, 32, 64 or 128 columns");
  if (group < 1 || group > max_group) throw std::invalid_argument("product: groups have 1 to 16 summation vectors");
}

template <class T>
std::int64_t number_of_full_blocks(const Tile<T>& tile, const BlockShape& shape) {
  struct Lags {
    std::int32_t first, length;
  };
  std::int64_t count = 0;
  for (std::int32_t slice = 0; slice < tile.slices; ++slice) {
    const auto lags = [&](std::int32_t i) {
      const std::int64_t panel = static_cast<std::int64_t>(i / panel_rows) * tile.slices + slice;
      const std::int64_t row = panel * panel_rows + i % panel_rows;
      return Lags{tile.first[row], tile.length[row]};
    };
    cut_slice(tile.rows, shape, lags, [&](const BlockPlace&) { ++count; });
  }
  return count;
}
template std::int64_t number_of_full_blocks(const Tile<double>&, const BlockShape&);
template std::int64_t number_of_full_blocks(const Tile<float>&, const BlockShape&);

template <class T>
FullBlocks<T> full_blocks(const Tile<T>& tile, const BlockShape& shape) {
  struct RowVector {
    std::int32_t first, length;
    const T* values;
  };
  FullBlocks<T> blocks{shape, tile.row_begin, tile.rows, {}, {}, {}};
  for (std::int32_t slice = 0; slice < tile.slices; ++slice) {
    const auto row_vector = [&](std::int32_t i) {
      const std::int64_t x = static_cast<std::int64_t>(i / panel_rows) * tile.slices + slice;
      const std::int64_t row = x * panel_rows + i % panel_rows;
      return RowVector{tile.first[row], tile.length[row],
                       tile.values + static_cast<std::int64_t>(tile.start[x]) * panel_rows + i % panel_rows};
    };
    const std::size_t begin = blocks.place.size();
    cut_slice(tile.rows, shape, row_vector, [&](const BlockPlace& place) { blocks.place.push_back(place); });
    blocks.slice.resize(blocks.place.size(), tile.slice_begin + slice);
    blocks.values.resize(blocks.place.size() * static_cast<std::size_t>(shape.rows * shape.columns));
    for (std::size_t b = begin; b < blocks.place.size(); ++b) {
      const BlockPlace& place = blocks.place[b];
      const std::int32_t end = b + 1 < blocks.place.size() ? blocks.place[b + 1].row : tile.rows;
      T* const to = blocks.values.data() + b * static_cast<std::size_t>(shape.rows * shape.columns);
      for (std::int32_t i = place.row; i < end; ++i) {
        const RowVector v = row_vector(i);
        for (std::int32_t c = 0; c < v.length; ++c)
          to[(v.first + c - place.lag) * shape.rows + i - place.row] =
              v.values[static_cast<std::int64_t>(c) * panel_rows];
      }
    }
  }
  return blocks;
}
template FullBlocks<double> full_blocks(const Tile<double>&, const BlockShape&);
template FullBlocks<float> full_blocks(const Tile<float>&, const BlockShape&);

namespace cpu {

template <class T>
void full_blocks_product(const FullBlocksView<T>& blocks, const Windows<T>& windows, const Sums<T>& sums) {
  check_blocks(blocks.shape, windows.shape.group);
  with_group<max_group>(windows.shape.group, [&](auto n) { multiply_clones<n.value>(blocks, windows, sums); });
}
template void full_blocks_product(const FullBlocksView<double>&, const Windows<double>&, const Sums<double>&);
template void full_blocks_product(const FullBlocksView<float>&, const Windows<float>&, const Sums<float>&);

}  // namespace cpu
}  // namespace asterism::tdbem
