// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/march/windows.cuh"

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/march/windows_cuda.hpp"

namespace asterism::tdbem::cuda {

template <class T>
void move_on(const MovedBlocks<T>& windows, const Done<T>& done, cudaStream_t stream) {
  std::uint32_t blocks = 0;
  for (std::int32_t b = 0; b < windows.count; ++b)
    blocks += static_cast<std::uint32_t>(windows.of[b].slices) * static_cast<std::uint32_t>(windows.of[b].waves);
  if (blocks == 0) return;
  move_on_kernel<T><<<blocks, window_threads, 0, stream>>>(windows, done);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void move_on(const MovedBlocks<double>&, const Done<double>&, cudaStream_t);
template void move_on(const MovedBlocks<float>&, const Done<float>&, cudaStream_t);

}  // namespace asterism::tdbem::cuda
