// SPDX-License-Identifier: Apache-2.0
// Bounds over nodes: two ranks worked by hand, and no bound above the makespan of random schedules over ranks.
#include "bounds/nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.hpp"
#include "bounds/bounds.hpp"
#include "tests/bounds/compute_bounds.hpp"
#include "tests/traces/recording_builder.hpp"

namespace {

using namespace asterism::bounds;
using asterism::traces::Message;
using asterism::traces::Recording;
using asterism::traces::testing::Builder;

Options with(const Network& network) {
  Options options;
  options.network_from = NetworkFrom::user;
  options.network = network;
  return options;
}

Options with_own_network() {
  Options options;
  options.network_from = NetworkFrom::recording;
  return options;
}

/// Rank 0: two CPUs, four tasks of 1 s. Rank 1: one CPU, the same codelet and footprint takes it 3 s, once.
Recording unequal() {
  Builder b;
  b.units("CPU", 2, 0).units("CPU", 1, 1);
  for (int i = 0; i < 4; ++i) b.task("step", static_cast<std::uint32_t>(i % 2), i / 2, i / 2 + 1);
  b.task("step", 2, 0, 3);
  return b.finish();
}

TEST(Nodes, EachHasItsTasksAndDurations) {
  const Bounds b = bounds_of(unequal());
  ASSERT_TRUE(b.nodes.has_value());
  ASSERT_EQ(b.nodes->rank.size(), 2U);
  EXPECT_DOUBLE_EQ(b.nodes->rank[0].area, 2);  // 4 tasks of 1 s on 2 units
  EXPECT_DOUBLE_EQ(b.nodes->rank[1].area, 3);  // not the mean of all five, 7/5 s
  EXPECT_EQ(b.nodes->rank[0].tasks, 4);
  EXPECT_EQ(b.nodes->rank[1].tasks, 1);
  EXPECT_DOUBLE_EQ(b.nodes->area, 3);
  EXPECT_DOUBLE_EQ(b.nodes->fitting, 3);
  EXPECT_NEAR(b.area.solution.seconds, 7.0 / 3, 1e-9);  // 7 s of work on three units
  EXPECT_NEAR(b.nodes->imbalance, 9.0 / 7, 1e-9);
  EXPECT_DOUBLE_EQ(b.best, 3);
  EXPECT_EQ(b.classes.size(), 2U);
  EXPECT_FALSE(b.nodes->network.has_value());
  EXPECT_TRUE(b.inconsistencies.empty());
}

TEST(Nodes, OneRankHasNone) {
  Builder b;
  b.units("CPU", 1);
  b.task("step", 0, 0, 1);
  EXPECT_FALSE(bounds_of(b.finish()).nodes.has_value());
}

TEST(Nodes, AreUnknownOfAnotherMachine) {
  Options options;
  options.units = {{"CPU", 5}};
  const Bounds b = bounds_of(unequal(), options);
  EXPECT_FALSE(b.nodes.has_value());
  EXPECT_NEAR(b.area.solution.seconds, 7.0 / 5, 1e-9);
  EXPECT_TRUE(std::any_of(b.notes.begin(), b.notes.end(),
                          [](const std::string& n) { return n.find("no bounds per node") != std::string::npos; }));
}

/// Rank 0: a CPU and a GPU, on which four tasks take 1 s each; rank 1: a CPU, on which one takes 4 s. On the kinds
/// where a rank has no durations it has the other's.
TEST(Nodes, WhereARankHasNoDurationOthersServe) {
  Builder b;
  b.units("CPU", 1, 0).units("CUDA", 1, 0).units("CPU", 1, 1);
  for (int i = 0; i < 4; ++i) b.task("g", 1, i, i + 1);
  b.task("g", 2, 0, 4);
  const Bounds bounds = bounds_of(b.finish());
  ASSERT_TRUE(bounds.nodes.has_value());
  EXPECT_NEAR(bounds.nodes->rank[0].area, 3.2, 1e-9);  // n on the GPU, m on the CPU: n + m = 4, n = 4 m
  EXPECT_NEAR(bounds.nodes->rank[1].area, 4, 1e-9);
  EXPECT_NEAR(bounds.nodes->rank[0].fitting, 4, 1e-9);        // 3.2 s leave no room for 4 s on the CPU
  EXPECT_NEAR(bounds.area.solution.seconds, 10.0 / 3, 1e-9);  // T + 2 T / 4 = 5
  EXPECT_NEAR(bounds.nodes->imbalance, 1.2, 1e-9);
  EXPECT_EQ(bounds.nodes->rank[1].kinds.size(), 1U);
}

TEST(Nodes, WhatIsMissingIsSaidOnceForAllRanks) {
  Builder b;
  b.units("CPU", 1, 0).units("CUDA", 1, 0).units("CPU", 1, 1).units("CUDA", 1, 1);
  b.task("g", 0, 0, 1);
  b.task("g", 2, 0, 1);
  b.task("g", 2, 1, 2);
  const Bounds bounds = bounds_of(b.finish());
  ASSERT_EQ(bounds.missing.size(), 1U);
  EXPECT_EQ(bounds.missing[0].kind, "CUDA");
  EXPECT_EQ(bounds.missing[0].tasks, 3U);
}

TEST(Nodes, BestRatesOfAllCount) {
  Builder b;
  b.units("CPU", 1, 0).units("CPU", 1, 1);
  b.task("step", 0, 0, 1, {}, 1, 2e9);
  b.task("step", 1, 0, 4, {}, 1, 2e9);
  b.task("step", 1, 4, 8, {}, 2, 6e9);
  const Bounds bounds = bounds_of(b.finish());
  ASSERT_TRUE(bounds.nodes.has_value());
  EXPECT_NEAR(bounds.nodes->rank[0].best_rates, 1, 1e-9);
  EXPECT_NEAR(bounds.nodes->rank[1].best_rates, 4, 1e-9);  // 8 Gflop at rank 0's 2 Gflop/s
  EXPECT_NEAR(bounds.nodes->best_rates, 4, 1e-9);
  EXPECT_NEAR(bounds.best_rates.solution.seconds, 2.5, 1e-9);
}

/// Rank 0: a [0, 2); rank 1: b [3, 6), of what a message brought that was under way in [2, 2.5); rank 0: c [7, 8) of
/// what b sent in [6, 6.9).
Recording there_and_back() {
  Builder b;
  b.units("CPU", 1, 0).units("CPU", 1, 1);
  const auto a = b.task("a", 0, 0, 2);
  const auto there = b.message(1, 2, 2.5, 1000, a);
  const auto at_one = b.task("b", 1, 3, 6, {there});
  const auto back = b.message(0, 6, 6.9, 3000, at_one);
  b.task("c", 0, 7, 8, {back});
  return b.finish();
}

TEST(Nodes, CriticalPathCrossesRanks) {
  const Bounds b = bounds_of(there_and_back());
  EXPECT_DOUBLE_EQ(b.critical_path->length, 6);
  EXPECT_EQ(b.critical_path->messages, 2U);
  EXPECT_EQ(b.nodes->messages_in_graph, 2U);
  EXPECT_DOUBLE_EQ(b.nodes->path_with_messages, 0);
}

TEST(Nodes, MessagesOnThePathTakeTime) {
  const Bounds b = bounds_of(there_and_back(), with({0.1, 1e4, 1e4}));
  EXPECT_DOUBLE_EQ(b.critical_path->length, 6);
  EXPECT_NEAR(b.nodes->path_with_messages, 6 + 0.1 + 0.1 + 0.1 + 0.3, 1e-12);
  EXPECT_EQ(b.nodes->messages_on_path, 2U);
  EXPECT_NEAR(b.best, 6.6, 1e-12);
  EXPECT_TRUE(b.inconsistencies.empty());
}

TEST(Nodes, OfSeveralPredecessorsTheLatestCounts) {
  for (const bool longer_first : {false, true}) {
    Builder b;
    b.units("CPU", 2, 0).units("CPU", 1, 1);
    const auto brief = b.task("a", 0, 0, 1);
    const auto lasting = b.task("b", 1, 0, 3);
    std::vector<std::uint32_t> after{b.message(1, 1, 2, 100, brief), b.message(1, 3, 4, 100, lasting)};
    if (longer_first) std::swap(after[0], after[1]);
    b.task("c", 2, 5, 6, after);
    const Bounds bounds = bounds_of(b.finish(), with({0.5, INFINITY, INFINITY}));
    EXPECT_DOUBLE_EQ(bounds.critical_path->length, 4);
    EXPECT_DOUBLE_EQ(bounds.nodes->path_with_messages, 4.5);
    EXPECT_EQ(bounds.critical_path->tasks.front(), lasting);
  }
}

TEST(Nodes, NetworkThatTheRunBeatsIsAnInconsistency) {
  const Bounds slow = bounds_of(there_and_back(), with({1.5, 1e9, 1e9}));  // 6 + 2 x 1.5 > 8
  ASSERT_EQ(slow.inconsistencies.size(), 1U);
  EXPECT_NE(slow.inconsistencies[0].find("path with messages"), std::string::npos);
  const Bounds narrow = bounds_of(there_and_back(), with({0, INFINITY, 100}));  // 3000 bytes take 30 s
  ASSERT_EQ(narrow.inconsistencies.size(), 1U);
  EXPECT_NE(narrow.inconsistencies[0].find("network"), std::string::npos);
}

TEST(Network, EachDirectionOfEachRankCounts) {
  Builder b;
  b.units("CPU", 1, 0).units("CPU", 1, 1).units("CPU", 1, 2);
  const auto a = b.task("a", 0, 0, 1);
  const auto c = b.task("a", 1, 0, 1);
  b.task("a", 2, 0, 10);
  b.message(1, 1, 2, 1000, a);
  b.message(2, 1, 3, 6000, a);
  b.message(2, 3, 4, 2500, c);
  const Recording r = b.finish();
  const std::vector<Volume> v = volumes(r);
  EXPECT_EQ(v[0].sent, 7000);
  EXPECT_EQ(v[0].received, 0);
  EXPECT_EQ(v[1].sent, 2500);
  EXPECT_EQ(v[1].received, 1000);
  EXPECT_EQ(v[2].received, 8500);
  EXPECT_DOUBLE_EQ(bounds_of(r, with({0, 1000, 1000})).nodes->network_seconds, 8.5);
  const auto own = network_of(r);
  ASSERT_TRUE(own.has_value());
  EXPECT_NEAR(own->of_rank, 3500, 1e-9);  // rank 0: 7000 in [1, 3); rank 1: 2500 in [3, 4); rank 2: 8500 in [1, 4)
}

TEST(Network, IsTheLineBelowAllMessages) {
  const auto r = network_of(there_and_back());  // (1000 B, 0.5 s), (3000 B, 0.9 s)
  ASSERT_TRUE(r.has_value());
  EXPECT_NEAR(r->latency, 0.3, 1e-12);
  EXPECT_NEAR(r->bandwidth, 5000, 1e-6);
}

/// `messages`: (bytes, seconds)
std::optional<Network> network_of_points(const std::vector<std::pair<std::uint64_t, double>>& messages) {
  Builder b;
  b.units("CPU", 1, 0).units("CPU", 1, 1);
  const auto a = b.task("a", 0, 0, 1);
  b.task("a", 1, 0, 20);
  for (const auto& [bytes, seconds] : messages) b.message(1, 1, 1 + seconds, bytes, a);
  return network_of(b.finish());
}

TEST(Network, NeitherLatencyNorBandwidthIsNegative) {
  const auto falling = network_of_points({{100, 3}, {1000, 2}});  // larger is faster: only a latency is left
  EXPECT_DOUBLE_EQ(falling->latency, 2);
  EXPECT_TRUE(std::isinf(falling->bandwidth));
  const auto steep = network_of_points({{100, 0.1}, {1000, 2}});  // the line through both is below 0 at 0 bytes
  EXPECT_DOUBLE_EQ(steep->latency, 0);
  EXPECT_NEAR(steep->bandwidth, 1000, 1e-9);
  EXPECT_FALSE(network_of_points({}).has_value());
  const auto one = network_of_points({{0, 0.5}});
  EXPECT_DOUBLE_EQ(one->latency, 0.5);
}

TEST(Network, NoMessageIsFaster) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> real(0, 1);
  for (int run = 0; run < 200; ++run) {
    std::vector<std::pair<std::uint64_t, double>> points;
    for (int i = 0; i < 1 + run % 7; ++i) {
      const auto bytes = static_cast<std::uint64_t>(1e4 * real(random));
      points.emplace_back(bytes, 0.1 * real(random) + static_cast<double>(bytes) / 1e4 * (0.5 + real(random)));
    }
    const auto n = network_of_points(points);
    double closest = INFINITY;
    for (const auto& [bytes, seconds] : points) {
      Message m;
      m.bytes = bytes;
      EXPECT_LE(least_time(m, *n), seconds + 1e-12);
      closest = std::min(closest, seconds - least_time(m, *n));
    }
    EXPECT_NEAR(closest, 0, 1e-9);  // and one is as fast
  }
}

/// A schedule of random tasks over `ranks` ranks with one or two kinds of units, with messages between them.
Recording random_schedule(std::mt19937& random, std::uint32_t ranks) {
  const auto whole = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  std::uniform_real_distribution<double> real(0, 1);
  Builder b;
  std::vector<std::vector<std::uint32_t>> units(ranks);
  std::uint32_t unit = 0;
  std::vector<bool> gpu;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    for (const bool is_gpu : {false, true}) {
      const int count = is_gpu ? whole(0, 1) : whole(1, 3);
      if (count > 0) b.units(is_gpu ? "CUDA" : "CPU", count, rank);
      for (int i = 0; i < count; ++i, ++unit) {
        units[rank].push_back(unit);
        gpu.push_back(is_gpu);
      }
    }
  std::vector<double> free(unit, 0.0);
  std::vector<std::pair<std::uint32_t, double>> done;  // task, end
  std::vector<std::uint32_t> rank_of;
  for (int i = 0; i < 60; ++i) {
    const auto rank = static_cast<std::uint32_t>(whole(0, static_cast<int>(ranks) - 1));
    const std::uint32_t on = units[rank][static_cast<std::size_t>(whole(0, static_cast<int>(units[rank].size()) - 1))];
    double start = free[on];
    std::vector<std::uint32_t> after;
    for (int k = whole(0, 2); k > 0 && !done.empty(); --k) {
      const auto before = static_cast<std::size_t>(whole(0, static_cast<int>(done.size()) - 1));
      double ready = done[before].second;
      if (rank_of[before] == rank) {
        after.push_back(done[before].first);
      } else {
        const double sent = ready + 0.1 * real(random);
        ready = sent + 0.01 + 0.3 * real(random);
        after.push_back(
            b.message(rank, sent, ready, static_cast<std::uint64_t>(1000 * real(random)), done[before].first));
      }
      start = std::max(start, ready);
    }
    const double seconds = (gpu[on] ? 0.2 : 1) * (0.5 + real(random)) * (rank + 1);
    const auto t = b.task(i % 2 == 0 ? "a" : "b", on, start, start + seconds, after, static_cast<std::uint32_t>(i % 3),
                          i % 2 == 0 ? 1e9 : 0);
    free[on] = start + seconds;
    done.emplace_back(t, start + seconds);
    rank_of.push_back(rank);
  }
  return b.finish();
}

TEST(Nodes, NoBoundExceedsTheMakespanOfRandomSchedules) {
  std::mt19937 random(5);
  for (int run = 0; run < 150; ++run) {
    SCOPED_TRACE(run);
    const Recording r = random_schedule(random, static_cast<std::uint32_t>(2 + run % 3));
    const Bounds b = bounds_of(r, with_own_network());
    EXPECT_TRUE(b.inconsistencies.empty()) << b.inconsistencies.front();
    ASSERT_TRUE(b.nodes.has_value());
    EXPECT_GE(b.nodes->imbalance, 1 - 1e-9);
    EXPECT_GE(b.nodes->path_with_messages, b.critical_path->length - 1e-12);
    EXPECT_GE(b.nodes->fitting, b.nodes->area - 1e-12);
    EXPECT_LE(b.best, b.makespan * (1 + 1e-9));
    double tasks = 0;
    for (const NodeBound& node : b.nodes->rank) tasks += node.tasks;
    EXPECT_EQ(tasks, 60);
  }
}

TEST(Nodes, LostAndUnconnectedMessagesAreNoted) {
  Recording r = there_and_back();
  r.lost_messages = 2;
  r.messages[0].releases = asterism::traces::none;
  const Bounds b = bounds_of(r);
  const auto noted = [&](const std::string& text) {
    return std::any_of(b.notes.begin(), b.notes.end(),
                       [&](const std::string& n) { return n.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(noted("1 of 2 messages are no dependencies"));
  EXPECT_TRUE(noted("2 messages were sent of which no arrival was recorded"));
}

}  // namespace
