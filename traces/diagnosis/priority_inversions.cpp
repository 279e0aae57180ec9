// SPDX-License-Identifier: Apache-2.0
// A task of the critical path that is ready, its data in its unit's memory, while the unit runs tasks of lower
// priority.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "traces/diagnosis/evidence.hpp"

namespace asterism::traces::diagnosis {
namespace {

/// A unit takes tasks before it runs them, to fetch their data: two on a GPU (STARPU_CUDA_PIPELINE). So many of lower
/// priority may have been taken before the critical one was ready.
constexpr std::size_t already_taken = 2;

/// Ends of transfers, sorted.
class Arrivals {
 public:
  explicit Arrivals(const Recording& r) : r_(r) {
    for (const Transfer& t : r.transfers)
      if (t.handle != none) ends_[{t.handle, t.to}].push_back(t.end);
    for (auto& [where, ends] : ends_) std::sort(ends.begin(), ends.end());
  }
  /// When the last of a task's data came into its unit's memory, of what came before it started; else `otherwise`.
  [[nodiscard]] double before_start(std::uint32_t task, double otherwise) const {
    for (const Access& a : r_.data(task)) {
      const auto known = ends_.find({a.handle, r_.units[r_.tasks[task].unit].node});
      if (known == ends_.end()) continue;
      const auto later = std::upper_bound(known->second.begin(), known->second.end(), r_.tasks[task].start);
      if (later != known->second.begin()) otherwise = std::max(otherwise, *std::prev(later));
    }
    return otherwise;
  }

 private:
  const Recording& r_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> ends_;  // data, memory
};

}  // namespace

void find_priority_inversions(const Evidence& e, Findings& findings) {
  const Recording& r = e.recording;
  if (!r.has_dependencies || e.metrics.critical_path.tasks.empty()) return;
  std::vector<std::vector<std::uint32_t>> of_unit(r.units.size());
  for (std::uint32_t t = 0; t < r.tasks.size(); ++t)
    if (r.tasks[t].executed()) of_unit[r.tasks[t].unit].push_back(t);
  for (auto& tasks : of_unit)
    std::sort(tasks.begin(), tasks.end(),
              [&](std::uint32_t a, std::uint32_t b) { return r.tasks[a].start < r.tasks[b].start; });
  std::vector<std::pair<double, std::uint32_t>> late;  // seconds, task
  std::vector<std::uint32_t> units;
  double lost = 0;
  Interval where{0, 0};
  double most = 0;
  const Arrivals arrivals(r);
  for (const std::uint32_t c : e.metrics.critical_path.tasks) {
    const Task& task = r.tasks[c];
    const double ready = arrivals.before_start(c, e.ready[c]);
    std::size_t before = 0;
    double since = task.start;
    double seconds = 0;  // of lower priority
    const auto& tasks = of_unit[task.unit];
    auto other = std::lower_bound(tasks.begin(), tasks.end(), ready,
                                  [&](std::uint32_t t, double time) { return r.tasks[t].start < time; });
    for (; other != tasks.end() && r.tasks[*other].start < task.start; ++other) {
      if (r.tasks[*other].priority >= task.priority || before++ < already_taken) continue;
      since = std::min(since, r.tasks[*other].start);
      seconds += r.tasks[*other].duration();
    }
    if (seconds <= 0) continue;
    late.emplace_back(seconds, c);
    lost += seconds;
    units.push_back(task.unit);
    if (seconds > most) where = {since, task.start};
    most = std::max(most, seconds);
  }
  if (late.empty() || lost < least_share * e.metrics.makespan) return;
  std::stable_sort(late.begin(), late.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::uint32_t> tasks;
  tasks.reserve(late.size());
  for (const auto& [seconds, t] : late) tasks.push_back(t);
  Finding f = found(Fault::priority_inversion, lost, where, tasks, units);
  f.what = fmt::format(
      "{} of {} tasks of the critical path, ready and their data in place, wait for up to {} while their units run "
      "tasks "
      "of lower priority",
      tasks.size(), e.metrics.critical_path.tasks.size(), time_text(late.front().first));
  f.advice =
      "take a scheduler that heeds priorities (dmdas, prio); with hprio and heteroprio, check the order of priorities "
      "on that kind of unit";
  findings.push_back(std::move(f));
}

}  // namespace asterism::traces::diagnosis
