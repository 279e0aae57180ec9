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

ByDuration by_duration(const bounds::Workload& work) {
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
    for (const std::size_t k : kinds) seconds.push_back(work.on(t, k));
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

Optimum optimum(const traces::Recording& recording, const bounds::Workload& work) {
  Optimum found;
  const ByDuration all = by_duration(work);
  bounds::require_runnable(all.problem);
  found.lower = bounds::solve_fitting(all.problem, bounds::solve_area(all.problem));
  found.lower_by = "LP where tasks fit";
  const bounds::WindowBound windows = bounds::window_bound({&recording, &all.of_task, &all.problem, all.least});
  if (windows.seconds > found.lower) {
    found.lower = windows.seconds;
    found.lower_by = "windows";
  }
  found.schedules = bounds::offline_schedules(work);
  for (const bounds::Schedule& schedule : found.schedules)
    if (const std::vector<std::string> wrong = bounds::violations(work, schedule); !wrong.empty())
      failed("{}: the schedule of {} is not feasible: {}", recording.name, schedule.made_by, wrong.front());
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
