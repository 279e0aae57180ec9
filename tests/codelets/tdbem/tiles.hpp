// SPDX-License-Identifier: Apache-2.0
// Tiles of slices for tests and benchmarks, from where row-vectors begin, how long they are and what they hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codelets/tdbem/kernels/product/product.hpp"
#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

/// Where a row-vector has its values.
struct Extent {
  std::int32_t first = 1;
  std::int32_t length = 0;
};

template <class T>
struct TileArrays {
  std::int32_t row_begin = 0, rows = 0, slice_begin = 0, slices = 0;
  std::vector<std::uint32_t> start;
  std::vector<std::uint16_t> first;
  std::vector<std::uint8_t> length;
  std::vector<T> values;

  [[nodiscard]] Tile<T> tile() const {
    return {row_begin, rows, slice_begin, slices, start.data(), first.data(), length.data(), values.data()};
  }
  [[nodiscard]] std::int32_t last_lag() const {
    std::int32_t last = 1;
    for (std::size_t x = 0; x + 1 < start.size(); ++x)
      for (int row = 0; row < panel_rows; ++row)
        last = std::max<std::int32_t>(
            last, first[x * panel_rows + row] + static_cast<std::int32_t>(start[x + 1] - start[x]) - 1);
    return last;
  }
};

/// extent(i, j) of a pair, value(i, k, j) of M^k.
template <class T, class ExtentOf, class ValueOf>
TileArrays<T> make_tile(std::int32_t row_begin, std::int32_t rows, std::int32_t slice_begin, std::int32_t slices,
                        ExtentOf extent, ValueOf value) {
  TileArrays<T> t{row_begin, rows, slice_begin, slices, {0}, {}, {}, {}};
  for (std::int32_t panel = 0; panel < t.tile().panels(); ++panel)
    for (std::int32_t j = slice_begin; j < slice_begin + slices; ++j) {
      Extent of[panel_rows];
      std::int32_t width = 0;
      for (std::int32_t row = 0; row < panel_rows; ++row) {
        const std::int32_t i = panel * panel_rows + row;
        if (i < rows) of[row] = extent(row_begin + i, j);
        width = std::max(width, of[row].length);
        t.first.push_back(static_cast<std::uint16_t>(of[row].first));
        t.length.push_back(static_cast<std::uint8_t>(of[row].length));
      }
      const std::size_t begin = t.values.size();
      t.values.resize(begin + static_cast<std::size_t>(width) * panel_rows);
      t.start.push_back(static_cast<std::uint32_t>(t.values.size() / panel_rows));
      for (std::int32_t row = 0; row < panel_rows; ++row)
        for (std::int32_t c = 0; c < of[row].length; ++c)
          t.values[begin + static_cast<std::size_t>(c * panel_rows + row)] =
              static_cast<T>(value(row_begin + panel * panel_rows + row, of[row].first + c, j));
    }
  return t;
}

}  // namespace asterism::tdbem
