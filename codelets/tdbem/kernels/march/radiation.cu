// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/march/radiation.cuh"

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/march/radiation_cuda.hpp"

namespace asterism::tdbem::cuda {

template <class T>
void radiate(const NearRowsView<T>& near, std::int32_t g0, const Found<T>& found, const Sums<T>& sums,
             std::int32_t begin, std::int32_t end, cudaStream_t stream) {
  const std::int32_t lags = near.lags - g0;
  const std::uint32_t blocks = radiation_blocks(near.row_begin, lags, begin, end);
  if (blocks == 0) return;
  radiate_kernel<T><<<blocks, radiation_threads, 0, stream>>>(near, g0, lags, found, sums, begin, end);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void radiate(const NearRowsView<double>&, std::int32_t, const Found<double>&, const Sums<double>&,
                      std::int32_t, std::int32_t, cudaStream_t);
template void radiate(const NearRowsView<float>&, std::int32_t, const Found<float>&, const Sums<float>&, std::int32_t,
                      std::int32_t, cudaStream_t);

}  // namespace asterism::tdbem::cuda
