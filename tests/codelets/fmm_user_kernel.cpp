#include "tests/codelets/fmm_user_kernel.hpp"

#include "codelets/fmm/p2p_impl.hpp"

ASTERISM_FMM_INSTANTIATE(user::Plummer);
ASTERISM_FMM_INSTANTIATE(user::Root);
