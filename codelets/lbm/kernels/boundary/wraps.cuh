// SPDX-License-Identifier: Apache-2.0
// A thread per cell of the layers at wrapped faces.
#pragma once

#include "codelets/lbm/kernels/boundary/wraps.hpp"
#include "codelets/lbm/kernels/thread_cells.hpp"

namespace asterism::lbm::cuda {

inline constexpr int wrap_threads = 128;

template <class T>
__global__ void __launch_bounds__(wrap_threads)
    wrap_kernel(Half last, const __grid_constant__ Brick brick, std::uint32_t wraps,
                const __grid_constant__ ThreadCells cells, T* f) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= cells.cells()) return;
  const ThreadCells::Cell here = cells.cell(thread);  // box k: the layer at face k
  wrap_cell(last, brick, wraps, here.box, here.x, here.y, here.z, f);
}

}  // namespace asterism::lbm::cuda
