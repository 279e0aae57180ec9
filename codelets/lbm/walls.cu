#include "codelets/lbm/walls.cuh"

#include "codelets/lbm/kernels_cuda.hpp"
#include "codelets/lbm/launch.cuh"

namespace asterism::lbm::cuda {

template <class T>
void reflect(Half last, const Brick& brick, const Walls& walls, T* f, cudaStream_t stream) {
  Reflectors<T> all{};
  all.count = walls.count;
  for (int w = 0; w < walls.count; ++w) all.wall[w] = reflector<T>(walls.wall[w]);
  const Spread cells = spread(walls.count, [&](int w) { return border(all.wall[w], brick); });
  launch(walls_kernel<T>, cells, wall_threads, stream, all, places(last, brick), places(other(last), brick), brick,
         cells, f);
}

template void reflect(Half, const Brick&, const Walls&, double*, cudaStream_t);
template void reflect(Half, const Brick&, const Walls&, float*, cudaStream_t);

}  // namespace asterism::lbm::cuda
