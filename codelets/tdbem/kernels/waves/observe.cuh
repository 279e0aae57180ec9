// SPDX-License-Identifier: Apache-2.0
// A thread block for each observer and step: its threads share the unknowns, and add up in an order of their own.
#pragma once

#include "codelets/tdbem/kernels/waves/observe.hpp"

namespace asterism::tdbem::cuda {

inline constexpr unsigned observe_threads = 256;

template <class T>
__global__ void observe_kernel(ObserverView<T> observers, HistoryView<T> history, std::int32_t begin,
                               std::int32_t steps, T* p) {
  __shared__ double shared[observe_threads];
  const std::int32_t o = begin + static_cast<std::int32_t>(blockIdx.x) / steps;
  const std::int32_t g = static_cast<std::int32_t>(blockIdx.x) % steps;
  double sum = 0;
  for (auto j = static_cast<std::int32_t>(threadIdx.x); j < observers.unknowns; j += observe_threads) {
    const std::int64_t x = static_cast<std::int64_t>(o) * observers.unknowns + j;
    const T* const weight = observers.weight + observers.start[x];
    const auto length = static_cast<std::int64_t>(observers.start[x + 1] - observers.start[x]);
    const T* const latest = history.value + j * history.stride + history.position + g - observers.first[x];
    T part = 0;
    for (std::int64_t c = 0; c < length; ++c) part += weight[c] * latest[-c];
    sum += static_cast<double>(part);
  }
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = observe_threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) p[blockIdx.x] = static_cast<T>(shared[0]);
}

}  // namespace asterism::tdbem::cuda
