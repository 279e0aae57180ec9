// SPDX-License-Identifier: Apache-2.0
// Launches a kernel on the cells of a ThreadCells, the same number of cells for each thread.
#pragma once

#include "base/cuda_check.hpp"
#include "codelets/lbm/kernels/thread_cells.hpp"

namespace asterism::lbm::cuda {

struct Threads {
  int per_block;
  int cells = 1;  ///< of each
};

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const ThreadCells& cells, Threads threads, cudaStream_t stream,
            const Arguments&... arguments) {
  if (cells.cells() == 0) return;
  const auto per_block = static_cast<std::uint64_t>(threads.per_block) * static_cast<std::uint64_t>(threads.cells);
  const auto blocks = static_cast<unsigned>((cells.cells() + per_block - 1) / per_block);
  kernel<<<blocks, static_cast<unsigned>(threads.per_block), 0, stream>>>(arguments...);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

}  // namespace asterism::lbm::cuda
