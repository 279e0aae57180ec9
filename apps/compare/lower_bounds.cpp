#include "apps/compare/lower_bounds.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/common/program.hpp"
#include "bounds/area.hpp"
#include "taskflows/runtime/error.hpp"
#include "traces/dag.hpp"

namespace asterism::apps::compare {
namespace {

using nlohmann::json;

TaskClass class_of(const traces::Recording& recording, const traces::Task& task) {
  return {task.codelet == traces::none ? std::string() : recording.codelet_name(task), task.footprint};
}

}  // namespace

Durations Durations::of(const traces::Recording& recording) {
  Durations durations;
  for (const traces::Task& task : recording.tasks) {
    if (!task.executed()) continue;
    Sum& sum = durations.classes_[class_of(recording, task)][recording.kind_name(task)];
    ++sum.count;
    sum.seconds += task.duration();
  }
  return durations;
}

Durations Durations::load(const std::filesystem::path& path) {
  Durations durations;
  try {
    std::ifstream file(path);
    for (const json& line : json::parse(file))
      durations.classes_[{line.at(0), line.at(1)}][line.at(2)] = {line.at(3), line.at(4)};
  } catch (const json::exception&) {
    bad_input("{}: is not what asterism-compare wrote; expected durations of tasks", path.string());
  }
  return durations;
}

void Durations::save(const std::filesystem::path& path) const {
  json lines = json::array();
  for (const auto& [task, kinds] : classes_)
    for (const auto& [kind, sum] : kinds)
      lines.push_back(json::array({task.codelet, task.footprint, kind, sum.count, sum.seconds}));
  write_json(path, lines);
}

void Durations::add(const Durations& other) {
  for (const auto& [task, kinds] : other.classes_)
    for (const auto& [kind, sum] : kinds) {
      Sum& mine = classes_[task][kind];
      mine.count += sum.count;
      mine.seconds += sum.seconds;
    }
}

std::optional<double> Durations::mean(const TaskClass& task, const std::string& kind) const {
  const auto found = classes_.find(task);
  if (found == classes_.end()) return std::nullopt;
  const auto sum = found->second.find(kind);
  if (sum == found->second.end() || sum->second.count == 0) return std::nullopt;
  return sum->second.seconds / static_cast<double>(sum->second.count);
}

std::optional<double> Durations::fastest(const TaskClass& task) const {
  std::optional<double> least;
  const auto found = classes_.find(task);
  if (found == classes_.end()) return least;
  for (const auto& [kind, sum] : found->second) {
    const double mean = sum.seconds / static_cast<double>(sum.count);
    if (!least || mean < *least) least = mean;
  }
  return least;
}

std::optional<double> area_bound(const Durations& run, const std::map<std::string, std::uint64_t>& units,
                                 const Durations& pool) {
  if (run.classes().empty()) return std::nullopt;
  bounds::AreaProblem problem;
  for (const auto& [kind, count] : units) problem.kinds.push_back({kind, static_cast<double>(count)});
  for (const auto& [task, kinds] : run.classes()) {
    bounds::TaskClass line;
    line.name = task.codelet;
    for (const auto& [kind, sum] : kinds) line.tasks += static_cast<double>(sum.count);
    for (const auto& [kind, count] : units) line.seconds.push_back(pool.mean(task, kind).value_or(bounds::impossible));
    problem.classes.push_back(std::move(line));
  }
  return bounds::solve_area(problem).seconds;
}

std::optional<double> path_bound(const traces::Recording& recording, const Durations& pool) {
  if (!recording.has_dependencies) return std::nullopt;
  return traces::longest_path(recording,
                              [&](const traces::Task& task) {
                                if (!task.executed()) return 0.0;
                                return pool.fastest(class_of(recording, task)).value_or(task.duration());
                              })
      .length;
}

}  // namespace asterism::apps::compare
