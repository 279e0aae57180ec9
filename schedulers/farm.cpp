// SPDX-License-Identifier: Apache-2.0
// Farms of independent tasks: the two schedulers of Skomedal (Heterogeneous FDTD for Seismic Processing, NTNU 2013) as
// Myklebust's thesis (FDTD on Distributed Heterogeneous Multi-GPU Systems, NTNU 2014, section 2.6) has them.
//   greedy      a unit fetches a task when it has done the one before
//   assignment  a unit that has nothing to do is assigned as many tasks as are worth T seconds at the highest speed
//   that
//               it has shown: F_k = S_k T (its first one is on its own). Data of the tasks after the first are
//               prefetched.
// The work of a task is its `flops`; of tasks without, all count the same.
//
// ASTERISM_ASSIGNMENT_SECONDS  T, default 1
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

#include "runtime/starpu_mutex.hpp"
#include "schedulers/farm_queue.hpp"
#include "schedulers/policies.hpp"
#include "schedulers/policy_of_context.hpp"

namespace asterism::schedulers {
namespace {

struct Unit {
  std::deque<starpu_task*> assigned;
  BestSpeed speed;  ///< its own thread's
};

struct Policy {
  double seconds;  ///< worth of a batch; 0: one task
  std::vector<int> workers;
  Mutex mutex;  ///< of the queue
  FarmQueue<starpu_task*> waiting;
  std::vector<Unit> units{STARPU_NMAXWORKERS};
};

Unit& calling_unit(Policy& policy) {
  return policy.units[static_cast<std::size_t>(starpu_worker_get_id_check())];
}

double work_of(const starpu_task* task) {
  return task->flops > 0 ? task->flops : 1;
}

double seconds_of_a_batch() {
  const char* const text = std::getenv("ASTERISM_ASSIGNMENT_SECONDS");
  if (text == nullptr || *text == '\0') return 1;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (*end == '\0' && std::isfinite(value) && value > 0) return value;
  std::fprintf(stderr, "assignment: ASTERISM_ASSIGNMENT_SECONDS: expected a positive number, found '%s'\n", text);
  return 1;
}

void init(unsigned context, double seconds) {
  auto* const policy = new Policy;
  policy->seconds = seconds;
  keep(context, policy);
}

void init_greedy(unsigned context) {
  init(context, 0);
}
void init_assignment(unsigned context) {
  init(context, seconds_of_a_batch());
}

int push_task(starpu_task* task) {
  Policy& policy = policy_of<Policy>(task->sched_ctx);
  std::vector<int> able;  // asked for now: once it waits, the task may be done and gone at any time
  for (const int worker : policy.workers)
    if (starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(worker), task, nullptr) != 0)
      able.push_back(worker);
  starpu_worker_relax_on();
  policy.mutex.lock();
  starpu_worker_relax_off();
  policy.waiting.push(task, task->priority, work_of(task));
  starpu_push_task_end(task);
  policy.mutex.unlock();
  for (const int worker : able) starpu_wake_worker_relax_light(worker);
  return 0;
}

starpu_task* pop_task(unsigned context) {
  Policy& policy = policy_of<Policy>(context);
  Unit& unit = calling_unit(policy);
  if (unit.assigned.empty()) {
    const auto worker = static_cast<unsigned>(starpu_worker_get_id_check());
    starpu_worker_relax_on();
    policy.mutex.lock();
    starpu_worker_relax_off();
    const std::vector<starpu_task*> batch =
        policy.waiting.take(policy.seconds * unit.speed.value(), [&](starpu_task* task) {
          unsigned implementation = 0;
          if (starpu_worker_can_execute_task_first_impl(worker, task, &implementation) == 0) return false;
          starpu_task_set_implementation(task, implementation);
          return true;
        });
    policy.mutex.unlock();
    unit.assigned.assign(batch.begin(), batch.end());
    for (std::size_t i = 1; i < batch.size(); ++i)
      if (starpu_get_prefetch_flag() != 0) starpu_prefetch_task_input_for(batch[i], worker);
  }
  if (unit.assigned.empty()) return nullptr;
  starpu_task* const task = unit.assigned.front();
  unit.assigned.pop_front();
  return task;
}

void before(starpu_task* task, unsigned context) {
  if (task->cl != nullptr) calling_unit(policy_of<Policy>(context)).speed.begin(starpu_timing_now() * 1e-6);
}

void after(starpu_task* task, unsigned context) {
  if (task->cl != nullptr)
    calling_unit(policy_of<Policy>(context)).speed.end(starpu_timing_now() * 1e-6, work_of(task));
}

starpu_sched_policy policy_with(const char* name, const char* description, void (*init_sched)(unsigned)) {
  return make_policy(
      name, description,
      {init_sched, drop<Policy>, add_workers<Policy>, remove_workers<Policy>, push_task, pop_task, before, after});
}

}  // namespace

starpu_sched_policy greedy_policy =
    policy_with("greedy", "independent tasks: a unit fetches one when it is free", init_greedy);
starpu_sched_policy assignment_policy =
    policy_with("assignment", "independent tasks: batches worth some seconds at a unit's best speed", init_assignment);

}  // namespace asterism::schedulers
