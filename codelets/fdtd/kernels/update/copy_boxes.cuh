// SPDX-License-Identifier: Apache-2.0
// A row of thread blocks for each box; a thread takes one number after the other.
#pragma once

#include "codelets/fdtd/kernels/update/copy_boxes.hpp"

namespace asterism::fdtd::cuda {

inline constexpr unsigned copy_threads = 128;
inline constexpr unsigned copy_blocks = 64;

template <class T>
__global__ void __launch_bounds__(copy_threads) copy_boxes_kernel(const __grid_constant__ BlockCopies<T> copies) {
  const BlockCopy<T>& b = copies.block[blockIdx.x / copy_blocks];
  const auto ny = static_cast<std::uint32_t>(b.n[1]);
  const auto nz = static_cast<std::uint32_t>(b.n[2]);
  const std::uint32_t count = static_cast<std::uint32_t>(b.n[0]) * ny * nz;
  for (std::uint32_t n = blockIdx.x % copy_blocks * copy_threads + threadIdx.x; n < count;
       n += copy_blocks * copy_threads) {
    const std::uint32_t row = n / nz;
    const std::uint32_t plane = row / ny;
    const std::int64_t at = plane * b.stride[0] + (row - plane * ny) * b.stride[1] + (n - row * nz);
    b.to[at] = b.from[at];
  }
}

}  // namespace asterism::fdtd::cuda
