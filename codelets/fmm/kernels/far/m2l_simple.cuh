// SPDX-License-Identifier: Apache-2.0
// The plain M2L kernel: a thread block per tile of targets, which it owns, pair after pair.
#pragma once

#include "codelets/fmm/kernels/far/device.cuh"
#include "codelets/fmm/kernels/far/far_field_cuda.hpp"

namespace asterism::fmm::cuda {

inline constexpr int simple_threads = 256;

/// Dynamic shared memory: k doubles, as no rank is larger.
__global__ void __launch_bounds__(simple_threads)
    m2l_simple_kernel(const M2LView operators, double scale, const M2LList list, const M2LSources sources,
                      double* locals) {
  double* g = device::shared_memory();
  const int thread = static_cast<int>(threadIdx.x);
  const int tile = static_cast<int>(blockIdx.x);
  for (int d = 0; d < directions; ++d) {
    const std::int32_t* begin = list.begin + static_cast<std::int64_t>(d) * (list.tiles + 1) + tile;
    const M2LDirection direction = operators.direction[d];
    const double* v = operators.data + direction.v;
    const double* u = operators.data + direction.u;
    for (std::int32_t i = begin[0]; i < begin[1]; ++i) {
      const M2LPair pair = list.pairs[i];
      const double* w = sources.at[pair.source >> source_bits] +
                        static_cast<std::int64_t>(pair.source & ((1U << source_bits) - 1)) * operators.stride;
      double* local = locals + static_cast<std::int64_t>(pair.target) * operators.stride;
      for (int r = thread; r < direction.rank; r += simple_threads) {
        double sum = 0;
        for (int k = 0; k < operators.size; ++k)
          sum = fma(v[static_cast<std::int64_t>(k) * direction.padded + r], w[k], sum);
        g[r] = scale * sum;
      }
      __syncthreads();
      for (int k = thread; k < operators.size; k += simple_threads) {
        double sum = 0;
        for (int r = 0; r < direction.rank; ++r)
          sum = fma(u[static_cast<std::int64_t>(r) * operators.stride + k], g[r], sum);
        local[k] += sum;
      }
      __syncthreads();
    }
  }
}

}  // namespace asterism::fmm::cuda
