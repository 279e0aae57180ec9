// The CUDA functions of the codelets.
#pragma once

#include <starpu.h>

namespace asterism::fdtd::codelets::gpu {

/// Null where Asterism is built without CUDA.
struct Functions {
  starpu_cuda_func_t advance = nullptr, clear = nullptr, domain = nullptr, store = nullptr, load = nullptr,
                     sum = nullptr, energy = nullptr;
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
