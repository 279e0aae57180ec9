#include "codelets/tdbem/near_rows.hpp"

#include <algorithm>

namespace asterism::tdbem {
namespace {

template <class T>
struct Pair {
  std::int32_t column;
  std::int32_t first;
  std::int32_t length;
  const T* values;  ///< panel_rows apart
};

template <class T>
std::vector<std::vector<Pair<T>>> near_pairs(const Tile<T>* tiles, std::int32_t count, std::int32_t row_begin,
                                             std::int32_t rows, std::int32_t lags) {
  std::vector<std::vector<Pair<T>>> pairs(static_cast<std::size_t>(rows));
  for (std::int32_t t = 0; t < count; ++t) {
    const Tile<T>& tile = tiles[t];
    const std::int32_t begin = std::max(row_begin, tile.row_begin);
    const std::int32_t end = std::min(row_begin + rows, tile.row_begin + tile.rows);
    for (std::int32_t i = begin; i < end; ++i)
      for (std::int32_t slice = 0; slice < tile.slices; ++slice) {
        const std::int32_t panel = (i - tile.row_begin) / panel_rows;
        const std::int32_t row = (i - tile.row_begin) % panel_rows;
        const std::int64_t x = static_cast<std::int64_t>(panel) * tile.slices + slice;
        const std::int32_t first = tile.first[x * panel_rows + row];
        const std::int32_t length = tile.length[x * panel_rows + row];
        if (length == 0 || first > lags) continue;
        pairs[static_cast<std::size_t>(i - row_begin)].push_back(
            {tile.slice_begin + slice, first, length,
             tile.values + static_cast<std::int64_t>(tile.start[x]) * panel_rows + row});
      }
  }
  for (auto& row : pairs)
    std::stable_sort(row.begin(), row.end(), [](const Pair<T>& a, const Pair<T>& b) { return a.first < b.first; });
  return pairs;
}

}  // namespace

template <class T>
NearRows<T> near_rows(const Tile<T>* tiles, std::int32_t count, std::int32_t row_begin, std::int32_t rows,
                      std::int32_t group) {
  NearRows<T> near;
  near.row_begin = row_begin;
  near.rows = rows;
  near.lags = group - 1;
  const std::vector<std::vector<Pair<T>>> pairs = near_pairs(tiles, count, row_begin, rows, near.lags);
  near.begin.push_back(0);
  for (std::int32_t panel = 0; panel * panel_rows < rows; ++panel) {
    const std::int32_t row_end = std::min(panel_rows, rows - panel * panel_rows);
    const auto row_pairs = [&](std::int32_t row) -> const std::vector<Pair<T>>& {
      return pairs[static_cast<std::size_t>(panel * panel_rows + row)];
    };
    for (std::int32_t k = 1; k <= near.lags; ++k) {
      std::int64_t most = 0;
      for (std::int32_t row = 0; row < row_end; ++row)
        most = std::max<std::int64_t>(most, std::count_if(row_pairs(row).begin(), row_pairs(row).end(),
                                                          [&](const Pair<T>& p) { return p.first <= k; }));
      near.reached.push_back(static_cast<std::int32_t>(most));
    }
    const std::int64_t begin = near.begin.back();
    const std::int64_t end = begin + (near.lags == 0 ? 0 : near.reached.back());
    near.begin.push_back(end);
    near.column.resize(static_cast<std::size_t>(end * panel_rows), row_begin);
    near.values.resize(static_cast<std::size_t>(end * near.lags * panel_rows));
    for (std::int32_t row = 0; row < row_end; ++row)
      for (std::size_t p = 0; p < row_pairs(row).size(); ++p) {
        const Pair<T>& pair = row_pairs(row)[p];
        const std::int64_t place = begin + static_cast<std::int64_t>(p);
        near.column[static_cast<std::size_t>(place * panel_rows + row)] = pair.column;
        for (std::int32_t k = pair.first; k < pair.first + pair.length && k <= near.lags; ++k)
          near.values[static_cast<std::size_t>((place * near.lags + k - 1) * panel_rows + row)] =
              pair.values[static_cast<std::int64_t>(k - pair.first) * panel_rows];
        ++near.pairs;
      }
  }
  return near;
}

template NearRows<double> near_rows(const Tile<double>*, std::int32_t, std::int32_t, std::int32_t, std::int32_t);
template NearRows<float> near_rows(const Tile<float>*, std::int32_t, std::int32_t, std::int32_t, std::int32_t);

}  // namespace asterism::tdbem
