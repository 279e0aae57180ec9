// SPDX-License-Identifier: Apache-2.0
// List schedules: HEFT, and HEFT on the kinds that the area LP chooses.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "bounds/fitting.hpp"
#include "bounds/schedules/builder.hpp"
#include "bounds/schedules/offline.hpp"

namespace asterism::bounds {
namespace {

/// Units of each kind.
std::vector<double> units_by_kind(const Workload& work) {
  std::vector<double> count(work.kinds, 0);
  for (const Workload::Unit& unit : work.units) ++count[unit.kind];
  return count;
}

/// The tasks by decreasing rank; among equals in topological order, so that every task comes after those it waits for.
std::vector<std::uint32_t> by_rank(const Workload& work, std::span<const double> rank) {
  std::vector<std::uint32_t> order = work.order;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return rank[a] > rank[b]; });
  return order;
}

}  // namespace

std::vector<double> upward_ranks(const Workload& work, RankFrom from) {
  const std::vector<double> units = units_by_kind(work);
  std::vector<double> rank(work.tasks(), 0);
  for (auto t = work.order.rbegin(); t != work.order.rend(); ++t) {
    for (const auto* s = work.after.begin(*t); s != work.after.end(*t); ++s) rank[*t] = std::max(rank[*t], rank[*s]);
    if (!work.runs[*t]) continue;
    double sum = 0;
    double count = 0;
    double least = impossible;
    for (std::size_t k = 0; k < work.kinds; ++k) {
      if (!std::isfinite(work.on(*t, k)) || units[k] == 0) continue;
      least = std::min(least, work.on(*t, k));
      sum += units[k] * work.on(*t, k);
      count += units[k];
    }
    if (count == 0) bad_input("task {} runs on no unit", *t + 1);
    rank[*t] += from == RankFrom::least ? least : sum / count;
  }
  return rank;
}

Schedule heft(const Workload& work, std::span<const double> rank, std::span<const std::uint32_t> kind) {
  ScheduleBuilder builder(work);
  for (const std::uint32_t t : by_rank(work, rank))
    builder.add(t, work.runs[t] ? builder.earliest(t, kind.empty() ? traces::none : kind[t]).unit : traces::none);
  return std::move(builder).finish(kind.empty() ? "HEFT" : "rounded LP");
}

Schedule owner_computes(const Workload& work, std::span<const double> rank) {
  ScheduleBuilder builder(work);
  std::vector<std::uint32_t> owner(work.bytes.size(), traces::none);
  for (const std::uint32_t t : by_rank(work, rank)) {
    const traces::Access* const largest = std::max_element(
        work.accesses.begin(t), work.accesses.end(t),
        [&](const traces::Access& a, const traces::Access& b) { return work.bytes[a.handle] < work.bytes[b.handle]; });
    std::uint32_t unit = largest == work.accesses.end(t) ? traces::none : owner[largest->handle];
    if (work.runs[t]) {
      if (unit == traces::none || !std::isfinite(work.on(t, work.units[unit].kind))) unit = builder.earliest(t).unit;
      if (largest != work.accesses.end(t) && owner[largest->handle] == traces::none) owner[largest->handle] = unit;
    }
    builder.add(t, unit);
  }
  return std::move(builder).finish("owner computes");
}

std::vector<std::uint32_t> rounded_kinds(const Workload& work, std::span<const double> rank) {
  const std::vector<double> units = units_by_kind(work);
  AreaProblem problem;
  std::vector<std::size_t> kinds;  // those with units
  for (std::size_t k = 0; k < work.kinds; ++k)
    if (units[k] > 0) {
      problem.kinds.push_back({std::to_string(k), units[k]});
      kinds.push_back(k);
    }
  std::map<std::vector<double>, std::size_t> known;
  std::vector<std::vector<std::uint32_t>> members;  // per class, by decreasing rank
  for (const std::uint32_t t : by_rank(work, rank)) {
    if (!work.runs[t]) continue;
    std::vector<double> seconds;
    seconds.reserve(kinds.size());
    for (const std::size_t k : kinds) seconds.push_back(work.on(t, k));
    const auto [found, fresh] = known.try_emplace(seconds, members.size());
    if (fresh) {
      members.emplace_back();
      problem.classes.push_back({"class " + std::to_string(found->second), 0, seconds, 0});
    }
    members[found->second].push_back(t);
    ++problem.classes[found->second].tasks;
  }
  std::vector<std::uint32_t> kind(work.tasks(), traces::none);
  AreaSolution solution = solve_area(problem);
  const double fitting = solve_fitting(problem, solution);
  for (TaskClass& c : problem.classes)
    for (double& t : c.seconds)
      if (t > fitting * (1 + 1e-9)) t = impossible;
  solution = solve_area(problem);
  for (std::size_t c = 0; c < members.size(); ++c) {
    std::vector<std::size_t> fastest(kinds.size());
    std::iota(fastest.begin(), fastest.end(), std::size_t{0});
    const std::vector<double>& seconds = problem.classes[c].seconds;
    std::sort(fastest.begin(), fastest.end(), [&](std::size_t a, std::size_t b) { return seconds[a] < seconds[b]; });
    double until = 0;  // of this class: tasks that LP puts on kinds up to this one
    std::size_t next = 0;
    for (const std::size_t k : fastest) {
      if (!std::isfinite(seconds[k])) continue;
      until += solution.tasks[c][k];
      for (; next < members[c].size() && static_cast<double>(next) + 0.5 <= until + 1e-9; ++next)
        kind[members[c][next]] = static_cast<std::uint32_t>(kinds[k]);
    }
    for (; next < members[c].size(); ++next) kind[members[c][next]] = static_cast<std::uint32_t>(kinds[fastest[0]]);
  }
  return kind;
}

std::vector<Schedule> offline_schedules(const Workload& work, const SearchOptions& options,
                                        std::vector<Schedule> known) {
  std::vector<Schedule> made = std::move(known);
  std::vector<Schedule> found;
  Workload divided = work;
  std::vector<std::uint32_t> divisions{0};
  if (work.shared_rate > 0) divisions.push_back(static_cast<std::uint32_t>(work.memories) - 1);
  for (const RankFrom from : {RankFrom::mean, RankFrom::least}) {
    const std::vector<double> rank = upward_ranks(work, from);
    for (const std::uint32_t lanes : divisions) {
      divided.lanes = lanes;
      made.push_back(heft(divided, rank));
      if (work.kinds > 1) made.push_back(heft(divided, rank, rounded_kinds(work, rank)));
      made.push_back(heteroprio(divided, rank));
      made.push_back(owner_computes(divided, rank));
    }
  }
  const auto shorter = [](const Schedule& a, const Schedule& b) { return a.makespan < b.makespan; };
  std::stable_sort(made.begin(), made.end(), shorter);
  constexpr std::size_t most_searches = 3;
  SearchOptions each = options;  // half for the best
  for (std::size_t i = 0, searched = 0; searched < most_searches && i < made.size(); ++i) {
    if (i > 0 && !(made[i].makespan > made[i - 1].makespan)) continue;  // the same schedule, or another like it
    divided.lanes = made[i].lanes;
    each.placements = options.placements / (searched == 0 ? 2 : 4);
    found.push_back(local_search(divided, made[i], each));
    ++searched;
  }
  made.insert(made.end(), found.begin(), found.end());
  std::stable_sort(made.begin(), made.end(), shorter);
  return made;
}

}  // namespace asterism::bounds
