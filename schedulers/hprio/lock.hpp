// SPDX-License-Identifier: Apache-2.0
// The lock of buckets and of what units keep: four bytes, read before they are written, so that those who wait leave
// the cache line to the one that holds it.
#pragma once

#include <atomic>

namespace asterism::schedulers::hprio {

/// What the runtime wants to be told before a thread sleeps and after it woke.
struct Waiting {
  void (*begin)() = nullptr;
  void (*end)() = nullptr;
};

/// Waited for some ten microseconds, by reading less and less often (Anderson, IEEE TPDS 1, 1990: many that try often
/// keep the lock from the one that holds it), then asleep.
class Lock {
 public:
  void lock(const Waiting& waiting);
  void unlock() {
    if (state_.exchange(free, std::memory_order_release) == slept_for) state_.notify_one();
  }

 private:
  enum State : int { free, held, slept_for };
  bool try_lock() {
    int expected = free;
    return state_.load(std::memory_order_relaxed) == free &&
           state_.compare_exchange_strong(expected, held, std::memory_order_acquire, std::memory_order_relaxed);
  }
  std::atomic<int> state_{free};
};

class Held {
 public:
  Held(Lock& lock, const Waiting& waiting) : lock_(lock) { lock_.lock(waiting); }
  ~Held() { lock_.unlock(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  Lock& lock_;
};

}  // namespace asterism::schedulers::hprio
