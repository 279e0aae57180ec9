// The CUDA functions of the codelets.
#pragma once

#include <starpu.h>

namespace asterism::tdbem::codelets::gpu {

/// Null where Asterism is built without CUDA.
struct Functions {
  starpu_cuda_func_t product = nullptr, clear = nullptr, accumulate = nullptr, combine = nullptr, illuminate = nullptr,
                     solve = nullptr, radiate = nullptr, move_on = nullptr, observe = nullptr;
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
