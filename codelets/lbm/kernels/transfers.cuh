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

/// All slots of a cell of the box to an array, and back.
template <class T>
__global__ void __launch_bounds__(transfer_threads)
    store_kernel(const __grid_constant__ Brick brick, const __grid_constant__ ThreadCells cells,
                 const T* __restrict__ f, T* array) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= cells.cells()) return;
  const ThreadCells::Cell here = cells.cell(thread);
  for (int i = 0; i < q; ++i)
    array[i * std::int64_t{cells.cells()} + here.number] = f[brick.at(i, here.x, here.y, here.z)];
}

template <class T>
__global__ void __launch_bounds__(transfer_threads)
    load_kernel(const __grid_constant__ Brick brick, const __grid_constant__ ThreadCells cells,
                const T* __restrict__ array, T* f) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= cells.cells()) return;
  const ThreadCells::Cell here = cells.cell(thread);
  for (int i = 0; i < q; ++i)
    f[brick.at(i, here.x, here.y, here.z)] = array[i * std::int64_t{cells.cells()} + here.number];
}

}  // namespace asterism::lbm::cuda
