// SPDX-License-Identifier: Apache-2.0
// All nineteen populations of a cell in registers. At velocity walls a cell takes what comes back to it from where the
// half-step before left it, so that no pass over the walls is needed.
#pragma once

#include "codelets/lbm/kernels/boundary/sponge.hpp"
#include "codelets/lbm/kernels/cell.hpp"
#include "codelets/lbm/kernels/population_offsets.hpp"
#include "codelets/lbm/kernels/thread_cells.hpp"

namespace asterism::lbm::cuda {

inline constexpr int most_update_threads = 256;
/// More loads are under way at once. Distances of a warp's cells are those of a thread block, which read and write long
/// pieces of rows.
inline constexpr int cells_per_thread = 2;

/// What the sponge does to a cell, if it lies in it.
template <class T>
ASTERISM_CELL void rub_cell(const Friction<T>& sponge, const ThreadCells::Cell& here, T (&f)[q]) {
  if (here.x < sponge.begin) return;
  const auto halves = static_cast<T>(2 * (std::int64_t{here.x} - sponge.begin) + 1);
  rub(sponge, strength_at(sponge, halves), share_of_mean(sponge.profile, 0, here.y, here.z, {}), f);
}

template <class T, Relaxation relaxation, bool forced>
__global__ void __launch_bounds__(most_update_threads)
    update_kernel(const __grid_constant__ Parameters<Arithmetic<T>> p,
                  const __grid_constant__ Friction<Arithmetic<T>> sponge,
                  const __grid_constant__ PopulationOffsets last, const __grid_constant__ PopulationOffsets where,
                  const __grid_constant__ Returns<Arithmetic<T>> returns, const __grid_constant__ Brick brick,
                  const __grid_constant__ ThreadCells cells, const std::uint8_t* __restrict__ solid, T* f) {
  T* cell[cells_per_thread];
  Arithmetic<T> v[cells_per_thread][q];
  std::uint32_t walls[cells_per_thread];
  ASTERISM_UNROLL
  for (int k = 0; k < cells_per_thread; ++k) {
    cell[k] = nullptr;
    const std::uint32_t number = (blockIdx.x * cells_per_thread + k) * blockDim.x + threadIdx.x;
    if (number >= cells.cells()) continue;
    const ThreadCells::Cell here = cells.cell(number);
    const std::int64_t at = brick.cell(here.x, here.y, here.z);
    if (solid != nullptr && solid[at] != 0) continue;
    cell[k] = f + at;
    walls[k] = walls_at(returns, brick, here.x, here.y, here.z);
    take<T>(walls[k], last, where, cell[k], v[k]);
  }
  ASTERISM_UNROLL
  for (int k = 0; k < cells_per_thread; ++k) {
    if (cell[k] == nullptr) continue;
    if ((walls[k] & returns.moving) != 0) carry<T>(returns, walls[k], v[k]);
    collide<Arithmetic<T>, relaxation, forced>(p, v[k]);
    if (sponge.begin < brick.nx)
      rub_cell(sponge, cells.cell((blockIdx.x * cells_per_thread + k) * blockDim.x + threadIdx.x), v[k]);
    ASTERISM_UNROLL
    for (int i = 0; i < q; ++i) cell[k][where.offset[opposite(i)]] = stored<T>(v[k][i]);
  }
}

}  // namespace asterism::lbm::cuda
