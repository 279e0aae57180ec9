// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/product/full_blocking.cuh"

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/product/full_blocking_cuda.hpp"
#include "codelets/tdbem/kernels/product/with_group.hpp"

namespace asterism::tdbem::cuda {

template <class T>
void full_blocks_product(const FullBlocksView<T>& blocks, const Windows<T>& windows, const Sums<T>& sums,
                         cudaStream_t stream) {
  check_blocks(blocks.shape, windows.shape.group);
  if (blocks.count == 0) return;
  with_group<max_group>(windows.shape.group, [&](auto n) {
    full_blocks_kernel<T, decltype(n)::value>
        <<<full_blocks_grid(blocks.count), blocks.shape.rows, 0, stream>>>(blocks, windows, sums);
  });
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void full_blocks_product(const FullBlocksView<double>&, const Windows<double>&, const Sums<double>&,
                                  cudaStream_t);
template void full_blocks_product(const FullBlocksView<float>&, const Windows<float>&, const Sums<float>&,
                                  cudaStream_t);

}  // namespace asterism::tdbem::cuda
