// SPDX-License-Identifier: Apache-2.0
#include "bounds/schedules/builder.hpp"

#include <algorithm>
#include <cmath>

#include "traces/dag.hpp"

namespace asterism::bounds {

Workload workload_of(const traces::Recording& r) {
  Workload work;
  work.before = r.dependencies;
  work.after = traces::successors(r);
  work.order = traces::topological_order(r);
  for (const traces::Task& task : r.tasks) work.runs.push_back(task.executed() && task.codelet != traces::none);
  return work;
}

double BusyTimes::first_gap(double from, double seconds) const {
  auto next =
      std::partition_point(intervals_.begin(), intervals_.end(), [&](const auto& i) { return i.second <= from; });
  for (; next != intervals_.end() && next->first < from + seconds; ++next) from = std::max(from, next->second);
  return from;
}

void BusyTimes::occupy(double start, double end) {
  const auto at =
      std::partition_point(intervals_.begin(), intervals_.end(), [&](const auto& i) { return i.first < start; });
  if (at != intervals_.begin() && (at - 1)->second == start) {
    (at - 1)->second = end;
    return;
  }
  intervals_.insert(at, {start, end});
}

ScheduleBuilder::ScheduleBuilder(const Workload& work)
    : work_(work), units_(work.units.size()), since_(work.bytes.size() * work.memories, impossible) {
  for (std::size_t d = 0; d < work.bytes.size(); ++d) since_[d * work.memories] = 0;
  double fastest = 0;
  for (std::uint32_t from = 0; from < work.memories; ++from)
    for (std::uint32_t to = 0; to < work.memories; ++to)
      if (const Connection& c = work.connection(from, to); from != to && c.exists) {
        connections_.try_emplace(key_of(from, to));
        if (c.resource == 0) fastest = std::max(fastest, c.bandwidth);
      }
  constexpr double least_lane = 1e-3;  // of a connection: a slower rest is left unused
  if (work.lanes > 0) fastest = std::min(fastest, work.shared_rate / work.lanes);
  for (double rest = work.shared_rate; fastest > 0 && rest > least_lane * fastest; rest -= fastest)
    lanes_.push_back({std::min(rest, fastest), {}});
  schedule_.tasks.resize(work.tasks());
}

double ScheduleBuilder::ready(std::uint32_t task) const {
  double when = 0;
  for (const auto* b = work_.before.begin(task); b != work_.before.end(task); ++b)
    when = std::max(when, schedule_.tasks[*b].end);
  return when;
}

std::uint32_t ScheduleBuilder::key_of(std::uint32_t from, std::uint32_t to) const {
  const std::uint32_t resource = work_.connection(from, to).resource;
  if (resource != 0 || !(work_.shared_rate > 0)) return resource;
  constexpr std::uint32_t shared = 1U << 31;
  return shared + from * static_cast<std::uint32_t>(work_.memories) + to;
}

Copy ScheduleBuilder::copy(std::uint32_t datum, std::uint32_t from, std::uint32_t to, double available) const {
  const Connection& way = work_.connection(from, to);
  const BusyTimes& own = connections_.at(key_of(from, to));
  if (way.resource != 0 || lanes_.empty()) {
    const double seconds = way.latency + work_.bytes[datum] / way.bandwidth;
    const double start = own.first_gap(available, seconds);
    return {datum, from, to, start, start + seconds};
  }
  Copy best{datum, from, to, 0, impossible};
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    const double seconds = way.latency + work_.bytes[datum] / std::min(way.bandwidth, lanes_[lane].rate);
    double start = available;
    for (double again = -1; again != start;) {
      again = start;
      start = own.first_gap(start, seconds);
      // a latency takes nothing of the rate; the small part lost in the sum could go on for ever
      if (const double sends = lanes_[lane].busy.first_gap(start + way.latency, seconds - way.latency);
          sends > start + way.latency)
        start = sends - way.latency;
    }
    if (start + seconds < best.end) best = {datum, from, to, start, start + seconds, lane};
  }
  return best;
}

void ScheduleBuilder::occupy(const Copy& copy) {
  connections_.at(key_of(copy.from, copy.to)).occupy(copy.start, copy.end);
  if (copy.lane != traces::none)
    lanes_[copy.lane].busy.occupy(copy.start + work_.connection(copy.from, copy.to).latency, copy.end);
}

ScheduleBuilder::Arrival ScheduleBuilder::arrival(std::uint32_t datum, std::uint32_t memory) const {
  const double* const since = &since_[datum * work_.memories];
  if (std::isfinite(since[memory])) return {since[memory], {}};
  Arrival best{impossible, {}};
  for (std::uint32_t from = 0; from < work_.memories; ++from) {
    if (!std::isfinite(since[from])) continue;
    Arrival arrival;
    if (work_.connection(from, memory).exists) {
      arrival.copies = {copy(datum, from, memory, since[from])};
    } else {  // by way of main memory
      arrival.copies = {copy(datum, from, 0, since[from])};
      arrival.copies.push_back(copy(datum, 0, memory, arrival.copies[0].end));
    }
    arrival.when = arrival.copies.back().end;
    if (arrival.when < best.when) best = std::move(arrival);
  }
  return best;
}

ScheduleBuilder::Choice ScheduleBuilder::earliest(std::uint32_t task, std::uint32_t kind) const {
  Choice best;
  const double after = ready(task);
  std::vector<double> there(work_.memories, -1);  // when all it reads is in a memory; -1: not asked yet
  for (std::uint32_t u = 0; u < units_.size(); ++u) {
    const Workload::Unit& unit = work_.units[u];
    const double seconds = work_.on(task, unit.kind);
    if (!std::isfinite(seconds) || (kind != traces::none && unit.kind != kind)) continue;
    double& when = there[unit.memory];
    if (when < 0) {
      when = after;
      for (const auto* a = work_.accesses.begin(task); a != work_.accesses.end(task); ++a)
        if (a->mode == traces::Mode::read || a->mode == traces::Mode::read_write)
          when = std::max(when, arrival(a->handle, unit.memory).when);
    }
    if (when + seconds >= best.end) continue;
    if (const double end = units_[u].first_gap(when, seconds) + seconds; end < best.end) best = {u, end};
  }
  return best;
}

double ScheduleBuilder::add(std::uint32_t task, std::uint32_t unit) {
  Placed& placed = schedule_.tasks[task];
  double when = ready(task);
  if (!work_.runs[task]) {
    placed = {traces::none, when, when};
    schedule_.makespan = std::max(schedule_.makespan, when);
    return when;
  }
  const std::uint32_t memory = work_.units[unit].memory;
  const auto reads = [](const traces::Access& a) {
    return a.mode == traces::Mode::read || a.mode == traces::Mode::read_write;
  };
  for (const auto* a = work_.accesses.begin(task); a != work_.accesses.end(task); ++a) {
    if (!reads(*a)) continue;
    const Arrival arrives = arrival(a->handle, memory);
    for (const Copy& c : arrives.copies) {
      occupy(c);
      since_[c.datum * work_.memories + c.to] = c.end;
      schedule_.copies.push_back(c);
    }
    when = std::max(when, arrives.when);
  }
  const double seconds = work_.on(task, work_.units[unit].kind);
  placed.unit = unit;
  placed.start = units_[unit].first_gap(when, seconds);
  placed.end = placed.start + seconds;
  units_[unit].occupy(placed.start, placed.end);
  for (const auto* a = work_.accesses.begin(task); a != work_.accesses.end(task); ++a) {
    if (a->mode == traces::Mode::read || a->mode == traces::Mode::other) continue;
    std::fill_n(&since_[a->handle * work_.memories], work_.memories, impossible);
    since_[a->handle * work_.memories + memory] = placed.end;
  }
  schedule_.makespan = std::max(schedule_.makespan, placed.end);
  return placed.end;
}

Schedule ScheduleBuilder::finish(std::string made_by) && {
  schedule_.made_by = std::move(made_by);
  schedule_.lanes = work_.lanes;
  return std::move(schedule_);
}

}  // namespace asterism::bounds
