// SPDX-License-Identifier: Apache-2.0
// For codelets, which are compiled once more for simulated machines.
#pragma once

#include <starpu.h>

namespace asterism {

/// What stands for the CUDA function of a codelet that has one, where CUDA is not compiled in: in a simulated program
/// a function, which tells StarPU that the task runs on GPUs and is called where a reduction begins; else null.
#ifdef ASTERISM_SIMGRID
inline void nothing_on_gpu(void** /*buffers*/, void* /*arguments*/) {}
inline constexpr starpu_cuda_func_t without_cuda = nothing_on_gpu;
#else
inline constexpr starpu_cuda_func_t without_cuda = nullptr;
#endif

}  // namespace asterism
