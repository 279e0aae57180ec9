#include "codelets/tdbem/kernels/product/k_order.hpp"

#include <algorithm>
#include <limits>

#include "base/isa.hpp"

namespace asterism::tdbem {
namespace {

/// Calls f(row, slice, k, value), counted from the front's first ones, slices of a row in order.
template <class T, class F>
void for_each_value(const Tile<T>& tile, const Front<T>& front, F f) {
  for (std::int32_t i = 0; i < tile.rows; ++i)
    for (std::int32_t slice = 0; slice < tile.slices; ++slice) {
      const std::int64_t x = static_cast<std::int64_t>(i / panel_rows) * tile.slices + slice;
      const std::int64_t row = x * panel_rows + i % panel_rows;
      for (std::int32_t c = 0; c < tile.length[row]; ++c)
        f(tile.row_begin - front.row_begin + i, tile.slice_begin - front.slice_begin + slice, tile.first[row] + c,
          tile.values[(static_cast<std::int64_t>(tile.start[x]) + c) * panel_rows + i % panel_rows]);
    }
}

template <class T>
ASTERISM_INLINE void multiply(const Front<T>& front, const T* past, T* s) {
  for (std::int32_t k = 1; k <= front.lags; ++k) {
    const std::int32_t* const start = front.starts(k);
    const std::int32_t* const column = front.column.data() + front.matrix_begin[static_cast<std::size_t>(k - 1)];
    const T* const values = front.values.data() + front.matrix_begin[static_cast<std::size_t>(k - 1)];
    const T* const a = past + static_cast<std::int64_t>(k - 1) * front.slices;
    for (std::int32_t i = 0; i < front.rows; ++i) {
      T sum = 0;
      for (std::int32_t e = start[i]; e < start[i + 1]; ++e) sum += values[e] * a[column[e]];
      s[i] += sum;
    }
  }
}
ASTERISM_CLONES void multiply_clones(const Front<double>& front, const double* past, double* s) {
  multiply(front, past, s);
}
ASTERISM_CLONES void multiply_clones(const Front<float>& front, const float* past, float* s) {
  multiply(front, past, s);
}

}  // namespace

template <class T>
Front<T> front_of(const Tile<T>* tiles, std::int32_t count) {
  Front<T> front;
  if (count == 0) {
    front.matrix_begin = {0};
    return front;
  }
  std::vector<const Tile<T>*> in_order;
  std::int32_t row_end = 0, slice_end = 0;
  front.row_begin = front.slice_begin = std::numeric_limits<std::int32_t>::max();
  for (std::int32_t t = 0; t < count; ++t) {
    in_order.push_back(&tiles[t]);
    front.row_begin = std::min(front.row_begin, tiles[t].row_begin);
    front.slice_begin = std::min(front.slice_begin, tiles[t].slice_begin);
    row_end = std::max(row_end, tiles[t].row_begin + tiles[t].rows);
    slice_end = std::max(slice_end, tiles[t].slice_begin + tiles[t].slices);
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const Tile<T>* a, const Tile<T>* b) { return a->slice_begin < b->slice_begin; });
  front.rows = row_end - front.row_begin;
  front.slices = slice_end - front.slice_begin;
  for (const Tile<T>* tile : in_order)
    for_each_value(*tile, front,
                   [&](std::int32_t, std::int32_t, std::int32_t k, T) { front.lags = std::max(front.lags, k); });

  // entries per row of each matrix, then where each begins
  const auto place = [&](std::int32_t k, std::int32_t row) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(k - 1) * (front.rows + 1) + row);
  };
  front.row_start.assign(place(front.lags + 1, 0), 0);
  for (const Tile<T>* tile : in_order)
    for_each_value(*tile, front,
                   [&](std::int32_t row, std::int32_t, std::int32_t k, T) { ++front.row_start[place(k, row + 1)]; });
  front.matrix_begin.push_back(0);
  for (std::int32_t k = 1; k <= front.lags; ++k) {
    for (std::int32_t row = 0; row < front.rows; ++row)
      front.row_start[place(k, row + 1)] += front.row_start[place(k, row)];
    front.matrix_begin.push_back(front.matrix_begin.back() + front.row_start[place(k, front.rows)]);
  }
  front.column.resize(static_cast<std::size_t>(front.matrix_begin.back()));
  front.values.resize(front.column.size());
  std::vector<std::int32_t> next = front.row_start;
  for (const Tile<T>* tile : in_order)
    for_each_value(*tile, front, [&](std::int32_t row, std::int32_t slice, std::int32_t k, T value) {
      const auto e =
          static_cast<std::size_t>(front.matrix_begin[static_cast<std::size_t>(k - 1)] + next[place(k, row)]++);
      front.column[e] = slice;
      front.values[e] = value;
    });
  return front;
}

template Front<double> front_of(const Tile<double>*, std::int32_t);
template Front<float> front_of(const Tile<float>*, std::int32_t);

namespace cpu {

template <class T>
void front_product(const Front<T>& front, const T* past, T* s) {
  multiply_clones(front, past, s);
}
template void front_product(const Front<double>&, const double*, double*);
template void front_product(const Front<float>&, const float*, float*);

}  // namespace cpu
}  // namespace asterism::tdbem
