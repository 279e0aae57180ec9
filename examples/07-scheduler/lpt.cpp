// SPDX-License-Identifier: Apache-2.0
// Example 7: a scheduler of one's own, which any StarPU program loads:
//
//   STARPU_SCHED_LIB=build/examples/liblpt.so STARPU_SCHED=lpt build/examples/axpy
//
// It gives a free unit the ready task that is longest on it, "longest processing time first" of Graham (Bounds on
// Multiprocessing Timing Anomalies, SIAM J. Appl. Math. 17, 1969). Durations are those that StarPU has measured; a task
// of which nothing is known is the longest, so that it becomes known.
#include <starpu.h>
#include <starpu_scheduler.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <list>
#include <mutex>

namespace {

struct Ready {
  std::mutex mutex;
  std::list<starpu_task*> tasks;
};

Ready& ready(unsigned context) {
  return *static_cast<Ready*>(starpu_sched_ctx_get_policy_data(context));
}

/// Holds the mutex; while it is waited for, StarPU may look at this unit.
std::unique_lock<std::mutex> hold(Ready& r) {
  starpu_worker_relax_on();
  std::unique_lock lock(r.mutex);
  starpu_worker_relax_off();
  return lock;
}

int push(starpu_task* task) {
  {
    const auto lock = hold(ready(task->sched_ctx));
    ready(task->sched_ctx).tasks.push_back(task);
    starpu_push_task_end(task);
  }
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) starpu_wake_worker_relax_light(worker);
  return 0;
}

starpu_task* pop(unsigned context) {
  const auto worker = static_cast<unsigned>(starpu_worker_get_id_check());
  starpu_perfmodel_arch* const unit = starpu_worker_get_perf_archtype(static_cast<int>(worker), context);
  const auto lock = hold(ready(context));
  auto& tasks = ready(context).tasks;
  auto longest = tasks.end();
  unsigned function = 0;
  double duration = -1;
  for (auto at = tasks.begin(); at != tasks.end(); ++at) {
    unsigned able = 0;
    if (starpu_worker_can_execute_task_first_impl(worker, *at, &able) == 0) continue;
    double expected = starpu_task_expected_length(*at, unit, able);
    if (std::isnan(expected)) expected = std::numeric_limits<double>::infinity();
    if (expected > duration) longest = at, function = able, duration = expected;
  }
  if (longest == tasks.end()) return nullptr;
  starpu_task* const task = *longest;
  tasks.erase(longest);
  starpu_task_set_implementation(task, function);
  return task;
}

starpu_sched_policy* policy() {
  static starpu_sched_policy lpt{};
  lpt.init_sched = [](unsigned context) { starpu_sched_ctx_set_policy_data(context, new Ready); };
  lpt.deinit_sched = [](unsigned context) { delete &ready(context); };
  lpt.push_task = push;
  lpt.pop_task = pop;
  lpt.policy_name = "lpt";
  lpt.policy_description = "longest processing time first";
  return &lpt;
}

}  // namespace

extern "C" starpu_sched_policy** starpu_get_sched_lib_policies() {
  static starpu_sched_policy* all[] = {policy(), nullptr};
  return all;
}

extern "C" starpu_sched_policy* starpu_get_sched_lib_policy(const char* name) {
  return std::strcmp(name, "lpt") == 0 ? policy() : nullptr;
}
