// SPDX-License-Identifier: Apache-2.0
// What goes from global to shared memory while a thread does something else. Each thread reads only what it staged
// itself, so no barrier is needed. On a host (tests/codelets/cuda_on_host.hpp) it is there at once.
#pragma once

#ifdef __CUDACC__
#include <cuda_pipeline_primitives.h>
#endif

namespace asterism::fdtd::cuda {

#ifdef __CUDACC__
template <class T>
inline __device__ T* dynamic_shared() {
  extern __shared__ double dynamic_shared_memory[];
  return reinterpret_cast<T*>(dynamic_shared_memory);
}
/// Zero unless `there`, when `from` may not be read.
template <class T>
inline __device__ void stage(T* to, const T* from, bool there) {
  if (there)
    __pipeline_memcpy_async(to, from, sizeof(T));
  else
    *to = 0;
}
/// Begins to bring to the second-level cache what is read soon.
template <class T>
inline __device__ void prefetch(const T* from) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}
inline __device__ void commit_staged() {
  __pipeline_commit();
}
inline __device__ void wait_for_staged() {
  __pipeline_wait_prior(0);
}
#else
template <class T>
inline T* dynamic_shared() {
  return reinterpret_cast<T*>(cuda_on_host::dynamic_shared);
}
template <class T>
inline void stage(T* to, const T* from, bool there) {
  *to = there ? *from : 0;
}
template <class T>
inline void prefetch(const T* /*from*/) {}
inline void commit_staged() {}
inline void wait_for_staged() {}
#endif

}  // namespace asterism::fdtd::cuda
