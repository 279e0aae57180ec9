// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/observers/observe.cuh"

#include "codelets/lbm/kernels/kernels_cuda.hpp"
#include "codelets/lbm/kernels/launch.cuh"

namespace asterism::lbm::cuda {

template <class T>
void observe(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
             const T* f, Arithmetic<T>* out, cudaStream_t stream) {
  const ThreadCells cells = thread_cells(1, [&](int) { return box; });
  launch(observe_kernel<T>, cells, observe_threads, stream, parameters<Arithmetic<T>>(collision),
         population_offsets(next, brick), brick, cells, solid, f, out);
}

template <class T>
void total(Half next, const Brick& brick, const Box& box, const Collision& collision, const std::uint8_t* solid,
           const T* f, Totals* totals, void* scratch, cudaStream_t stream) {
  auto* parts = static_cast<Totals*>(scratch);
  total_kernel<T, total_blocks><<<total_blocks, observe_threads, 0, stream>>>(
      parameters<Arithmetic<T>>(collision), population_offsets(next, brick), brick,
      thread_cells(1, [&](int) { return box; }), solid, f, parts);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
  finish_totals_kernel<total_blocks><<<1, observe_threads, 0, stream>>>(parts, totals);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

std::size_t total_scratch_bytes() {
  return total_blocks * sizeof(Totals);
}

template void observe<double>(Half, const Brick&, const Box&, const Collision&, const std::uint8_t*, const double*,
                              double*, cudaStream_t);
template void observe<float>(Half, const Brick&, const Box&, const Collision&, const std::uint8_t*, const float*,
                             float*, cudaStream_t);
template void observe<Float16>(Half, const Brick&, const Box&, const Collision&, const std::uint8_t*, const Float16*,
                               float*, cudaStream_t);
template void total(Half, const Brick&, const Box&, const Collision&, const std::uint8_t*, const double*, Totals*,
                    void*, cudaStream_t);
template void total(Half, const Brick&, const Box&, const Collision&, const std::uint8_t*, const float*, Totals*, void*,
                    cudaStream_t);
template void total(Half, const Brick&, const Box&, const Collision&, const std::uint8_t*, const Float16*, Totals*,
                    void*, cudaStream_t);

}  // namespace asterism::lbm::cuda
