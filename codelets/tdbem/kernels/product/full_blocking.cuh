// SPDX-License-Identifier: Apache-2.0
// A thread block takes some blocks one after the other, a thread per row (section 5.1 of the paper): the past values
// that all rows meet go to shared memory, values are read column by column, and the `group` sums are in registers.
#pragma once

#include "codelets/tdbem/kernels/product/full_blocking.hpp"

namespace asterism::tdbem::cuda {

inline constexpr std::int32_t blocks_in_turn = 8;

inline std::uint32_t full_blocks_grid(std::int32_t count) {
  return static_cast<std::uint32_t>((count + blocks_in_turn - 1) / blocks_in_turn);
}

/// blocks.shape.rows threads; as many columns at a time as the narrowest blocks have.
template <class T, int group>
__global__ void __launch_bounds__(128)
    full_blocks_kernel(const __grid_constant__ FullBlocksView<T> blocks, const __grid_constant__ Windows<T> windows,
                       const __grid_constant__ Sums<T> sums) {
  constexpr int most_columns = 128;
  constexpr int at_once = 16;
  __shared__ T past[most_columns + group - 1];
  const std::int32_t columns = blocks.shape.columns;
  const auto row = static_cast<std::int32_t>(threadIdx.x);
  const std::int32_t rows = blocks.shape.rows;
  for (std::int32_t turn = 0; turn < blocks_in_turn; ++turn) {
    const std::int32_t b = static_cast<std::int32_t>(blockIdx.x) * blocks_in_turn + turn;
    if (b >= blocks.count) return;  // all threads of the block
    const BlockPlace place = blocks.place[b];
    const T* const window = windows.values + (blocks.slice[b] - windows.slice_begin) * windows.shape.stride;
    const std::int32_t begin = windows.shape.reach - (place.lag + columns - 1);
    __syncthreads();
    for (std::int32_t m = row; m < columns + group - 1; m += rows) past[m] = begin + m >= 0 ? window[begin + m] : T(0);
    __syncthreads();
    const T* const values = blocks.values + static_cast<std::int64_t>(b) * rows * columns + row;
    T s[group] = {};
    for (int first = 0; first < columns; first += at_once) {
#pragma unroll
      for (int c = first; c < first + at_once; ++c) {
        const T v = values[c * rows];
#pragma unroll
        for (int g = 0; g < group; ++g) s[g] += v * past[columns - 1 - c + g];
      }
    }
    if (place.row + row >= blocks.rows) continue;
    T* const to = sums.values + static_cast<std::int64_t>(blocks.row_begin - sums.row_begin + place.row + row) * group;
#pragma unroll
    for (int g = 0; g < group; ++g) atomicAdd(to + g, s[g]);
  }
}

}  // namespace asterism::tdbem::cuda
