// SPDX-License-Identifier: Apache-2.0
#include "schedulers/hprio/lock.hpp"

#include <algorithm>

namespace asterism::schedulers::hprio {

void Lock::lock(const Waiting& waiting) {
  constexpr int longest = 64;
  constexpr int all = 512;
  for (int total = 0, pause = 1; total < all; total += pause, pause = std::min(2 * pause, longest)) {
    if (try_lock()) return;
#if defined(__x86_64__)
    for (int i = 0; i < pause; ++i) __builtin_ia32_pause();
#endif
  }
  if (waiting.begin != nullptr) waiting.begin();
  while (state_.exchange(slept_for, std::memory_order_acquire) != free) state_.wait(slept_for);
  if (waiting.end != nullptr) waiting.end();
}

}  // namespace asterism::schedulers::hprio
