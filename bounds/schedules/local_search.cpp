// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "bounds/schedules/builder.hpp"
#include "bounds/schedules/offline.hpp"

namespace asterism::bounds {
namespace {

constexpr std::size_t late_moves = 50;

/// What a schedule is made from: tasks in the order of their keys, on these units.
struct Plan {
  struct Task {
    double key = 0;  ///< not below those of the tasks it waits for
    std::uint32_t unit = traces::none;
  };
  std::vector<Task> of;
};

/// Schedules of plans that differ little from the one kept: they begin where the two first differ.
class Schedules {
 public:
  explicit Schedules(const Workload& work) : work_(work), tail_(upward_ranks(work, RankFrom::least)) {
    for (std::size_t t = 0; t < work.tasks(); ++t) {
      double least = work.runs[t] ? impossible : 0;
      for (std::size_t k = 0; work.runs[t] && k < work.kinds; ++k) least = std::min(least, work.on(t, k));
      tail_[t] -= least;
    }
    each_ = std::max<std::size_t>(1, work.tasks() / checkpoints);
  }

  /// None if it is longer than `limit`.
  std::optional<Schedule> of(const Plan& plan, double limit) {
    tried_.order = work_.order;
    std::stable_sort(tried_.order.begin(), tried_.order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return plan.of[a].key < plan.of[b].key; });
    tried_.units.clear();
    for (const std::uint32_t t : tried_.order) tried_.units.push_back(plan.of[t].unit);
    std::size_t same = 0;
    while (same < kept_.order.size() && tried_.order[same] == kept_.order[same] &&
           tried_.units[same] == kept_.units[same])
      ++same;
    shared_ = std::min(same / each_, kept_.builders.size());
    tried_.builders.clear();
    ScheduleBuilder builder = shared_ > 0 ? kept_.builders[shared_ - 1] : ScheduleBuilder(work_);
    for (std::size_t i = shared_ * each_; i < tried_.order.size(); ++i) {
      if (i > shared_ * each_ && i % each_ == 0) tried_.builders.push_back(builder);
      const std::uint32_t t = tried_.order[i];
      ++placed_;
      if (builder.add(t, tried_.units[i]) + tail_[t] > limit) return {};
    }
    return std::move(builder).finish("local search");
  }

  /// The plan scheduled last is the one to which others are compared.
  void keep() {
    while (kept_.builders.size() > shared_) kept_.builders.pop_back();
    for (ScheduleBuilder& builder : tried_.builders) kept_.builders.push_back(std::move(builder));
    kept_.order.swap(tried_.order);
    kept_.units.swap(tried_.units);
  }
  [[nodiscard]] std::uint64_t placed() const { return placed_; }

 private:
  static constexpr std::size_t checkpoints = 10;
  struct Made {
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> units;       ///< in this order
    std::vector<ScheduleBuilder> builders;  ///< after each_, 2 each_, ... tasks
  };
  const Workload& work_;
  std::vector<double> tail_;  ///< per task: as long passes at least after its end
  std::size_t each_ = 1;
  std::size_t shared_ = 0;  ///< builders of kept_ that hold for tried_
  Made kept_;
  Made tried_;
  std::uint64_t placed_ = 0;
};

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
  std::vector<std::vector<std::uint32_t>> of_kind(work.kinds);  // units
  for (std::uint32_t u = 0; u < work.units.size(); ++u) of_kind[work.units[u].kind].push_back(u);
  std::erase_if(of_kind, [](const auto& units) { return units.empty(); });
  std::mt19937_64 random(options.seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  Schedules schedules(work);
  Schedule best = *schedules.of(plan, impossible);
  schedules.keep();
  double current = best.makespan;
  std::vector<double> late(late_moves, current);
  std::vector<std::uint32_t> chain = determining_chain(work, best);
  const std::uint64_t most = options.moves_per_task * work.tasks();
  std::uint64_t tried = 0;
  for (std::uint64_t move = 0; schedules.placed() < options.placements && tried < most && !chain.empty();
       ++move, ++tried) {
    const std::uint32_t task = chain[below(chain.size())];
    const std::uint32_t partner = tasks[below(tasks.size())];
    const Plan::Task own = plan.of[task];
    const Plan::Task others = plan.of[partner];
    const std::size_t what = below(3);
    if (what == 0) {
      const std::vector<std::uint32_t>& kind = of_kind[below(of_kind.size())];
      plan.of[task].unit = kind[below(kind.size())];
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
      --move;
      continue;
    }
    double& before = late[move % late_moves];
    if (std::optional<Schedule> other = schedules.of(plan, std::max(current, before))) {
      schedules.keep();
      current = other->makespan;
      chain = determining_chain(work, *other);
      if (current < best.makespan) best = std::move(*other);
    } else {
      plan.of[task] = own;
      if (partner != task) plan.of[partner] = others;
    }
    before = current;
  }
  if (best.makespan >= from.makespan) return from;
  best.made_by = "local search from " + began;
  return best;
}

}  // namespace asterism::bounds
