// SPDX-License-Identifier: Apache-2.0
// HeteroPrio with spoliation, event by event.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "bounds/schedules/builder.hpp"
#include "bounds/schedules/offline.hpp"

namespace asterism::bounds {
namespace {

class HeteroPrio {
 public:
  HeteroPrio(const Workload& work, std::span<const double> rank)
      : work_(work),
        rank_(rank),
        waits_(work.tasks()),
        start_(work.tasks(), 0),
        unit_(work.tasks(), traces::none),
        running_(work.units.size(), traces::none),
        end_(work.units.size(), impossible),
        ready_(work.kinds) {
    for (std::uint32_t t = 0; t < work.tasks(); ++t) waits_[t] = work.before.count(t);
  }

  Schedule run() {
    for (std::uint32_t t = 0; t < work_.tasks(); ++t)
      if (work_.before.count(t) == 0) release(t);
    for (;;) {
      while (start_some()) {
      }
      const auto next = std::min_element(end_.begin(), end_.end());
      if (next == end_.end() || std::isinf(*next)) break;
      now_ = *next;
      const std::uint32_t done = running_[static_cast<std::size_t>(next - end_.begin())];
      running_[static_cast<std::size_t>(next - end_.begin())] = traces::none;
      *next = impossible;
      finish(done);
    }
    std::vector<std::uint32_t> order = work_.order;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return start_[a] < start_[b]; });
    ScheduleBuilder builder(work_);
    for (const std::uint32_t t : order) builder.add(t, unit_[t]);
    return std::move(builder).finish("HeteroPrio");
  }

 private:
  /// How much faster the kind is than the best other one; larger: more its own.
  [[nodiscard]] double speedup(std::uint32_t task, std::size_t kind) const {
    double other = impossible;
    for (std::size_t k = 0; k < work_.kinds; ++k)
      if (k != kind) other = std::min(other, work_.on(task, k));
    const double own = work_.on(task, kind);
    return std::isinf(other) ? impossible : own > 0 ? other / own : impossible;
  }

  void release(std::uint32_t task) {
    if (!work_.runs[task]) {
      start_[task] = now_;
      finish(task);
      return;
    }
    for (std::size_t k = 0; k < work_.kinds; ++k)
      if (std::isfinite(work_.on(task, k))) ready_[k].insert({-speedup(task, k), -rank_[task], task});
  }

  void finish(std::uint32_t task) {
    for (const auto* s = work_.after.begin(task); s != work_.after.end(task); ++s)
      if (--waits_[*s] == 0) release(*s);
  }

  void take(std::uint32_t task, std::size_t unit) {
    start_[task] = now_;
    unit_[task] = static_cast<std::uint32_t>(unit);
    running_[unit] = task;
    end_[unit] = now_ + work_.on(task, work_.units[unit].kind);
  }

  /// One idle unit takes a task, ready or from a unit on which it would end later. False: none does.
  bool start_some() {
    for (std::size_t u = 0; u < work_.units.size(); ++u) {
      if (running_[u] != traces::none) continue;
      const std::size_t kind = work_.units[u].kind;
      if (!ready_[kind].empty()) {
        const std::uint32_t task = std::get<2>(*ready_[kind].begin());
        for (std::size_t k = 0; k < work_.kinds; ++k)
          if (std::isfinite(work_.on(task, k))) ready_[k].erase({-speedup(task, k), -rank_[task], task});
        take(task, u);
        return true;
      }
      std::size_t victim = work_.units.size();
      for (std::size_t v = 0; v < work_.units.size(); ++v) {
        if (running_[v] == traces::none || work_.units[v].kind == kind) continue;
        const double seconds = work_.on(running_[v], kind);
        if (now_ + seconds < end_[v] && (victim == work_.units.size() || end_[v] > end_[victim])) victim = v;
      }
      if (victim == work_.units.size()) continue;
      const std::uint32_t task = running_[victim];
      running_[victim] = traces::none;
      end_[victim] = impossible;
      take(task, u);
      return true;
    }
    return false;
  }

  const Workload& work_;
  std::span<const double> rank_;
  std::vector<std::uint64_t> waits_;  ///< per task: how many it still waits for
  std::vector<double> start_;
  std::vector<std::uint32_t> unit_;
  std::vector<std::uint32_t> running_;                                      ///< per unit: task
  std::vector<double> end_;                                                 ///< per unit: of that task
  std::vector<std::set<std::tuple<double, double, std::uint32_t>>> ready_;  ///< per kind: by speedup, then rank
  double now_ = 0;
};

}  // namespace

Schedule heteroprio(const Workload& work, std::span<const double> rank) {
  return HeteroPrio(work, rank).run();
}

}  // namespace asterism::bounds
