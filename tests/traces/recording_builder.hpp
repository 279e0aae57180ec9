// SPDX-License-Identifier: Apache-2.0
// Recordings made by hand, for tests with known answers.
#pragma once

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "traces/recording.hpp"
#include "traces/timeline.hpp"

namespace asterism::traces::testing {

class Builder {
 public:
  explicit Builder(std::string name = "hand-made") {
    r_.name = std::move(name);
    r_.has_states = true;
    r_.has_dependencies = true;
    r_.nodes.push_back({"RAM", 0, 0});
  }

  /// `count` units of a kind; CPUs share the rank's main memory, each other unit has its own. Ranks in order.
  Builder& units(const std::string& kind, int count, std::uint32_t rank = 0) {
    auto known = std::find_if(r_.kinds.begin(), r_.kinds.end(), [&](const Kind& k) { return k.name == kind; });
    if (known == r_.kinds.end()) known = r_.kinds.insert(r_.kinds.end(), {kind});
    const auto number = static_cast<std::uint32_t>(known - r_.kinds.begin());
    if (rank >= r_.ranks) {
      r_.ranks = rank + 1;
      main_memory_ = static_cast<std::uint32_t>(r_.nodes.size());
      r_.nodes.push_back({std::to_string(rank) + ": RAM", rank, 0});
    }
    for (int i = 0; i < count; ++i) {
      std::uint32_t node = main_memory_;
      const std::string name = (rank > 0 ? std::to_string(rank) + ": " : "") + kind + " " + std::to_string(i);
      if (kind != "CPU") {
        node = static_cast<std::uint32_t>(r_.nodes.size());
        r_.nodes.push_back({name, rank, node - main_memory_});
      }
      r_.units.push_back({name, number, rank, static_cast<std::uint32_t>(r_.units.size()), node});
    }
    states_.resize(r_.units.size());
    return *this;
  }

  std::uint32_t handle(const std::string& name, std::uint64_t bytes = 8) {
    r_.handles.push_back({name, bytes});
    return static_cast<std::uint32_t>(r_.handles.size() - 1);
  }

  /// Returns the task's number. `unit` none: a node of the graph that nobody executed.
  std::uint32_t task(const std::string& codelet, std::uint32_t unit, double start, double end,
                     std::vector<std::uint32_t> after = {}, std::uint32_t footprint = 1, double flops = 0,
                     std::int32_t iteration = -1, std::vector<Access> data = {}) {
    auto known =
        std::find_if(r_.codelets.begin(), r_.codelets.end(), [&](const Codelet& c) { return c.name == codelet; });
    if (known == r_.codelets.end()) known = r_.codelets.insert(r_.codelets.end(), {codelet, codelet});
    Task t;
    t.id = r_.tasks.size() + 1;
    t.submit_order = t.id;
    t.submitted = std::min(0.0, start);
    t.start = start;
    t.end = end;
    t.flops = flops;
    t.unit = unit;
    t.rank = unit == none ? 0 : r_.units[unit].rank;
    t.codelet = static_cast<std::uint32_t>(known - r_.codelets.begin());
    t.footprint = footprint;
    t.iteration = iteration;
    r_.tasks.push_back(t);
    r_.dependencies.item.insert(r_.dependencies.item.end(), after.begin(), after.end());
    r_.dependencies.close();
    r_.accesses.item.insert(r_.accesses.item.end(), data.begin(), data.end());
    r_.accesses.close();
    return static_cast<std::uint32_t>(r_.tasks.size() - 1);
  }

  /// A node of a rank's graph that nobody executed.
  std::uint32_t node(std::uint32_t rank, std::vector<std::uint32_t> after) {
    const std::uint32_t number = task("", none, 0, 0, std::move(after));
    r_.tasks[number].rank = rank;
    return number;
  }

  /// Adds a message with the data that `sent_after` made on the sender; returns the receiver's node of the graph.
  std::uint32_t message(std::uint32_t to, double start, double end, std::uint64_t bytes, std::uint32_t sent_after,
                        std::uint32_t handle = none, std::int64_t tag = -1) {
    Message m;
    m.start = start;
    m.end = end;
    m.bytes = bytes;
    m.from = r_.tasks[sent_after].rank;
    m.to = to;
    m.tag = tag;
    m.handle = handle;
    m.sent_after = node(m.from, {sent_after});
    m.releases = node(to, {m.sent_after});
    r_.messages.push_back(m);
    return m.releases;
  }

  Builder& state(std::uint32_t unit, State what, double start, double end) {
    states_[unit].push_back({start, end, none, what});
    return *this;
  }

  Builder& transfer(std::uint32_t from, std::uint32_t to, double start, double end, std::uint64_t bytes,
                    std::uint32_t handle = none) {
    r_.transfers.push_back({start, end, bytes, from, to, handle, none});
    return *this;
  }

  Recording finish() {
    r_.begin = 1e300;
    r_.end = -1e300;
    for (const Task& t : r_.tasks) {
      if (!t.executed()) continue;
      r_.begin = std::min(r_.begin, t.start);
      r_.end = std::max(r_.end, t.end);
    }
    std::sort(r_.transfers.begin(), r_.transfers.end(),
              [](const Transfer& a, const Transfer& b) { return a.start < b.start; });
    std::sort(r_.messages.begin(), r_.messages.end(),
              [](const Message& a, const Message& b) { return a.start < b.start; });
    r_.clocks.shift.assign(r_.ranks, 0);
    build_timeline(r_, std::move(states_));
    return std::move(r_);
  }

 private:
  Recording r_;
  std::uint32_t main_memory_ = 0;  // of the last rank
  std::vector<std::deque<Span>> states_;
};

}  // namespace asterism::traces::testing
