// The CUDA side of the codelets; without_cuda where CUDA is not compiled in.
#pragma once

#include <starpu.h>

#include "runtime/performance_model.hpp"

namespace asterism::fmm::codelets::gpu {
#ifdef ASTERISM_CUDA
#define ASTERISM_GPU_TASK(name) void name(void** buffers, void* arguments);
#else
#define ASTERISM_GPU_TASK(name) inline const starpu_cuda_func_t name = without_cuda;
#endif
ASTERISM_GPU_TASK(p2m)
ASTERISM_GPU_TASK(m2m)
ASTERISM_GPU_TASK(m2l)
ASTERISM_GPU_TASK(l2l)
ASTERISM_GPU_TASK(l2p)
ASTERISM_GPU_TASK(reduction)
#undef ASTERISM_GPU_TASK
}  // namespace asterism::fmm::codelets::gpu
