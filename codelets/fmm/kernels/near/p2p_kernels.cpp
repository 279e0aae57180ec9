// SPDX-License-Identifier: Apache-2.0
// P2P for the kernels that come with the library.
#include "codelets/fmm/kernels/near/p2p_impl.hpp"

ASTERISM_FMM_INSTANTIATE(asterism::fmm::Laplace);
ASTERISM_FMM_INSTANTIATE(asterism::fmm::InverseSquare);
ASTERISM_FMM_INSTANTIATE(asterism::fmm::Yukawa);
