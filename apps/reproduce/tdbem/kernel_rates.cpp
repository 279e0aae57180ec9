// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/tdbem/kernel_rates.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/isa.hpp"
#include "base/vectors.hpp"
#include "runtime/clock.hpp"

namespace asterism::apps::reproduce {

using namespace asterism::tdbem;

namespace {

template <class F>
double fastest(int repetitions, const F& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int r = -1; r < repetitions; ++r) {  // the first warms up
    const auto begin = Clock::now();
    work();
    if (r >= 0) least = std::min(least, seconds_since(begin));
  }
  return least;
}

constexpr int accumulators = 12;  // cover the latency of a multiply-add
constexpr std::int64_t rounds = 20'000'000;

/// So many rounds of a multiply-add in each accumulator; their sum, so that none is left out.
template <class T>
ASTERISM_INLINE T multiply_add(T factor, T addend) {
  Vector<T> sum[accumulators] = {};
  for (std::int64_t n = 0; n < rounds; ++n)
#pragma GCC unroll 16
    for (Vector<T>& s : sum) s = s * factor + addend;
  T total = 0;
  for (const Vector<T>& s : sum)
    for (int l = 0; l < width<T>; ++l) total += s[l];
  return total;
}
ASTERISM_CLONES double multiply_add_clones(double factor, double addend) {
  return multiply_add(factor, addend);
}
ASTERISM_CLONES float multiply_add_clones(float factor, float addend) {
  return multiply_add(factor, addend);
}

}  // namespace

std::int32_t DenseSlices::first_lag(std::int32_t i, std::int32_t j) const {
  const std::int64_t apart = std::abs(i - static_cast<std::int64_t>(j) * rows / slices);
  return 1 + static_cast<std::int32_t>(apart * (largest_lag - 1) / rows);
}

template <class T>
Vectors<T>::Vectors(const DenseSlices& slices, std::int32_t columns) {
  const std::int32_t reach = DenseSlices::largest_lag + columns;
  windows.shape = {reach, DenseSlices::group, (reach + DenseSlices::group + 15) / 16 * 16};
  past.assign(static_cast<std::size_t>(slices.slices) * static_cast<std::size_t>(windows.shape.stride), T(0.5));
  windows.values = past.data();
  sums.assign(static_cast<std::size_t>(slices.rows) * DenseSlices::group, T(0));
}

template <class T>
FullBlocks<T> dense_full_blocks(const DenseSlices& slices, const BlockShape& shape) {
  FullBlocks<T> blocks{shape, 0, slices.rows, {}, {}, {}};
  for (std::int32_t j = 0; j < slices.slices; ++j)
    for (std::int32_t row = 0; row < slices.rows; row += shape.rows) {
      blocks.slice.push_back(j);
      blocks.place.push_back({row, slices.first_lag(row, j)});
    }
  blocks.values.assign(blocks.slice.size() * static_cast<std::size_t>(shape.rows * shape.columns), T(0.25));
  return blocks;
}

template <class T>
DenseTile<T>::DenseTile(const DenseSlices& slices, std::int32_t columns) {
  const std::int32_t panels = (slices.rows + panel_rows - 1) / panel_rows;
  const std::size_t vectors =
      static_cast<std::size_t>(panels) * static_cast<std::size_t>(slices.slices) * static_cast<std::size_t>(panel_rows);
  first.reserve(vectors);
  start.push_back(0);
  for (std::int32_t panel = 0; panel < panels; ++panel)
    for (std::int32_t j = 0; j < slices.slices; ++j) {
      start.push_back(start.back() + static_cast<std::uint32_t>(columns));
      for (std::int32_t row = panel * panel_rows; row < (panel + 1) * panel_rows; ++row)
        first.push_back(static_cast<std::uint16_t>(slices.first_lag(row, j)));
    }
  length.assign(vectors, static_cast<std::uint8_t>(columns));
  values.assign(vectors * static_cast<std::size_t>(columns), T(0.25));
  tile = {0, slices.rows, 0, slices.slices, start.data(), first.data(), length.data(), values.data()};
}

template <class T>
double full_blocking_rate(const DenseSlices& slices, const BlockShape& shape) {
  Vectors<T> vectors(slices, shape.columns);
  const FullBlocks<T> blocks = dense_full_blocks<T>(slices, shape);
  const double seconds = fastest(slices.repetitions, [&] {
    cpu::full_blocks_product(view(blocks), vectors.windows, Sums<T>{vectors.sums.data(), 0, 0});
  });
  return 2.0 * DenseSlices::group * static_cast<double>(blocks.values.size()) / seconds;
}

template <class T>
double contiguous_blocking_rate(const DenseSlices& slices, std::int32_t columns) {
  Vectors<T> vectors(slices, columns);
  const DenseTile<T> of(slices, columns);
  const double seconds = fastest(slices.repetitions, [&] {
    cpu::product(&of.tile, 1, vectors.windows, Sums<T>{vectors.sums.data(), 0, 0});
  });
  return slices.flops(columns) / seconds;
}

template <class T>
double peak_rate() {
  volatile T sink = 0;
  const double seconds = fastest(3, [&] { sink = multiply_add_clones(T(0.5), T(1)); });
  return 2.0 * accumulators * width<T> * static_cast<double>(rounds) / seconds;
}

template struct Vectors<float>;
template struct Vectors<double>;
template struct DenseTile<float>;
template struct DenseTile<double>;
template FullBlocks<float> dense_full_blocks(const DenseSlices&, const BlockShape&);
template FullBlocks<double> dense_full_blocks(const DenseSlices&, const BlockShape&);
template double full_blocking_rate<float>(const DenseSlices&, const BlockShape&);
template double full_blocking_rate<double>(const DenseSlices&, const BlockShape&);
template double contiguous_blocking_rate<float>(const DenseSlices&, std::int32_t);
template double contiguous_blocking_rate<double>(const DenseSlices&, std::int32_t);
template double peak_rate<float>();
template double peak_rate<double>();

}  // namespace asterism::apps::reproduce
