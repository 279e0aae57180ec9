// SPDX-License-Identifier: Apache-2.0
// A thread for each value.
#pragma once

#include "codelets/tdbem/kernels/march/partial_sums.hpp"
#include "codelets/tdbem/kernels/product/block.hpp"

namespace asterism::tdbem::cuda {

inline constexpr unsigned march_threads = 256;

/// What combine() reads, as an argument of its kernel.
template <class T>
struct Partials {
  std::int32_t count = 0;
  PartialSums<T> of[most_partials];
};

template <class T>
__global__ void combine_kernel(const __grid_constant__ TotalsShape shape, Begun begun,
                               const __grid_constant__ Partials<T> partials, T* totals) {
  const std::int64_t lines = shape.elements() / shape.width;
  const std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * march_threads + threadIdx.x;
  if (n >= lines * shape.group) return;
  const std::int64_t x = n / shape.group * shape.width + n % shape.group;
  T before = 0;
  if (begun == Begun::present) before = totals[x];
  if (begun == Begun::next) before = totals[x + shape.group];
  totals[x] = combined(shape, partials.of, partials.count, x, before);
  if (begun == Begun::next) totals[x + shape.group] = 0;
}

template <class T>
__global__ void right_hand_side_kernel(const __grid_constant__ TotalsShape shape, std::int32_t g,
                                       const __grid_constant__ RightHandSide<T> r) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * march_threads + threadIdx.x;
  if (i >= shape.rows) return;
  r.rhs[i] = (r.incident == nullptr ? T(0) : r.incident[i * shape.group + g]) - r.totals[i * shape.width + g];
}

template <class T>
__global__ void place_tiles_kernel(const __grid_constant__ Directories blocks, std::int32_t of_each, Tile<T>* tiles) {
  const auto t = static_cast<std::int32_t>(blockIdx.x * march_threads + threadIdx.x);
  if (t >= blocks.count * of_each) return;
  const std::int32_t b = t / of_each;
  tiles[t] = tile_of_block<T>(blocks.block[b], blocks.directory[b], t % of_each);
}

}  // namespace asterism::tdbem::cuda
