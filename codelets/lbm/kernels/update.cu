// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/update.cuh"

#include "codelets/lbm/kernels/kernels_cuda.hpp"
#include "codelets/lbm/kernels/launch.cuh"

namespace asterism::lbm::cuda {
namespace {

template <class T, bool forced, Scope scope>
auto kernel_for(Relaxation r) {
  return r == Relaxation::constant            ? update_kernel<T, Relaxation::constant, forced, scope>
         : r == Relaxation::turbulent_bgk     ? update_kernel<T, Relaxation::turbulent_bgk, forced, scope>
         : r == Relaxation::turbulent_trt     ? update_kernel<T, Relaxation::turbulent_trt, forced, scope>
         : r == Relaxation::central           ? update_kernel<T, Relaxation::central, forced, scope>
         : r == Relaxation::turbulent_central ? update_kernel<T, Relaxation::turbulent_central, forced, scope>
         : r == Relaxation::central_third     ? update_kernel<T, Relaxation::central_third, forced, scope>
                                              : update_kernel<T, Relaxation::turbulent_central_third, forced, scope>;
}

template <class T>
auto kernel_for(const Collision& c, const ReturnsAtOnce<Arithmetic<T>>& at_once) {
  if constexpr (has_plain_kernels<T>)
    if (!forced(c) && c.sponge.cells == 0 && at_once.walls == 0)
      return kernel_for<T, false, Scope::plain>(relaxation(c));
  return forced(c) ? kernel_for<T, true, Scope::all>(relaxation(c)) : kernel_for<T, false, Scope::all>(relaxation(c));
}

}  // namespace

template <class T>
void update(Half half, const Brick& brick, const Boxes& boxes, const Collision& collision, const std::uint8_t* solid,
            const Walls& returning, const Walls& at_once, T* f, cudaStream_t stream, int threads) {
  threads = threads == 0 ? (sizeof(T) == 2 ? 64 : 128) : std::min(threads, most_update_threads<T>);
  const auto returns_now = returns_at_once<Arithmetic<T>>(at_once.wall, at_once.count, brick);
  const ThreadPairs pairs = thread_pairs(boxes.count, [&](int k) { return boxes.box[k]; });
  const bool words = half == Half::alpha;
  launch(kernel_for<T>(collision, returns_now), pairs.pairs, threads, stream,
         parameters<Arithmetic<T>, scale_of<T>>(collision), friction<Arithmetic<T>, scale_of<T>>(collision.sponge),
         population_bytes<T>(other(half), brick), population_bytes<T>(half, brick), words,
         returns<Arithmetic<T>, scale_of<T>>(returning.wall, returning.count, brick), returns_now, brick, pairs, solid,
         f);
}

template void update(Half, const Brick&, const Boxes&, const Collision&, const std::uint8_t*, const Walls&,
                     const Walls&, double*, cudaStream_t, int);
template void update(Half, const Brick&, const Boxes&, const Collision&, const std::uint8_t*, const Walls&,
                     const Walls&, float*, cudaStream_t, int);
template void update(Half, const Brick&, const Boxes&, const Collision&, const std::uint8_t*, const Walls&,
                     const Walls&, Float16*, cudaStream_t, int);

}  // namespace asterism::lbm::cuda
