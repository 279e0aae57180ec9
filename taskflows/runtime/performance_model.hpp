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
/// something that is never called and tells the simulator that the task runs on GPUs, else null.
#ifdef ASTERISM_SIMGRID
inline const auto without_cuda = reinterpret_cast<starpu_cuda_func_t>(1);
#else
inline constexpr starpu_cuda_func_t without_cuda = nullptr;
#endif

}  // namespace asterism
