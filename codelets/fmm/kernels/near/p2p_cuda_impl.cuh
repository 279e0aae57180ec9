// SPDX-License-Identifier: Apache-2.0
// The template behind p2p_cuda.hpp. To have P2P on the GPU for a kernel of one's own, a .cu file with
//   #include "codelets/fmm/kernels/near/p2p_cuda_impl.cuh"
//   ASTERISM_FMM_INSTANTIATE_CUDA(MyKernel);
#pragma once

#include "base/cuda_check.hpp"
#include "codelets/fmm/kernels/near/p2p_cuda.hpp"
#include "codelets/fmm/kernels/near/p2p_cuda_kernel.cuh"

namespace asterism::fmm::cuda {

template <class Kernel, int threads, int per_thread, Staging staging>
void launch_p2p(const Kernel& kernel, const P2PSet& set, SourceView particles, FieldView field, cudaStream_t stream) {
  const std::int32_t blocks = set.items > 0 ? set.items : set.leaves;
  p2p_kernel<Kernel, threads, per_thread, staging><<<blocks, threads, 0, stream>>>(kernel, set, particles, field);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class Kernel>
void p2p(const Kernel& kernel, const P2PSet& set, SourceView particles, FieldView field, cudaStream_t stream,
         Variant variant) {
  if (set.leaves == 0) return;
  switch (variant) {
    case Variant::shared64:
      return launch_p2p<Kernel, 64, 1, Staging::shared>(kernel, set, particles, field, stream);
    case Variant::shared128:
      return launch_p2p<Kernel, 128, 1, Staging::shared>(kernel, set, particles, field, stream);
    case Variant::shared256:
      return launch_p2p<Kernel, 256, 1, Staging::shared>(kernel, set, particles, field, stream);
    case Variant::shared64x2:
      return launch_p2p<Kernel, 64, 2, Staging::shared>(kernel, set, particles, field, stream);
    case Variant::shared128x2:
      return launch_p2p<Kernel, 128, 2, Staging::shared>(kernel, set, particles, field, stream);
    case Variant::direct64:
      return launch_p2p<Kernel, 64, 1, Staging::direct>(kernel, set, particles, field, stream);
    case Variant::direct128:
      return launch_p2p<Kernel, 128, 1, Staging::direct>(kernel, set, particles, field, stream);
    case Variant::direct64x2:
      return launch_p2p<Kernel, 64, 2, Staging::direct>(kernel, set, particles, field, stream);
  }
}

}  // namespace asterism::fmm::cuda

#define ASTERISM_FMM_INSTANTIATE_CUDA(Kernel)                                                    \
  namespace asterism::fmm::cuda {                                                                \
  template void p2p(const Kernel&, const P2PSet&, SourceView, FieldView, cudaStream_t, Variant); \
  }                                                                                              \
  static_assert(true, "")
