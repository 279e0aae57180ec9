// SPDX-License-Identifier: Apache-2.0
// A schedule made before the run (asterism-replay --write-schedule): every task on the unit that a file names, in its
// order.
//
// ASTERISM_STATIC_SCHEDULE  the file, in the form of StarPU's sched.rec: records with SubmitOrder, SpecificWorker and
//                           Priority. The k-th task that is submitted and runs on some unit is that of the record with
//                           the k-th least SubmitOrder. Read when the first task is submitted.
//
// A unit takes, of its tasks that are ready, the one of the largest Priority: it never waits for a task that comes
// earlier in the order and is late, so that durations other than those of the schedule delay no more than they must,
// and no order can block. A task without a record, or whose unit cannot run it, goes to the unit with the fewest
// waiting tasks among those that can.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "schedulers/policies.hpp"
#include "schedulers/policy_of_context.hpp"
#include "schedulers/schedule_file.hpp"
#include "schedulers/worker_queues.hpp"

namespace asterism::schedulers {
namespace {

struct Policy {
  std::vector<int> workers;
  std::once_flag read;
  std::vector<ScheduledTask> schedule;  ///< by order of submission
  std::atomic<std::uintptr_t> submitted{0};
  WorkerQueues queues;
};

void init(unsigned context) {
  keep(context, new Policy);
}

void read_schedule(Policy& policy) {
  const char* const path = std::getenv("ASTERISM_STATIC_SCHEDULE");
  std::string error = "expected the file of a schedule, as asterism-replay --write-schedule makes it";
  if (path != nullptr && *path != '\0') {
    ScheduleFile file = read_schedule_file(path);
    policy.schedule = std::move(file.tasks);
    error = std::move(file.error);
  }
  if (!error.empty())
    std::fprintf(stderr, "static: ASTERISM_STATIC_SCHEDULE: %s; tasks go to units with few waiting tasks\n",
                 error.c_str());
}

/// Numbers the tasks from 1 in sched_data, which StarPU leaves to schedulers.
void note_submission(starpu_task* task) {
  if (task->cl == nullptr || task->cl->where == STARPU_NOWHERE) return;
  Policy& policy = policy_of<Policy>(task->sched_ctx);
  std::call_once(policy.read, read_schedule, std::ref(policy));
  task->sched_data = reinterpret_cast<void*>(++policy.submitted);  // NOLINT(performance-no-int-to-ptr): not a pointer
}

int push_task(starpu_task* task) {
  Policy& policy = policy_of<Policy>(task->sched_ctx);
  const auto number = reinterpret_cast<std::uintptr_t>(task->sched_data);
  int worker = -1;
  unsigned implementation = 0;
  if (number > 0 && number <= policy.schedule.size()) {
    const ScheduledTask& scheduled = policy.schedule[number - 1];
    task->priority = scheduled.priority;
    for (const int known : policy.workers)
      if (known == scheduled.worker &&
          starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(known), task, &implementation))
        worker = known;
  }
  for (const int other : worker < 0 ? policy.workers : std::vector<int>()) {
    if (worker >= 0 && policy.queues.waiting(other) >= policy.queues.waiting(worker)) continue;
    unsigned first = 0;
    if (!starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(other), task, &first)) continue;
    worker = other;
    implementation = first;
  }
  return policy.queues.give(worker, implementation, task);
}

starpu_task* pop_task(unsigned context) {
  return policy_of<Policy>(context).queues.pop();
}

starpu_sched_policy with_submissions(starpu_sched_policy policy) {
  policy.submit_hook = note_submission;
  return policy;
}

}  // namespace

starpu_sched_policy static_policy = with_submissions(
    make_policy("static", "units and order of a file, see ASTERISM_STATIC_SCHEDULE",
                {init, drop<Policy>, add_workers<Policy>, remove_workers<Policy>, push_task, pop_task}));

}  // namespace asterism::schedulers
