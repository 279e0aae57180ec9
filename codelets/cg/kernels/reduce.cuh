// SPDX-License-Identifier: Apache-2.0
// Grid-wide compensated sums in one kernel: shuffles within a warp, shared memory within a thread block,
// and the last block to finish adds what the blocks left in the workspace, in their order. How threads share the
// elements of vectors, and the rows of diagonal blocks.
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

/// Elements a thread handles at a time: independent loads in flight.
inline constexpr int unroll = 4;
inline constexpr std::int64_t tile = static_cast<std::int64_t>(threads) * unroll;

inline int grid_for_elements(std::int64_t n, std::int64_t per_block) {
  const std::int64_t blocks = (n + per_block - 1) / per_block;
  return static_cast<int>(blocks < 1 ? 1 : blocks < max_grid ? blocks : max_grid);
}

/// Calls f(i) for the elements of this thread; the bodies of a tile are independent of each other.
template <class F>
__device__ inline void for_each(std::int64_t n, F f) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * tile;
  for (std::int64_t base = static_cast<std::int64_t>(blockIdx.x) * tile + threadIdx.x; base < n; base += step) {
    if (base + (unroll - 1) * threads < n) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) f(base + u * threads);
    } else {
      for (std::int64_t i = base; i < n; i += threads) f(i);
    }
  }
}

/// Row i of z = M^-1 r, for a thread block that holds whole diagonal blocks of r in shared memory.
__device__ inline double precondition_row(const PreconditionerView& m, std::int64_t n, std::int64_t i,
                                          const double* diagonal_block) {
  double sum = 0;
  for (int k = 0; k < m.size; ++k) sum = fma(m.inverse[k * n + i], diagonal_block[k], sum);
  return sum;
}

/// Rows that a thread block takes at a time when diagonal blocks must stay together.
__host__ __device__ inline int whole_rows(int size) {
  return threads / size * size;
}

template <class F>
__device__ inline void for_each_whole(std::int64_t n, int size, F f) {
  const int rows = whole_rows(size);
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * rows; first < n;
       first += static_cast<std::int64_t>(gridDim.x) * rows)
    f(first + threadIdx.x, static_cast<int>(threadIdx.x) < rows && first + threadIdx.x < n);
}

}  // namespace asterism::cg::cuda
