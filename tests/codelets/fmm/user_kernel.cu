// SPDX-License-Identifier: Apache-2.0
#include "tests/codelets/fmm/user_kernel.hpp"

#include "codelets/fmm/kernels/near/p2p_cuda_impl.cuh"

ASTERISM_FMM_INSTANTIATE_CUDA(user::Plummer);
ASTERISM_FMM_INSTANTIATE_CUDA(user::Root);
