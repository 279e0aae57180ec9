// SPDX-License-Identifier: Apache-2.0
// The performance models of all codelets: durations that StarPU measures by class of tasks, or on a simulated machine
// those of its platform.
#pragma once

#include <starpu.h>

#include <cstdint>

namespace asterism {

/// A model named `symbol`, which has to live as long as the model. `footprint`: the class of a task; null: by the sizes
/// of its data, as StarPU has it.
starpu_perfmodel performance_model(const char* symbol, std::uint32_t (*footprint)(starpu_task*) = nullptr);

/// What stands for the CUDA function of a codelet that has one, where CUDA is not compiled in: in a simulated program
/// a function, which tells StarPU that the task runs on GPUs and is called where a reduction begins; else null.
#ifdef ASTERISM_SIMGRID
inline void nothing_on_gpu(void** /*buffers*/, void* /*arguments*/) {}
inline constexpr starpu_cuda_func_t without_cuda = nothing_on_gpu;
#else
inline constexpr starpu_cuda_func_t without_cuda = nullptr;
#endif

}  // namespace asterism
