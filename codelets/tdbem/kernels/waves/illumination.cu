// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/waves/illumination.cuh"

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/waves/illumination_cuda.hpp"

namespace asterism::tdbem::cuda {

template <class T>
void illuminate(const SurfaceView& surface, const Illumination& incident, const Steps& steps, std::int32_t begin,
                std::int32_t end, T* out, cudaStream_t stream) {
  const std::int64_t count = static_cast<std::int64_t>(end - begin) * steps.count;
  if (count <= 0) return;
  const auto blocks = static_cast<unsigned>((count + illuminate_threads - 1) / illuminate_threads);
  illuminate_kernel<<<blocks, illuminate_threads, 0, stream>>>(surface, incident, steps, begin, end, out);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void illuminate(const SurfaceView&, const Illumination&, const Steps&, std::int32_t, std::int32_t, double*,
                         cudaStream_t);
template void illuminate(const SurfaceView&, const Illumination&, const Steps&, std::int32_t, std::int32_t, float*,
                         cudaStream_t);

}  // namespace asterism::tdbem::cuda
