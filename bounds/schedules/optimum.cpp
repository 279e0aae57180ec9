// SPDX-License-Identifier: Apache-2.0
#include "bounds/schedules/optimum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "bounds/schedules/builder.hpp"

namespace asterism::bounds {
namespace {

/// The units of the recording, in the order of its starts; none where these units are not there or cannot run its
/// tasks.
std::vector<Schedule> as_recorded(const traces::Recording& recording, const Workload& work) {
  std::vector<double> start(work.tasks(), 0);
  std::vector<std::uint32_t> unit(work.tasks(), traces::none);
  for (const std::uint32_t t : work.order) {
    for (const auto* b = work.before.begin(t); b != work.before.end(t); ++b) start[t] = std::max(start[t], start[*b]);
    if (!work.runs[t]) continue;
    start[t] = std::max(start[t], recording.tasks[t].start);
    unit[t] = recording.units[recording.tasks[t].unit].worker;
    if (unit[t] >= work.units.size() || std::isinf(work.on(t, work.units[unit[t]].kind))) return {};
  }
  std::vector<std::uint32_t> order = work.order;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return start[a] < start[b]; });
  std::vector<Schedule> made;
  Workload divided = work;
  for (const std::uint32_t lanes : {0U, static_cast<std::uint32_t>(work.memories) - 1}) {
    divided.lanes = lanes;
    ScheduleBuilder builder(divided);
    for (const std::uint32_t t : order) builder.add(t, unit[t]);
    made.push_back(std::move(builder).finish("the recording's units"));
    if (!(work.shared_rate > 0)) break;
  }
  return made;
}

}  // namespace

Optimum optimum(const traces::Recording& recording, const Workload& work, const SearchOptions& options) {
  Optimum found;
  found.schedules = offline_schedules(work, options, as_recorded(recording, work));
  for (const Schedule& schedule : found.schedules)
    if (const std::vector<std::string> wrong = violations(work, schedule); !wrong.empty())
      failed("{}: the schedule of {} is not feasible: {}", recording.name, schedule.made_by, wrong.front());
  found.lower = lower_bound(work, found.schedules.front().makespan);
  return found;
}

}  // namespace asterism::bounds
