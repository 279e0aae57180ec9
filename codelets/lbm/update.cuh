// A thread per cell; all nineteen populations in registers. At velocity walls a cell takes what comes back to it from
// where the half-step before left it, so that no pass over the walls is needed.
#pragma once

#include "codelets/lbm/cell.hpp"
#include "codelets/lbm/places.hpp"
#include "codelets/lbm/spread.hpp"
#include "codelets/lbm/walls.hpp"

namespace asterism::lbm::cuda {

/// Leaves 128 registers to a thread.
inline constexpr int most_update_threads = 512;

template <class T, Relaxation relaxation, bool forced>
__global__ void __launch_bounds__(most_update_threads)
    update_kernel(const __grid_constant__ Parameters<T> p, const __grid_constant__ Places last,
                  const __grid_constant__ Places where, const __grid_constant__ Returns<T> returns,
                  const __grid_constant__ Brick brick, const __grid_constant__ Spread cells,
                  const std::uint8_t* __restrict__ solid, T* f) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= cells.cells()) return;
  const Spread::Cell here = cells.cell(thread);
  const std::int64_t at = brick.cell(here.x, here.y, here.z);
  if (solid != nullptr && solid[at] != 0) return;
  T* const cell = f + at;
  T v[q];
  const std::uint32_t walls = walls_at(returns, brick, here.x, here.y, here.z);
  if (walls == 0) {
    ASTERISM_UNROLL
    for (int i = 0; i < q; ++i) v[i] = cell[where.offset[i]];
  } else {
    take_at_walls(std::make_integer_sequence<int, q>(), returns, walls, last, where, cell, v);
  }
  collide<T, relaxation, forced>(p, v);
  ASTERISM_UNROLL
  for (int i = 0; i < q; ++i) cell[where.offset[opposite(i)]] = v[i];
}

}  // namespace asterism::lbm::cuda
