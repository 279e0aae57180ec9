// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/update/steps.hpp"

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/kernels_cuda.hpp"

namespace asterism::fdtd::cuda {

template <class T>
void update_steps(const Grid& grid, int steps, const Planes& needed, const Factors& h_factors, const Factors& e_factors,
                  const Media<T>& h_media, const Media<T>& e_media, const Source<T>* sources, std::int32_t count,
                  const BesideSteps<T>& beside, const T* h_from, const T* e_from, T* h_to, T* e_to, cudaStream_t stream,
                  std::int32_t planes) {
  int device = 0;
  int processors = 0;  // each runs one block at a time
  ASTERISM_CHECK_CUDA(cudaGetDevice(&device));
  ASTERISM_CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  for (const StepsLaunch<T>& l : describe_steps(grid, steps, needed, h_factors, e_factors, h_media, e_media, sources,
                                                count, beside, planes, processors))
    with_steps_kernel<T>(steps, l.psi, [&](auto kernel, int columns, std::size_t bytes) {
      ASTERISM_CHECK_CUDA(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
      kernel<<<l.blocks, static_cast<unsigned>(columns), bytes, stream>>>(l.steps, e_from, h_from, e_to, h_to);
      ASTERISM_CHECK_CUDA(cudaGetLastError());
    });
}

template void update_steps(const Grid&, int, const Planes&, const Factors&, const Factors&, const Media<double>&,
                           const Media<double>&, const Source<double>*, std::int32_t, const BesideSteps<double>&,
                           const double*, const double*, double*, double*, cudaStream_t, std::int32_t);
template void update_steps(const Grid&, int, const Planes&, const Factors&, const Factors&, const Media<float>&,
                           const Media<float>&, const Source<float>*, std::int32_t, const BesideSteps<float>&,
                           const float*, const float*, float*, float*, cudaStream_t, std::int32_t);

}  // namespace asterism::fdtd::cuda
