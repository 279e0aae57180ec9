// SPDX-License-Identifier: Apache-2.0
// A thread per probe.
#pragma once

#include "codelets/fdtd/kernels/observers/probes.hpp"

namespace asterism::fdtd::cuda {

inline constexpr int record_threads = 128;

template <class T>
__global__ void __launch_bounds__(record_threads)
    record_kernel(std::int32_t count, const ProbePlace* __restrict__ places, const T* __restrict__ e,
                  const T* __restrict__ h, T* __restrict__ row) {
  const auto p = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p < count) row[p] = (places[p].field == Field::electric ? e : h)[places[p].at];
}

template <class T>
__global__ void __launch_bounds__(record_threads)
    record_in_kernel(const __grid_constant__ Grid grid, const __grid_constant__ Box box, std::int32_t count,
                     const ProbePlace* __restrict__ places, const T* __restrict__ e, const T* __restrict__ h,
                     T* __restrict__ row) {
  const auto p = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p >= count) return;
  const ProbeCell c = cell_of(grid, places[p]);
  if (c.i >= box.x0 && c.i < box.x1 && c.j >= box.y0 && c.j < box.y1 && c.k >= box.z0 && c.k < box.z1)
    row[p] = (places[p].field == Field::electric ? e : h)[places[p].at];
}

}  // namespace asterism::fdtd::cuda
