// SPDX-License-Identifier: Apache-2.0
#include "bounds/schedules/first_datum.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "bounds/area.hpp"
#include "bounds/schedules/copy_bound.hpp"

namespace asterism::bounds {
namespace {

struct Kind {
  std::size_t number = 0;
  int units = 0;
  Connection from_main_memory;  ///< the quickest of its units; none in main memory
};

/// The kinds that have units; none where the bound does not hold.
std::vector<Kind> kinds_of(const Workload& work) {
  constexpr int most_choices = 16;
  if (work.shared_rate > 0) return {};
  std::vector<int> in_memory(work.memories, 0);
  std::map<std::uint32_t, Kind> kinds;
  for (const Workload::Unit& unit : work.units) {
    Kind& kind = kinds.try_emplace(unit.kind, Kind{unit.kind, 0, {0, 0, false, 0}}).first->second;
    const bool first = kind.units++ == 0;
    if (!first && kind.from_main_memory.exists != (unit.memory != 0)) return {};
    if (unit.memory == 0) continue;
    if (++in_memory[unit.memory] > 1) return {};
    const Connection& way = work.connection(0, unit.memory);
    Connection& quickest = kind.from_main_memory;
    quickest = {first ? way.latency : std::min(quickest.latency, way.latency),
                std::max(quickest.bandwidth, way.bandwidth), true, 0};
  }
  for (std::size_t from = 1; from < work.memories; ++from)
    for (std::size_t to = 1; to < work.memories; ++to)
      if (from != to && work.connection(from, to).exists) return {};
  std::vector<Kind> found;
  int choices = 1;
  for (const auto& [number, kind] : kinds) {
    found.push_back(kind);
    if (kind.from_main_memory.exists) choices *= kind.units + 1;
    if (choices > most_choices) return {};
  }
  return choices > 1 ? found : std::vector<Kind>{};
}

double seconds_over(const Connection& way, double bytes) {
  return way.latency + bytes / way.bandwidth;
}

/// What the bound knows of the tasks.
struct Tasks {
  double bytes = 0;                         ///< of D
  std::vector<bool> reads;                  ///< per task: reads D
  std::vector<std::vector<double>> copies;  ///< [kind of the list][task]: c_t
};

Tasks tasks_of(const Workload& work, const std::vector<Kind>& kinds) {
  const std::vector<DataVersion> versions = data_versions(work);
  const DataVersion* largest = nullptr;
  for (const DataVersion& version : versions)
    if (version.writer == traces::none && version.readers.size() > 1 &&
        (largest == nullptr || work.bytes[version.datum] > work.bytes[largest->datum]))
      largest = &version;
  Tasks tasks;
  if (largest == nullptr) return tasks;
  tasks.bytes = work.bytes[largest->datum];
  tasks.reads.assign(work.tasks(), false);
  for (const std::uint32_t t : largest->readers) tasks.reads[t] = true;
  tasks.copies.assign(kinds.size(), std::vector<double>(work.tasks(), 0));
  for (const DataVersion& version : versions) {
    if (version.writer != traces::none && !tasks.reads[version.writer]) continue;
    const auto others = static_cast<double>(std::count_if(version.readers.begin(), version.readers.end(),
                                                          [&](std::uint32_t t) { return !tasks.reads[t]; }));
    for (const std::uint32_t t : version.readers)
      for (std::size_t k = 0; k < kinds.size() && !tasks.reads[t]; ++k)
        if (kinds[k].from_main_memory.exists)
          tasks.copies[k][t] += seconds_over(kinds[k].from_main_memory, work.bytes[version.datum]) / others;
  }
  return tasks;
}

/// LP where `with[k]` units of each kind have D; impossible where a task runs nowhere then.
double solve(const Workload& work, const std::vector<Kind>& kinds, const Tasks& tasks, const std::vector<int>& with) {
  struct Part {
    std::size_t kind;
    bool has_datum;
  };
  std::vector<Part> parts;
  AreaProblem problem;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (const bool has : {true, false}) {
      const int units = has ? with[k] : kinds[k].units - with[k];
      if (units == 0) continue;
      parts.push_back({k, has});
      problem.kinds.push_back({std::to_string(problem.kinds.size()), static_cast<double>(units)});
    }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].has_datum) continue;
    std::vector<double> wait(parts.size(), impossible);
    wait[p] = seconds_over(kinds[parts[p].kind].from_main_memory, tasks.bytes);
    problem.classes.push_back({"wait", problem.kinds[p].units, std::move(wait)});
  }
  std::map<std::vector<double>, std::size_t> known;
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    if (!work.runs[t]) continue;
    std::vector<double> seconds;
    for (const Part& part : parts) {
      const double whole = work.on(t, kinds[part.kind].number);
      const bool elsewhere = kinds[part.kind].from_main_memory.exists;
      if (part.has_datum && !tasks.reads[t] && std::isfinite(whole))
        seconds.push_back(std::min(whole, tasks.copies[part.kind][t]));
      else
        seconds.push_back(!part.has_datum && elsewhere && tasks.reads[t] ? impossible : whole);
    }
    if (std::all_of(seconds.begin(), seconds.end(), [](double s) { return std::isinf(s); })) return impossible;
    const auto [found, fresh] = known.try_emplace(seconds, problem.classes.size());
    if (fresh) problem.classes.push_back({"tasks", 0, std::move(seconds)});
    ++problem.classes[found->second].tasks;
  }
  return solve_area(problem).seconds;
}

}  // namespace

double first_datum_bound(const Workload& work, double known) {
  constexpr std::ptrdiff_t most_tasks = 3000;
  const std::vector<Kind> kinds = kinds_of(work);
  if (kinds.empty() || std::count(work.runs.begin(), work.runs.end(), true) > most_tasks) return 0;
  const Tasks tasks = tasks_of(work, kinds);
  if (tasks.reads.empty()) return 0;
  // all units with D first, which is mostly the least
  std::vector<int> with;
  with.reserve(kinds.size());
  for (const Kind& kind : kinds) with.push_back(kind.from_main_memory.exists ? kind.units : 0);
  double least = impossible;
  for (;;) {
    least = std::min(least, solve(work, kinds, tasks, with));
    if (!(least > known)) return 0;
    std::size_t k = 0;
    for (; k < kinds.size() && with[k] == 0; ++k) with[k] = kinds[k].from_main_memory.exists ? kinds[k].units : 0;
    if (k == kinds.size()) return least;
    --with[k];
  }
}

}  // namespace asterism::bounds
