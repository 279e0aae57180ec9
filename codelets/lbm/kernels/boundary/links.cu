// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/boundary/links.cuh"

#include "base/cuda_check.hpp"
#include "codelets/lbm/kernels/kernels_cuda.hpp"

namespace asterism::lbm::cuda {

template <class T>
void reflect(Half last, const Links& links, T* f, cudaStream_t stream) {
  const std::int32_t count = links.begin[q] - links.begin[0];
  if (count == 0) return;
  const std::int64_t* from = last == Half::alpha ? links.fluid : links.solid;
  const std::int64_t* to = last == Half::alpha ? links.solid : links.fluid;
  links_kernel<<<(count + link_threads - 1) / link_threads, link_threads, 0, stream>>>(from, to, links.begin[0],
                                                                                       links.begin[q], f);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void force(Half last, const Links& links, const T* f, double* force, cudaStream_t stream) {
  force_kernel<<<1, force_threads, 0, stream>>>(links, last == Half::alpha ? links.fluid : links.solid, f, force);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void reflect(Half, const Links&, double*, cudaStream_t);
template void reflect(Half, const Links&, float*, cudaStream_t);
template void reflect(Half, const Links&, Float16*, cudaStream_t);
template void force(Half, const Links&, const double*, double*, cudaStream_t);
template void force(Half, const Links&, const float*, double*, cudaStream_t);
template void force(Half, const Links&, const Float16*, double*, cudaStream_t);

}  // namespace asterism::lbm::cuda
