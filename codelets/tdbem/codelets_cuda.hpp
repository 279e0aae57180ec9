// SPDX-License-Identifier: Apache-2.0
// The CUDA functions of the codelets.
#pragma once

#include <starpu.h>

#include "runtime/without_cuda.hpp"

namespace asterism::tdbem::codelets::gpu {

/// As they are where Asterism is built without CUDA: all codelets that have one have it here.
struct Functions {
  starpu_cuda_func_t product = without_cuda, full_blocks_product = without_cuda, combine = without_cuda,
                     illuminate = without_cuda, solve = without_cuda, radiate = without_cuda, march = without_cuda,
                     move_on = without_cuda, observe = without_cuda;
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

}  // namespace asterism::tdbem::codelets::gpu
