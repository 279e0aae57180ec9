// SPDX-License-Identifier: Apache-2.0
#include "traces/diagnosis/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "traces/dag.hpp"

namespace asterism::traces::diagnosis {

Evidence::Evidence(const Recording& r, const Metrics& m, const PlatformRec* p)
    : recording(r), metrics(m), models(p), works(r.units.size(), 0) {
  std::vector<double> of_kind(r.kinds.size(), 0);
  double all = 0;
  for (std::size_t u = 0; u < r.units.size(); ++u) {
    of_kind[r.units[u].kind] += m.unit[u][State::computing];
    all += m.unit[u][State::computing];
  }
  for (std::size_t u = 0; u < r.units.size(); ++u) {
    works[u] = m.unit[u][State::computing] > 0 && of_kind[r.units[u].kind] >= least_work * all;
    if (works[u]) unit_seconds += m.makespan;
  }
  freed.assign(r.tasks.size(), r.begin);
  ready = freed;
  if (!r.has_dependencies) return;
  for (const std::uint32_t t : topological_order(r)) {
    const auto end_of = [&](std::uint32_t before, const std::vector<double>& otherwise) {
      return r.tasks[before].executed() ? r.tasks[before].end : otherwise[before];
    };
    for (const std::uint32_t before : r.predecessors(t)) {
      freed[t] = std::max(freed[t], end_of(before, freed));
      ready[t] = std::max(ready[t], end_of(before, ready));
    }
    if (std::isfinite(r.tasks[t].submitted)) ready[t] = std::max(ready[t], r.tasks[t].submitted);
  }
}

std::vector<Interval> Evidence::spans(std::size_t unit, State state) const {
  std::vector<Interval> out;
  for (const Span s : recording.timeline[unit])
    if (s.state == state) out.emplace_back(s.start, s.end);
  return out;
}

double Evidence::spent(std::uint32_t node, const std::vector<Interval>& intervals,
                       const std::function<bool(State)>& states) const {
  double sum = 0;
  for (std::size_t u = 0; u < recording.units.size(); ++u) {
    if (!works[u] || recording.units[u].node != node) continue;
    std::vector<Interval> inside;
    for (const Span s : recording.timeline[u])
      if (states(s.state)) inside.emplace_back(s.start, s.end);
    sum += common_length(merged(std::move(inside)), intervals);
  }
  return sum;
}

std::vector<std::uint32_t> Evidence::units_at(const std::vector<std::uint32_t>& nodes) const {
  std::vector<std::uint32_t> units;
  for (std::uint32_t u = 0; u < recording.units.size(); ++u)
    if (std::find(nodes.begin(), nodes.end(), recording.units[u].node) != nodes.end()) units.push_back(u);
  return units;
}

Changes::Changes(const Evidence& evidence)
    : writes_(evidence.recording.handles.size()), used_(evidence.recording.handles.size(), 0) {
  const Recording& r = evidence.recording;
  std::vector<std::uint32_t> order;
  for (std::uint32_t t = 0; t < r.tasks.size(); ++t)
    if (r.tasks[t].executed()) order.push_back(t);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return r.tasks[a].start < r.tasks[b].start; });
  std::vector<double> last(r.handles.size(), -std::numeric_limits<double>::infinity());  // start of the last user
  for (const std::uint32_t t : order) {
    const auto before = r.predecessors(t);
    const bool after_node =
        std::any_of(before.begin(), before.end(), [&](std::uint32_t p) { return !r.tasks[p].executed(); });
    for (const Access& access : r.data(t)) {
      if (access.handle == none) continue;
      used_[access.handle] = 1;
      if (after_node) writes_[access.handle].emplace_back(last[access.handle], r.tasks[t].start);
      if (access.mode != Mode::read) writes_[access.handle].emplace_back(r.tasks[t].start, r.tasks[t].end);
      last[access.handle] = r.tasks[t].start;
    }
  }
  for (std::vector<Interval>& writes : writes_) {
    std::sort(writes.begin(), writes.end());
    for (std::size_t i = 1; i < writes.size(); ++i) writes[i].second = std::max(writes[i].second, writes[i - 1].second);
  }
}

bool Changes::between(std::uint32_t handle, double after, double before) const {
  if (!used_[handle]) return true;
  const std::vector<Interval>& writes = writes_[handle];
  const auto later = std::lower_bound(writes.begin(), writes.end(), before,
                                      [](const Interval& w, double time) { return w.first < time; });
  return later != writes.begin() && std::prev(later)->second > after;
}

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.2f} us", seconds * 1e6);
}

Finding found(Fault fault, double seconds, Interval where, std::vector<std::uint32_t> tasks,
              std::vector<std::uint32_t> units) {
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  return {fault, {}, {}, seconds, where.first, where.second, std::move(tasks), std::move(units)};
}

}  // namespace asterism::traces::diagnosis
