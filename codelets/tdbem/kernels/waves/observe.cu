// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/waves/observe.cuh"

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/waves/observe_cuda.hpp"

namespace asterism::tdbem::cuda {

template <class T>
void observe(const ObserverView<T>& observers, const HistoryView<T>& history, std::int32_t begin, std::int32_t end,
             std::int32_t steps, T* p, cudaStream_t stream) {
  const std::int64_t blocks = static_cast<std::int64_t>(end - begin) * steps;
  if (blocks <= 0) return;
  observe_kernel<<<static_cast<unsigned>(blocks), observe_threads, 0, stream>>>(observers, history, begin, steps, p);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void observe(const ObserverView<double>&, const HistoryView<double>&, std::int32_t, std::int32_t, std::int32_t,
                      double*, cudaStream_t);
template void observe(const ObserverView<float>&, const HistoryView<float>&, std::int32_t, std::int32_t, std::int32_t,
                      float*, cudaStream_t);

}  // namespace asterism::tdbem::cuda
