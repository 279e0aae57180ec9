// SPDX-License-Identifier: Apache-2.0
// P2P on the GPU for the kernels that come with the library.
#include "codelets/fmm/kernels/near/p2p_cuda_impl.cuh"

ASTERISM_FMM_INSTANTIATE_CUDA(asterism::fmm::Laplace);
ASTERISM_FMM_INSTANTIATE_CUDA(asterism::fmm::InverseSquare);
ASTERISM_FMM_INSTANTIATE_CUDA(asterism::fmm::Yukawa);

namespace asterism::fmm::cuda {

const char* name(Variant variant) {
  switch (variant) {
    case Variant::shared64:
      return "shared64";
    case Variant::shared128:
      return "shared128";
    case Variant::shared256:
      return "shared256";
    case Variant::shared64x2:
      return "shared64x2";
    case Variant::shared128x2:
      return "shared128x2";
    case Variant::direct64:
      return "direct64";
    case Variant::direct128:
      return "direct128";
    case Variant::direct64x2:
      return "direct64x2";
  }
  return "unknown";
}

}  // namespace asterism::fmm::cuda
