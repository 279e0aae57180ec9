// SPDX-License-Identifier: Apache-2.0
// Small graphs whose data are copied between memories, and the makespan of their best schedule by exhaustive search.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bounds/schedules/schedule.hpp"
#include "tests/bounds/small_graphs.hpp"

namespace asterism::bounds::testing {

/// Kind 0 computes in main memory if `cores`, every other unit in a memory of its own; each task writes a datum that
/// those read which wait for it. Copies take latency + bytes / bandwidth.
struct Machine {
  bool cores = true;
  double latency = 0;
  double bandwidth = 1;
  bool peers = true;
};

inline Workload copying_workload(const SmallGraph& g, const Machine& machine, const std::vector<double>& bytes) {
  Workload work = workload_of(recording_of(g));
  work.kinds = g.units.size();
  for (std::uint32_t k = 0; k < g.units.size(); ++k)
    for (int u = 0; u < g.units[k]; ++u)
      work.units.push_back({k, k == 0 && machine.cores ? 0 : static_cast<std::uint32_t>(work.memories++)});
  for (const std::size_t c : g.of_task)
    for (const int t : g.seconds[c]) work.seconds.push_back(t == 0 ? impossible : t);
  work.bytes = bytes;
  for (std::uint32_t t = 0; t < work.tasks(); ++t) {
    for (const std::uint32_t b : g.before[t]) work.accesses.item.push_back({b, traces::Mode::read});
    work.accesses.item.push_back({t, traces::Mode::write});
    work.accesses.close();
  }
  work.connections.assign(work.memories * work.memories, {});
  for (std::uint32_t from = 0; from < work.memories; ++from)
    for (std::uint32_t to = 0; to < work.memories; ++to)
      if (from != to && (from == 0 || to == 0 || machine.peers))
        work.connections[from * work.memories + to] = {machine.latency, machine.bandwidth, true,
                                                       from * static_cast<std::uint32_t>(work.memories) + to};
  return work;
}

/// The least makespan with copies that never wait for a connection: all orders on all units. A copy goes through main
/// memory where memories are not connected.
class BestWithCopies {
 public:
  explicit BestWithCopies(const Workload& work) : work_(work), end_(work.tasks(), -1), at_(work.tasks(), 0) {
    free_.assign(work.units.size(), 0);
  }
  double makespan() {
    place(0, 0, 0);
    return best_;
  }

 private:
  [[nodiscard]] double copied(std::uint32_t task, std::uint32_t memory) const {
    const std::uint32_t from = at_[task];
    if (from == memory) return end_[task];
    const auto time = [&](std::uint32_t a, std::uint32_t b) {
      const Connection& way = work_.connection(a, b);
      return way.exists ? way.latency + work_.bytes[task] / way.bandwidth : impossible;
    };
    double least = time(from, memory);
    for (std::uint32_t by = 0; by < work_.memories; ++by)
      if (by != from && by != memory) least = std::min(least, time(from, by) + time(by, memory));
    return end_[task] + least;
  }
  /// Tasks are placed in the order of their starts.
  void place(std::size_t placed, double last_start, double makespan) {
    if (placed == end_.size()) {
      best_ = std::min(best_, makespan);
      return;
    }
    for (std::uint32_t t = 0; t < end_.size(); ++t) {
      if (end_[t] >= 0) continue;
      if (std::any_of(work_.before.begin(t), work_.before.end(t), [&](auto b) { return end_[b] < 0; })) continue;
      for (std::uint32_t u = 0; u < work_.units.size(); ++u) {
        const double seconds = work_.on(t, work_.units[u].kind);
        if (std::isinf(seconds)) continue;
        double start = std::max(last_start, free_[u]);
        for (const auto* b = work_.before.begin(t); b != work_.before.end(t); ++b)
          start = std::max(start, copied(*b, work_.units[u].memory));
        if (std::max(makespan, start + seconds) >= best_) continue;
        const double was = free_[u];
        free_[u] = end_[t] = start + seconds;
        at_[t] = work_.units[u].memory;
        place(placed + 1, start, std::max(makespan, end_[t]));
        free_[u] = was;
        end_[t] = -1;
      }
    }
  }

  const Workload& work_;
  std::vector<double> end_;
  std::vector<std::uint32_t> at_;
  std::vector<double> free_;
  double best_ = impossible;
};

}  // namespace asterism::bounds::testing
