// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/media/coupling.cuh"

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/media/coupling_cuda.hpp"

namespace asterism::fdtd::cuda {
namespace {

unsigned blocks_of(std::int32_t count) {
  return static_cast<unsigned>((count + coupling_threads - 1) / coupling_threads);
}

}  // namespace

template <class T>
void keep(std::int32_t count, const std::int64_t* places, const T* e, T* change, CUstream_st* stream) {
  keep_kernel<T><<<blocks_of(count), coupling_threads, 0, stream>>>(count, places, e, change);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void take_change(std::int32_t count, const std::int64_t* places, const T* e, T* change, CUstream_st* stream) {
  take_change_kernel<T><<<blocks_of(count), coupling_threads, 0, stream>>>(count, places, e, change);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void couple(const CoupledEdges<T>& edges, const Changes<T>& changes, T* e, CUstream_st* stream) {
  couple_kernel<T><<<blocks_of(edges.count), coupling_threads, 0, stream>>>(edges, changes, e);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void keep(std::int32_t, const std::int64_t*, const float*, float*, CUstream_st*);
template void keep(std::int32_t, const std::int64_t*, const double*, double*, CUstream_st*);
template void take_change(std::int32_t, const std::int64_t*, const float*, float*, CUstream_st*);
template void take_change(std::int32_t, const std::int64_t*, const double*, double*, CUstream_st*);
template void couple(const CoupledEdges<float>&, const Changes<float>&, float*, CUstream_st*);
template void couple(const CoupledEdges<double>&, const Changes<double>&, double*, CUstream_st*);

}  // namespace asterism::fdtd::cuda
