// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/update.cuh"

#include "codelets/lbm/kernels/kernels_cuda.hpp"
#include "codelets/lbm/kernels/launch.cuh"

namespace asterism::lbm::cuda {
namespace {

template <class T, bool forced>
auto kernel_for(Relaxation r) {
  return r == Relaxation::constant            ? update_kernel<T, Relaxation::constant, forced>
         : r == Relaxation::turbulent_bgk     ? update_kernel<T, Relaxation::turbulent_bgk, forced>
         : r == Relaxation::turbulent_trt     ? update_kernel<T, Relaxation::turbulent_trt, forced>
         : r == Relaxation::central           ? update_kernel<T, Relaxation::central, forced>
         : r == Relaxation::turbulent_central ? update_kernel<T, Relaxation::turbulent_central, forced>
         : r == Relaxation::central_third     ? update_kernel<T, Relaxation::central_third, forced>
                                              : update_kernel<T, Relaxation::turbulent_central_third, forced>;
}

}  // namespace

template <class T>
void update(Half half, const Brick& brick, const Boxes& boxes, const Collision& collision, const std::uint8_t* solid,
            const Walls& returning, const Walls& at_once, T* f, cudaStream_t stream, int threads) {
  if (threads == 0) threads = sizeof(T) == 2 ? 64 : 128;
  const auto kernel =
      forced(collision) ? kernel_for<T, true>(relaxation(collision)) : kernel_for<T, false>(relaxation(collision));
  const ThreadPairs pairs = thread_pairs(boxes.count, [&](int k) { return boxes.box[k]; });
  const bool words = half == Half::alpha;
  launch(kernel, pairs.pairs, threads, stream, parameters<Arithmetic<T>, scale_of<T>>(collision),
         friction<Arithmetic<T>, scale_of<T>>(collision.sponge), population_bytes<T>(other(half), brick),
         population_bytes<T>(half, brick), words,
         returns<Arithmetic<T>, scale_of<T>>(returning.wall, returning.count, brick),
         returns_at_once<Arithmetic<T>>(at_once.wall, at_once.count, brick), brick, pairs, solid, f);
}

template void update(Half, const Brick&, const Boxes&, const Collision&, const std::uint8_t*, const Walls&,
                     const Walls&, double*, cudaStream_t, int);
template void update(Half, const Brick&, const Boxes&, const Collision&, const std::uint8_t*, const Walls&,
                     const Walls&, float*, cudaStream_t, int);
template void update(Half, const Brick&, const Boxes&, const Collision&, const std::uint8_t*, const Walls&,
                     const Walls&, Float16*, cudaStream_t, int);

}  // namespace asterism::lbm::cuda
