// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/product/k_order.hpp"

#include <algorithm>
#include <limits>

#include "base/isa.hpp"

namespace asterism::tdbem {
namespace {

/// Calls f(row, slice, k, value), counted from the matrices' first ones, slices of a row in order.
template <class T, class F>
void for_each_value(const Tile<T>& tile, const KOrder<T>& k_order, F f) {
  for (std::int32_t i = 0; i < tile.rows; ++i)
    for (std::int32_t slice = 0; slice < tile.slices; ++slice) {
      const std::int64_t x = static_cast<std::int64_t>(i / panel_rows) * tile.slices + slice;
      const std::int64_t row = x * panel_rows + i % panel_rows;
      for (std::int32_t c = 0; c < tile.length[row]; ++c)
        f(tile.row_begin - k_order.row_begin + i, tile.slice_begin - k_order.slice_begin + slice, tile.first[row] + c,
          tile.values[(static_cast<std::int64_t>(tile.start[x]) + c) * panel_rows + i % panel_rows]);
    }
}

template <class T>
ASTERISM_INLINE void multiply(const KOrder<T>& k_order, const T* past, T* s) {
  for (std::int32_t k = 1; k <= k_order.lags; ++k) {
    const std::int32_t* const start = k_order.starts(k);
    const std::int32_t* const column = k_order.column.data() + k_order.matrix_begin[static_cast<std::size_t>(k - 1)];
    const T* const values = k_order.values.data() + k_order.matrix_begin[static_cast<std::size_t>(k - 1)];
    const T* const a = past + static_cast<std::int64_t>(k - 1) * k_order.slices;
    for (std::int32_t i = 0; i < k_order.rows; ++i) {
      T sum = 0;
      for (std::int32_t e = start[i]; e < start[i + 1]; ++e) sum += values[e] * a[column[e]];
      s[i] += sum;
    }
  }
}
ASTERISM_CLONES void multiply_clones(const KOrder<double>& k_order, const double* past, double* s) {
  multiply(k_order, past, s);
}
ASTERISM_CLONES void multiply_clones(const KOrder<float>& k_order, const float* past, float* s) {
  multiply(k_order, past, s);
}

}  // namespace

template <class T>
KOrder<T> k_order_of(const Tile<T>* tiles, std::int32_t count) {
  KOrder<T> k_order;
  if (count == 0) {
    k_order.matrix_begin = {0};
    return k_order;
  }
  std::vector<const Tile<T>*> in_order;
  std::int32_t row_end = 0, slice_end = 0;
  k_order.row_begin = k_order.slice_begin = std::numeric_limits<std::int32_t>::max();
  for (std::int32_t t = 0; t < count; ++t) {
    in_order.push_back(&tiles[t]);
    k_order.row_begin = std::min(k_order.row_begin, tiles[t].row_begin);
    k_order.slice_begin = std::min(k_order.slice_begin, tiles[t].slice_begin);
    row_end = std::max(row_end, tiles[t].row_begin + tiles[t].rows);
    slice_end = std::max(slice_end, tiles[t].slice_begin + tiles[t].slices);
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const Tile<T>* a, const Tile<T>* b) { return a->slice_begin < b->slice_begin; });
  k_order.rows = row_end - k_order.row_begin;
  k_order.slices = slice_end - k_order.slice_begin;
  for (const Tile<T>* tile : in_order)
    for_each_value(*tile, k_order,
                   [&](std::int32_t, std::int32_t, std::int32_t k, T) { k_order.lags = std::max(k_order.lags, k); });

  // entries per row of each matrix, then where each begins
  const auto place = [&](std::int32_t k, std::int32_t row) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(k - 1) * (k_order.rows + 1) + row);
  };
  k_order.row_start.assign(place(k_order.lags + 1, 0), 0);
  for (const Tile<T>* tile : in_order)
    for_each_value(*tile, k_order,
                   [&](std::int32_t row, std::int32_t, std::int32_t k, T) { ++k_order.row_start[place(k, row + 1)]; });
  k_order.matrix_begin.push_back(0);
  for (std::int32_t k = 1; k <= k_order.lags; ++k) {
    for (std::int32_t row = 0; row < k_order.rows; ++row)
      k_order.row_start[place(k, row + 1)] += k_order.row_start[place(k, row)];
    k_order.matrix_begin.push_back(k_order.matrix_begin.back() + k_order.row_start[place(k, k_order.rows)]);
  }
  k_order.column.resize(static_cast<std::size_t>(k_order.matrix_begin.back()));
  k_order.values.resize(k_order.column.size());
  std::vector<std::int32_t> next = k_order.row_start;
  for (const Tile<T>* tile : in_order)
    for_each_value(*tile, k_order, [&](std::int32_t row, std::int32_t slice, std::int32_t k, T value) {
      const auto e =
          static_cast<std::size_t>(k_order.matrix_begin[static_cast<std::size_t>(k - 1)] + next[place(k, row)]++);
      k_order.column[e] = slice;
      k_order.values[e] = value;
    });
  return k_order;
}

template KOrder<double> k_order_of(const Tile<double>*, std::int32_t);
template KOrder<float> k_order_of(const Tile<float>*, std::int32_t);

namespace cpu {

template <class T>
void k_order_product(const KOrder<T>& k_order, const T* past, T* s) {
  multiply_clones(k_order, past, s);
}
template void k_order_product(const KOrder<double>&, const double*, double*);
template void k_order_product(const KOrder<float>&, const float*, float*);

}  // namespace cpu
}  // namespace asterism::tdbem
