// SPDX-License-Identifier: Apache-2.0
#include "tests/codelets/fmm/user_kernel.hpp"

#include "codelets/fmm/kernels/near/p2p_impl.hpp"

ASTERISM_FMM_INSTANTIATE(user::Plummer);
ASTERISM_FMM_INSTANTIATE(user::Root);
