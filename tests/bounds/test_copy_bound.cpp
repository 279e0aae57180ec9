// SPDX-License-Identifier: Apache-2.0
// Bounds that count copies: cases by hand, and never above the optimum that exhaustive search finds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "bounds/schedules/copy_bound.hpp"
#include "bounds/schedules/link_time.hpp"
#include "bounds/schedules/optimum.hpp"
#include "bounds/schedules/placement_bound.hpp"
#include "tests/bounds/copies.hpp"

namespace {

using namespace asterism::bounds;
using namespace asterism::bounds::testing;
using asterism::traces::Mode;

TEST(CopyBound, JoinOnUnitsWithMemories) {
  // four tasks of 5 s and one that reads what they wrote, on four units with memories: 5 + 2 + 1 s, a copy taking 2;
  // with copies of 11 s two on one unit take 5 + 5 and wait for no one, all four 20: one copy after two is 5 + 11
  SmallGraph g{{4}, {{5}, {1}}, {0, 0, 0, 0, 1}, {{}, {}, {}, {}, {0, 1, 2, 3}}};
  const Machine machine{.cores = false, .latency = 1, .bandwidth = 2};
  const Workload near = copying_workload(g, machine, std::vector<double>(5, 2));
  EXPECT_DOUBLE_EQ(copy_bound(near, near.seconds).path, 8);
  EXPECT_DOUBLE_EQ(copy_bound(near, near.seconds).head[4], 7);
  EXPECT_DOUBLE_EQ(copy_bound(near, near.seconds).tail[0], 1);  // it may run where its reader does
  const Workload far = copying_workload(g, machine, std::vector<double>(5, 20));
  EXPECT_DOUBLE_EQ(copy_bound(far, far.seconds).path, 17);
  const Workload farther = copying_workload(g, machine, std::vector<double>(5, 200));
  EXPECT_DOUBLE_EQ(copy_bound(farther, farther.seconds).path, 21);  // all on one unit
}

TEST(CopyBound, ForkIsAJoinBackwards) {
  SmallGraph g{{4}, {{5}, {1}}, {1, 0, 0, 0, 0}, {{}, {0}, {0}, {0}, {0}}};
  const Workload work = copying_workload(g, {.cores = false, .latency = 1, .bandwidth = 2}, std::vector<double>(5, 2));
  EXPECT_DOUBLE_EQ(copy_bound(work, work.seconds).path, 8);
  EXPECT_DOUBLE_EQ(copy_bound(work, work.seconds).tail[0], 7);
}

TEST(CopyBound, CoresShareAMemory) {
  // 16 tasks on four cores are no wait for copies; the work of 16 on them is 4 * 5
  SmallGraph g{{4}, {{5}, {1}}, std::vector<std::size_t>(16, 0), std::vector<std::vector<std::uint32_t>>(16)};
  g.of_task.push_back(1);
  g.before.emplace_back();
  for (std::uint32_t t = 0; t < 16; ++t) g.before.back().push_back(t);
  const Workload work = copying_workload(g, {.latency = 1}, std::vector<double>(17, 2));
  EXPECT_DOUBLE_EQ(copy_bound(work, work.seconds).path, 21);
}

TEST(CopyBound, WithoutPeersByWayOfMainMemory) {
  SmallGraph g{{2, 2}, {{0, 5}, {0, 1}}, {0, 0, 1}, {{}, {}, {0, 1}}};
  const Workload work = copying_workload(g, {.latency = 1, .bandwidth = 1, .peers = false}, {1, 1, 1});
  EXPECT_DOUBLE_EQ(copy_bound(work, work.seconds).path, 5 + 2 * 2 + 1);
}

TEST(CopyBound, LeavesOutDataWhoseLastWriterIsNotKnown) {
  // two tasks write the same datum in any order (commutative) before the third reads it
  SmallGraph g{{2}, {{5}, {1}}, {0, 0, 1}, {{}, {}, {0, 1}}};
  Workload work = copying_workload(g, {.cores = false, .latency = 100}, {1, 1, 1});
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
  Workload work = copying_workload(g, {.latency = 0, .bandwidth = 2, .peers = false}, std::vector<double>(8, 12));
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

/// As above with a latency of 3 s, in which a connection could carry 6 bytes: 18 x = 4 T, 10 (8 - x) = 2 T.
TEST(CopyBound, LatencyKeepsAConnectionBusy) {
  SmallGraph g{{2, 2}, {{10, 1}}, std::vector<std::size_t>(8, 0), std::vector<std::vector<std::uint32_t>>(8)};
  Workload work = copying_workload(g, {.latency = 3, .bandwidth = 2, .peers = false}, std::vector<double>(8, 12));
  work.accesses = {};
  for (std::uint32_t t = 0; t < 8; ++t) {
    work.accesses.item.push_back({t, Mode::read});
    work.accesses.close();
  }
  EXPECT_NEAR(first_copies_bound(work, work.seconds), 80 / (2 + 40.0 / 18), 1e-6);
  EXPECT_LE(placement_bound(work), 80 / (2 + 40.0 / 18) * (1 + 1e-9));
  EXPECT_GT(placement_bound(work), 0.95 * 80 / (2 + 40.0 / 18));
}

TEST(LinkTime, Weights) {
  SmallGraph g{{1, 2}, {{1, 1}}, {0}, {{}}};
  Workload work = copying_workload(g, {.latency = 3, .bandwidth = 2}, {12});
  const auto out = LinkTime::Direction::from_main_memory;
  EXPECT_DOUBLE_EQ(LinkTime(work, out).seconds(12), 3 + 12 / 2.0);
  EXPECT_DOUBLE_EQ(LinkTime(work, out).capacity(), 2);
  work.connections[1].bandwidth = 1;  // one and three bytes a second: weights 1/2 and 3/2
  work.connections[2].bandwidth = 3;
  EXPECT_DOUBLE_EQ(LinkTime(work, out).seconds(12), 0.5 * (3 + 12));
  EXPECT_DOUBLE_EQ(LinkTime(work, out).seconds(0), 0.5 * 3);
  EXPECT_DOUBLE_EQ(LinkTime(work, out).capacity(), 2);
  work.connections[1].resource = work.connections[2].resource;  // one at a time
  EXPECT_DOUBLE_EQ(LinkTime(work, out).capacity(), 1.5);
}

TEST(CopyBound, NeverAboveTheOptimum) {
  std::mt19937 random(29);
  int longer = 0;
  int optimal = 0;
  int optimal_without = 0;
  constexpr int graphs = 800;
  constexpr int each = 4;  // all bounds together take longer
  for (int i = 0; i < graphs; ++i) {
    SmallGraph g = random_graph(random, 6, 2);
    for (int& units : g.units) units = std::min(units, 2);
    std::vector<double> bytes;
    for (std::size_t t = 0; t < g.of_task.size(); ++t) bytes.push_back(static_cast<double>(random() % 12));
    const Machine machine{.cores = i % 3 != 0, .latency = 0.5 * (i % 4), .bandwidth = 2, .peers = i % 2 == 0};
    const Workload work = copying_workload(g, machine, bytes);
    const double optimum = BestWithCopies(work).makespan();
    ASSERT_TRUE(std::isfinite(optimum));
    const CopyBound bound = copy_bound(work, work.seconds);
    ASSERT_LE(bound.path, optimum * (1 + 1e-9)) << "graph " << i;
    if (i % each != 0) continue;
    const double lower = lower_bound(work, 1.2 * optimum).seconds;
    ASSERT_LE(lower, optimum * (1 + 1e-9)) << "graph " << i;
    // the same machine whose copies take no time
    const Workload instant = copying_workload(g, {.cores = machine.cores, .bandwidth = impossible}, bytes);
    const double without = lower_bound(instant, 1.2 * optimum).seconds;
    longer += lower > without * (1 + 1e-9) ? 1 : 0;
    optimal += lower > optimum * (1 - 1e-9) ? 1 : 0;
    optimal_without += without > optimum * (1 - 1e-9) ? 1 : 0;
  }
  std::printf("longer than without copies on %d of %d graphs; optimal on %d, without copies on %d\n", longer,
              graphs / each, optimal, optimal_without);
  EXPECT_GT(longer, graphs / each / 20);
}

}  // namespace
