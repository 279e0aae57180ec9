// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <random>

#include "bounds/schedules/builder.hpp"
#include "bounds/schedules/offline.hpp"

namespace asterism::bounds {
namespace {

/// What a schedule is made from: tasks in the order of their keys, on these units.
struct Plan {
  struct Task {
    double key = 0;  ///< not below those of the tasks it waits for
    std::uint32_t unit = traces::none;
  };
  std::vector<Task> of;
};

Schedule schedule_of(const Workload& work, const Plan& plan) {
  std::vector<std::uint32_t> order = work.order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return plan.of[a].key < plan.of[b].key; });
  ScheduleBuilder builder(work);
  for (const std::uint32_t t : order) builder.add(t, plan.of[t].unit);
  return std::move(builder).finish("local search");
}

/// Tasks each of which is the last to end of those that the next one could not start before: it waits for them, or they
/// ran on its unit. The last one ends at the makespan.
std::vector<std::uint32_t> determining_chain(const Workload& work, const Schedule& s) {
  std::vector<std::vector<std::uint32_t>> on_unit(work.units.size());
  for (const std::uint32_t t : work.order)
    if (work.runs[t]) on_unit[s.tasks[t].unit].push_back(t);
  std::vector<std::uint32_t> previous(work.tasks(), traces::none);
  for (auto& list : on_unit) {
    std::stable_sort(list.begin(), list.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return s.tasks[a].start < s.tasks[b].start; });
    for (std::size_t i = 1; i < list.size(); ++i) previous[list[i]] = list[i - 1];
  }
  std::uint32_t at = work.order.front();
  for (const std::uint32_t t : work.order)
    if (s.tasks[t].end > s.tasks[at].end) at = t;
  std::vector<std::uint32_t> chain;
  std::vector<bool> known(work.tasks(), false);
  while (at != traces::none && !known[at]) {
    known[at] = true;
    if (work.runs[at]) chain.push_back(at);
    std::uint32_t last = previous[at];
    for (const auto* b = work.before.begin(at); b != work.before.end(at); ++b)
      if (last == traces::none || s.tasks[*b].end > s.tasks[last].end) last = *b;
    at = last;
  }
  return chain;
}

}  // namespace

Schedule local_search(const Workload& work, Schedule from, const SearchOptions& options) {
  if (from.tasks.empty()) return from;
  const std::string began = from.made_by;
  Plan plan;
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t t = 0; t < work.tasks(); ++t) {
    plan.of.push_back({from.tasks[t].start, from.tasks[t].unit});
    if (work.runs[t]) tasks.push_back(t);
  }
  std::mt19937_64 random(options.seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  Schedule best = schedule_of(work, plan);
  std::vector<std::uint32_t> chain = determining_chain(work, best);
  const std::uint64_t moves = options.placements / work.tasks();
  for (std::uint64_t move = 0; move < moves && !chain.empty(); ++move) {
    const std::uint32_t task = chain[below(chain.size())];
    const std::uint32_t partner = tasks[below(tasks.size())];
    const Plan::Task own = plan.of[task];
    const Plan::Task others = plan.of[partner];
    const std::size_t what = below(3);
    if (what == 0) {
      plan.of[task].unit = static_cast<std::uint32_t>(below(work.units.size()));
    } else if (what == 1) {
      std::swap(plan.of[task].unit, plan.of[partner].unit);
    } else {
      double least = 0;
      for (const auto* b = work.before.begin(task); b != work.before.end(task); ++b)
        least = std::max(least, plan.of[*b].key);
      plan.of[task].key = least + (own.key - least) * static_cast<double>(below(1024)) / 1024;
    }
    const auto runs = [&](std::uint32_t t) { return std::isfinite(work.on(t, work.units[plan.of[t].unit].kind)); };
    if ((what < 2 && plan.of[task].unit == own.unit) || !runs(task) || !runs(partner)) {
      plan.of[task] = own;
      if (partner != task) plan.of[partner] = others;
      continue;
    }
    Schedule other = schedule_of(work, plan);
    if (other.makespan <= best.makespan) {
      best = std::move(other);
      chain = determining_chain(work, best);
    } else {
      plan.of[task] = own;
      if (partner != task) plan.of[partner] = others;
    }
  }
  if (best.makespan >= from.makespan) return from;
  best.made_by = "local search from " + began;
  return best;
}

}  // namespace asterism::bounds
