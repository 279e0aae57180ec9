// SPDX-License-Identifier: Apache-2.0
// P2P for the softened kernels that come with the library.
#include "codelets/fmm/kernels/near/p2p_impl.hpp"

ASTERISM_FMM_INSTANTIATE(asterism::fmm::Softened<asterism::fmm::Laplace>);
ASTERISM_FMM_INSTANTIATE(asterism::fmm::Softened<asterism::fmm::InverseSquare>);
ASTERISM_FMM_INSTANTIATE(asterism::fmm::Softened<asterism::fmm::Yukawa>);
