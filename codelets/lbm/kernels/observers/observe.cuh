// SPDX-License-Identifier: Apache-2.0
// A thread per cell; sums by a fixed number of thread blocks, then by one, so that their order is fixed.
#pragma once

#include "codelets/lbm/kernels/cell.hpp"
#include "codelets/lbm/kernels/observers/totals.hpp"
#include "codelets/lbm/kernels/population_offsets.hpp"
#include "codelets/lbm/kernels/thread_cells.hpp"

namespace asterism::lbm::cuda {

inline constexpr int observe_threads = 256;
inline constexpr int total_blocks = 1024;

template <class T>
ASTERISM_CELL Flow<Arithmetic<T>> flow_at(const Parameters<Arithmetic<T>>& p, const PopulationOffsets& where,
                                          const T* cell) {
  Arithmetic<T> f[q];
  ASTERISM_UNROLL
  for (int i = 0; i < q; ++i) f[i] = value_of(cell[where.offset[i]]);
  return flow<Arithmetic<T>, true>(p, f[0], pairs_of(f));
}

template <class T>
__global__ void __launch_bounds__(observe_threads)
    observe_kernel(const __grid_constant__ Parameters<Arithmetic<T>> p, const __grid_constant__ PopulationOffsets where,
                   const __grid_constant__ Brick brick, const __grid_constant__ ThreadCells cells,
                   const std::uint8_t* __restrict__ solid, const T* __restrict__ f, Arithmetic<T>* __restrict__ out) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= cells.cells()) return;
  const ThreadCells::Cell here = cells.cell(thread);
  const std::int64_t at = brick.cell(here.x, here.y, here.z);
  const std::int64_t n = cells.cells();
  if (solid != nullptr && solid[at] != 0) {
    out[thread] = 1;
    for (int a = 1; a <= 3; ++a) out[a * n + thread] = 0;
    return;
  }
  const auto now = flow_at(p, where, f + at);
  out[thread] = now.rho;
  ASTERISM_UNROLL
  for (int a = 0; a < 3; ++a) out[(a + 1) * n + thread] = now.u[a];
}

/// The sum of what the threads of the block have found, in thread 0.
inline __device__ Totals sum_of_block(const Totals& mine) {
  __shared__ Totals part[observe_threads];
  const auto thread = static_cast<int>(threadIdx.x);
  part[thread] = mine;
  for (int half = observe_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) add(part[thread], part[thread + half]);
  }
  return part[thread];
}

template <class T, int blocks>
__global__ void __launch_bounds__(observe_threads)
    total_kernel(const __grid_constant__ Parameters<Arithmetic<T>> p, const __grid_constant__ PopulationOffsets where,
                 const __grid_constant__ Brick brick, const __grid_constant__ ThreadCells cells,
                 const std::uint8_t* __restrict__ solid, const T* __restrict__ f, Totals* parts) {
  Totals mine{};
  // 64 bits, as the last step may lead beyond 32
  for (std::uint64_t thread = blockIdx.x * observe_threads + threadIdx.x; thread < cells.cells();
       thread += blocks * observe_threads) {
    const ThreadCells::Cell here = cells.cell(static_cast<std::uint32_t>(thread));
    const std::int64_t at = brick.cell(here.x, here.y, here.z);
    if (solid != nullptr && solid[at] != 0) continue;
    const auto now = flow_at(p, where, f + at);
    add<Arithmetic<T>>(mine, now.excess, now.momentum, now.u);
  }
  const Totals sum = sum_of_block(mine);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

/// One thread block.
template <int blocks>
__global__ void __launch_bounds__(observe_threads) finish_totals_kernel(const Totals* parts, Totals* totals) {
  Totals mine{};
  for (int b = static_cast<int>(threadIdx.x); b < blocks; b += observe_threads) add(mine, parts[b]);
  const Totals sum = sum_of_block(mine);
  if (threadIdx.x == 0) *totals = finished(sum);
}

}  // namespace asterism::lbm::cuda
