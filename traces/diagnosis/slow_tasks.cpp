// SPDX-License-Identifier: Apache-2.0
// Tasks that took far longer than others of their class: the same codelet and footprint on the same kind of unit.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "traces/diagnosis/evidence.hpp"

namespace asterism::traces::diagnosis {
namespace {

/// Fewer tasks do not tell what is usual.
constexpr std::size_t least_tasks = 10;
/// Tukey's outer fence (Exploratory Data Analysis, 1977): the third quartile and three times the distance of quartiles.
constexpr double fence = 3;
/// Where nearly all take equally long, the fence is close to the median; clocks and caches make small differences.
constexpr double least_factor = 2;

}  // namespace

void find_slow_tasks(const Evidence& e, Findings& findings) {
  const Recording& r = e.recording;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> classes;
  for (std::uint32_t t = 0; t < r.tasks.size(); ++t)
    if (r.tasks[t].executed() && r.tasks[t].codelet != none)
      classes[{r.tasks[t].codelet, r.tasks[t].footprint, r.units[r.tasks[t].unit].kind}].push_back(t);
  for (auto& [key, tasks] : classes) {
    if (tasks.size() < least_tasks) continue;
    std::vector<double> sorted;
    for (const std::uint32_t t : tasks) sorted.push_back(r.tasks[t].duration());
    std::sort(sorted.begin(), sorted.end());
    const double median = quantile(sorted, 0.5);
    const double high = quantile(sorted, 0.75);
    const double limit = std::max(least_factor * median, high + fence * (high - quantile(sorted, 0.25)));
    std::vector<std::uint32_t> slow;
    std::vector<std::uint32_t> units;
    double lost = 0;
    std::vector<char> begun(r.units.size(), 0);
    std::sort(tasks.begin(), tasks.end(),
              [&](std::uint32_t a, std::uint32_t b) { return r.tasks[a].start < r.tasks[b].start; });
    bool first = true;  // each slow task is its unit's first of the class
    for (const std::uint32_t t : tasks) {
      const bool first_here = !begun[r.tasks[t].unit];
      begun[r.tasks[t].unit] = 1;
      if (r.tasks[t].duration() <= limit) continue;
      slow.push_back(t);
      units.push_back(r.tasks[t].unit);
      lost += r.tasks[t].duration() - median;
      first = first && first_here;
    }
    if (!e.worth(lost)) continue;
    std::stable_sort(slow.begin(), slow.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return r.tasks[a].duration() > r.tasks[b].duration(); });
    const Task& worst = r.tasks[slow.front()];
    Finding f = found(Fault::slow_tasks, lost, {worst.start, worst.end}, slow, units);
    f.what =
        fmt::format("{} of {} tasks {} on {} take up to {}, the median of these tasks is {}", slow.size(), tasks.size(),
                    r.codelet_name(worst), r.kind_name(worst), time_text(worst.duration()), time_text(median));
    f.advice = first ? "each is the first of its kind on its unit: run once before what is measured"
               : f.units.size() == 1
                   ? "all are on one unit: look for another program on it, its clock rate or its temperature"
                   : "look for other programs on these units, for threads that are not bound to cores, and for data "
                     "in the memory of another socket";
    findings.push_back(std::move(f));
  }
}

}  // namespace asterism::traces::diagnosis
