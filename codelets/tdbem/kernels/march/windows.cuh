// SPDX-License-Identifier: Apache-2.0
// A thread block per window, which it moves piece by piece: all threads read before any writes, and a later piece reads
// nothing that an earlier one has written, as windows move towards their begin.
#pragma once

#include "codelets/tdbem/kernels/march/windows.hpp"

namespace asterism::tdbem::cuda {

inline constexpr int window_threads = 128;

template <class T>
__global__ void __launch_bounds__(window_threads)
    move_on_kernel(const __grid_constant__ MovedBlocks<T> blocks, const __grid_constant__ Done<T> done) {
  auto number = static_cast<std::int32_t>(blockIdx.x);
  std::int32_t block = 0;
  for (; number >= blocks.of[block].slices * blocks.of[block].waves; ++block)
    number -= blocks.of[block].slices * blocks.of[block].waves;
  const MovedWindows<T>& windows = blocks.of[block];
  const WindowShape& shape = windows.shape;
  const std::int32_t j = number % windows.slices;
  const std::int32_t wave = number / windows.slices;
  T* const window = windows.values + wave * windows.wave_stride + j * shape.stride;
  const T* const values = done.values + wave * done.wave_stride + windows.slice_begin + j - done.unknown_begin;
  for (std::int32_t begin = 0; begin < shape.reach + shape.group; begin += window_threads) {
    const std::int32_t m = begin + static_cast<std::int32_t>(threadIdx.x);
    const bool inside = m < shape.reach + shape.group;
    const T value = inside ? moved_on(shape, window, values, done.step_stride, m) : T(0);
    __syncthreads();
    if (inside) window[m] = value;
  }
}

}  // namespace asterism::tdbem::cuda
