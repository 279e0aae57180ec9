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

/// The duration on a CPU over that on the fastest GPU; 0: unknown.
double over_fastest_gpu(const PerKind<double>& length) {
  double fastest = 0;
  for (const Kind kind : gpu_kinds)
    if (length[at(kind)] > 0 && (fastest <= 0 || length[at(kind)] < fastest)) fastest = length[at(kind)];
  return fastest > 0 ? length[at(Kind::cpu)] / fastest : 0;
}

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
  for (const Kind kind : gpu_kinds) {
    if (entry.able[at(kind)] == 0 || fetching < noticeable * entry.length[at(kind)]) continue;
    for (const int worker : units.workers[at(kind)])
      if (bytes[starpu_worker_get_memory_node(static_cast<unsigned>(worker))] >= 0.9 * most)
        entry.near.set(static_cast<unsigned>(worker));
  }
}

void Policy::lay_out(const std::optional<Table>& table) {
  const std::lock_guard lock(mutex_);
  layouts_.push_back(std::make_unique<Layout>(pool, rules, table));
  tell(*layouts_.back());
  layout_.store(layouts_.back().get());
}

/// Which kinds have units.
void Policy::tell(Layout& layout) const {
  PerKind<bool> present{};
  for (const Kind kind : kinds) present[at(kind)] = !units_.load()->workers[at(kind)].empty();
  layout.set_units(present, models_);
}

/// StarPU's name of a GPU is "CUDA 0.0 (NVIDIA H200 137.1 GiB 8a:00.0)", without the last on a simulated machine.
Kind Policy::kind_of(int worker) {
  if (starpu_worker_get_type(worker) == STARPU_CPU_WORKER) return Kind::cpu;
  std::array<char, 256> text{};
  starpu_worker_get_name(worker, text.data(), text.size());
  const std::string name = text.data();
  const std::size_t begin = name.find('(');
  const std::size_t unit = name.rfind(" GiB");
  if (begin == std::string::npos || unit == std::string::npos || unit < begin) {
    named_ = false;
    return Kind::gpu;
  }
  const std::string model = name.substr(begin + 1, name.rfind(' ', unit - 1) - begin - 1);
  const auto place = static_cast<std::size_t>(std::find(models_.begin(), models_.end(), model) - models_.begin());
  if (place == models_.size()) models_.push_back(model);
  return gpu_kinds[std::min(place, gpu_kinds.size() - 1)];
}

void Policy::arrange(std::unique_ptr<Units> units) {
  std::vector<int> gpus;
  for (const Kind kind : gpu_kinds)
    gpus.insert(gpus.end(), units->workers[at(kind)].begin(), units->workers[at(kind)].end());
  units->mixed = std::any_of(gpus.begin(), gpus.end(), [&](int worker) {
    return starpu_worker_get_type(worker) != starpu_worker_get_type(gpus.front());
  });
  units->nodes.clear();
  for (const int worker : gpus) {
    const unsigned node = starpu_worker_get_memory_node(static_cast<unsigned>(worker));
    if (std::find(units->nodes.begin(), units->nodes.end(), node) == units->nodes.end()) units->nodes.push_back(node);
  }
  units_.store(units.get());
  units_published_.push_back(std::move(units));
  tell(*layout_.load());
}

void Policy::change_units(const int* workers, unsigned count, bool added) {
  const std::lock_guard lock(mutex_);
  auto units = std::make_unique<Units>(*units_.load());
  for (unsigned i = 0; i < count; ++i) {
    const Kind kind = kind_of(workers[i]);
    kinds_[static_cast<std::size_t>(workers[i])] = kind;
    pool.set_kind(unit_of(workers[i]));
    for (std::vector<int>& of_kind : units->workers) std::erase(of_kind, workers[i]);
    if (added) units->workers[at(kind)].push_back(workers[i]);
  }
  arrange(std::move(units));
  if (!added)
    for (unsigned i = 0; i < count; ++i) pool.give_back(static_cast<unsigned>(workers[i]));
}

/// When schedulers are told their workers, StarPU has not named the GPUs yet; when the first task comes, it has.
void Policy::name_gpus() {
  const std::lock_guard lock(mutex_);
  if (named_.load()) return;
  auto units = std::make_unique<Units>(*units_.load());
  const std::vector<int> gpus = units->workers[at(Kind::gpu)];
  units->workers[at(Kind::gpu)].clear();
  for (const int worker : gpus) {
    const Kind kind = kind_of(worker);
    kinds_[static_cast<std::size_t>(worker)] = kind;
    pool.set_kind(unit_of(worker));
    units->workers[at(kind)].push_back(worker);
  }
  arrange(std::move(units));
  named_ = true;
}

double Policy::speedup_of(starpu_task* task, Class& of, const PerKind<int>& workers, PerKind<double>& length) {
  if (fixed_speedup_ > 0) return fixed_speedup_;
  if (task->cl->model != nullptr) {
    PerKind<double> expected{};
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
      if (std::count_if(workers.begin(), workers.end(), [](int worker) { return worker >= 0; }) < 2) return 0;
      of.predicted(expected);
      layout_.load()->learn(of);
      return over_fastest_gpu(length);
    }
  }
  for (const Kind kind : kinds) length[at(kind)] = of.expected(kind, task->flops);
  const double speedup = over_fastest_gpu(length);
  return speedup > 0 ? speedup : over_fastest_gpu(of.speed().time);
}

/// The units that can run the task, and a worker of each kind that can.
void Policy::look_for(starpu_task* task, const Units& units, Entry& entry, PerKind<int>& one) {
  const auto can = [&](int worker) {
    return starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(worker), task, nullptr) != 0;
  };
  one.fill(-1);
  entry.able = {};
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
}

bool Policy::enter(starpu_task* task, Entry& entry) {
  if (!named_.load()) name_gpus();
  const Units& units = *units_.load();
  entry = {};
  entry.task = task;
  entry.priority = task->priority;
  PerKind<int> one{};
  entry.picky = task->cl->can_execute != nullptr || task->workerids_len > 0 || units.mixed;
  look_for(task, units, entry, one);
  int gpus = 0;  // kinds of GPUs that can run it
  int others = 0;
  for (const Kind kind : gpu_kinds)
    if (!units.workers[at(kind)].empty()) ++(one[at(kind)] < 0 ? others : gpus);
  if (!entry.picky && gpus > 0 && others > 0) {
    entry.picky = true;
    look_for(task, units, entry, one);
  }
  const auto first = std::find_if(one.begin(), one.end(), [](int worker) { return worker >= 0; });
  if (first == one.end()) return false;
  Class& of = classes_.of(*task->cl);
  of.came(entry.able);
  const bool several = std::find_if(first + 1, one.end(), [](int worker) { return worker >= 0; }) != one.end();
  // what one kind alone can run keeps that kind busy too; without GPUs no duration decides anything
  if (units.has_gpus() && (rules.backlog || several)) entry.speedup = speedup_of(task, of, one, entry.length);
  if (rules.locality && units.nodes.size() > 1 && gpus > 0) find_near(task, units, entry);
  layout_.load()->place(entry, of, [&] { return size_of(task, *first); });
  return true;
}

void Policy::starts(starpu_task* task, Unit unit) {
  pool.started(unit);
  Clock& clock = clocks_[unit.number];
  const Class& of = classes_.of(*task->cl);
  // of a class that is known, one task in sixteen
  const bool measure = of.runs_on_several() && (!of.well_measured(unit.kind) || ++clock.skipped % 16 == 0);
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
