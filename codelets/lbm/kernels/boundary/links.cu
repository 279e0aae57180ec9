// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/boundary/links.cuh"

#include "base/cuda_check.hpp"
#include "codelets/lbm/kernels/kernels_cuda.hpp"

namespace asterism::lbm::cuda {

template <class T>
void reflect(Half last, const Brick& brick, const Links& links, T* f, cudaStream_t stream) {
  const std::int32_t count = links.begin[q] - links.begin[0];
  if (count == 0) return;
  const std::int64_t* from = last == Half::alpha ? links.fluid : links.solid;
  const std::int64_t* to = last == Half::alpha ? links.solid : links.fluid;
  const int blocks = (count + link_threads - 1) / link_threads;
  if (links.share == nullptr)
    links_kernel<<<blocks, link_threads, 0, stream>>>(from, to, links.begin[0], links.begin[q], f);
  else
    interpolated_links_kernel<<<blocks, link_threads, 0, stream>>>(last, brick, links, f);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void force(Half last, const Brick& brick, const Origin& origin, const Links& links, const T* f, ForceSums* sums,
           cudaStream_t stream) {
  const std::int32_t blocks = blocks_of_force(links);
  if (blocks == 0) return;
  force_kernel<<<static_cast<unsigned>(blocks), force_threads, 0, stream>>>(last, brick, origin, links, f, sums);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void reflect(Half, const Brick&, const Links&, double*, cudaStream_t);
template void reflect(Half, const Brick&, const Links&, float*, cudaStream_t);
template void reflect(Half, const Brick&, const Links&, Float16*, cudaStream_t);
template void force(Half, const Brick&, const Origin&, const Links&, const double*, ForceSums*, cudaStream_t);
template void force(Half, const Brick&, const Origin&, const Links&, const float*, ForceSums*, cudaStream_t);
template void force(Half, const Brick&, const Origin&, const Links&, const Float16*, ForceSums*, cudaStream_t);

}  // namespace asterism::lbm::cuda
