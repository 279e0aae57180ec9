// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/transfers.cuh"

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/kernels_cuda.hpp"

namespace asterism::fdtd::cuda {
namespace {

std::uint32_t blocks_for(std::uint32_t count) {
  return (count + transfer_threads - 1) / transfer_threads;
}

template <class T>
void copy(const Grid& grid, const Layer& from, const Layer& to, T sign, T* values, cudaStream_t stream) {
  const auto count = static_cast<std::uint32_t>(from.elements());
  if (count == 0) return;
  copy_kernel<T><<<blocks_for(count), transfer_threads, 0, stream>>>(grid, from, to, count, sign, values);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

}  // namespace

template <class T>
void pack(const Grid& grid, const Layer& layer, const T* field, T* array, cudaStream_t stream) {
  const auto count = static_cast<std::uint32_t>(layer.elements());
  if (count == 0) return;
  pack_kernel<T><<<blocks_for(count), transfer_threads, 0, stream>>>(grid, layer, count, field, array);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void unpack(const Grid& grid, const Layer& layer, const T* array, T* field, cudaStream_t stream) {
  const auto count = static_cast<std::uint32_t>(layer.elements());
  if (count == 0) return;
  unpack_kernel<T><<<blocks_for(count), transfer_threads, 0, stream>>>(grid, layer, count, array, field);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void wrap(const Grid& grid, Field field, int axis, T* values, cudaStream_t stream) {
  copy(grid, outgoing(grid, field, axis), incoming(grid, field, axis), T{1}, values, stream);
}

template <class T>
void reflect(const Grid& grid, T* h, cudaStream_t stream) {
  for (int f = 0; f < 6; ++f)
    if (grid.face[f] == Face::magnetic) {
      const Image image = image_behind(grid, f);
      copy(grid, image.from, image.to, T{-1}, h, stream);
    }
}

template <class T>
void add(const Grid& grid, int component, int i, int j, int k, T value, T* field, cudaStream_t stream) {
  add_kernel<T><<<1, 1, 0, stream>>>(value, field + grid.at(component, i, j, k));
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void pack(const Grid&, const Layer&, const double*, double*, cudaStream_t);
template void pack(const Grid&, const Layer&, const float*, float*, cudaStream_t);
template void unpack(const Grid&, const Layer&, const double*, double*, cudaStream_t);
template void unpack(const Grid&, const Layer&, const float*, float*, cudaStream_t);
template void wrap(const Grid&, Field, int, double*, cudaStream_t);
template void wrap(const Grid&, Field, int, float*, cudaStream_t);
template void reflect(const Grid&, double*, cudaStream_t);
template void reflect(const Grid&, float*, cudaStream_t);
template void add(const Grid&, int, int, int, int, double, double*, cudaStream_t);
template void add(const Grid&, int, int, int, int, float, float*, cudaStream_t);

}  // namespace asterism::fdtd::cuda
