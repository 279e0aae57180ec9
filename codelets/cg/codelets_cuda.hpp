// The CUDA side of the codelets; without_cuda where CUDA is not compiled in.
#pragma once

#include <starpu.h>

#include "codelets/cg/codelets.hpp"
#include "codelets/cg/kernels/kernels.hpp"
#include "runtime/performance_model.hpp"

namespace asterism::cg::codelets {

/// The vectors of a pipelined task, in the order of its buffers; moves `next` past them.
struct PipelinedBuffers {
  cpu::PipelinedVectors vectors;
  PreconditionerView m;
  std::int64_t length;
};
PipelinedBuffers pipelined_buffers(void**& next, int block);

/// What a residual task has after the state and the contributions.
struct ResidualBuffers {
  std::int64_t length;
  void* dots;
  const double* q;
  const double* r_in;
  double* r;
  PreconditionerView m;
  double* z;  ///< null without preconditioner
};
ResidualBuffers residual_buffers(void** next, const ResidualArgs& a);

std::int64_t length(const void* buffer);
PreconditionerView preconditioner(int block, void* inverse);

namespace gpu {
#ifdef ASTERISM_CUDA
#define ASTERISM_GPU_TASK(name) void name(void** buffers, void* arguments);
#else
#define ASTERISM_GPU_TASK(name) inline const starpu_cuda_func_t name = without_cuda;
#endif
ASTERISM_GPU_TASK(copy)
ASTERISM_GPU_TASK(zero)
ASTERISM_GPU_TASK(spmv)
ASTERISM_GPU_TASK(dot)
ASTERISM_GPU_TASK(residual_dots)
ASTERISM_GPU_TASK(begin)
ASTERISM_GPU_TASK(alpha_step)
ASTERISM_GPU_TASK(beta_step)
ASTERISM_GPU_TASK(pipelined_step)
ASTERISM_GPU_TASK(axpy)
ASTERISM_GPU_TASK(xpby)
ASTERISM_GPU_TASK(precondition)
ASTERISM_GPU_TASK(pack)
ASTERISM_GPU_TASK(residual)
ASTERISM_GPU_TASK(direction)
ASTERISM_GPU_TASK(pipelined)
ASTERISM_GPU_TASK(pipelined_dots)
ASTERISM_GPU_TASK(zero_sum)
ASTERISM_GPU_TASK(zero_dots)
ASTERISM_GPU_TASK(add_sum)
ASTERISM_GPU_TASK(add_dots)
#undef ASTERISM_GPU_TASK
}  // namespace gpu
}  // namespace asterism::cg::codelets
