// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/boundary/wraps.cuh"

#include "codelets/lbm/kernels/kernels_cuda.hpp"
#include "codelets/lbm/kernels/launch.cuh"

namespace asterism::lbm::cuda {

template <class T>
void wrap(Half last, const Brick& brick, std::uint32_t wraps, T* f, cudaStream_t stream) {
  const ThreadCells cells = thread_cells(faces, [&](int face) { return wrapped_layer(brick, wraps, face); });
  launch(wrap_kernel<T>, cells, wrap_threads, stream, last, brick, wraps, cells, f);
}

template void wrap(Half, const Brick&, std::uint32_t, double*, cudaStream_t);
template void wrap(Half, const Brick&, std::uint32_t, float*, cudaStream_t);
template void wrap(Half, const Brick&, std::uint32_t, Float16*, cudaStream_t);

}  // namespace asterism::lbm::cuda
