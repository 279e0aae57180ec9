// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/march/partial_sums.cuh"

#include <algorithm>
#include <stdexcept>

#include "base/cuda_check.hpp"
#include "codelets/tdbem/kernels/march/partial_sums_cuda.hpp"

namespace asterism::tdbem::cuda {
namespace {

unsigned blocks_of(std::int64_t threads) {
  return static_cast<unsigned>((threads + march_threads - 1) / march_threads);
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
void place_tiles(const Directories& blocks, std::int32_t of_each, Tile<T>* tiles, cudaStream_t stream) {
  place_tiles_kernel<<<blocks_of(blocks.count * of_each), march_threads, 0, stream>>>(blocks, of_each, tiles);
  ASTERISM_CHECK_CUDA(cudaGetLastError());
}

template void combine(const TotalsShape&, Begun, const PartialSums<double>*, std::int32_t, double*, cudaStream_t);
template void combine(const TotalsShape&, Begun, const PartialSums<float>*, std::int32_t, float*, cudaStream_t);
template void right_hand_side(const TotalsShape&, std::int32_t, const RightHandSide<double>&, cudaStream_t);
template void right_hand_side(const TotalsShape&, std::int32_t, const RightHandSide<float>&, cudaStream_t);
template void place_tiles(const Directories&, std::int32_t, Tile<double>*, cudaStream_t);
template void place_tiles(const Directories&, std::int32_t, Tile<float>*, cudaStream_t);

}  // namespace asterism::tdbem::cuda
