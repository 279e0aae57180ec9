// SPDX-License-Identifier: Apache-2.0
// P2P on the GPU for the softened kernels that come with the library.
#include "codelets/fmm/kernels/near/p2p_cuda_impl.cuh"

ASTERISM_FMM_INSTANTIATE_CUDA(asterism::fmm::Softened<asterism::fmm::Laplace>);
ASTERISM_FMM_INSTANTIATE_CUDA(asterism::fmm::Softened<asterism::fmm::InverseSquare>);
ASTERISM_FMM_INSTANTIATE_CUDA(asterism::fmm::Softened<asterism::fmm::Yukawa>);
