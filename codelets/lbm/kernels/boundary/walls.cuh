// SPDX-License-Identifier: Apache-2.0
// All walls at once: reflect_cell says which of them returns what leaves through an edge.
#pragma once

#include "codelets/lbm/kernels/boundary/walls.hpp"
#include "codelets/lbm/kernels/thread_cells.hpp"

namespace asterism::lbm::cuda {

inline constexpr int wall_threads = 128;

template <class T>
struct Reflectors {
  std::int32_t count;
  Reflector<Arithmetic<T>> wall[faces];
};

template <class T>
__global__ void __launch_bounds__(wall_threads)
    walls_kernel(const __grid_constant__ Reflectors<T> walls, const __grid_constant__ PopulationOffsets last,
                 const __grid_constant__ PopulationOffsets next, const __grid_constant__ Brick brick,
                 const __grid_constant__ ThreadCells cells, T* f) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= cells.cells()) return;
  const ThreadCells::Cell here = cells.cell(thread);
  reflect_cell(walls.wall, walls.count, here.box, brick, last, next, here.x, here.y, here.z, f);
}

}  // namespace asterism::lbm::cuda
