// The CUDA side of the codelets; null pointers where CUDA is not compiled in.
#pragma once

#include <starpu.h>

namespace asterism::fmm::codelets::gpu {
#ifdef ASTERISM_CUDA
#define ASTERISM_GPU_TASK(name) void name(void** buffers, void* arguments);
#elif defined(ASTERISM_SIMGRID)
// never called: it only tells the simulator that the task may run on a GPU
#define ASTERISM_GPU_TASK(name) inline const auto name = reinterpret_cast<starpu_cuda_func_t>(1);
#else
#define ASTERISM_GPU_TASK(name) inline constexpr starpu_cuda_func_t name = nullptr;
#endif
ASTERISM_GPU_TASK(p2m)
ASTERISM_GPU_TASK(m2m)
ASTERISM_GPU_TASK(m2l)
ASTERISM_GPU_TASK(l2l)
ASTERISM_GPU_TASK(l2p)
ASTERISM_GPU_TASK(reduction)
#undef ASTERISM_GPU_TASK
}  // namespace asterism::fmm::codelets::gpu
