// SPDX-License-Identifier: Apache-2.0
// The validator of schedules. It knows events in time only: no lists, queues or gaps of those who make schedules.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bounds/schedules/schedule.hpp"

namespace asterism::bounds {
namespace {

class Validator {
 public:
  Validator(const Workload& work, const Schedule& schedule)
      : work_(work), schedule_(schedule), slack_(1e-9 * std::max(schedule.makespan, 1e-9)) {}

  std::vector<std::string> run() {
    if (schedule_.tasks.size() != work_.runs.size()) {
      complain("{} tasks are scheduled, {} expected", schedule_.tasks.size(), work_.runs.size());
      return found_;
    }
    durations();
    precedence();
    if (!found_.empty()) return found_;
    exclusive();
    shared_rate();
    data();
    return found_;
  }

 private:
  template <class... Values>
  void complain(fmt::format_string<Values...> text, Values&&... values) {
    found_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  void durations() {
    double last = 0;
    for (std::size_t t = 0; t < work_.runs.size(); ++t) {
      const Placed& p = schedule_.tasks[t];
      if (!(p.start >= 0)) complain("task {} starts at {} s", t, p.start);
      last = std::max(last, p.end);
      double expected = 0;
      if (work_.runs[t]) {
        if (p.unit >= work_.units.size()) {
          complain("task {} is on no unit", t);
          continue;
        }
        expected = work_.seconds[t * work_.kinds + work_.units[p.unit].kind];
      }
      if (!(std::abs(p.end - p.start - expected) <= slack_))
        complain("task {} lasts {} s, expected {} s", t, p.end - p.start, expected);
    }
    if (std::abs(last - schedule_.makespan) > slack_)
      complain("the last task ends at {} s, the makespan is {} s", last, schedule_.makespan);
    for (const Copy& c : schedule_.copies) {
      const Connection& way = work_.connections[c.from * work_.memories + c.to];
      const double expected = way.latency + work_.bytes[c.datum] / way.bandwidth;
      if (!way.exists)
        complain("datum {} is copied from memory {} to {}, which are not connected", c.datum, c.from, c.to);
      else if (!(c.end - c.start >= expected - slack_) || (!shared(way) && c.end - c.start > expected + slack_) ||
               c.start < -slack_)
        complain("the copy of datum {} lasts {} s, expected {} s", c.datum, c.end - c.start, expected);
    }
  }

  [[nodiscard]] bool shared(const Connection& way) const { return way.resource == 0 && work_.shared_rate > 0; }

  /// Copies over connections that share a rate, each at a constant one after its latency.
  void shared_rate() {
    std::vector<std::pair<double, double>> changes;
    for (const Copy& c : schedule_.copies) {
      const Connection& way = work_.connections[c.from * work_.memories + c.to];
      const double seconds = c.end - c.start - way.latency;
      if (!shared(way) || !(seconds > slack_)) continue;
      changes.emplace_back(c.start + way.latency + slack_ / 2, work_.bytes[c.datum] / seconds);
      changes.emplace_back(c.end - slack_ / 2, -work_.bytes[c.datum] / seconds);
    }
    std::sort(changes.begin(), changes.end());
    double rate = 0;
    for (const auto& [when, change] : changes)
      if ((rate += change) > work_.shared_rate * (1 + 1e-6))
        return complain("at {} s copies take {} bytes/s of connections that carry {}", when, rate, work_.shared_rate);
  }

  void precedence() {
    for (std::size_t t = 0; t < work_.runs.size(); ++t)
      for (auto i = work_.before.offset[t]; i < work_.before.offset[t + 1]; ++i)
        if (const std::uint32_t b = work_.before.item[i]; schedule_.tasks[b].end > schedule_.tasks[t].start + slack_)
          complain("task {} starts at {} s, before task {} ends at {} s", t, schedule_.tasks[t].start, b,
                   schedule_.tasks[b].end);
  }

  void exclusive() {
    std::map<std::pair<bool, std::uint32_t>, std::vector<std::pair<double, double>>> busy;
    for (std::size_t t = 0; t < work_.runs.size(); ++t)
      if (work_.runs[t])
        busy[{true, schedule_.tasks[t].unit}].emplace_back(schedule_.tasks[t].start, schedule_.tasks[t].end);
    for (const Copy& c : schedule_.copies) {
      const Connection& way = work_.connections[c.from * work_.memories + c.to];
      constexpr std::uint32_t alone = 1U << 30;  // each of those that share a rate is busy by itself
      const auto pair = static_cast<std::uint32_t>(c.from * work_.memories + c.to);
      busy[{false, shared(way) ? alone + pair : way.resource}].emplace_back(c.start, c.end);
    }
    for (auto& [who, times] : busy) {
      std::sort(times.begin(), times.end());
      for (std::size_t i = 1; i < times.size(); ++i)
        if (times[i].first < times[i - 1].second - slack_)
          complain("{} {} does two things at {} s", who.first ? "unit" : "connection", who.second, times[i].first);
    }
  }

  /// Per datum: its writers and copies in order of their ends; at any instant a memory has the datum when it was
  /// written there last, or copied there since.
  void data() {
    struct Event {
      double start, end;
      std::uint32_t from, to;  ///< from none: written
    };
    std::vector<std::vector<Event>> events(work_.bytes.size());
    for (const Copy& c : schedule_.copies) events[c.datum].push_back({c.start, c.end, c.from, c.to});
    for (std::size_t t = 0; t < work_.runs.size(); ++t) {
      if (!work_.runs[t]) continue;
      const std::uint32_t memory = work_.units[schedule_.tasks[t].unit].memory;
      for (auto i = work_.accesses.offset[t]; i < work_.accesses.offset[t + 1]; ++i)
        if (work_.accesses.item[i].mode != traces::Mode::read)
          events[work_.accesses.item[i].handle].push_back(
              {schedule_.tasks[t].start, schedule_.tasks[t].end, traces::none, memory});
    }
    for (auto& list : events)
      std::stable_sort(list.begin(), list.end(), [](const Event& x, const Event& y) { return x.end < y.end; });
    const auto has = [&](std::uint32_t datum, std::uint32_t memory, double when) {
      bool there = memory == 0;
      for (const Event& e : events[datum]) {
        if (e.end > when + slack_) break;
        if (e.from == traces::none)
          there = e.to == memory;
        else
          there = there || e.to == memory;
      }
      return there;
    };
    for (const Copy& c : schedule_.copies) {
      if (!has(c.datum, c.from, c.start))
        complain("datum {} is copied at {} s from memory {}, which does not have it", c.datum, c.start, c.from);
      for (const Event& e : events[c.datum])
        if (e.from == traces::none && e.start < c.end - slack_ && e.end > c.start + slack_)
          complain("datum {} is written while it is copied at {} s", c.datum, c.start);
    }
    for (std::size_t t = 0; t < work_.runs.size(); ++t) {
      if (!work_.runs[t]) continue;
      const Placed& p = schedule_.tasks[t];
      for (auto i = work_.accesses.offset[t]; i < work_.accesses.offset[t + 1]; ++i) {
        const traces::Access& access = work_.accesses.item[i];
        if (access.mode == traces::Mode::write || access.mode == traces::Mode::other) continue;
        if (!has(access.handle, work_.units[p.unit].memory, p.start))
          complain("task {} starts at {} s without datum {} in memory {}", t, p.start, access.handle,
                   work_.units[p.unit].memory);
      }
    }
  }

  const Workload& work_;
  const Schedule& schedule_;
  double slack_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> violations(const Workload& work, const Schedule& schedule) {
  return Validator(work, schedule).run();
}

}  // namespace asterism::bounds
