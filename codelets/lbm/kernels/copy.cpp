// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/copy.hpp"

#include <cstring>

#ifdef ASTERISM_CUDA
#include <cuda_runtime.h>  // make_cudaExtent

#include "base/cuda_check.hpp"
#endif
#include "codelets/lbm/kernels/float16.hpp"

namespace asterism::lbm {
namespace {

/// `copy(row in f, row in the array)` for all rows of the box.
template <class Copy>
void rows(const Brick& brick, const Box& box, const Copy& copy) {
  const std::int64_t length = box.x1 - box.x0;
  std::int64_t next = 0;
  for (int i = 0; i < q; ++i)
    for (int z = box.z0; z < box.z1; ++z)
      for (int y = box.y0; y < box.y1; ++y, next += length) copy(brick.at(i, box.x0, y, z), next);
}

}  // namespace

namespace cpu {

template <class T>
void store(const Brick& brick, const Box& box, const T* f, T* array) {
  const auto bytes = static_cast<std::size_t>(box.x1 - box.x0) * sizeof(T);
  rows(brick, box, [&](std::int64_t in, std::int64_t out) { std::memcpy(array + out, f + in, bytes); });
}

template <class T>
void load(const Brick& brick, const Box& box, const T* array, T* f) {
  const auto bytes = static_cast<std::size_t>(box.x1 - box.x0) * sizeof(T);
  rows(brick, box, [&](std::int64_t out, std::int64_t in) { std::memcpy(f + out, array + in, bytes); });
}

template void store(const Brick&, const Box&, const float*, float*);
template void store(const Brick&, const Box&, const Float16*, Float16*);
template void store(const Brick&, const Box&, const double*, double*);
template void load(const Brick&, const Box&, const float*, float*);
template void load(const Brick&, const Box&, const Float16*, Float16*);
template void load(const Brick&, const Box&, const double*, double*);

}  // namespace cpu

#ifdef ASTERISM_CUDA
namespace cuda {
namespace {

/// One slot of the box, for the copy engine.
template <class T>
cudaMemcpy3DParms parameters(const Box& box) {
  cudaMemcpy3DParms p{};
  p.extent = make_cudaExtent(static_cast<std::size_t>(box.x1 - box.x0) * sizeof(T),
                             static_cast<std::size_t>(box.y1 - box.y0), static_cast<std::size_t>(box.z1 - box.z0));
  p.kind = cudaMemcpyDeviceToDevice;
  return p;
}

template <class T>
cudaPitchedPtr in_brick(const Brick& brick, const Box& box, int i, const T* f) {
  return make_cudaPitchedPtr(const_cast<T*>(f) + brick.at(i, box.x0, box.y0, box.z0),
                             static_cast<std::size_t>(brick.pitch) * sizeof(T), static_cast<std::size_t>(brick.pitch),
                             static_cast<std::size_t>(brick.ny) + 2);
}

template <class T>
cudaPitchedPtr in_array(const Box& box, int i, const T* array) {
  const auto length = static_cast<std::size_t>(box.x1 - box.x0);
  return make_cudaPitchedPtr(const_cast<T*>(array) + i * box.cells(), length * sizeof(T), length,
                             static_cast<std::size_t>(box.y1 - box.y0));
}

}  // namespace

template <class T>
void store(const Brick& brick, const Box& box, const T* f, T* array, cudaStream_t stream) {
  for (int i = 0; i < q; ++i) {
    cudaMemcpy3DParms p = parameters<T>(box);
    p.srcPtr = in_brick(brick, box, i, f);
    p.dstPtr = in_array(box, i, array);
    ASTERISM_CHECK_CUDA(cudaMemcpy3DAsync(&p, stream));
  }
}

template <class T>
void load(const Brick& brick, const Box& box, const T* array, T* f, cudaStream_t stream) {
  for (int i = 0; i < q; ++i) {
    cudaMemcpy3DParms p = parameters<T>(box);
    p.srcPtr = in_array(box, i, array);
    p.dstPtr = in_brick(brick, box, i, f);
    ASTERISM_CHECK_CUDA(cudaMemcpy3DAsync(&p, stream));
  }
}

template void store(const Brick&, const Box&, const float*, float*, cudaStream_t);
template void store(const Brick&, const Box&, const Float16*, Float16*, cudaStream_t);
template void store(const Brick&, const Box&, const double*, double*, cudaStream_t);
template void load(const Brick&, const Box&, const float*, float*, cudaStream_t);
template void load(const Brick&, const Box&, const Float16*, Float16*, cudaStream_t);
template void load(const Brick&, const Box&, const double*, double*, cudaStream_t);

}  // namespace cuda
#endif

}  // namespace asterism::lbm
