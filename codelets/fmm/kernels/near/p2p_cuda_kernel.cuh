// SPDX-License-Identifier: Apache-2.0
// The device code of P2P. No launch in here: the tests also run it on the host, thread by thread.
#pragma once

#include <cstdint>

#include "codelets/fmm/kernels/near/p2p.hpp"

namespace asterism::fmm::cuda {

enum class Staging { shared, direct };

/// Source leaves whose places are looked up at a time.
constexpr int batch = 32;

struct alignas(16) Particle {
  double x, y, z, q;
};

struct Sums {
  double potential = 0, fx = 0, fy = 0, fz = 0;
};

/// Threads side by side on different targets when `targets` wait, at `per_thread` each; threads / lanes of them then
/// share a target and split its sources. All targets at once if that occupies 13 of 16 threads, otherwise a power of
/// two, which occupies all, and the rest comes later: 86 targets on 128 threads are 64 (2 threads each) and 22 (5
/// each).
template <int threads, int per_thread>
__host__ __device__ inline int lanes_for(int targets) {
  const int wanted = (targets + per_thread - 1) / per_thread;
  if (wanted >= threads) return threads;
  if (threads / wanted * wanted * 16 >= threads * 13) return wanted;
  int lanes = threads / 2;
  while (lanes > wanted) lanes /= 2;
  return lanes;
}

/// d = x_j - x_i: potential_i += q_j K, field_i += q_j slope d. 18 double precision instructions for Laplace.
/// `other`: the source is not the target itself, which only kernels that act at distance 0 ask.
template <class Kernel>
__device__ inline void interact(const Kernel& kernel, double x, double y, double z, const Particle& source, bool other,
                                Sums& sums) {
  const double dx = source.x - x;
  const double dy = source.y - y;
  const double dz = source.z - z;
  const double r2 = fma(dx, dx, fma(dy, dy, dz * dz));
  double value;
  double slope;
  kernel(r2, value, slope);
  // normal and not 0: an integer instruction
  const bool apart = acts_at_zero<Kernel> ? other : __double2hiint(r2) >= 0x00100000;
  value = apart ? value : 0;
  slope = apart ? slope : 0;
  sums.potential = fma(source.q, value, sums.potential);
  const double s = source.q * slope;
  sums.fx = fma(s, dx, sums.fx);
  sums.fy = fma(s, dy, sums.fy);
  sums.fz = fma(s, dz, sums.fz);
}

/// Where the particles of up to `batch` source leaves are: leaf l has particles first[l] .. , and numbers
/// offset[l] .. offset[l + 1] among those of the batch.
struct Batch {
  std::int32_t first[batch];
  std::int32_t count[batch];
  std::int32_t offset[batch + 1];
};

__device__ inline Particle fetch(const SourceView& p, std::int32_t j) {
  return {__ldg(p.x + j), __ldg(p.y + j), __ldg(p.z + j), __ldg(p.q + j)};
}

/// Particle number k of the batch: the last leaf with offset <= k, which is not empty.
__device__ inline Particle fetch(const SourceView& p, const Batch& b, int leaves, int k) {
  int l = 0;
  for (int step = batch / 2; step > 0; step /= 2)
    if (l + step < leaves && b.offset[l + step] <= k) l += step;
  return fetch(p, b.first[l] + (k - b.offset[l]));
}

/// The number of particle i among those of the batch; -1: it is not there.
__device__ inline int number_in(const Batch& b, int leaves, std::int32_t i) {
  for (int l = 0; l < leaves; ++l)
    if (i >= b.first[l] && i < b.first[l] + b.count[l]) return b.offset[l] + (i - b.first[l]);
  return -1;
}

/// One block, one item of the set. Thread t works on lane t % lanes and on the sources split, split + splits, ... of
/// each tile, so that threads of a warp read the same source or neighbouring ones. `Kernel` is passed by value.
template <class Kernel, int threads, int per_thread, Staging staging>
__global__ void __launch_bounds__(threads) p2p_kernel(Kernel kernel, P2PSet set, SourceView p, FieldView f) {
  static_assert(threads > batch && (threads & (threads - 1)) == 0, "");
  __shared__ Particle tile[threads];
  __shared__ Batch near;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int32_t number = static_cast<std::int32_t>(blockIdx.x);
  const P2PItem item = set.items > 0 ? set.item[number] : P2PItem{number, set.begin[number], set.begin[number + 1]};
  const std::int32_t leaf = item.leaf;
  const std::int32_t end = item.end;
  const std::int32_t source_end = set.source_begin[leaf + 1];
  for (std::int32_t first = item.first; first < end;) {
    const int lanes = lanes_for<threads, per_thread>(end - first);
    const int splits = threads / lanes;
    const int lane = thread % lanes;
    const int split = thread / lanes;
    const auto target = [=](int t) {  // one too many: computed, not stored
      return first + lane + t * lanes < end ? first + lane + t * lanes : first;
    };
    double x[per_thread], y[per_thread], z[per_thread];
    Sums sums[per_thread];
#pragma unroll
    for (int t = 0; t < per_thread; ++t)
      x[t] = __ldg(p.x + target(t)), y[t] = __ldg(p.y + target(t)), z[t] = __ldg(p.z + target(t));
    for (std::int32_t s = set.source_begin[leaf]; s < source_end; s += batch) {
      const int leaves = source_end - s < batch ? source_end - s : batch;
      __syncthreads();  // the last batch is done with
      if (thread < leaves) {
        const std::int32_t b = set.source[s + thread];
        near.first[thread] = set.begin[b];
        near.count[thread] = set.begin[b + 1] - set.begin[b];
      }
      __syncthreads();
      if (thread <= leaves) {
        std::int32_t before = 0;
        for (int l = 0; l < thread; ++l) before += near.count[l];
        near.offset[thread] = before;
      }
      __syncthreads();
      int itself[per_thread];  // numbers of the targets among the sources
#pragma unroll
      for (int t = 0; t < per_thread; ++t) itself[t] = acts_at_zero<Kernel> ? number_in(near, leaves, target(t)) : -1;
      if (staging == Staging::shared) {
        const int total = near.offset[leaves];
        Particle next{};
        if (thread < total) next = fetch(p, near, leaves, thread);
        for (int done = 0; done < total; done += threads) {
          __syncthreads();  // the last tile is done with
          tile[thread] = next;
          __syncthreads();
          const int ahead = done + threads + thread;
          if (ahead < total) next = fetch(p, near, leaves, ahead);
          const int size = split < splits ? (total - done < threads ? total - done : threads) : 0;
#pragma unroll 2
          for (int k = split; k < size; k += splits) {
            const Particle source = tile[k];
#pragma unroll
            for (int t = 0; t < per_thread; ++t)
              interact(kernel, x[t], y[t], z[t], source, done + k != itself[t], sums[t]);
          }
        }
      } else {
        for (int l = 0; l < leaves && split < splits; ++l) {
          const std::int32_t behind = near.first[l] + near.count[l];
#pragma unroll 2
          for (std::int32_t j = near.first[l] + split; j < behind; j += splits) {
            const Particle source = fetch(p, j);
#pragma unroll
            for (int t = 0; t < per_thread; ++t)
              interact(kernel, x[t], y[t], z[t], source, near.offset[l] + (j - near.first[l]) != itself[t], sums[t]);
          }
        }
      }
    }
#pragma unroll
    for (int t = 0; t < per_thread; ++t) {
      Sums sum = sums[t];
      if (splits > 1) {
        __syncthreads();  // the tile, or the last sums, are done with
        tile[thread] = {sum.potential, sum.fx, sum.fy, sum.fz};
        __syncthreads();
        if (split == 0)
          for (int k = thread + lanes; k < splits * lanes; k += lanes) {
            sum.potential += tile[k].x;
            sum.fx += tile[k].y;
            sum.fy += tile[k].z;
            sum.fz += tile[k].q;
          }
      }
      if (const std::int32_t i = first + lane + t * lanes; split == 0 && i < end) {
        f.potential[i] = sum.potential;
        f.fx[i] = sum.fx;
        f.fy[i] = sum.fy;
        f.fz[i] = sum.fz;
      }
    }
    first += lanes * per_thread;
  }
}

}  // namespace asterism::fmm::cuda
