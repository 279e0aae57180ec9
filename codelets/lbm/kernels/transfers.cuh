// SPDX-License-Identifier: Apache-2.0
// A thread per cell of the boxes, for its five slots.
#pragma once

#include "codelets/lbm/kernels/kernels.hpp"
#include "codelets/lbm/kernels/thread_cells.hpp"

namespace asterism::lbm::cuda {

inline constexpr int transfer_threads = 128;

/// Element: T, or const T where the array is read.
template <class Element>
struct Array {
  std::uint32_t cells;
  std::int32_t slots[crossing];
  Element* data;
};
template <class Element>
struct Arrays {
  Array<Element> array[faces];
};

template <class T>
__global__ void __launch_bounds__(transfer_threads)
    pack_kernel(const __grid_constant__ Arrays<T> arrays, const __grid_constant__ Brick brick,
                const __grid_constant__ ThreadCells cells, const T* __restrict__ f) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= cells.cells()) return;
  const ThreadCells::Cell here = cells.cell(thread);
  const Array<T>& array = arrays.array[here.box];
  T* const to = array.data + here.number;
  for (int k = 0; k < crossing; ++k)
    to[k * std::int64_t{array.cells}] = f[brick.at(array.slots[k], here.x, here.y, here.z)];
}

template <class T>
__global__ void __launch_bounds__(transfer_threads)
    unpack_kernel(const __grid_constant__ Arrays<const T> arrays, const __grid_constant__ Brick brick,
                  const __grid_constant__ ThreadCells cells, T* f) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= cells.cells()) return;
  const ThreadCells::Cell here = cells.cell(thread);
  const Array<const T>& array = arrays.array[here.box];
  const T* const from = array.data + here.number;
  for (int k = 0; k < crossing; ++k)
    f[brick.at(array.slots[k], here.x, here.y, here.z)] = from[k * std::int64_t{array.cells}];
}

/// copy(place in f, place in the array) for all slots of this thread's cell.
template <class Copy>
__device__ void for_slots(const Brick& brick, const ThreadCells& cells, const Copy& copy) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= cells.cells()) return;
  const ThreadCells::Cell here = cells.cell(thread);
  for (int i = 0; i < q; ++i) copy(brick.at(i, here.x, here.y, here.z), i * std::int64_t{cells.cells()} + here.number);
}

template <class T>
__global__ void __launch_bounds__(transfer_threads)
    store_kernel(const __grid_constant__ Brick brick, const __grid_constant__ ThreadCells cells,
                 const T* __restrict__ f, T* array) {
  for_slots(brick, cells, [&](std::int64_t from, std::int64_t to) { array[to] = f[from]; });
}

template <class T>
__global__ void __launch_bounds__(transfer_threads)
    load_kernel(const __grid_constant__ Brick brick, const __grid_constant__ ThreadCells cells,
                const T* __restrict__ array, T* f) {
  for_slots(brick, cells, [&](std::int64_t to, std::int64_t from) { f[to] = array[from]; });
}

}  // namespace asterism::lbm::cuda
