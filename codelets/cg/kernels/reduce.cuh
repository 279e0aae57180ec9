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

/// The sum over the grid. Returns true in all threads of the last block to arrive, whose first thread holds it.
template <int count>
__device__ inline bool grid_add_to_last_block(Sums<count>& s, Workspace workspace) {
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
  // several loads in flight: one after the other their latency would be a good part of a short kernel's time
  constexpr int loads = 4;
  const int blocks = static_cast<int>(gridDim.x);
  for (int first = static_cast<int>(threadIdx.x); first < blocks; first += loads * threads) {
    double2 other[loads][count];
#pragma unroll
    for (int u = 0; u < loads; ++u)
      for (int c = 0; c < count; ++c)
        if (first + u * threads < blocks)
          other[u][c] = __ldcg(reinterpret_cast<const double2*>(partial + first + u * threads) + c);
#pragma unroll
    for (int u = 0; u < loads; ++u)
      for (int c = 0; c < count; ++c)
        if (first + u * threads < blocks) add(s.sum[c], Sum{other[u][c].x, other[u][c].y});
  }
  block_add(s);
  if (threadIdx.x == 0) *workspace.ticket = 0;
  return true;
}

/// The same; returns true in the one thread that holds the sum.
template <int count>
__device__ inline bool grid_add(Sums<count>& s, Workspace workspace) {
  return grid_add_to_last_block(s, workspace) && threadIdx.x == 0;
}

}  // namespace asterism::cg::cuda
