// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/boundary/walls.cuh"

#include "codelets/lbm/kernels/kernels_cuda.hpp"
#include "codelets/lbm/kernels/launch.cuh"

namespace asterism::lbm::cuda {

namespace {

template <class T, class Done>
void reflect_some(Half last, const Brick& brick, const Walls& walls, const Done& done, T* f, cudaStream_t stream) {
  Reflectors<T> all{};
  all.count = walls.count;
  for (int w = 0; w < walls.count; ++w) all.wall[w] = reflector<Arithmetic<T>>(walls.wall[w]);
  const ThreadCells cells =
      thread_cells(walls.count, [&](int w) { return done(walls.wall[w]) ? brick.layer(walls.wall[w].face) : Box{}; });
  launch(walls_kernel<T>, cells, wall_threads, stream, all, population_offsets(last, brick),
         population_offsets(other(last), brick), brick, cells, f);
}

}  // namespace

template <class T>
void reflect(Half last, const Brick& brick, const Walls& walls, T* f, cudaStream_t stream) {
  reflect_some(
      last, brick, walls, [](const Wall&) { return true; }, f, stream);
}

template <class T>
void reflect_before_update(Half last, const Brick& brick, const Walls& walls, bool returned, T* f,
                           cudaStream_t stream) {
  const auto done = [&](const Wall& w) {
    return w.kind != Wall::Kind::velocity && !(returned && may_return_at_once(w));
  };
  reflect_some(last, brick, walls, done, f, stream);
}

template void reflect(Half, const Brick&, const Walls&, double*, cudaStream_t);
template void reflect(Half, const Brick&, const Walls&, float*, cudaStream_t);
template void reflect(Half, const Brick&, const Walls&, Float16*, cudaStream_t);
template void reflect_before_update(Half, const Brick&, const Walls&, bool, double*, cudaStream_t);
template void reflect_before_update(Half, const Brick&, const Walls&, bool, float*, cudaStream_t);
template void reflect_before_update(Half, const Brick&, const Walls&, bool, Float16*, cudaStream_t);

}  // namespace asterism::lbm::cuda
