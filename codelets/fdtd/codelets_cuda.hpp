// SPDX-License-Identifier: Apache-2.0
// The CUDA functions of the codelets.
#pragma once

#include <starpu.h>

#include "runtime/without_cuda.hpp"

namespace asterism::fdtd::codelets::gpu {

/// As they are where Asterism is built without CUDA: all codelets that have one have it here.
struct Functions {
  starpu_cuda_func_t advance = without_cuda, clear = without_cuda, domain = without_cuda, store = without_cuda,
                     load = without_cuda, sum = without_cuda, energy = without_cuda;
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

}  // namespace asterism::fdtd::codelets::gpu
