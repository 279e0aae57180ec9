// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm::cuda {

inline constexpr int link_threads = 256;
inline constexpr int force_threads = 1024;

template <class T>
__global__ void __launch_bounds__(link_threads)
    links_kernel(const std::int64_t* __restrict__ from, const std::int64_t* __restrict__ to, std::int32_t begin,
                 std::int32_t end, T* f) {
  const auto l = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (l < end - begin) f[to[begin + l]] = f[from[begin + l]];
}

/// One thread block, as the order of a sum over several would need a place for what each has found.
template <class T>
__global__ void __launch_bounds__(force_threads)
    force_kernel(const __grid_constant__ Links links, const std::int64_t* __restrict__ left, const T* __restrict__ f,
                 double* force) {
  __shared__ double part[3][force_threads];
  const auto thread = static_cast<int>(threadIdx.x);
  double mine[3] = {0, 0, 0};
  for (int j = 1; j < q; ++j) {
    double sum = 0;
    for (std::int32_t l = links.begin[j] + thread; l < links.begin[j + 1]; l += force_threads)
      sum += static_cast<double>(value_of(f[left[l]]));
    const Velocity c = velocity(j);
    mine[0] += 2 * c.x * sum;
    mine[1] += 2 * c.y * sum;
    mine[2] += 2 * c.z * sum;
  }
  for (int axis = 0; axis < 3; ++axis) part[axis][thread] = mine[axis];
  for (int half = force_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half)
      for (int axis = 0; axis < 3; ++axis) part[axis][thread] += part[axis][thread + half];
  }
  // thread 0 has added what it reads here
  if (thread == 0)
    for (int axis = 0; axis < 3; ++axis) force[axis] += part[axis][0];
}

}  // namespace asterism::lbm::cuda
