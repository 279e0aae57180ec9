// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/assembly/near_rows.hpp"

#include <algorithm>

namespace asterism::tdbem {

template <class T>
void add_near_pairs(const Tile<T>& tile, NearPairs<T>& near) {
  for (std::int32_t r = 0; r < tile.rows; ++r)
    for (std::int32_t slice = 0; slice < tile.slices; ++slice) {
      const std::int64_t x = static_cast<std::int64_t>(r / panel_rows) * tile.slices + slice;
      const std::int32_t row = r % panel_rows;
      const std::int32_t first = tile.first[x * panel_rows + row];
      const std::int32_t length = tile.length[x * panel_rows + row];
      if (length == 0 || first > near.lags) continue;
      near.pairs.push_back({tile.row_begin + r, tile.slice_begin + slice, first});
      const T* const values = tile.values + static_cast<std::int64_t>(tile.start[x]) * panel_rows + row;
      for (std::int32_t k = 1; k <= near.lags; ++k) {
        const bool inside = k >= first && k < first + length;
        near.values.push_back(inside ? values[static_cast<std::int64_t>(k - first) * panel_rows] : T(0));
      }
    }
}

template <class T>
NearRows<T> near_rows(const NearPairs<T>& pairs, std::int32_t row_begin, std::int32_t rows) {
  NearRows<T> near;
  near.row_begin = row_begin;
  near.rows = rows;
  near.lags = pairs.lags;
  // of each row, in the order of first lags
  std::vector<std::vector<std::size_t>> of_row(static_cast<std::size_t>(rows));
  for (std::size_t p = 0; p < pairs.pairs.size(); ++p) {
    const std::int32_t row = pairs.pairs[p].row - row_begin;
    if (row >= 0 && row < rows) of_row[static_cast<std::size_t>(row)].push_back(p);
  }
  const auto first = [&](std::size_t p) { return pairs.pairs[p].first; };
  for (auto& row : of_row)
    std::stable_sort(row.begin(), row.end(), [&](std::size_t a, std::size_t b) { return first(a) < first(b); });
  near.begin.push_back(0);
  for (std::int32_t panel = 0; panel * panel_rows < rows; ++panel) {
    const std::int32_t row_end = std::min(panel_rows, rows - panel * panel_rows);
    const auto row_pairs = [&](std::int32_t row) -> const std::vector<std::size_t>& {
      return of_row[static_cast<std::size_t>(panel * panel_rows + row)];
    };
    for (std::int32_t k = 1; k <= near.lags; ++k) {
      std::int64_t most = 0;
      for (std::int32_t row = 0; row < row_end; ++row)
        most = std::max<std::int64_t>(most, std::count_if(row_pairs(row).begin(), row_pairs(row).end(),
                                                          [&](std::size_t p) { return first(p) <= k; }));
      near.reached.push_back(static_cast<std::int32_t>(most));
    }
    const std::int64_t begin = near.begin.back();
    const std::int64_t end = begin + (near.lags == 0 ? 0 : near.reached.back());
    near.begin.push_back(end);
    near.column.resize(static_cast<std::size_t>(end * panel_rows), row_begin);
    near.values.resize(static_cast<std::size_t>(end * near.lags * panel_rows));
    for (std::int32_t row = 0; row < row_end; ++row)
      for (std::size_t p = 0; p < row_pairs(row).size(); ++p) {
        const std::size_t pair = row_pairs(row)[p];
        const std::int64_t place = begin + static_cast<std::int64_t>(p);
        near.column[static_cast<std::size_t>(place * panel_rows + row)] = pairs.pairs[pair].column;
        for (std::int32_t k = 1; k <= near.lags; ++k)
          near.values[static_cast<std::size_t>((place * near.lags + k - 1) * panel_rows + row)] =
              pairs.values[pair * static_cast<std::size_t>(near.lags) + static_cast<std::size_t>(k - 1)];
        ++near.pairs;
      }
  }
  return near;
}

#define ASTERISM_NEAR_ROWS(T)                                  \
  template void add_near_pairs(const Tile<T>&, NearPairs<T>&); \
  template NearRows<T> near_rows(const NearPairs<T>&, std::int32_t, std::int32_t);
ASTERISM_NEAR_ROWS(float)
ASTERISM_NEAR_ROWS(double)
#undef ASTERISM_NEAR_ROWS

}  // namespace asterism::tdbem
