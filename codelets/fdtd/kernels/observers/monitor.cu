// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/observers/monitor.cuh"

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/observers/monitor_cuda.hpp"

namespace asterism::fdtd::cuda {

template <class T>
void record(const MonitorPart& part, const std::complex<double>* phases, const T* field, double* array,
            cudaStream_t stream) {
  const std::uint32_t blocks = blocks_of_component(part);
  if (blocks == 0) return;
  for (int first = 0; first < part.frequencies; first += Phases::most) {
    record_kernel<T><<<blocks* static_cast<std::uint32_t>(part.count), monitor_threads, 0, stream>>>(
        part, blocks, first, phases_from(part, first, phases), field, array);
    ASTERISM_CHECK_CUDA(cudaGetLastError());
  }
}

template void record(const MonitorPart&, const std::complex<double>*, const double*, double*, cudaStream_t);
template void record(const MonitorPart&, const std::complex<double>*, const float*, double*, cudaStream_t);

}  // namespace asterism::fdtd::cuda
