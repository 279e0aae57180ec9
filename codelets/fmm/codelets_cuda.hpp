// SPDX-License-Identifier: Apache-2.0
// The functions of the codelets for GPUs, asynchronous on StarPU's stream; without_cuda where CUDA is not compiled in.
#pragma once

#include <starpu.h>

#include "runtime/without_cuda.hpp"

namespace asterism::fmm::codelets::gpu {

#ifdef ASTERISM_CUDA
void p2m(void** buffers, void* arguments);
void m2m(void** buffers, void* arguments);
void m2l(void** buffers, void* arguments);
void l2l(void** buffers, void* arguments);
void l2p(void** buffers, void* arguments);
void reduction(void** buffers, void* arguments);
/// Exists for Laplace, InverseSquare and Yukawa, softened or not.
template <class Kernel>
void p2p(void** buffers, void* arguments);
#else
inline constexpr starpu_cuda_func_t p2m = without_cuda;
inline constexpr starpu_cuda_func_t m2m = without_cuda;
inline constexpr starpu_cuda_func_t m2l = without_cuda;
inline constexpr starpu_cuda_func_t l2l = without_cuda;
inline constexpr starpu_cuda_func_t l2p = without_cuda;
inline constexpr starpu_cuda_func_t reduction = without_cuda;
template <class Kernel>
inline constexpr starpu_cuda_func_t p2p = without_cuda;
#endif

}  // namespace asterism::fmm::codelets::gpu
