// SPDX-License-Identifier: Apache-2.0
#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/observers/probes.cuh"

namespace asterism::fdtd::cuda {

template <class T>
void record(std::int32_t count, const ProbePlace* places, const T* e, const T* h, T* row, CUstream_st* stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + record_threads - 1) / record_threads);
  record_kernel<T><<<blocks, record_threads, 0, stream>>>(count, places, e, h, row);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void record(const Grid& grid, const std::vector<Box>& boxes, std::int32_t count, const ProbePlace* places, const T* e,
            const T* h, T* row, CUstream_st* stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + record_threads - 1) / record_threads);
  for (const Box& box : boxes) {
    record_in_kernel<T><<<blocks, record_threads, 0, stream>>>(grid, box, count, places, e, h, row);
    ASTERISM_CHECK_CUDA(cudaGetLastError());
  }
}

template void record(std::int32_t, const ProbePlace*, const double*, const double*, double*, CUstream_st*);
template void record(std::int32_t, const ProbePlace*, const float*, const float*, float*, CUstream_st*);

template void record(const Grid&, const std::vector<Box>&, std::int32_t, const ProbePlace*, const double*,
                     const double*, double*, CUstream_st*);
template void record(const Grid&, const std::vector<Box>&, std::int32_t, const ProbePlace*, const float*, const float*,
                     float*, CUstream_st*);

}  // namespace asterism::fdtd::cuda
