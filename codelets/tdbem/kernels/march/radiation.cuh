// SPDX-License-Identifier: Apache-2.0
// A thread block per panel of rows and lag: each of its warps takes some of the unknowns that are near, for a row per
// lane. Few values are read, so what takes time is how many of them come one after the other.
#pragma once

#include "codelets/tdbem/kernels/march/radiation.hpp"

namespace asterism::tdbem::cuda {

inline constexpr int radiation_warps = 8;
inline constexpr int radiation_threads = radiation_warps * panel_rows;

inline std::uint32_t radiation_blocks(std::int32_t row_begin, std::int32_t lags, std::int32_t begin, std::int32_t end) {
  if (begin >= end || lags <= 0) return 0;
  const std::int32_t panels = (end - row_begin + panel_rows - 1) / panel_rows - (begin - row_begin) / panel_rows;
  return static_cast<std::uint32_t>(panels * lags);
}

/// `lags`: group - 1 - g0, those that still count.
template <class T>
__global__ void __launch_bounds__(radiation_threads)
    radiate_kernel(const __grid_constant__ NearRowsView<T> near, std::int32_t g0, std::int32_t lags,
                   const __grid_constant__ Found<T> found, const __grid_constant__ Sums<T> sums, std::int32_t begin,
                   std::int32_t end) {
  __shared__ T part[radiation_warps][panel_rows];
  const std::int32_t lane = static_cast<std::int32_t>(threadIdx.x) % panel_rows;
  const std::int32_t warp = static_cast<std::int32_t>(threadIdx.x) / panel_rows;
  const std::int32_t k = static_cast<std::int32_t>(blockIdx.x) % lags + 1;
  const std::int32_t panel = (begin - near.row_begin) / panel_rows + static_cast<std::int32_t>(blockIdx.x) / lags;
  const std::int32_t i = near.row_begin + panel * panel_rows + lane;
  const bool wanted = i >= begin && i < end;
  const std::int64_t place = near.begin[panel];
  const std::int32_t places = near.reached[static_cast<std::int64_t>(panel) * near.lags + k - 1];
  const std::int32_t* const column = near.column + place * panel_rows + lane;
  const T* const values = near.values + (place * near.lags + k - 1) * panel_rows + lane;
  T s = 0;
  if (wanted)
    for (std::int32_t p = warp; p < places; p += radiation_warps)
      s += values[static_cast<std::int64_t>(p) * near.lags * panel_rows] *
           found.values[column[static_cast<std::int64_t>(p) * panel_rows] - found.unknown_begin];
  part[warp][lane] = s;
  __syncthreads();
  if (warp != 0 || !wanted) return;
  T sum = part[0][lane];
  for (int w = 1; w < radiation_warps; ++w) sum += part[w][lane];
  sums.values[static_cast<std::int64_t>(i - sums.row_begin) * (near.lags + 1) + g0 + k] += sum;
}

}  // namespace asterism::tdbem::cuda
