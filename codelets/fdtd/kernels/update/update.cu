// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/update/update.cuh"

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/kernels_cuda.hpp"
#include "codelets/fdtd/kernels/update/tiles.hpp"

namespace asterism::fdtd::cuda {
namespace {

template <Field field, class T>
auto kernel_for(const Media<T>& media) {
  if (media.graded())
    return media.index == nullptr ? update_kernel<field, false, true, T> : update_kernel<field, true, true, T>;
  return media.index == nullptr ? update_kernel<field, false, false, T> : update_kernel<field, true, false, T>;
}

}  // namespace

template <class T>
void update(Field field, const Grid& grid, const std::vector<Box>& boxes, const Factors& factors, const Media<T>& media,
            const T* from, T* to, cudaStream_t stream, const Shape& shape) {
  const auto kernel =
      field == Field::electric ? kernel_for<Field::electric>(media) : kernel_for<Field::magnetic>(media);
  for (const UpdateLaunch<T>& l : describe(field, grid, boxes, factors, media, shape)) {
    kernel<<<l.blocks, l.threads, 0, stream>>>(l.update, from, to);
    ASTERISM_CHECK_CUDA(cudaGetLastError());
  }
}

template void update(Field, const Grid&, const std::vector<Box>&, const Factors&, const Media<double>&, const double*,
                     double*, cudaStream_t, const Shape&);
template void update(Field, const Grid&, const std::vector<Box>&, const Factors&, const Media<float>&, const float*,
                     float*, cudaStream_t, const Shape&);

}  // namespace asterism::fdtd::cuda
