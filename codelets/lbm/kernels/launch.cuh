// SPDX-License-Identifier: Apache-2.0
// Launches a kernel with a thread for each cell of a ThreadCells.
#pragma once

#include "base/cuda_check.hpp"
#include "codelets/lbm/kernels/thread_cells.hpp"

namespace asterism::lbm::cuda {

/// `threads`: of a thread block.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const ThreadCells& cells, int threads, cudaStream_t stream,
            const Arguments&... arguments) {
  if (cells.cells() == 0) return;
  const auto blocks = static_cast<unsigned>((std::uint64_t{cells.cells()} + static_cast<unsigned>(threads) - 1) /
                                            static_cast<unsigned>(threads));
  kernel<<<blocks, static_cast<unsigned>(threads), 0, stream>>>(arguments...);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

}  // namespace asterism::lbm::cuda
