// The CUDA functions of the codelets; null where Asterism is built without CUDA.
#pragma once

#include <starpu.h>

namespace asterism::lbm::codelets::gpu {

#ifdef ASTERISM_CUDA
template <class T>
void advance(void** buffers, void* arguments);
template <class T>
void forward(void** buffers, void* arguments);
template <class T>
void complete(void** buffers, void* arguments);
template <class T>
void observe(void** buffers, void* arguments);
template <class T>
void total(void** buffers, void* arguments);
template <class T>
void store(void** buffers, void* arguments);
template <class T>
void load(void** buffers, void* arguments);
#else
template <class T>
inline constexpr starpu_cuda_func_t advance = nullptr;
template <class T>
inline constexpr starpu_cuda_func_t forward = nullptr;
template <class T>
inline constexpr starpu_cuda_func_t complete = nullptr;
template <class T>
inline constexpr starpu_cuda_func_t observe = nullptr;
template <class T>
inline constexpr starpu_cuda_func_t total = nullptr;
template <class T>
inline constexpr starpu_cuda_func_t store = nullptr;
template <class T>
inline constexpr starpu_cuda_func_t load = nullptr;
#endif

}  // namespace asterism::lbm::codelets::gpu
