// SPDX-License-Identifier: Apache-2.0
// Bounds that count copies: cases by hand, and never above the optimum that exhaustive search finds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "bounds/schedules/copy_bound.hpp"
#include "bounds/schedules/optimum.hpp"
#include "tests/bounds/small_graphs.hpp"

namespace {

using namespace asterism::bounds;
using namespace asterism::bounds::testing;
using asterism::traces::Mode;
using asterism::traces::none;

/// Kind 0 computes in main memory if `cores`, every other unit in a memory of its own; each task writes a datum that
/// those read which wait for it. Copies take latency + bytes / bandwidth.
struct Machine {
  bool cores = true;
  double latency = 0;
  double bandwidth = 1;
  bool peers = true;
};

Workload workload(const SmallGraph& g, const Machine& machine, const std::vector<double>& bytes) {
  Workload work = workload_of(recording_of(g));
  work.kinds = g.units.size();
  for (std::uint32_t k = 0; k < g.units.size(); ++k)
    for (int u = 0; u < g.units[k]; ++u)
      work.units.push_back({k, k == 0 && machine.cores ? 0 : static_cast<std::uint32_t>(work.memories++)});
  for (const std::size_t c : g.of_task)
    for (const int t : g.seconds[c]) work.seconds.push_back(t == 0 ? impossible : t);
  work.bytes = bytes;
  for (std::uint32_t t = 0; t < work.tasks(); ++t) {
    for (const std::uint32_t b : g.before[t]) work.accesses.item.push_back({b, Mode::read});
    work.accesses.item.push_back({t, Mode::write});
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

TEST(CopyBound, JoinOnUnitsWithMemories) {
  // four tasks of 5 s and one that reads what they wrote, on four units with memories: 5 + 2 + 1 s, a copy taking 2;
  // with copies of 11 s two on one unit take 5 + 5 and wait for no one, all four 20: one copy after two is 5 + 11
  SmallGraph g{{4}, {{5}, {1}}, {0, 0, 0, 0, 1}, {{}, {}, {}, {}, {0, 1, 2, 3}}};
  const Machine machine{.cores = false, .latency = 1, .bandwidth = 2};
  const Workload near = workload(g, machine, std::vector<double>(5, 2));
  EXPECT_DOUBLE_EQ(copy_bound(near, near.seconds).path, 8);
  EXPECT_DOUBLE_EQ(copy_bound(near, near.seconds).head[4], 7);
  EXPECT_DOUBLE_EQ(copy_bound(near, near.seconds).tail[0], 1);  // it may run where its reader does
  const Workload far = workload(g, machine, std::vector<double>(5, 20));
  EXPECT_DOUBLE_EQ(copy_bound(far, far.seconds).path, 17);
  const Workload farther = workload(g, machine, std::vector<double>(5, 200));
  EXPECT_DOUBLE_EQ(copy_bound(farther, farther.seconds).path, 21);  // all on one unit
}

TEST(CopyBound, ForkIsAJoinBackwards) {
  SmallGraph g{{4}, {{5}, {1}}, {1, 0, 0, 0, 0}, {{}, {0}, {0}, {0}, {0}}};
  const Workload work = workload(g, {.cores = false, .latency = 1, .bandwidth = 2}, std::vector<double>(5, 2));
  EXPECT_DOUBLE_EQ(copy_bound(work, work.seconds).path, 8);
  EXPECT_DOUBLE_EQ(copy_bound(work, work.seconds).tail[0], 7);
}

TEST(CopyBound, CoresShareAMemory) {
  // 16 tasks on four cores are no wait for copies; the work of 16 on them is 4 * 5
  SmallGraph g{{4}, {{5}, {1}}, std::vector<std::size_t>(16, 0), std::vector<std::vector<std::uint32_t>>(16)};
  g.of_task.push_back(1);
  g.before.emplace_back();
  for (std::uint32_t t = 0; t < 16; ++t) g.before.back().push_back(t);
  const Workload work = workload(g, {.latency = 1}, std::vector<double>(17, 2));
  EXPECT_DOUBLE_EQ(copy_bound(work, work.seconds).path, 21);
}

TEST(CopyBound, WithoutPeersByWayOfMainMemory) {
  SmallGraph g{{2, 2}, {{0, 5}, {0, 1}}, {0, 0, 1}, {{}, {}, {0, 1}}};
  const Workload work = workload(g, {.latency = 1, .bandwidth = 1, .peers = false}, {1, 1, 1});
  EXPECT_DOUBLE_EQ(copy_bound(work, work.seconds).path, 5 + 2 * 2 + 1);
}

TEST(CopyBound, LeavesOutDataWhoseLastWriterIsNotKnown) {
  // two tasks write the same datum in any order (commutative) before the third reads it
  SmallGraph g{{2}, {{5}, {1}}, {0, 0, 1}, {{}, {}, {0, 1}}};
  Workload work = workload(g, {.cores = false, .latency = 100}, {1, 1, 1});
  work.accesses = {};
  for (const Mode mode : {Mode::read_write, Mode::read_write, Mode::read}) {
    work.accesses.item.push_back({0, mode});
    work.accesses.close();
  }
  EXPECT_DOUBLE_EQ(copy_bound(work, work.seconds).path, 6);
}

/// Eight tasks each read 12 bytes of their own from main memory: 10 s on one of two cores, 1 s on one of two units
/// whose connections carry 2 bytes/s each. Cut at will, x of them on the units: 12 x = 4 T, 10 (8 - x) = 2 T.
TEST(CopyBound, FirstCopies) {
  SmallGraph g{{2, 2}, {{10, 1}}, std::vector<std::size_t>(8, 0), std::vector<std::vector<std::uint32_t>>(8)};
  Workload work = workload(g, {.latency = 0, .bandwidth = 2, .peers = false}, std::vector<double>(8, 12));
  work.accesses = {};
  for (std::uint32_t t = 0; t < 8; ++t) {
    work.accesses.item.push_back({t, Mode::read});
    work.accesses.close();
  }
  EXPECT_NEAR(first_copies_bound(work, work.seconds), 15, 1e-6);
  for (asterism::traces::Access& access : work.accesses.item)
    access.handle = 0;  // one datum for all: once to each kind
  EXPECT_NEAR(first_copies_bound(work, work.seconds), 80.0 / 22, 1e-6);
  for (Connection& way : work.connections) way.resource = 0;
  for (std::uint32_t t = 0; t < 8; ++t) work.accesses.item[t].handle = t;
  EXPECT_NEAR(first_copies_bound(work, work.seconds), 80 / (2 + 10.0 / 6), 1e-6);  // one at a time
  work.shared_rate = 4;
  EXPECT_NEAR(first_copies_bound(work, work.seconds), 15, 1e-6);
}

TEST(CopyBound, NeverAboveTheOptimum) {
  std::mt19937 random(29);
  int longer = 0;
  int optimal = 0;
  int optimal_without = 0;
  constexpr int graphs = 10000;
  for (int i = 0; i < graphs; ++i) {
    SmallGraph g = random_graph(random, 6, 2);
    for (int& units : g.units) units = std::min(units, 2);
    std::vector<double> bytes;
    for (std::size_t t = 0; t < g.of_task.size(); ++t) bytes.push_back(static_cast<double>(random() % 12));
    const Machine machine{.cores = i % 3 != 0, .latency = 0.5 * (i % 4), .bandwidth = 2, .peers = i % 2 == 0};
    const Workload work = workload(g, machine, bytes);
    const double optimum = BestWithCopies(work).makespan();
    ASSERT_TRUE(std::isfinite(optimum));
    const CopyBound bound = copy_bound(work, work.seconds);
    ASSERT_LE(bound.path, optimum * (1 + 1e-9)) << "graph " << i;
    const double lower = lower_bound(work, 1.2 * optimum).seconds;
    ASSERT_LE(lower, optimum * (1 + 1e-9)) << "graph " << i;
    // the same machine whose copies take no time
    const Workload instant = workload(g, {.cores = machine.cores, .bandwidth = impossible}, bytes);
    const double without = lower_bound(instant, 1.2 * optimum).seconds;
    longer += lower > without * (1 + 1e-9) ? 1 : 0;
    optimal += lower > optimum * (1 - 1e-9) ? 1 : 0;
    optimal_without += without > optimum * (1 - 1e-9) ? 1 : 0;
  }
  std::printf("longer than without copies on %d of %d graphs; optimal on %d, without copies on %d\n", longer, graphs,
              optimal, optimal_without);
  EXPECT_GT(longer, graphs / 20);
}

}  // namespace
