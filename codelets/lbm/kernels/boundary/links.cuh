// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codelets/lbm/kernels/boundary/force_sums.hpp"
#include "codelets/lbm/kernels/boundary/links.hpp"
#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm::cuda {

inline constexpr int link_threads = 256;
inline constexpr int force_threads = 256;
inline constexpr int most_force_blocks = 128;

/// Thread blocks of force_kernel.
ASTERISM_HOST_DEVICE inline std::int32_t blocks_of_force(const Links& links) {
  const std::int32_t blocks = (links.begin[q] - links.begin[0] + force_threads - 1) / force_threads;
  return blocks < most_force_blocks ? blocks : most_force_blocks;
}

template <class T>
__global__ void __launch_bounds__(link_threads)
    links_kernel(const std::int64_t* __restrict__ from, const std::int64_t* __restrict__ to, std::int32_t begin,
                 std::int32_t end, T* f) {
  const auto l = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (l < end - begin) f[to[begin + l]] = f[from[begin + l]];
}

template <class T>
__global__ void __launch_bounds__(link_threads)
    interpolated_links_kernel(Half last, const __grid_constant__ Brick brick, const __grid_constant__ Links links,
                              T* f) {
  const std::int64_t l = links.begin[0] + static_cast<std::int64_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (l >= links.begin[q]) return;
  int j = 1;
  while (l >= links.begin[j + 1]) ++j;
  f[last == Half::alpha ? links.solid[l] : links.fluid[l]] = returned(last, brick, links, j, l, f);
}

/// `sums`: added to. Threads take links in turn; sums of integers, whose order does not matter.
template <class T>
__global__ void __launch_bounds__(force_threads)
    force_kernel(Half last, const __grid_constant__ Brick brick, const __grid_constant__ Origin origin,
                 const __grid_constant__ Links links, const T* __restrict__ f, ForceSums* sums) {
  __shared__ ForceSums part[force_threads];
  const auto thread = static_cast<std::int32_t>(threadIdx.x);
  const std::int64_t* left = last == Half::alpha ? links.fluid : links.solid;
  ForceSums mine{};
  int j = 1;
  const std::int64_t stride = std::int64_t{blocks_of_force(links)} * force_threads;
  for (std::int64_t l = links.begin[0] + std::int64_t{blockIdx.x} * force_threads + thread; l < links.begin[q];
       l += stride) {
    while (l >= links.begin[j + 1]) ++j;
    mine.add(exchanged(last, brick, links, j, l, f), velocity(j),
             cell_of(brick, origin, last == Half::alpha ? opposite(j) : j, left[l]));
  }
  part[thread] = mine;
  for (int half = force_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) part[thread].add(part[thread + half]);
  }
  __syncthreads();
  if (thread < ForceSums::counters) atomicAdd(&sums->counter[thread], part[0].counter[thread]);
}

}  // namespace asterism::lbm::cuda
