// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/product/variants.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/isa.hpp"
#include "codelets/tdbem/kernels/product/with_group.hpp"

namespace asterism::tdbem::cpu {
namespace {

/// Calls f(i, j, values, columns, first) for every row-vector of a tile, in the order of memory.
template <class T, class F>
ASTERISM_INLINE void for_each_row_vector(const Tile<T>& tile, F f) {
  for (std::int32_t panel = 0; panel < tile.panels(); ++panel)
    for (std::int32_t slice = 0; slice < tile.slices; ++slice) {
      const std::int64_t x = static_cast<std::int64_t>(panel) * tile.slices + slice;
      const T* const values = tile.values + static_cast<std::int64_t>(tile.start[x]) * panel_rows;
      const auto columns = static_cast<std::int32_t>(tile.start[x + 1] - tile.start[x]);
      const std::int32_t rows = std::min(panel_rows, tile.rows - panel * panel_rows);
      for (std::int32_t row = 0; row < rows; ++row)
        f(tile.row_begin + panel * panel_rows + row, tile.slice_begin + slice, values + row, columns,
          static_cast<std::int32_t>(tile.first[x * panel_rows + row]));
    }
}

template <class T>
ASTERISM_INLINE void scalar_tile(const Tile<T>& tile, const Windows<T>& windows, const Sums<T>& sums) {
  const WindowShape& shape = windows.shape;
  for (std::int32_t g = 0; g < shape.group; ++g)
    for_each_row_vector(
        tile, [&](std::int32_t i, std::int32_t j, const T* values, std::int32_t columns, std::int32_t first) {
          const T* const past = windows.values + (j - windows.slice_begin) * shape.stride + shape.reach - first + g;
          T s = 0;
          for (std::int32_t c = 0; c < columns; ++c) s += values[c * panel_rows] * past[-c];
          sums.values[static_cast<std::int64_t>(i - sums.row_begin) * shape.group + g] += s;
        });
}
ASTERISM_CLONES void scalar_clones(const Tile<double>& tile, const Windows<double>& windows, const Sums<double>& sums) {
  scalar_tile(tile, windows, sums);
}
ASTERISM_CLONES void scalar_clones(const Tile<float>& tile, const Windows<float>& windows, const Sums<float>& sums) {
  scalar_tile(tile, windows, sums);
}

template <class T, int group>
ASTERISM_INLINE void matrix_vector_tile(const Tile<T>& tile, const SeparateWindows<T>& windows, const Sums<T>& sums) {
  const std::int64_t apart = windows.slices * windows.shape.stride;
  for_each_row_vector(
      tile, [&](std::int32_t i, std::int32_t j, const T* values, std::int32_t columns, std::int32_t first) {
        const T* const past =
            windows.values + (j - windows.slice_begin) * windows.shape.stride + windows.shape.reach - first;
        T s[group] = {};
        for (std::int32_t c = 0; c < columns; ++c)
          for (int g = 0; g < group; ++g) s[g] += values[c * panel_rows] * past[g * apart - c];
        T* const to = sums.values + static_cast<std::int64_t>(i - sums.row_begin) * group;
        for (int g = 0; g < group; ++g) to[g] += s[g];
      });
}
template <int group>
ASTERISM_CLONES void matrix_vector_clones(const Tile<double>& tile, const SeparateWindows<double>& windows,
                                          const Sums<double>& sums) {
  matrix_vector_tile<double, group>(tile, windows, sums);
}
template <int group>
ASTERISM_CLONES void matrix_vector_clones(const Tile<float>& tile, const SeparateWindows<float>& windows,
                                          const Sums<float>& sums) {
  matrix_vector_tile<float, group>(tile, windows, sums);
}

}  // namespace

template <class T>
void scalar_products(const Tile<T>* tiles, std::int32_t count, const Windows<T>& windows, const Sums<T>& sums) {
  for (std::int32_t t = 0; t < count; ++t) scalar_clones(tiles[t], windows, sums);
}

template <class T>
void matrix_vector_products(const Tile<T>* tiles, std::int32_t count, const SeparateWindows<T>& windows,
                            const Sums<T>& sums) {
  const std::int32_t group = windows.shape.group;
  if (group < 1 || group > max_group) throw std::invalid_argument("product: groups have 1 to 16 summation vectors");
  with_group<max_group>(group, [&](auto n) {
    for (std::int32_t t = 0; t < count; ++t) matrix_vector_clones<n.value>(tiles[t], windows, sums);
  });
}

template <class T>
void separate(const Windows<T>& windows, const SeparateWindows<T>& shape, T* values) {
  for (std::int32_t g = 0; g < shape.shape.group; ++g)
    for (std::int32_t j = 0; j < shape.slices; ++j) {
      const T* const window =
          windows.values + (shape.slice_begin + j - windows.slice_begin) * windows.shape.stride + windows.shape.reach;
      T* const to = values + (static_cast<std::int64_t>(g) * shape.slices + j) * shape.shape.stride;
      std::fill_n(to, shape.shape.stride, T(0));
      for (std::int32_t k = 1; k <= shape.shape.reach; ++k)
        if (k - g <= windows.shape.reach) to[shape.shape.reach - k] = window[g - k];
    }
}

template void scalar_products(const Tile<double>*, std::int32_t, const Windows<double>&, const Sums<double>&);
template void scalar_products(const Tile<float>*, std::int32_t, const Windows<float>&, const Sums<float>&);
template void matrix_vector_products(const Tile<double>*, std::int32_t, const SeparateWindows<double>&,
                                     const Sums<double>&);
template void matrix_vector_products(const Tile<float>*, std::int32_t, const SeparateWindows<float>&,
                                     const Sums<float>&);
template void separate(const Windows<double>&, const SeparateWindows<double>&, double*);
template void separate(const Windows<float>&, const SeparateWindows<float>&, float*);

}  // namespace asterism::tdbem::cpu
