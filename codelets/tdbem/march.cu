#include "codelets/tdbem/march.cuh"

#include <algorithm>
#include <stdexcept>

#include "codelets/tdbem/march_cuda.hpp"
#include "taskflows/runtime/cuda_check.hpp"

namespace asterism::tdbem::cuda {
namespace {

unsigned blocks_of(std::int64_t threads) {
  return static_cast<unsigned>((threads + march_threads - 1) / march_threads);
}

__global__ void add_kernel(SolveTally* tally, const Convergence* c, std::int64_t step) {
  tdbem::add(*tally, *c, step);
}

}  // namespace

template <class T>
void combine(const TotalsShape& shape, Begun begun, const PartialSums<T>* partials, std::int32_t count, T* totals,
             cudaStream_t stream) {
  if (count > most_partials) throw std::invalid_argument("combine: too many partial sums");
  Partials<T> all;
  all.count = count;
  std::copy_n(partials, count, all.of);
  const std::int64_t values = shape.elements() / shape.width * shape.group;
  if (values == 0) return;
  combine_kernel<<<blocks_of(values), march_threads, 0, stream>>>(shape, begun, all, totals);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void right_hand_side(const TotalsShape& shape, std::int32_t g, const RightHandSide<T>& r, cudaStream_t stream) {
  if (shape.rows == 0) return;
  right_hand_side_kernel<<<blocks_of(shape.rows), march_threads, 0, stream>>>(shape, g, r);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void extrapolate(std::int32_t rows, const T* last, const T* before, T* guess, cudaStream_t stream) {
  extrapolate_kernel<<<blocks_of(rows), march_threads, 0, stream>>>(rows, last, before, guess);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

void add(SolveTally* tally, const Convergence* c, std::int64_t step, cudaStream_t stream) {
  add_kernel<<<1, 1, 0, stream>>>(tally, c, step);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template <class T>
void place_tiles(const void* block, std::int64_t directory, std::int32_t count, Tile<T>* tiles, cudaStream_t stream) {
  place_tiles_kernel<<<blocks_of(count), march_threads, 0, stream>>>(block, directory, count, tiles);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void combine(const TotalsShape&, Begun, const PartialSums<double>*, std::int32_t, double*, cudaStream_t);
template void combine(const TotalsShape&, Begun, const PartialSums<float>*, std::int32_t, float*, cudaStream_t);
template void right_hand_side(const TotalsShape&, std::int32_t, const RightHandSide<double>&, cudaStream_t);
template void right_hand_side(const TotalsShape&, std::int32_t, const RightHandSide<float>&, cudaStream_t);
template void extrapolate(std::int32_t, const double*, const double*, double*, cudaStream_t);
template void extrapolate(std::int32_t, const float*, const float*, float*, cudaStream_t);
template void place_tiles(const void*, std::int64_t, std::int32_t, Tile<double>*, cudaStream_t);
template void place_tiles(const void*, std::int64_t, std::int32_t, Tile<float>*, cudaStream_t);

}  // namespace asterism::tdbem::cuda
