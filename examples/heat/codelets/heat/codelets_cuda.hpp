// SPDX-License-Identifier: Apache-2.0
// The CUDA functions of the codelets; without_cuda where CUDA is not compiled in.
#pragma once

#include "runtime/without_cuda.hpp"

namespace asterism::heat::codelets::gpu {

#ifdef ASTERISM_CUDA
void step(void** buffers, void* arguments);
#else
inline constexpr starpu_cuda_func_t step = without_cuda;
#endif

}  // namespace asterism::heat::codelets::gpu
