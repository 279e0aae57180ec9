// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/update/copy_boxes.cuh"

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/kernels_cuda.hpp"

namespace asterism::fdtd::cuda {

template <class T>
void copy_boxes(const std::vector<BlockCopy<T>>& copies, cudaStream_t stream) {
  for (const BlockCopies<T>& some : launches_of(copies)) {
    copy_boxes_kernel<T><<<static_cast<unsigned>(some.count) * copy_blocks, copy_threads, 0, stream>>>(some);
    ASTERISM_CHECK_CUDA(cudaGetLastError());
  }
}

template void copy_boxes(const std::vector<BlockCopy<double>>&, cudaStream_t);
template void copy_boxes(const std::vector<BlockCopy<float>>&, cudaStream_t);

}  // namespace asterism::fdtd::cuda
