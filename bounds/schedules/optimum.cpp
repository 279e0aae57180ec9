// SPDX-License-Identifier: Apache-2.0
#include "bounds/schedules/optimum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "bounds/fitting.hpp"
#include "bounds/schedules/builder.hpp"
#include "bounds/schedules/copy_bound.hpp"
#include "bounds/windows.hpp"

namespace asterism::bounds {
namespace {

/// Durations that a lower bound may take: a class for all tasks with the same ones.
struct ByDuration {
  AreaProblem problem;
  std::vector<std::uint32_t> of_task;
  std::vector<std::vector<double>> least;
};

/// `seconds`: as Workload's.
ByDuration by_duration(const Workload& work, const std::vector<double>& duration) {
  ByDuration all;
  std::vector<double> units(work.kinds, 0);
  for (const Workload::Unit& unit : work.units) ++units[unit.kind];
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
    seconds.reserve(kinds.size());
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

/// What tasks that cannot run in main memory have to fetch from there: data that no task before them wrote. Each has to
/// pass a link from main memory once, and is counted at the first of its readers; a reader starts no sooner than the
/// fastest link delivers each datum, wherever it passes.
void count_fetches(const Workload& work, const std::vector<double>& duration, GraphWork& graph) {
  double bandwidth = 0;
  double latency = impossible;
  double fastest = 0;
  std::map<std::uint32_t, double> resources;
  for (std::size_t to = 1; to < work.memories; ++to) {
    const Connection& link = work.connection(0, to);
    latency = std::min(latency, link.latency);
    fastest = std::max(fastest, link.bandwidth);
    double& shared = resources[link.resource];
    shared = std::max(shared, link.bandwidth);
  }
  for (const auto& [resource, rate] : resources) bandwidth += resource == 0 ? std::max(rate, work.shared_rate) : rate;
  graph.release.assign(work.tasks(), 0);
  graph.fetch.assign(work.tasks(), 0);
  std::vector<bool> touched(work.bytes.size(), false);  // counted, or written
  for (const std::uint32_t t : work.order) {
    bool elsewhere = work.runs[t];
    for (const Workload::Unit& unit : work.units)
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
bool without_slow_kinds(const Workload& work, const WindowBound& windows, double upper, std::vector<double>& duration) {
  constexpr double rounding = 1 + 1e-9;
  bool changed = false;
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    if (!work.runs[t]) continue;
    bool runs = false;
    for (std::size_t k = 0; k < work.kinds; ++k) {
      double& seconds = duration[t * work.kinds + k];
      if (!std::isfinite(seconds)) continue;
      if (windows.head[t] + seconds + windows.tail[t] > upper * rounding) {
        seconds = impossible;
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

/// The units of the recording, in the order of its starts; none where these units are not there or cannot run its
/// tasks.
std::vector<Schedule> as_recorded(const traces::Recording& recording, const Workload& work) {
  std::vector<double> start(work.tasks(), 0);
  std::vector<std::uint32_t> unit(work.tasks(), traces::none);
  for (const std::uint32_t t : work.order) {
    for (const auto* b = work.before.begin(t); b != work.before.end(t); ++b) start[t] = std::max(start[t], start[*b]);
    if (!work.runs[t]) continue;
    start[t] = std::max(start[t], recording.tasks[t].start);
    unit[t] = recording.units[recording.tasks[t].unit].worker;
    if (unit[t] >= work.units.size() || std::isinf(work.on(t, work.units[unit[t]].kind))) return {};
  }
  std::vector<std::uint32_t> order = work.order;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return start[a] < start[b]; });
  std::vector<Schedule> made;
  Workload divided = work;
  for (const std::uint32_t lanes : {0U, static_cast<std::uint32_t>(work.memories) - 1}) {
    divided.lanes = lanes;
    ScheduleBuilder builder(divided);
    for (const std::uint32_t t : order) builder.add(t, unit[t]);
    made.push_back(std::move(builder).finish("the recording's units"));
    if (!(work.shared_rate > 0)) break;
  }
  return made;
}

}  // namespace

LowerBound lower_bound(const traces::Recording& recording, const Workload& work, double upper) {
  LowerBound found;
  std::vector<double> duration = work.seconds;
  std::vector<double> head;
  std::vector<double> tail;
  constexpr int most_rounds = 6;
  for (int round = 0; round < most_rounds; ++round) {
    const ByDuration all = by_duration(work, duration);
    GraphWork graph{&recording, &all.of_task, &all.problem, all.least, {}, {}, {}};
    count_fetches(work, duration, graph);
    CopyBound copies = copy_bound(work, duration, head, tail);
    for (std::size_t t = 0; t < work.tasks(); ++t) graph.release[t] = std::max(graph.release[t], copies.head[t]);
    graph.due = std::move(copies.tail);
    const double fitting = solve_fitting(all.problem, solve_area(all.problem));
    WindowBound windows = window_bound(graph);
    const double links = first_copies_bound(work, duration);
    const double largest = std::max({fitting, windows.seconds, copies.path, links});
    if (const double lower = std::min(upper, largest); lower > found.seconds) {
      found.seconds = lower;
      found.by = largest == windows.seconds ? "windows"
                 : largest == copies.path   ? "copies"
                 : largest == links         ? "LP with links"
                                            : "LP where tasks fit";
    }
    // heads that grew may lengthen what copies say
    if (!without_slow_kinds(work, windows, upper, duration) && round > 0) break;
    head = std::move(windows.head);
    tail = std::move(windows.tail);
  }
  return found;
}

Optimum optimum(const traces::Recording& recording, const Workload& work, const SearchOptions& options) {
  Optimum found;
  found.schedules = offline_schedules(work, options, as_recorded(recording, work));
  for (const Schedule& schedule : found.schedules)
    if (const std::vector<std::string> wrong = violations(work, schedule); !wrong.empty())
      failed("{}: the schedule of {} is not feasible: {}", recording.name, schedule.made_by, wrong.front());
  found.lower = lower_bound(recording, work, found.schedules.front().makespan);
  return found;
}

}  // namespace asterism::bounds
