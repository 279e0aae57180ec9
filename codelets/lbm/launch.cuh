// A thread per cell of a Spread.
#pragma once

#include "codelets/lbm/spread.hpp"
#include "taskflows/runtime/cuda_check.hpp"

namespace asterism::lbm::cuda {

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Spread& cells, int threads, cudaStream_t stream,
            const Arguments&... arguments) {
  if (cells.cells() == 0) return;
  const auto per_block = static_cast<unsigned>(threads);
  const auto blocks = static_cast<unsigned>((std::uint64_t{cells.cells()} + per_block - 1) / per_block);
  kernel<<<blocks, per_block, 0, stream>>>(arguments...);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

}  // namespace asterism::lbm::cuda
