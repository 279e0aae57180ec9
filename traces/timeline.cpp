// SPDX-License-Identifier: Apache-2.0
#include "traces/timeline.hpp"

#include <algorithm>
#include <numeric>

namespace asterism::traces {

namespace {

using Interval = std::pair<double, double>;

/// Marks the parts of [begin, end) that `busy` (sorted) covers as waiting, the rest as `state`.
void append_waiting(Timeline& spans, double begin, double end, State state, const std::vector<Interval>& busy) {
  double at = begin;
  for (const auto& [first, last] : busy) {
    if (last <= at) continue;
    if (first >= end) break;
    spans.append({at, std::max(at, first), none, state});
    at = std::max(at, first);
    spans.append({at, std::min(end, last), none, State::waiting});
    at = std::min(end, last);
  }
  spans.append({at, end, none, state});
}

}  // namespace

void build_timeline(Recording& r, std::vector<std::deque<Span>> states) {
  states.resize(r.units.size());
  std::vector<std::vector<std::uint32_t>> executed(r.units.size());
  for (std::uint32_t t = 0; t < r.tasks.size(); ++t)
    if (r.tasks[t].executed()) executed[r.tasks[t].unit].push_back(t);

  // Transfers by the data they carry, in order of start.
  Lists<std::uint32_t> of_handle;
  {
    std::vector<std::uint64_t> count(r.handles.size() + 1, 0);
    for (const Transfer& t : r.transfers)
      if (t.handle != none) ++count[t.handle + 1];
    std::partial_sum(count.begin(), count.end(), count.begin());
    of_handle.item.resize(count.back());
    of_handle.offset = count;
    for (std::uint32_t i = 0; i < r.transfers.size(); ++i)
      if (r.transfers[i].handle != none) of_handle.item[count[r.transfers[i].handle]++] = i;
  }
  // When the data of a task moved to its unit's memory, within [begin, end).
  std::vector<Interval> busy;
  const auto collect = [&](std::uint32_t task, double begin, double end) {
    busy.clear();
    const std::uint32_t node = r.units[r.tasks[task].unit].node;
    for (const Access& a : r.data(task)) {
      if (a.handle == none) continue;
      const auto* const first = of_handle.begin(a.handle);
      const auto* const last = of_handle.end(a.handle);
      const auto* it = std::partition_point(first, last, [&](std::uint32_t i) { return r.transfers[i].start < end; });
      // The last transfer into the unit's memory that started before the task, and the one that fed it when the data
      // went from device to device through main memory.
      std::uint32_t wanted = node;
      for (int hop = 0; hop < 2 && it != first;) {
        const Transfer& t = r.transfers[*--it];
        if (t.to != wanted) continue;
        if (t.end <= begin) break;
        busy.emplace_back(std::max(t.start, begin), std::min(t.end, end));
        wanted = t.from;
        ++hop;
      }
    }
    std::sort(busy.begin(), busy.end());
  };

  r.timeline.assign(r.units.size(), {});
  for (std::size_t u = 0; u < r.units.size(); ++u) {
    Timeline& out = r.timeline[u];
    std::vector<std::uint32_t>& tasks = executed[u];
    std::sort(tasks.begin(), tasks.end(),
              [&](std::uint32_t a, std::uint32_t b) { return r.tasks[a].start < r.tasks[b].start; });
    std::deque<Span>& state = states[u];  // consumed from the front: both lists of a long recording need not fit
    out.reserve(2 * (state.size() + tasks.size()) + 1);
    double at = r.begin;
    // The gap [at, until) before the task `next` (none: after the last).
    const auto gap = [&](double until, std::uint32_t next) {
      if (until <= at) return;
      if (next != none)
        collect(next, at, until);
      else
        busy.clear();
      while (at < until) {
        while (!state.empty() && state.front().end <= at) state.pop_front();
        double end = until;
        State now = State::idle;
        if (!state.empty() && state.front().start <= at) {
          now = state.front().state;
          end = std::min(until, state.front().end);
        } else if (!state.empty()) {
          end = std::min(until, state.front().start);
        }
        if (now == State::waiting)
          out.append({at, end, none, now});
        else
          append_waiting(out, at, end, now, busy);
        at = end;
      }
    };
    for (const std::uint32_t t : tasks) {
      const double start = std::clamp(r.tasks[t].start, at, std::max(at, r.end));
      const double end = std::clamp(r.tasks[t].end, start, std::max(start, r.end));
      gap(start, t);
      out.append({start, end, t, State::computing});
      at = std::max(at, end);
    }
    gap(r.end, none);
    std::deque<Span>().swap(state);
  }
}

}  // namespace asterism::traces
