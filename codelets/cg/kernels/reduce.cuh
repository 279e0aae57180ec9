// SPDX-License-Identifier: Apache-2.0
// Grid-wide compensated sums in one kernel: shuffles within a warp, shared memory within a thread block,
// and the last block to finish adds what the blocks left in the workspace, in their order.
#pragma once

#include "codelets/cg/kernels/kernels_cuda.hpp"

namespace asterism::cg::cuda {

inline constexpr int threads = 256;

/// `count` compensated sums carried side by side by each thread.
template <int count>
struct Sums {
  Sum sum[count];
};

template <int count>
__device__ inline void warp_add(Sums<count>& s) {
  for (int offset = 16; offset > 0; offset /= 2)
    for (int c = 0; c < count; ++c) {
      const Sum other{__shfl_down_sync(0xffffffffu, s.sum[c].hi, offset),
                      __shfl_down_sync(0xffffffffu, s.sum[c].lo, offset)};
      add(s.sum[c], other);
    }
}

/// The sum over the thread block, valid in thread 0.
template <int count>
__device__ inline void block_add(Sums<count>& s) {
  __shared__ Sums<count> shared[threads / 32];
  warp_add(s);
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) shared[warp] = s;
  __syncthreads();
  if (warp == 0) {
    s = threadIdx.x < threads / 32 ? shared[threadIdx.x] : Sums<count>{};
    warp_add(s);
  }
  __syncthreads();
}

/// The sum over the grid. Returns true in the one thread that holds it, in the last block to arrive.
template <int count>
__device__ inline bool grid_add(Sums<count>& s, Workspace workspace) {
  __shared__ bool last;
  block_add(s);
  auto* partial = reinterpret_cast<Sums<count>*>(workspace.partial);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s;
    __threadfence();
    last = atomicAdd(workspace.ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return false;
  __threadfence();
  s = Sums<count>{};
  for (int i = threadIdx.x; i < static_cast<int>(gridDim.x); i += threads) {
    const volatile double* other = reinterpret_cast<const volatile double*>(partial + i);
    for (int c = 0; c < count; ++c) add(s.sum[c], Sum{other[2 * c], other[2 * c + 1]});
  }
  block_add(s);
  if (threadIdx.x != 0) return false;
  *workspace.ticket = 0;
  return true;
}

}  // namespace asterism::cg::cuda
