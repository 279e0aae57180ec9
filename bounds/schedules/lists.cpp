// SPDX-License-Identifier: Apache-2.0
// List schedules: HEFT, and HEFT on the kinds that the area LP chooses.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <string>

#include "base/error.hpp"
#include "bounds/fitting.hpp"
#include "bounds/schedules/builder.hpp"
#include "bounds/schedules/offline.hpp"
#include "bounds/schedules/placement_bound.hpp"

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

/// Tasks with the same durations, on the kinds with units.
struct Classes {
  AreaProblem problem;
  std::vector<std::size_t> kinds;
  std::vector<std::vector<std::uint32_t>> members;  ///< per class, by decreasing rank
};

Classes classes_of(const Workload& work, std::span<const double> rank) {
  const std::vector<double> units = units_by_kind(work);
  Classes all;
  for (std::size_t k = 0; k < work.kinds; ++k)
    if (units[k] > 0) {
      all.problem.kinds.push_back({std::to_string(k), units[k]});
      all.kinds.push_back(k);
    }
  std::map<std::vector<double>, std::size_t> known;
  for (const std::uint32_t t : by_rank(work, rank)) {
    if (!work.runs[t]) continue;
    std::vector<double> seconds;
    seconds.reserve(all.kinds.size());
    for (const std::size_t k : all.kinds) seconds.push_back(work.on(t, k));
    const auto [found, fresh] = known.try_emplace(seconds, all.members.size());
    if (fresh) {
      all.members.emplace_back();
      all.problem.classes.push_back({"class " + std::to_string(found->second), 0, seconds, 0});
    }
    all.members[found->second].push_back(t);
    ++all.problem.classes[found->second].tasks;
  }
  return all;
}

/// Moves tasks from the kind whose units have most to do to another one, first those that take least there with a copy
/// of each of their data, while that lowers the most that a unit has to do.
void balance(const Workload& work, std::vector<std::uint32_t>& kind) {
  const std::vector<double> units = units_by_kind(work);
  std::vector<double> load(work.kinds, 0);
  std::vector<std::uint32_t> memory(work.kinds, 0);
  for (const Workload::Unit& unit : work.units) memory[unit.kind] = unit.memory;
  const auto gain = [&](std::uint32_t t, std::size_t to) {
    double there = work.on(t, to);
    const Connection& way = work.connection(memory[kind[t]], memory[to]);
    for (const auto* a = work.accesses.begin(t); way.exists && a != work.accesses.end(t); ++a)
      there += way.latency + work.bytes[a->handle] / way.bandwidth;
    return work.on(t, kind[t]) / there;
  };
  std::vector<std::vector<std::vector<std::uint32_t>>> best(work.kinds, decltype(best)::value_type(work.kinds));
  for (const std::uint32_t t : work.order) {
    if (!work.runs[t]) continue;
    load[kind[t]] += work.on(t, kind[t]) / units[kind[t]];
    for (std::size_t to = 0; to < work.kinds; ++to)
      if (to != kind[t] && units[to] > 0 && std::isfinite(work.on(t, to))) best[kind[t]][to].push_back(t);
  }
  for (auto& from : best)  // the best last
    for (std::size_t to = 0; to < work.kinds; ++to)
      std::stable_sort(from[to].begin(), from[to].end(),
                       [&](std::uint32_t a, std::uint32_t b) { return gain(a, to) < gain(b, to); });
  for (;;) {
    const auto from = static_cast<std::uint32_t>(std::max_element(load.begin(), load.end()) - load.begin());
    std::size_t least = from;
    for (std::size_t to = 0; to < work.kinds; ++to)
      if (!best[from][to].empty() && (least == from || load[to] < load[least])) least = to;
    if (least == from) return;
    const std::uint32_t t = best[from][least].back();
    best[from][least].pop_back();
    const double there = load[least] + work.on(t, least) / units[least];
    if (kind[t] != from || there >= load[from]) continue;
    load[from] -= work.on(t, from) / units[from];
    load[least] = there;
    kind[t] = static_cast<std::uint32_t>(least);
  }
}

/// Tasks that run elsewhere do not run in main memory.
Workload without_main_memory(const Workload& work) {
  std::vector<bool> there(work.kinds, false);
  std::vector<bool> elsewhere(work.kinds, false);
  for (const Workload::Unit& unit : work.units) (unit.memory == 0 ? there : elsewhere)[unit.kind] = true;
  Workload left = work;
  for (std::size_t t = 0; t < work.tasks(); ++t) {
    bool runs = false;
    for (std::size_t k = 0; k < work.kinds; ++k) runs = runs || (elsewhere[k] && std::isfinite(work.on(t, k)));
    for (std::size_t k = 0; runs && k < work.kinds; ++k)
      if (there[k]) left.seconds[t * work.kinds + k] = impossible;
  }
  return left;
}

/// List scheduling in time, without copies: a unit that is free takes the ready task of its kind with the highest rank.
class WithoutDelay {
 public:
  WithoutDelay(const Workload& work, std::span<const double> rank, std::span<const std::uint32_t> kind)
      : work_(work), rank_(rank), kind_(kind), ready_(work.kinds), free_(units_by_kind(work)), start_(work.tasks(), 0) {
    for (std::uint32_t t = 0; t < work.tasks(); ++t) waits_.push_back(work.before.count(t));
  }

  /// Per task: when it starts.
  std::vector<double> starts() {
    for (std::uint32_t t = 0; t < work_.tasks(); ++t)
      if (work_.before.count(t) == 0) release(t);
    for (start_ready(); !running_.empty(); start_ready()) {
      const auto [end, task] = running_.top();
      running_.pop();
      now_ = end;
      ++free_[kind_[task]];
      release_after(task);
    }
    return std::move(start_);
  }

 private:
  using Event = std::pair<double, std::uint32_t>;

  void release(std::uint32_t task) {
    std::vector<std::uint32_t> joins{task};  // tasks that do not run end at once
    while (!joins.empty()) {
      const std::uint32_t t = joins.back();
      joins.pop_back();
      if (work_.runs[t]) {
        ready_[kind_[t]].emplace(rank_[t], t);
        continue;
      }
      start_[t] = now_;
      for (const auto* s = work_.after.begin(t); s != work_.after.end(t); ++s)
        if (--waits_[*s] == 0) joins.push_back(*s);
    }
  }
  void release_after(std::uint32_t task) {
    for (const auto* s = work_.after.begin(task); s != work_.after.end(task); ++s)
      if (--waits_[*s] == 0) release(*s);
  }
  void start_ready() {
    for (std::size_t k = 0; k < work_.kinds; ++k)
      for (; free_[k] > 0 && !ready_[k].empty(); --free_[k]) {
        const std::uint32_t t = ready_[k].top().second;
        ready_[k].pop();
        start_[t] = now_;
        running_.emplace(now_ + work_.on(t, k), t);
      }
  }

  const Workload& work_;
  std::span<const double> rank_;
  std::span<const std::uint32_t> kind_;
  std::vector<std::priority_queue<Event>> ready_;                           ///< per kind, by rank
  std::priority_queue<Event, std::vector<Event>, std::greater<>> running_;  ///< by end
  std::vector<double> free_;                                                ///< units per kind
  std::vector<double> start_;
  std::vector<std::size_t> waits_;
  double now_ = 0;
};

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

std::vector<double> upward_ranks(const Workload& work, std::span<const std::uint32_t> kind) {
  constexpr std::size_t most_tasks = 20000;
  constexpr std::size_t bits = 64;
  const std::vector<double> units = units_by_kind(work);
  const bool sums = work.tasks() <= most_tasks;
  const std::size_t words = sums ? (work.tasks() + bits - 1) / bits : 0;
  std::vector<std::uint64_t> waiting(work.tasks() * words, 0);  // per task: those that wait for it
  std::vector<double> rank(work.tasks(), 0);
  for (auto t = work.order.rbegin(); t != work.order.rend(); ++t) {
    std::uint64_t* const own = waiting.data() + *t * words;
    for (const auto* s = work.after.begin(*t); s != work.after.end(*t); ++s) {
      rank[*t] = std::max(rank[*t], rank[*s]);
      for (std::size_t w = 0; w < words; ++w) own[w] |= waiting[*s * words + w];
      if (sums) own[*s / bits] |= std::uint64_t{1} << (*s % bits);
    }
    std::vector<double> load(work.kinds, 0);
    for (std::size_t w = 0; w < words; ++w)
      for (std::uint64_t left = own[w]; left != 0; left &= left - 1) {
        const std::size_t s = w * bits + static_cast<std::size_t>(std::countr_zero(left));
        if (work.runs[s]) load[kind[s]] += work.on(s, kind[s]) / units[kind[s]];
      }
    rank[*t] = std::max(rank[*t], *std::max_element(load.begin(), load.end()));
    if (work.runs[*t]) rank[*t] += work.on(*t, kind[*t]);
  }
  return rank;
}

Schedule heft(const Workload& work, std::span<const double> rank, std::span<const std::uint32_t> kind) {
  ScheduleBuilder builder(work);
  for (const std::uint32_t t : by_rank(work, rank))
    builder.add(t, work.runs[t] ? builder.earliest(t, kind.empty() ? traces::none : kind[t]).unit : traces::none);
  return std::move(builder).finish(kind.empty() ? "HEFT" : "rounded LP");
}

std::vector<double> without_delay(const Workload& work, std::span<const double> rank,
                                  std::span<const std::uint32_t> kind) {
  std::vector<double> starts = WithoutDelay(work, rank, kind).starts();
  for (double& start : starts) start = -start;
  return starts;
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
  Classes classes = classes_of(work, rank);
  AreaProblem& problem = classes.problem;
  const std::vector<std::size_t>& kinds = classes.kinds;
  const std::vector<std::vector<std::uint32_t>>& members = classes.members;
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
  Workload elsewhere = without_main_memory(work);
  std::vector<std::uint32_t> divisions{0};
  if (work.shared_rate > 0)
    for (const std::uint32_t directions : {1U, 2U})
      divisions.push_back(directions * (static_cast<std::uint32_t>(work.memories) - 1));
  for (const RankFrom from : {RankFrom::mean, RankFrom::least}) {
    const std::vector<double> rank = upward_ranks(work, from);
    const std::vector<std::uint32_t> kinds = work.kinds > 1 ? rounded_kinds(work, rank) : std::vector<std::uint32_t>{};
    const std::vector<double> rank_there = work.kinds > 1 ? upward_ranks(work, kinds) : std::vector<double>{};
    for (const std::uint32_t lanes : divisions) {
      divided.lanes = lanes;
      made.push_back(heft(divided, rank));
      if (work.kinds > 1) {
        made.push_back(heft(divided, rank, kinds));
        made.push_back(heft(divided, rank_there, kinds));
      }
      made.push_back(heteroprio(divided, rank));
      made.push_back(owner_computes(divided, rank));
      if (work.memories == 1) continue;
      elsewhere.lanes = lanes;
      made.push_back(heft(elsewhere, rank));
      made.push_back(owner_computes(elsewhere, rank));
      for (std::size_t i = made.size() - 2; i < made.size(); ++i) made[i].made_by += " without cores";
    }
  }
  const int steps = work.tasks() > 3000 ? 10 : 40;
  const std::vector<double> least = upward_ranks(work, RankFrom::least);
  for (std::vector<std::uint32_t>& kinds : placements(work, steps))
    for (const bool balanced : {false, true}) {
      if (balanced) balance(work, kinds);
      const auto add = [&](const std::vector<double>& rank, const char* order) {
        for (const std::uint32_t lanes : divisions) {
          divided.lanes = lanes;
          made.push_back(heft(divided, rank, kinds));
          made.back().made_by = std::string(balanced ? "balanced minimum cut" : "minimum cut") + order;
        }
      };
      const std::vector<double> rank = upward_ranks(work, kinds);
      add(rank, "");
      add(without_delay(work, rank, kinds), " without delay");
      add(without_delay(work, least, kinds), " without delay");
    }
  const auto shorter = [](const Schedule& a, const Schedule& b) { return a.makespan < b.makespan; };
  std::stable_sort(made.begin(), made.end(), shorter);
  constexpr std::size_t most_searches = 3;
  SearchOptions each = options;  // half for the best
  for (std::size_t i = 0, searched = 0; searched < most_searches && i < made.size(); ++i) {
    if (i > 0 && !(made[i].makespan > made[i - 1].makespan)) continue;  // the same schedule, or another like it
    divided.lanes = made[i].lanes;
    each.placements = options.placements / (searched == 0 ? 2 : 4);
    each.moves_per_task = options.moves_per_task / (searched == 0 ? 2 : 4);
    found.push_back(local_search(divided, made[i], each));
    ++searched;
  }
  made.insert(made.end(), found.begin(), found.end());
  std::stable_sort(made.begin(), made.end(), shorter);
  return made;
}

}  // namespace asterism::bounds
