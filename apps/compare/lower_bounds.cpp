// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/lower_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/common/program.hpp"
#include "base/error.hpp"
#include "bounds/area.hpp"
#include "bounds/durations.hpp"
#include "bounds/fitting.hpp"
#include "bounds/windows.hpp"
#include "traces/dag.hpp"
#include "traces/models/simulated.hpp"

namespace asterism::apps::compare {
namespace {

using nlohmann::json;

TaskClass class_of(const traces::Recording& recording, std::size_t index, const Platform* platform) {
  const traces::Task& task = recording.tasks[index];
  TaskClass of{task.codelet == traces::none ? std::string() : bounds::symbol_of(recording.codelets[task.codelet]),
               task.footprint};
  if (platform != nullptr) {
    const TaskWork work = traces::work_of(recording, index);
    of.flops = work.flops;
    of.bytes = work.bytes;
  }
  return of;
}

/// Seconds of a class by kind.
using Replayed = std::map<std::tuple<std::string, std::uint32_t, std::string>, double>;

Replayed by_class(const traces::PlatformRec& replayed, const traces::Recording& recording) {
  Replayed seconds;
  for (const traces::Timing& timing : replayed.timings)
    seconds[{timing.model, timing.footprint, traces::kind_of_architecture(timing.architecture, recording)}] =
        1e-6 * timing.mean;
  return seconds;
}

}  // namespace

Durations Durations::of(const traces::Recording& recording, const Platform* platform,
                        const traces::PlatformRec* replayed) {
  Durations durations;
  const Replayed known = replayed != nullptr ? by_class(*replayed, recording) : Replayed();
  const auto seconds_on = [&](std::size_t task, std::uint32_t kind) -> std::optional<double> {
    if (replayed == nullptr) return traces::simulated_seconds(*platform, recording, task, kind);
    const TaskClass of = class_of(recording, task, nullptr);
    const auto found = known.find({of.symbol, of.footprint, recording.kinds[kind].name});
    return found == known.end() ? std::nullopt : std::optional(found->second);
  };
  for (std::size_t i = 0; i < recording.tasks.size(); ++i) {
    const traces::Task& task = recording.tasks[i];
    if (!task.executed()) continue;
    const auto [found, fresh] = durations.classes.try_emplace(class_of(recording, i, platform));
    std::map<std::string, Sum>& kinds = found->second;
    if (platform != nullptr && fresh)
      for (std::uint32_t kind = 0; kind < recording.kinds.size(); ++kind)
        if (const auto seconds = seconds_on(i, kind)) kinds[recording.kinds[kind].name].minimum = *seconds;
    Sum& sum = kinds[recording.kind_name(task)];
    // a GPU's driver takes tasks before those ahead of them are done; that wait is in what is recorded
    const double seconds = platform == nullptr ? task.duration() : std::min(task.duration(), sum.minimum);
    ++sum.count;
    sum.seconds += seconds;
    sum.minimum = std::min(sum.minimum, seconds);
  }
  return durations;
}

Durations Durations::load(const std::filesystem::path& path) {
  Durations durations;
  try {
    std::ifstream file(path);
    for (const json& line : json::parse(file))
      durations.classes[{line.at(0), line.at(1), line.at(6), line.at(7)}][line.at(2)] = {line.at(3), line.at(4),
                                                                                         line.at(5)};
  } catch (const json::exception&) {
    bad_input("{}: is not what asterism-compare wrote; expected durations of tasks", path.string());
  }
  return durations;
}

void Durations::save(const std::filesystem::path& path) const {
  json lines = json::array();
  for (const auto& [task, kinds] : classes)
    for (const auto& [kind, sum] : kinds)
      lines.push_back(json::array(
          {task.symbol, task.footprint, kind, sum.count, sum.seconds, sum.minimum, task.flops, task.bytes}));
  write_json(path, lines);
}

void BestDurations::add(const Durations& run) {
  for (const auto& [task, kinds] : run.classes)
    for (const auto& [kind, sum] : kinds) {
      Best& best = classes_[task][kind];
      best.mean = std::min(best.mean, sum.count > 0 ? sum.seconds / static_cast<double>(sum.count) : sum.minimum);
      best.minimum = std::min(best.minimum, sum.minimum);
    }
}

BestDurations::Best BestDurations::on(const TaskClass& task, const std::string& kind) const {
  const auto kinds = classes_.find(task);
  if (kinds == classes_.end()) return {};
  const auto found = kinds->second.find(kind);
  return found == kinds->second.end() ? Best{} : found->second;
}

double BestDurations::minimum(const TaskClass& task) const {
  double least = std::numeric_limits<double>::infinity();
  if (const auto kinds = classes_.find(task); kinds != classes_.end())
    for (const auto& [kind, best] : kinds->second) least = std::min(least, best.minimum);
  return least;
}

std::optional<AreaBounds> area_bounds(const Durations& run, const std::map<std::string, std::uint64_t>& units,
                                      const BestDurations& best) {
  if (run.classes.empty()) return std::nullopt;
  bounds::AreaProblem problem;
  for (const auto& [kind, count] : units)
    if (count > 0) problem.kinds.push_back({kind, static_cast<double>(count)});
  for (const auto& [task, kinds] : run.classes) {
    bounds::TaskClass tasks;
    tasks.name = task.symbol;
    for (const auto& [kind, sum] : kinds) tasks.tasks += static_cast<double>(sum.count);
    for (const bounds::UnitKind& kind : problem.kinds) tasks.seconds.push_back(best.on(task, kind.name).mean);
    problem.classes.push_back(std::move(tasks));
  }
  const bounds::AreaSolution area = bounds::solve_area(problem);
  return AreaBounds{area.seconds, bounds::solve_fitting(problem, area)};
}

std::optional<double> path_bound(const traces::Recording& recording, const BestDurations& best,
                                 const Platform* platform) {
  if (!recording.has_dependencies) return std::nullopt;
  const auto weight = [&](const traces::Task& task) {
    if (!task.executed()) return 0.0;
    const auto index = static_cast<std::size_t>(&task - recording.tasks.data());
    const double least = best.minimum(class_of(recording, index, platform));
    return std::isfinite(least) ? least : task.duration();
  };
  return traces::longest_path(recording, weight).length;
}

std::optional<double> windows_bound(const traces::Recording& recording,
                                    const std::map<std::string, std::uint64_t>& units, const BestDurations& best,
                                    const Platform* platform) {
  if (!recording.has_dependencies) return std::nullopt;
  bounds::AreaProblem problem;
  for (const auto& [kind, count] : units)
    if (count > 0) problem.kinds.push_back({kind, static_cast<double>(count)});
  bounds::GraphWork work{&recording, nullptr, &problem, {}};
  std::map<TaskClass, std::uint32_t> known;
  std::vector<std::uint32_t> of_task(recording.tasks.size(), traces::none);
  for (std::size_t t = 0; t < of_task.size(); ++t) {
    if (!recording.tasks[t].executed()) continue;
    const TaskClass of = class_of(recording, t, platform);
    const auto [found, fresh] = known.try_emplace(of, static_cast<std::uint32_t>(problem.classes.size()));
    of_task[t] = found->second;
    if (fresh) {
      bounds::TaskClass tasks{of.symbol, 0, {}, 0};
      std::vector<double>& least = work.least.emplace_back();
      for (const bounds::UnitKind& kind : problem.kinds) {
        tasks.seconds.push_back(best.on(of, kind.name).mean);
        least.push_back(best.on(of, kind.name).minimum);
      }
      problem.classes.push_back(std::move(tasks));
    }
    ++problem.classes[found->second].tasks;
  }
  work.of_task = &of_task;
  return bounds::window_bound(work).seconds;
}

}  // namespace asterism::apps::compare
