// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/observers/observe.cuh"

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/kernels_cuda.hpp"

namespace asterism::fdtd::cuda {

template <class T>
void sum(Field field, const Grid& grid, const Box& cells, int component, const T* values, double* planes,
         cudaStream_t stream) {
  if (cells.x1 <= cells.x0) return;
  const auto blocks = static_cast<unsigned>(cells.x1 - cells.x0);
  sum_kernel<T><<<blocks, lanes, 0, stream>>>(grid, cells, field, component, values, planes);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void energy(const Grid& grid, const Box& cells, const Factors& h_factors, const Media<T>& h_media,
            const Media<T>& e_media, const Densities& densities, const T* h, const T* e, Energy* planes,
            cudaStream_t stream) {
  if (cells.x1 <= cells.x0) return;
  const auto blocks = static_cast<unsigned>(cells.x1 - cells.x0);
  energy_kernel<T>
      <<<blocks, lanes, 0, stream>>>(energetic(grid, h_factors, h_media, e_media, densities, h, e), cells, planes);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void sum(Field, const Grid&, const Box&, int, const double*, double*, cudaStream_t);
template void sum(Field, const Grid&, const Box&, int, const float*, double*, cudaStream_t);
template void energy(const Grid&, const Box&, const Factors&, const Media<double>&, const Media<double>&,
                     const Densities&, const double*, const double*, Energy*, cudaStream_t);
template void energy(const Grid&, const Box&, const Factors&, const Media<float>&, const Media<float>&,
                     const Densities&, const float*, const float*, Energy*, cudaStream_t);

}  // namespace asterism::fdtd::cuda
