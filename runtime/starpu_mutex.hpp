// SPDX-License-Identifier: Apache-2.0
// Locks that are held while StarPU is called, and waiting in the main program for something that tasks bring about
// other than their end: StarPU's own primitives, which let time pass on a simulated machine. All its threads being one,
// those of the standard library would stop it for ever.
#pragma once

#include <starpu.h>

#include <mutex>

namespace asterism {

/// As std::mutex.
class Mutex {
 public:
  Mutex() { starpu_pthread_mutex_init(&mutex_, nullptr); }
  ~Mutex() { starpu_pthread_mutex_destroy(&mutex_); }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void lock() { starpu_pthread_mutex_lock(&mutex_); }
  void unlock() { starpu_pthread_mutex_unlock(&mutex_); }
  [[nodiscard]] starpu_pthread_mutex_t* native() { return &mutex_; }

 private:
  starpu_pthread_mutex_t mutex_{};
};

/// As std::condition_variable, of that mutex.
class Condition {
 public:
  Condition() { starpu_pthread_cond_init(&condition_, nullptr); }
  ~Condition() { starpu_pthread_cond_destroy(&condition_); }
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  template <class Predicate>
  void wait(std::unique_lock<Mutex>& lock, const Predicate& until) {
    while (!until()) starpu_pthread_cond_wait(&condition_, lock.mutex()->native());
  }
  void notify_one() { starpu_pthread_cond_signal(&condition_); }

 private:
  starpu_pthread_cond_t condition_{};
};

}  // namespace asterism
