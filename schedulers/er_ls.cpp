// SPDX-License-Identifier: Apache-2.0
// "er-ls", list scheduling with enhanced rules: the online algorithm of Amaris, Lucarelli, Mommessin and Trystram
// (Generic algorithms for scheduling applications on heterogeneous platforms, Concurrency and Computation 32:e5647,
// 2020; Euro-Par 2017), whose makespan is at most 4 sqrt(m/k) times the optimum on m CPUs and k <= m GPUs.
//
// A task that becomes ready is given to a kind of unit, and to the unit of that kind where it ends first:
//   1. to GPUs, if a GPU ends it, what it has to do before included, in the time that a CPU takes for it alone;
//   2. else to CPUs if p_cpu / sqrt(m) <= p_gpu / sqrt(k), else to GPUs.
// m and k are the units that can run the task. Copies do not count, as in the paper. Each unit takes what it was given
// by decreasing task->priority, first in first out among equals (the paper: in any order).
//
// Durations are those of StarPU's performance models. A task whose durations are not known on both kinds goes to the
// unit with the fewest waiting tasks: give it a calibrated model.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "schedulers/policies.hpp"
#include "schedulers/policy_of_context.hpp"
#include "schedulers/worker_queues.hpp"

namespace asterism::schedulers {
namespace {

/// What a unit has to do: microseconds of the tasks that it was given and has not ended.
struct Load {
  double given = 0;
  double since = 0;  ///< when it began with the first of them; NaN: it runs nothing
  [[nodiscard]] double left(double now) const { return std::max(0., given - (std::isnan(since) ? 0. : now - since)); }
};

struct Policy {
  std::vector<int> workers;
  WorkerQueues queues;
  std::mutex mutex;  ///< of the loads
  std::vector<Load> loads{STARPU_NMAXWORKERS, Load{0, std::numeric_limits<double>::quiet_NaN()}};
};

struct Unit {
  int worker = -1;
  unsigned implementation = 0;
  double length = 0;  ///< of the task there, in microseconds
  double end = std::numeric_limits<double>::infinity();
};

/// The length of a task goes with it in sched_data, which StarPU leaves to schedulers.
double length_of(const starpu_task* task) {
  return std::bit_cast<double>(reinterpret_cast<std::uintptr_t>(task->sched_data));
}
void set_length(starpu_task* task, double length) {
  task->sched_data =
      reinterpret_cast<void*>(std::bit_cast<std::uintptr_t>(length));  // NOLINT(performance-no-int-to-ptr)
}

void init(unsigned context) {
  keep(context, new Policy);
}

/// Where the task goes, by the rules.
Unit choose(Policy& policy, starpu_task* task) {
  std::array<Unit, 2> first;  // of CPUs, of GPUs: where it ends first
  std::array<double, 2> shortest{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  std::array<double, 2> units{};
  Unit fewest;
  bool known = true;
  const double now = starpu_timing_now();
  for (const int worker : policy.workers) {
    Unit unit{worker};
    if (!starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(worker), task, &unit.implementation)) continue;
    const std::size_t kind = starpu_worker_get_type(worker) == STARPU_CPU_WORKER ? 0 : 1;
    unit.length = starpu_task_expected_length(task, starpu_worker_get_perf_archtype(worker, task->sched_ctx),
                                              unit.implementation);
    known = known && std::isfinite(unit.length) && unit.length > 0;
    unit.end = policy.loads[static_cast<std::size_t>(worker)].left(now) + unit.length;
    if (fewest.worker < 0 || policy.queues.waiting(worker) < policy.queues.waiting(fewest.worker)) fewest = unit;
    if (first[kind].worker < 0 || unit.end < first[kind].end) first[kind] = unit;
    shortest[kind] = std::min(shortest[kind], unit.length);
    units[kind] += 1;
  }
  if (!known) {
    fewest.length = 0;
    return fewest;
  }
  const auto& [cpu, gpu] = first;
  if (cpu.worker < 0 || gpu.worker < 0) return cpu.worker < 0 ? gpu : cpu;
  if (gpu.end <= shortest[0]) return gpu;
  return shortest[0] / std::sqrt(units[0]) <= shortest[1] / std::sqrt(units[1]) ? cpu : gpu;
}

int push_task(starpu_task* task) {
  Policy& policy = policy_of<Policy>(task->sched_ctx);
  Unit unit;
  {
    const std::lock_guard lock(policy.mutex);
    unit = choose(policy, task);
    if (unit.worker >= 0) policy.loads[static_cast<std::size_t>(unit.worker)].given += unit.length;
  }
  set_length(task, unit.length);
  return policy.queues.give(unit.worker, unit.implementation, task);
}

starpu_task* pop_task(unsigned context) {
  return policy_of<Policy>(context).queues.pop();
}

Load& load_here(Policy& policy) {
  return policy.loads[static_cast<std::size_t>(starpu_worker_get_id_check())];
}

void pre_exec(starpu_task* /*task*/, unsigned context) {
  Policy& policy = policy_of<Policy>(context);
  const std::lock_guard lock(policy.mutex);
  if (Load& load = load_here(policy); std::isnan(load.since)) load.since = starpu_timing_now();
}

/// What the task took less or more than expected is forgotten.
void post_exec(starpu_task* task, unsigned context) {
  Policy& policy = policy_of<Policy>(context);
  const std::lock_guard lock(policy.mutex);
  Load& load = load_here(policy);
  load.given = std::max(0., load.given - length_of(task));
  load.since = load.given > 0 ? starpu_timing_now() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

starpu_sched_policy er_ls_policy = make_policy(
    "er-ls", "list scheduling with enhanced rules for CPUs and GPUs (Amaris and others, 2020)",
    {init, drop<Policy>, add_workers<Policy>, remove_workers<Policy>, push_task, pop_task, pre_exec, post_exec});

}  // namespace asterism::schedulers
