// SPDX-License-Identifier: Apache-2.0
#include "apps/replay/optimum.hpp"

#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "bounds/fitting.hpp"
#include "io/output_file.hpp"

namespace asterism::apps::replay {
namespace {

/// Durations that a lower bound may take: a class for all tasks with the same ones.
struct ByDuration {
  bounds::AreaProblem problem;
  std::vector<std::uint32_t> of_task;
  std::vector<std::vector<double>> least;
};

/// `seconds`: as Workload's.
ByDuration by_duration(const bounds::Workload& work, const std::vector<double>& duration) {
  ByDuration all;
  std::vector<double> units(work.kinds, 0);
  for (const bounds::Workload::Unit& unit : work.units) ++units[unit.kind];
  std::vector<std::size_t> kinds;
  for (std::size_t k = 0; k < work.kinds; ++k) {
    if (units[k] == 0) continue;
    kinds.push_back(k);
    // no kind of the recording has this name: what tasks took there says nothing about this machine
    all.problem.kinds.push_back({fmt::format("replayed {}", k), units[k]});
  }
  std::map<std::vector<double>, std::uint32_t> known;
  all.of_task.assign(work.tasks(), traces::none);
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    if (!work.runs[t]) continue;
    std::vector<double> seconds;
    for (const std::size_t k : kinds) seconds.push_back(duration[t * work.kinds + k]);
    const auto [found, fresh] = known.try_emplace(seconds, static_cast<std::uint32_t>(all.problem.classes.size()));
    if (fresh) {
      all.problem.classes.push_back({fmt::format("class {}", found->second), 0, seconds, 0});
      all.least.push_back(seconds);
    }
    all.of_task[t] = found->second;
    ++all.problem.classes[found->second].tasks;
  }
  return all;
}

void connect(const Platform& platform, bounds::Workload& work) {
  const auto memories = static_cast<std::uint32_t>(work.memories);
  work.connections.assign(work.memories * work.memories, {});
  const auto set = [&](std::uint32_t from, std::uint32_t to, const Link& link) {
    bounds::Connection& c = work.connections[from * memories + to];
    c = {link.latency, link.bandwidth, true, 1 + from * memories + to};
    if (!platform.shared || (from != 0 && to != 0)) return;
    c.bandwidth = std::min(c.bandwidth, *platform.shared);
    c.resource = 0;
  };
  for (std::uint32_t gpu = 1; gpu < memories; ++gpu) {
    set(0, gpu, platform.to_gpu[gpu - 1]);
    set(gpu, 0, platform.from_gpu[gpu - 1]);
    for (std::uint32_t other = 1; platform.peer && other < memories; ++other)
      if (other != gpu) set(gpu, other, *platform.peer);
  }
}

}  // namespace

bounds::Workload workload(const traces::Recording& recording, const TaskTimes& times, const Platform& platform,
                          const Graph& graph) {
  bounds::Workload work = bounds::workload_of(recording);
  work.kinds = times.kinds();
  work.memories = 1 + static_cast<std::size_t>(platform.gpus());
  for (unsigned w = 0; w < starpu_worker_get_count(); ++w) {
    const int worker = static_cast<int>(w);
    const bool gpu = starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
    const int device = starpu_worker_get_devid(worker);
    work.units.push_back({gpu ? static_cast<std::uint32_t>(1 + platform.kind_of_gpu(device)) : 0U,
                          gpu ? static_cast<std::uint32_t>(1 + device) : 0U});
  }
  for (const traces::Handle& handle : recording.handles) work.bytes.push_back(static_cast<double>(handle.bytes));
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    for (std::size_t kind = 0; kind < work.kinds; ++kind) {
      const double seconds = work.runs[t] ? times.seconds(t, kind) : 0;
      work.seconds.push_back(std::isfinite(seconds) ? seconds : bounds::impossible);
    }
    if (work.runs[t])
      for (const auto& [handle, mode] : graph.data(t))
        work.accesses.item.push_back({handle, mode == STARPU_R   ? traces::Mode::read
                                              : mode == STARPU_W ? traces::Mode::write
                                                                 : traces::Mode::read_write});
    work.accesses.close();
  }
  connect(platform, work);
  return work;
}

namespace {

/// What tasks that cannot run in main memory have to fetch from there: data that no task before them wrote. Each has to
/// pass a link from main memory once, and is counted at the first of its readers; a reader starts no sooner than the
/// fastest link delivers each datum, wherever it passes.
void count_fetches(const bounds::Workload& work, const std::vector<double>& duration, bounds::GraphWork& graph) {
  double bandwidth = 0;
  double latency = bounds::impossible;
  double fastest = 0;
  std::map<std::uint32_t, double> resources;
  for (std::size_t to = 1; to < work.memories; ++to) {
    const bounds::Connection& link = work.connection(0, to);
    latency = std::min(latency, link.latency);
    fastest = std::max(fastest, link.bandwidth);
    double& shared = resources[link.resource];
    shared = std::max(shared, link.bandwidth);
  }
  for (const auto& [resource, rate] : resources) bandwidth += rate;
  graph.release.assign(work.tasks(), 0);
  graph.fetch.assign(work.tasks(), 0);
  std::vector<bool> touched(work.bytes.size(), false);  // counted, or written
  for (const std::uint32_t t : work.order) {
    bool elsewhere = work.runs[t];
    for (const bounds::Workload::Unit& unit : work.units)
      if (unit.memory == 0 && std::isfinite(duration[t * work.kinds + unit.kind])) elsewhere = false;
    for (const auto* a = work.accesses.begin(t); a != work.accesses.end(t); ++a) {
      if (!touched[a->handle] && elsewhere && a->mode != traces::Mode::write) {
        graph.release[t] = std::max(graph.release[t], latency + work.bytes[a->handle] / fastest);
        graph.fetch[t] += work.bytes[a->handle] / bandwidth;
        touched[a->handle] = true;
      }
      if (a->mode != traces::Mode::read) touched[a->handle] = true;
    }
  }
}

/// Takes away kinds on which a task would make the schedule longer than the best one known: in a shorter one it does
/// not run there. Where a task has no kind left, no schedule is shorter: false. False as well when nothing changed.
bool without_slow_kinds(const bounds::Workload& work, const bounds::WindowBound& windows, double upper,
                        std::vector<double>& duration) {
  constexpr double rounding = 1 + 1e-9;
  bool changed = false;
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    if (!work.runs[t]) continue;
    bool runs = false;
    for (std::size_t k = 0; k < work.kinds; ++k) {
      double& seconds = duration[t * work.kinds + k];
      if (!std::isfinite(seconds)) continue;
      if (windows.head[t] + seconds + windows.tail[t] > upper * rounding) {
        seconds = bounds::impossible;
        changed = true;
      } else {
        runs =
            runs || std::any_of(work.units.begin(), work.units.end(), [&](const auto& unit) { return unit.kind == k; });
      }
    }
    if (!runs) return false;
  }
  return changed;
}

}  // namespace

Optimum optimum(const traces::Recording& recording, const bounds::Workload& work) {
  Optimum found;
  found.schedules = bounds::offline_schedules(work);
  for (const bounds::Schedule& schedule : found.schedules)
    if (const std::vector<std::string> wrong = bounds::violations(work, schedule); !wrong.empty())
      failed("{}: the schedule of {} is not feasible: {}", recording.name, schedule.made_by, wrong.front());
  const double upper = found.schedules.front().makespan;
  std::vector<double> duration = work.seconds;
  constexpr int most_rounds = 6;
  for (int round = 0; round < most_rounds; ++round) {
    const ByDuration all = by_duration(work, duration);
    bounds::GraphWork graph{&recording, &all.of_task, &all.problem, all.least, {}, {}};
    count_fetches(work, duration, graph);
    const double fitting = bounds::solve_fitting(all.problem, bounds::solve_area(all.problem));
    const bounds::WindowBound windows = bounds::window_bound(graph);
    if (const double lower = std::min(upper, std::max(fitting, windows.seconds)); lower > found.lower) {
      found.lower = lower;
      found.lower_by = fitting > windows.seconds ? "LP where tasks fit" : "windows";
    }
    if (!without_slow_kinds(work, windows, upper, duration)) break;
  }
  return found;
}

void write_schedule(const std::filesystem::path& path, const traces::Recording& recording,
                    const bounds::Schedule& schedule) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t t = 0; t < schedule.tasks.size(); ++t)
    if (schedule.tasks[t].unit != traces::none) order.push_back(t);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return schedule.tasks[a].start < schedule.tasks[b].start; });
  OutputFile file(path);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::uint32_t t = order[place];
    file.stream() << fmt::format("SubmitOrder: {}\nPriority: {}\nSpecificWorker: {}\nWorkers: {}\n\n",
                                 recording.tasks[t].submit_order, order.size() - place, schedule.tasks[t].unit,
                                 schedule.tasks[t].unit);
  }
  file.commit();
}

}  // namespace asterism::apps::replay
