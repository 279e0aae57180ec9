// A thread per row and lag, rows of a panel beside each other.
#pragma once

#include "codelets/tdbem/radiation.hpp"

namespace asterism::tdbem::cuda {

inline constexpr int radiation_threads = 128;

inline std::uint32_t radiation_blocks(std::int32_t row_begin, std::int32_t lags, std::int32_t begin, std::int32_t end) {
  if (begin >= end || lags <= 0) return 0;
  const std::int32_t panels = (end - row_begin + panel_rows - 1) / panel_rows - (begin - row_begin) / panel_rows;
  return static_cast<std::uint32_t>((panels * lags * panel_rows + radiation_threads - 1) / radiation_threads);
}

/// `lags`: group - 1 - g0, those that still count.
template <class T>
__global__ void __launch_bounds__(radiation_threads)
    radiate_kernel(const __grid_constant__ NearRowsView<T> near, std::int32_t g0, std::int32_t lags,
                   const __grid_constant__ Found<T> found, const __grid_constant__ Sums<T> sums, std::int32_t begin,
                   std::int32_t end) {
  const std::int32_t number =
      static_cast<std::int32_t>(blockIdx.x) * radiation_threads + static_cast<std::int32_t>(threadIdx.x);
  const std::int32_t lane = number % panel_rows;
  const std::int32_t k = number / panel_rows % lags + 1;
  const std::int32_t panel = (begin - near.row_begin) / panel_rows + number / panel_rows / lags;
  const std::int32_t i = near.row_begin + panel * panel_rows + lane;
  if (i < begin || i >= end) return;
  const std::int64_t place = near.begin[panel];
  const std::int32_t places = near.reached[static_cast<std::int64_t>(panel) * near.lags + k - 1];
  const std::int32_t* const column = near.column + place * panel_rows + lane;
  const T* const values = near.values + (place * near.lags + k - 1) * panel_rows + lane;
  T s = 0;
  for (std::int32_t p = 0; p < places; ++p)
    s += values[static_cast<std::int64_t>(p) * near.lags * panel_rows] *
         found.values[column[static_cast<std::int64_t>(p) * panel_rows] - found.unknown_begin];
  sums.values[static_cast<std::int64_t>(i - sums.row_begin) * (near.lags + 1) + g0 + k] += s;
}

}  // namespace asterism::tdbem::cuda
