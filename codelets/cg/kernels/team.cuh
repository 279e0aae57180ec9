// SPDX-License-Identifier: Apache-2.0
// The exchanges of a team within kernels: each GPU writes to the memory of the others and polls its own.
#pragma once

#include <cuda/atomic>

#include "codelets/cg/kernels/kernels_cuda.hpp"

namespace asterism::cg::cuda {

/// A member that does not write for so long has failed.
inline constexpr unsigned long long patience_ns = 60'000'000'000;

__device__ inline unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ inline void send_round(std::uint64_t& of_letter, std::uint64_t round) {
  ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>(of_letter).store(round, ::cuda::memory_order_release);
}

__device__ inline void wait_for(std::uint64_t& of_letter, std::uint64_t round) {
  const ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system> arrived(of_letter);
  if (arrived.load(::cuda::memory_order_acquire) >= round) return;
  const unsigned long long begin = nanoseconds();
  while (arrived.load(::cuda::memory_order_acquire) < round)
    if (nanoseconds() - begin > patience_ns) __trap();
}

__device__ inline void add(Dots& sum, const Dots& other) {
  asterism::cg::add(sum.rr, other.rr);
  asterism::cg::add(sum.rz, other.rz);
}

/// By all threads of one thread block, `mine` valid in its first: writes it to every member, and returns in the first
/// thread all contributions, added in the order of the members.
template <class T, class Letters>
__device__ inline T exchange(const Team& team, Letters letters, const T& mine) {
  using asterism::cg::add;
  using asterism::cg::cuda::add;
  __shared__ T of[max_team];
  __shared__ T own;
  const int k = static_cast<int>(threadIdx.x);
  if (k == 0) own = mine;
  __syncthreads();
  if (k < team.size) {
    const std::uint64_t round = team.round + 1;
    auto& there = (team.mailbox[k]->*letters)[team.me];
    there.value = own;
    send_round(there.round, round);
    auto& here = (team.mailbox[team.me]->*letters)[k];
    wait_for(here.round, round);
    const volatile double* const arrived = reinterpret_cast<const volatile double*>(&here.value);
    double* const value = reinterpret_cast<double*>(&of[k]);
    for (std::size_t d = 0; d < sizeof(T) / sizeof(double); ++d) value[d] = arrived[d];
  }
  __syncthreads();
  T total{};
  if (k == 0)
    for (int other = 0; other < team.size; ++other) add(total, of[other]);
  return total;
}

}  // namespace asterism::cg::cuda
