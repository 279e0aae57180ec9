// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/media/cpml.cuh"

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/media/cpml_cuda.hpp"

namespace asterism::fdtd::cuda {
namespace {

template <Field field, class T>
auto kernel_for(const Media<T>& media) {
  return media.index == nullptr ? absorb_kernel<field, false, T> : absorb_kernel<field, true, T>;
}

}  // namespace

template <class T>
void absorb(Field field, const Grid& grid, const Box& cells, const Factors& factors, const Media<T>& media,
            const Layers& layers, const Stretch<T>* stretches, const T* from, const Psi<T>& psi, T* to,
            cudaStream_t stream) {
  const Absorb<T> d = describe_layers(field, grid, cells, factors, media, layers);
  const std::uint32_t blocks = (d.pieces.first[6] + absorb_threads - 1) / absorb_threads;
  if (blocks == 0) return;
  const auto kernel =
      field == Field::electric ? kernel_for<Field::electric>(media) : kernel_for<Field::magnetic>(media);
  kernel<<<blocks, absorb_threads, 0, stream>>>(d, stretches, from, psi, to);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void absorb(Field, const Grid&, const Box&, const Factors&, const Media<double>&, const Layers&,
                     const Stretch<double>*, const double*, const Psi<double>&, double*, cudaStream_t);
template void absorb(Field, const Grid&, const Box&, const Factors&, const Media<float>&, const Layers&,
                     const Stretch<float>*, const float*, const Psi<float>&, float*, cudaStream_t);

}  // namespace asterism::fdtd::cuda
