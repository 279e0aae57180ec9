// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "schedulers/hprio/hprio.hpp"

namespace asterism::schedulers::hprio {
namespace {

/// The granularity of a task: flops, else its expected duration, else the bytes of its data.
double size_of(starpu_task* task, int worker) {
  if (task->flops > 0) return task->flops;
  if (worker >= 0 && task->cl->model != nullptr) {
    const double expected =
        starpu_task_expected_length(task, starpu_worker_get_perf_archtype(worker, task->sched_ctx), 0);
    if (std::isfinite(expected) && expected > 0) return expected;
  }
  double bytes = 0;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i)
    bytes += static_cast<double>(starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i)));
  return bytes;
}

/// Which GPU has the data of a task matters when fetching them takes this part of its duration.
constexpr double noticeable = 0.2;

/// A GPU holds a datum, or it is on its way there.
bool is_on(starpu_data_handle_t data, unsigned node) {
  int valid = 0;
  int requested = 0;
  starpu_data_query_status(data, static_cast<int>(node), nullptr, &valid, &requested);
  return valid != 0 || requested != 0;
}

}  // namespace

void Policy::find_near(starpu_task* task, const Units& units, Entry& entry) {
  std::array<double, STARPU_MAXNODES> bytes{};
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    starpu_data_handle_t const data = STARPU_TASK_GET_HANDLE(task, i);
    const auto mode = static_cast<unsigned>(STARPU_TASK_GET_MODE(task, i));
    if ((mode & STARPU_R) == 0) continue;
    // what is changed here is missing there
    const double size = static_cast<double>(starpu_data_get_size(data)) * ((mode & STARPU_W) != 0 ? 2 : 1);
    for (const unsigned node : units.nodes)
      if (is_on(data, node)) bytes[node] += size;
  }
  const auto place = std::max_element(bytes.begin(), bytes.end());
  const double most = *place;
  if (!(most > 0)) return;
  const double fetching = starpu_transfer_predict(STARPU_MAIN_RAM, static_cast<unsigned>(place - bytes.begin()),
                                                  static_cast<std::size_t>(most));
  if (fetching < noticeable * entry.length[at(Kind::gpu)]) return;
  for (const int worker : units.workers[at(Kind::gpu)])
    if (bytes[starpu_worker_get_memory_node(static_cast<unsigned>(worker))] >= 0.9 * most)
      entry.near.set(static_cast<unsigned>(worker));
}

void Policy::lay_out(const std::optional<Table>& table) {
  const std::lock_guard lock(mutex_);
  layouts_.push_back(std::make_unique<Layout>(pool, rules, table));
  const Units& units = *units_.load();
  layouts_.back()->set_units(!units.workers[0].empty(), !units.workers[1].empty());
  layout_.store(layouts_.back().get());
}

void Policy::change_units(const int* workers, unsigned count, bool added) {
  const std::lock_guard lock(mutex_);
  auto units = std::make_unique<Units>(*units_.load());
  for (unsigned i = 0; i < count; ++i) {
    const bool cpu = starpu_worker_get_type(workers[i]) == STARPU_CPU_WORKER;
    std::vector<int>& of_kind = units->workers[at(cpu ? Kind::cpu : Kind::gpu)];
    std::erase(of_kind, workers[i]);
    if (added) of_kind.push_back(workers[i]);
  }
  const std::vector<int>& gpus = units->workers[at(Kind::gpu)];
  units->mixed = std::any_of(gpus.begin(), gpus.end(), [&](int worker) {
    return starpu_worker_get_type(worker) != starpu_worker_get_type(gpus.front());
  });
  units->nodes.clear();
  for (const int worker : gpus) {
    const unsigned node = starpu_worker_get_memory_node(static_cast<unsigned>(worker));
    if (std::find(units->nodes.begin(), units->nodes.end(), node) == units->nodes.end()) units->nodes.push_back(node);
  }
  units_.store(units.get());
  layout_.load()->set_units(!units->workers[0].empty(), !units->workers[1].empty());
  units_published_.push_back(std::move(units));
  if (!added)
    for (unsigned i = 0; i < count; ++i) pool.give_back(static_cast<unsigned>(workers[i]));
}

double Policy::speedup_of(starpu_task* task, Class& of, const std::array<int, 2>& workers,
                          std::array<double, 2>& length) {
  if (fixed_speedup_ > 0) return fixed_speedup_;
  if (task->cl->model != nullptr) {
    std::array<double, 2> expected{};
    bool known = true;
    for (const Kind kind : kinds) {
      unsigned implementation = 0;
      const int worker = workers[at(kind)];
      if (worker < 0) continue;
      starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(worker), task, &implementation);
      expected[at(kind)] =
          starpu_task_expected_length(task, starpu_worker_get_perf_archtype(worker, task->sched_ctx), implementation);
      known = known && std::isfinite(expected[at(kind)]) && expected[at(kind)] > 0;
    }
    if (known) {
      length = expected;
      if (workers[0] < 0 || workers[1] < 0) return 0;
      of.predicted(expected[0], expected[1]);
      layout_.load()->learn(of);
      return expected[0] / expected[1];
    }
  }
  for (const Kind kind : kinds) length[at(kind)] = of.expected(kind, task->flops);
  if (length[0] > 0 && length[1] > 0) return length[0] / length[1];
  return of.measured_speedup();
}

bool Policy::enter(starpu_task* task, Entry& entry) {
  const Units& units = *units_.load();
  entry = {};
  entry.task = task;
  entry.priority = task->priority;
  std::array<int, 2> one{-1, -1};  // a worker of each kind that can run it
  const auto can = [&](int worker) {
    return starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(worker), task, nullptr) != 0;
  };
  entry.picky = task->cl->can_execute != nullptr || task->workerids_len > 0 || units.mixed;
  for (const Kind kind : kinds) {
    const std::vector<int>& workers = units.workers[at(kind)];
    if (entry.picky) {
      for (const int worker : workers) {
        if (!can(worker)) continue;
        entry.units.set(static_cast<unsigned>(worker));
        ++entry.able[at(kind)];
        if (one[at(kind)] < 0) one[at(kind)] = worker;
      }
    } else if (const auto first = std::find_if(workers.begin(), workers.end(), can); first != workers.end()) {
      entry.able[at(kind)] = static_cast<unsigned>(workers.size());
      one[at(kind)] = *first;
    }
  }
  if (one[0] < 0 && one[1] < 0) return false;
  Class& of = classes_.of(*task->cl);
  of.came(one[0] >= 0, one[1] >= 0);
  // what one kind alone can run keeps that kind busy too; without GPUs no duration decides anything
  if (!units.workers[at(Kind::gpu)].empty() && (rules.backlog || (one[0] >= 0 && one[1] >= 0)))
    entry.speedup = speedup_of(task, of, one, entry.length);
  if (rules.locality && units.nodes.size() > 1 && entry.able[at(Kind::gpu)] > 0) find_near(task, units, entry);
  layout_.load()->place(entry, of, [&] { return size_of(task, one[0] >= 0 ? one[0] : one[1]); });
  return true;
}

void Policy::starts(starpu_task* task, Unit unit) {
  pool.started(unit);
  Clock& clock = clocks_[unit.number];
  const Class& of = classes_.of(*task->cl);
  // of a class that is known, one task in sixteen
  const bool measure = of.runs_on_both() && (!of.well_measured(unit.kind) || ++clock.skipped % 16 == 0);
  clock.starts.push_back(measure ? starpu_timing_now() : std::numeric_limits<double>::quiet_NaN());
}

void Policy::ended(starpu_task* task, Unit unit) {
  pool.finished(unit);
  Clock& clock = clocks_[unit.number];
  if (clock.starts.empty()) return;
  const double start = clock.starts.front();
  clock.starts.pop_front();
  const bool more = !clock.starts.empty();  // started meanwhile, runs from now on
  if (std::isnan(start) && !more) return;
  const double now = starpu_timing_now();
  if (!std::isnan(start)) {
    Class& of = classes_.of(*task->cl);
    of.measured(unit.kind, now - std::max(start, clock.last_end), task->flops);
    layout_.load()->learn(of);
  }
  clock.last_end = now;
}

}  // namespace asterism::schedulers::hprio
