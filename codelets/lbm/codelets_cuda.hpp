// The CUDA functions of the codelets.
#pragma once

#include <starpu.h>

namespace asterism::lbm::codelets::gpu {

/// Null where Asterism is built without CUDA.
struct Functions {
  starpu_cuda_func_t advance = nullptr, forward = nullptr, complete = nullptr, observe = nullptr, total = nullptr,
                     store = nullptr, load = nullptr;
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
