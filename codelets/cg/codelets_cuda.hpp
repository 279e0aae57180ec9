// SPDX-License-Identifier: Apache-2.0
// The CUDA functions of the codelets.
#pragma once

#include <starpu.h>

#include "runtime/without_cuda.hpp"

namespace asterism::cg::codelets::gpu {

/// Without CUDA each is without_cuda: every codelet that has a CUDA function has one here.
struct Functions {
  starpu_cuda_func_t copy = without_cuda;
  starpu_cuda_func_t zero = without_cuda;
  starpu_cuda_func_t spmv = without_cuda;
  starpu_cuda_func_t dot = without_cuda;
  starpu_cuda_func_t residual_dots = without_cuda;
  starpu_cuda_func_t begin = without_cuda;
  starpu_cuda_func_t alpha_step = without_cuda;
  starpu_cuda_func_t beta_step = without_cuda;
  starpu_cuda_func_t note_residual = without_cuda;
  starpu_cuda_func_t pipelined_step = without_cuda;
  starpu_cuda_func_t axpy = without_cuda;
  starpu_cuda_func_t xpby = without_cuda;
  starpu_cuda_func_t precondition = without_cuda;
  starpu_cuda_func_t smooth_first = without_cuda;
  starpu_cuda_func_t smooth_second = without_cuda;
  starpu_cuda_func_t relax = without_cuda;
  starpu_cuda_func_t defect = without_cuda;
  starpu_cuda_func_t pack = without_cuda;
  starpu_cuda_func_t residual = without_cuda;
  starpu_cuda_func_t direction = without_cuda;
  starpu_cuda_func_t iterations = without_cuda;
  starpu_cuda_func_t meeting = without_cuda;
  starpu_cuda_func_t opening = without_cuda;
  starpu_cuda_func_t pipelined = without_cuda;
  starpu_cuda_func_t pipelined_dots = without_cuda;
  starpu_cuda_func_t zero_sum = without_cuda;
  starpu_cuda_func_t zero_dots = without_cuda;
  starpu_cuda_func_t add_sum = without_cuda;
  starpu_cuda_func_t add_dots = without_cuda;
};

#ifdef ASTERISM_CUDA
Functions functions();
#else
inline Functions functions() {
  return {};
}
#endif

}  // namespace asterism::cg::codelets::gpu
