// SPDX-License-Identifier: Apache-2.0
// A queue per worker, for schedulers that choose the worker when a task is pushed: decreasing priority, first in
// first out among equals, a lock for each worker.
#pragma once

#include <starpu.h>
#include <starpu_scheduler.h>

#include <atomic>
#include <deque>
#include <vector>

#include "runtime/starpu_mutex.hpp"

namespace asterism::schedulers {

class WorkerQueues {
 public:
  /// Gives a task to a worker and wakes it. Its data are prefetched when the worker has other tasks to do first; else
  /// it takes the task at once and fetches them itself.
  void push(int worker, starpu_task* task);
  /// The same with the implementation that it will run: 0, or -ENODEV where no worker (-1) can. What push_task returns.
  int give(int worker, unsigned implementation, starpu_task* task);
  /// The calling worker's next task, or nullptr.
  starpu_task* pop();
  /// Tasks that wait for a worker.
  [[nodiscard]] std::size_t waiting(int worker) const {
    return queues_[static_cast<std::size_t>(worker)].waiting.load(std::memory_order_relaxed);
  }

 private:
  struct Queue {
    Mutex mutex;
    std::deque<starpu_task*> tasks;
    std::atomic<std::size_t> waiting{0};  ///< their number, to be read without the lock
  };
  std::vector<Queue> queues_{STARPU_NMAXWORKERS};
};

}  // namespace asterism::schedulers
