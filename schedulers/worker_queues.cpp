// SPDX-License-Identifier: Apache-2.0
#include "schedulers/worker_queues.hpp"

#include <cerrno>

namespace asterism::schedulers {

void WorkerQueues::push(int worker, starpu_task* task) {
  Queue& queue = queues_[static_cast<std::size_t>(worker)];
  if (queue.waiting.load(std::memory_order_relaxed) > 0 && starpu_get_prefetch_flag() != 0)
    starpu_prefetch_task_input_for(task, static_cast<unsigned>(worker));
  starpu_worker_relax_on();
  queue.mutex.lock();
  starpu_worker_relax_off();
  auto place = queue.tasks.end();
  while (place != queue.tasks.begin() && (*(place - 1))->priority < task->priority) --place;
  queue.tasks.insert(place, task);
  queue.waiting.store(queue.tasks.size(), std::memory_order_release);
  starpu_push_task_end(task);
  queue.mutex.unlock();
  starpu_wake_worker_relax_light(worker);
}

int WorkerQueues::give(int worker, unsigned implementation, starpu_task* task) {
  if (worker < 0) return -ENODEV;
  starpu_task_set_implementation(task, implementation);
  push(worker, task);
  return 0;
}

starpu_task* WorkerQueues::pop() {
  Queue& queue = queues_[static_cast<std::size_t>(starpu_worker_get_id_check())];
  if (queue.waiting.load(std::memory_order_acquire) == 0) return nullptr;
  starpu_worker_relax_on();
  queue.mutex.lock();
  starpu_worker_relax_off();
  starpu_task* task = nullptr;
  if (!queue.tasks.empty()) {
    task = queue.tasks.front();
    queue.tasks.pop_front();
    queue.waiting.store(queue.tasks.size(), std::memory_order_release);
  }
  queue.mutex.unlock();
  return task;
}

}  // namespace asterism::schedulers
