// SPDX-License-Identifier: Apache-2.0
// Measures: every class of tasks (performance model and footprint) runs on every kind of unit that can run it, with
// every implementation, in turn. What it leaves behind, in StarPU's performance models and in traces, are durations for
// bounds and for schedulers that predict. It does not try to be fast.
//
// A task goes to the kind and implementation that its class has run on least often, and there to the worker with the
// fewest tasks waiting.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/starpu_mutex.hpp"
#include "schedulers/policies.hpp"
#include "schedulers/policy_of_context.hpp"
#include "schedulers/worker_queues.hpp"

namespace asterism::schedulers {
namespace {

/// Model or codelet, footprint, StarPU's architecture, implementation.
using Place = std::tuple<const void*, std::uint32_t, int, unsigned>;

struct Policy {
  std::vector<int> workers;
  WorkerQueues queues;
  Mutex mutex;                            ///< of what follows; held while StarPU is asked for footprints
  std::map<Place, std::uint64_t> placed;  ///< tasks given to a place so far
  std::map<int, std::uint64_t> given;     ///< tasks given to a worker so far
};

void init(unsigned context) {
  keep(context, new Policy);
}

Place place_of(starpu_task* task, int worker, unsigned implementation) {
  starpu_perfmodel* const model = task->cl->model;
  starpu_perfmodel_arch* const architecture = starpu_worker_get_perf_archtype(worker, task->sched_ctx);
  const std::uint32_t footprint = model == nullptr ? starpu_task_data_footprint(task)
                                                   : starpu_task_footprint(model, task, architecture, implementation);
  const void* const what = model == nullptr ? static_cast<const void*>(task->cl) : model;
  return {what, footprint, starpu_perfmodel_arch_comb_add(architecture->ndevices, architecture->devices),
          implementation};
}

int push_task(starpu_task* task) {
  Policy& policy = policy_of<Policy>(task->sched_ctx);
  int chosen = -1;
  unsigned chosen_implementation = 0;
  {
    starpu_worker_relax_on();
    const std::lock_guard lock(policy.mutex);
    starpu_worker_relax_off();
    Place place;
    std::tuple<std::uint64_t, std::size_t, std::uint64_t> least;
    for (const int worker : policy.workers) {
      unsigned can = 0;
      starpu_worker_can_execute_task_impl(static_cast<unsigned>(worker), task, &can);
      for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
        if ((can >> i & 1U) == 0) continue;
        const Place here = place_of(task, worker, i);
        const auto counted = policy.placed.find(here);
        const std::tuple cost{counted == policy.placed.end() ? 0 : counted->second, policy.queues.waiting(worker),
                              policy.given[worker]};
        if (chosen < 0 || cost < least) {
          least = cost;
          place = here;
          chosen = worker;
          chosen_implementation = i;
        }
      }
    }
    if (chosen < 0) return -ENODEV;
    ++policy.placed[place];
    ++policy.given[chosen];
  }
  starpu_task_set_implementation(task, chosen_implementation);
  policy.queues.push(chosen, task);
  return 0;
}

starpu_task* pop_task(unsigned context) {
  return policy_of<Policy>(context).queues.pop();
}

}  // namespace

starpu_sched_policy calibrate_policy =
    make_policy("calibrate", "every class of tasks on every kind of unit in turn, to measure durations",
                {init, drop<Policy>, add_workers<Policy>, remove_workers<Policy>, push_task, pop_task});

}  // namespace asterism::schedulers
