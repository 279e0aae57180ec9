// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/observers/monitor.cuh"

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/observers/monitor_cuda.hpp"

namespace asterism::fdtd::cuda {

template <class T>
void record(const MonitorPart& part, const std::complex<double>* phases, const T* field, double* array,
            cudaStream_t stream) {
  for (int m = 0; m < part.count; ++m) {
    const std::int64_t cells = part.entries[m].cells();
    if (cells == 0) continue;
    const auto blocks = static_cast<std::uint32_t>((cells + monitor_threads - 1) / monitor_threads);
    for (int first = 0; first < part.frequencies; first += Phases::most) {
      record_kernel<T><<<blocks, monitor_threads, 0, stream>>>(part, m, phases_from(part, first, phases), field,
                                                               array + 2 * first * cells);
      ASTERISM_CHECK_CUDA(cudaGetLastError());
    }
    array += 2 * part.frequencies * cells;
  }
}

template void record(const MonitorPart&, const std::complex<double>*, const double*, double*, cudaStream_t);
template void record(const MonitorPart&, const std::complex<double>*, const float*, double*, cudaStream_t);

}  // namespace asterism::fdtd::cuda
