// SPDX-License-Identifier: Apache-2.0
// A thread per edge.
#pragma once

#include "codelets/fdtd/kernels/media/coupling.hpp"

namespace asterism::fdtd::cuda {

inline constexpr int coupling_threads = 128;

template <class T>
__global__ void __launch_bounds__(coupling_threads)
    keep_kernel(std::int32_t count, const std::int64_t* __restrict__ places, const T* __restrict__ e,
                T* __restrict__ change) {
  const auto m = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (m < count) change[m] = e[places[m]];
}

template <class T>
__global__ void __launch_bounds__(coupling_threads)
    take_change_kernel(std::int32_t count, const std::int64_t* __restrict__ places, const T* __restrict__ e,
                       T* __restrict__ change) {
  const auto m = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (m < count) change[m] = e[places[m]] - change[m];
}

template <class T>
__global__ void __launch_bounds__(coupling_threads)
    couple_kernel(const __grid_constant__ CoupledEdges<T> edges, const __grid_constant__ Changes<T> changes, T* e) {
  const auto m = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (m >= edges.count) return;
  T sum = 0;
  for (std::int32_t t = edges.first[m]; t < edges.first[m + 1]; ++t) {
    const CoupledTerm<T> term = edges.terms[t];
    sum += term.factor * changes.of[term.brick][term.edge];
  }
  e[edges.places[m]] += sum;
}

}  // namespace asterism::fdtd::cuda
