// SPDX-License-Identifier: Apache-2.0
// The exchanges of a team (team.hpp) between cores.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "codelets/cg/kernels/team.hpp"

namespace asterism::cg {
namespace cpu {

/// Waits until `round` has come; the unit is kept, since the others need no more than some microseconds. Where they
/// need far more, there are more threads than cores, and the one that is waited for may need this core: then it rests.
inline void wait_for(std::uint64_t& of_letter, std::uint64_t round) {
  constexpr int looks_before_yielding = 4000, looks_before_resting = 6000;
  const std::atomic_ref<std::uint64_t> arrived(of_letter);
  for (int looks = 0; arrived.load(std::memory_order_acquire) < round; ++looks) {
    if (looks > looks_before_resting)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    else if (looks > looks_before_yielding)
      std::this_thread::yield();
  }
}

/// Writes `mine` to every member and returns all contributions, added in their order. `add` adds the second argument to
/// the first.
template <class T, class Letters, class Add>
T exchange(const Member* const* members, int size, int me, Letters letters, std::uint64_t round, const T& mine,
           Add add) {
  for (int k = 0; k < size; ++k) {
    auto& letter = (members[k]->mailbox->*letters)[me];
    letter.value = mine;
    std::atomic_ref<std::uint64_t>(letter.round).store(round, std::memory_order_release);
  }
  T total{};
  for (int k = 0; k < size; ++k) {
    auto& letter = (members[me]->mailbox->*letters)[k];
    wait_for(letter.round, round);
    add(total, letter.value);
  }
  return total;
}

/// Tells every member that the elements of p are where it expects them, and waits for theirs.
inline void exchange_halo(const Member* const* members, int size, int me, std::uint64_t round) {
  for (int k = 0; k < size; ++k)
    std::atomic_ref<std::uint64_t>(members[k]->mailbox->halo[me]).store(round, std::memory_order_release);
  for (int k = 0; k < size; ++k) wait_for(members[me]->mailbox->halo[k], round);
}

}  // namespace cpu
}  // namespace asterism::cg
