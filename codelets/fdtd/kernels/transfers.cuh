// SPDX-License-Identifier: Apache-2.0
// A thread per entry of a layer, z fastest.
#pragma once

#include "codelets/fdtd/kernels/kernels.hpp"

namespace asterism::fdtd::cuda {

inline constexpr int transfer_threads = 128;

/// Offset in the field of entry `number` of the array of a layer.
ASTERISM_FDTD_ENTRY std::int64_t offset_in(const Grid& grid, const Layer& layer, std::uint32_t number) {
  const auto first = static_cast<std::uint32_t>(layer.entries[0].cells());
  const int m = number < first ? 0 : 1;
  const Box& b = layer.entries[m];
  const std::uint32_t in_box = m == 0 ? number : number - first;
  const auto nz = static_cast<std::uint32_t>(b.z1 - b.z0);
  const auto ny = static_cast<std::uint32_t>(b.y1 - b.y0);
  const std::uint32_t row = in_box / nz;
  const std::uint32_t plane = row / ny;
  return grid.at(layer.component[m], b.x0 + static_cast<int>(plane), b.y0 + static_cast<int>(row - plane * ny),
                 b.z0 + static_cast<int>(in_box - row * nz));
}

template <class T>
__global__ void __launch_bounds__(transfer_threads)
    pack_kernel(const __grid_constant__ Grid grid, const __grid_constant__ Layer layer, std::uint32_t count,
                const T* __restrict__ field, T* __restrict__ array) {
  const std::uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number < count) array[number] = field[offset_in(grid, layer, number)];
}

template <class T>
__global__ void __launch_bounds__(transfer_threads)
    unpack_kernel(const __grid_constant__ Grid grid, const __grid_constant__ Layer layer, std::uint32_t count,
                  const T* __restrict__ array, T* __restrict__ field) {
  const std::uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number < count) field[offset_in(grid, layer, number)] = array[number];
}

template <class T>
__global__ void __launch_bounds__(transfer_threads)
    copy_kernel(const __grid_constant__ Grid grid, const __grid_constant__ Layer from, const __grid_constant__ Layer to,
                std::uint32_t count, T sign, T* values) {
  const std::uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number < count) values[offset_in(grid, to, number)] = sign * values[offset_in(grid, from, number)];
}

template <class T>
__global__ void add_kernel(T value, T* entry) {
  *entry += value;
}

}  // namespace asterism::fdtd::cuda
