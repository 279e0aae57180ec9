// SPDX-License-Identifier: Apache-2.0
// The CUDA functions of the codelets.
#pragma once

#include <starpu.h>

#include "runtime/without_cuda.hpp"

namespace asterism::lbm::codelets::gpu {

/// The CUDA function of each codelet; the defaults are those of a build without CUDA.
struct Functions {
  starpu_cuda_func_t advance = without_cuda, forward = without_cuda, complete = without_cuda, observe = without_cuda,
                     total = without_cuda, store = without_cuda, load = without_cuda;
};

#ifdef ASTERISM_CUDA
template <class T>
Functions functions();
#else
template <class T>
Functions functions() {
  return {};
}
#endif

}  // namespace asterism::lbm::codelets::gpu
