// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/media/dispersive.cuh"

#include "base/cuda_check.hpp"
#include "codelets/fdtd/kernels/media/dispersive_cuda.hpp"

namespace asterism::fdtd::cuda {

template <class T>
void disperse(const Grid& grid, const Box& cells, const Media<T>& media, const Poles<T>& poles,
              const PoleStates& states, T* state, T* e, cudaStream_t stream) {
  const Disperse<T> d = describe_poles(grid, cells, media, poles, states);
  const std::uint32_t blocks = (d.first[3] + disperse_threads - 1) / disperse_threads;
  if (blocks == 0) return;
  disperse_kernel<T><<<blocks, disperse_threads, 0, stream>>>(d, state, e);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void disperse(const Grid&, const Box&, const Media<double>&, const Poles<double>&, const PoleStates&, double*,
                       double*, cudaStream_t);
template void disperse(const Grid&, const Box&, const Media<float>&, const Poles<float>&, const PoleStates&, float*,
                       float*, cudaStream_t);

}  // namespace asterism::fdtd::cuda
