#include "codelets/tdbem/windows.cuh"

#include "codelets/tdbem/windows_cuda.hpp"
#include "taskflows/runtime/cuda_check.hpp"

namespace asterism::tdbem::cuda {

template <class T>
void move_on(const MovedWindows<T>& windows, const Done<T>& done, cudaStream_t stream) {
  const auto blocks = static_cast<std::uint32_t>(windows.slices) * static_cast<std::uint32_t>(windows.waves);
  if (blocks == 0) return;
  move_on_kernel<T><<<blocks, window_threads, 0, stream>>>(windows, done);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void move_on(const MovedWindows<double>&, const Done<double>&, cudaStream_t);
template void move_on(const MovedWindows<float>&, const Done<float>&, cudaStream_t);

}  // namespace asterism::tdbem::cuda
