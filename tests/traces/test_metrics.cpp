// SPDX-License-Identifier: Apache-2.0
// Metrics, windows and timelines of recordings made by hand, whose answers are known.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.hpp"
#include "tests/traces/recording_builder.hpp"
#include "traces/dag.hpp"
#include "traces/metrics.hpp"

namespace asterism::traces {
namespace {

using testing::Builder;

double sum(const Shares& s) {
  double total = 0;
  for (const double x : s.state) total += x;
  return total;
}

/// Two CPUs and a GPU over ten seconds:
///   CPU 0   a [0,4)  scheduling [4,5)  b [5,9)  idle
///   CPU 1   idle, runtime [2,3), idle
///   CUDA 0  idle, waiting for x [6,8) of which the copy takes [6,8), a [8,10)
Recording three_units() {
  Builder b;
  b.units("CPU", 2).units("CUDA", 1);
  const auto x = b.handle("x", 1000);
  const auto first = b.task("a", 0, 0, 4, {}, 1, 8e9, 0);
  const auto second = b.task("b", 0, 5, 9, {first}, 2, 0, 0);
  const auto barrier = b.task("barrier", none, 0, 0, {first});
  b.task("a", 2, 8, 10, {barrier}, 1, 8e9, 1, {{x, Mode::read}});
  (void)second;
  b.state(0, State::scheduling, 4, 5);
  b.state(1, State::runtime, 2, 3);
  b.transfer(0, 1, 6, 8, 1000, x);
  b.transfer(0, 1, 8.5, 9.5, 500);
  b.transfer(1, 0, 7, 9, 300);
  return b.finish();
}

TEST(Shares, OfEachUnitAndKindAreThoseDrawn) {
  const Recording r = three_units();
  const Metrics m = measure(r);
  EXPECT_DOUBLE_EQ(m.makespan, 10);
  EXPECT_EQ(m.tasks, 3U);
  EXPECT_NEAR(m.unit[0][State::computing], 0.8, 1e-15);
  EXPECT_NEAR(m.unit[0][State::scheduling], 0.1, 1e-15);
  EXPECT_NEAR(m.unit[0][State::idle], 0.1, 1e-15);
  EXPECT_NEAR(m.unit[0].codelet[0], 0.4, 1e-15);
  EXPECT_NEAR(m.unit[0].codelet[1], 0.4, 1e-15);
  EXPECT_NEAR(m.unit[1][State::runtime], 0.1, 1e-15);
  EXPECT_NEAR(m.unit[1][State::idle], 0.9, 1e-15);
  EXPECT_NEAR(m.unit[2][State::waiting], 0.2, 1e-15);
  EXPECT_NEAR(m.unit[2][State::idle], 0.6, 1e-15);
  EXPECT_NEAR(m.unit[2][State::computing], 0.2, 1e-15);
  EXPECT_NEAR(m.kind[0][State::computing], 0.4, 1e-15);
  EXPECT_NEAR(m.all[State::computing], (0.8 + 0.2) / 3, 1e-15);
  for (const Shares& s : m.unit) EXPECT_NEAR(sum(s), 1, 1e-12);
}

TEST(Waiting, NeedsTheTasksOwnDataInItsUnitsMemory) {
  Builder b;
  b.units("CPU", 1).units("CUDA", 2);
  const auto x = b.handle("x");
  const auto y = b.handle("y");
  b.task("a", 0, 0, 1);
  b.task("a", 1, 8, 10, {}, 1, 0, -1, {{x, Mode::read}});
  b.transfer(0, 1, 1, 2, 8, y);  // other data
  b.transfer(0, 2, 3, 4, 8, x);  // another memory
  b.transfer(2, 0, 5, 6, 8, x);  // through main memory: part of the way
  b.transfer(0, 1, 6, 7, 8, x);
  const Metrics m = measure(b.finish());
  EXPECT_NEAR(m.unit[1][State::waiting], 0.2, 1e-15);
  EXPECT_NEAR(m.unit[1][State::idle], 0.6, 1e-15);
}

TEST(Waiting, EndsWhenTheTaskStarts) {
  Builder b;
  b.units("CPU", 1).units("CUDA", 1);
  const auto x = b.handle("x");
  b.task("a", 0, 0, 1);
  b.task("a", 1, 4, 6, {}, 1, 0, -1, {{x, Mode::read_write}});
  b.task("a", 1, 8, 10, {}, 1, 0, -1, {{x, Mode::read_write}});
  b.transfer(0, 1, 3, 5, 8, x);
  const Metrics m = measure(b.finish());
  EXPECT_NEAR(m.unit[1][State::waiting], 0.1, 1e-15);
  EXPECT_NEAR(m.unit[1][State::computing], 0.4, 1e-15);
}

TEST(Links, VolumeBusyTimeBandwidthAndOverlap) {
  const Metrics m = measure(three_units());
  ASSERT_EQ(m.links.size(), 2U);
  const LinkUse& in = m.links[0];
  EXPECT_EQ(in.transfers, 2U);
  EXPECT_EQ(in.bytes, 1500U);
  EXPECT_NEAR(in.busy, 3, 1e-12);
  EXPECT_NEAR(in.bandwidth, 500, 1e-9);
  EXPECT_NEAR(in.overlap, 1.0 / 3, 1e-12);  // [8.5, 9.5) of [6,8) and [8.5,9.5)
  const LinkUse& out = m.links[1];
  EXPECT_NEAR(out.overlap, 0.5, 1e-12);  // [8,9) of [7,9): the GPU's end counts
  EXPECT_EQ(m.bytes_moved, 1800U);
}

TEST(Links, OverlappingTransfersAreBusyOnce) {
  Builder b;
  b.units("CPU", 1).units("CUDA", 1);
  b.task("a", 0, 0, 10);
  b.transfer(0, 1, 0, 4, 100);
  b.transfer(0, 1, 2, 6, 100);
  b.transfer(0, 1, 3, 5, 100);
  const Metrics m = measure(b.finish());
  EXPECT_NEAR(m.links[0].busy, 6, 1e-12);
  EXPECT_NEAR(m.links[0].bandwidth, 50, 1e-12);
}

TEST(Codelets, CountsQuartilesRatesAndTheFastestKind) {
  Builder b;
  b.units("CPU", 1).units("CUDA", 1);
  double at = 0;
  for (const double d : {1.0, 2.0, 3.0, 4.0, 10.0}) {
    b.task("a", 0, at, at + d, {}, 1, 4.0);
    at += d;
  }
  b.task("a", 1, 0, 0.5, {}, 1, 4.0);
  b.task("plain", 1, 1, 2);
  b.task("plain", 0, at, at + 4);
  const Metrics m = measure(b.finish());
  ASSERT_EQ(m.codelets.size(), 4U);
  const CodeletUse& a = m.codelets[0];
  EXPECT_EQ(a.count, 5U);
  EXPECT_DOUBLE_EQ(a.total, 20);
  EXPECT_DOUBLE_EQ(a.mean, 4);
  EXPECT_DOUBLE_EQ(a.median, 3);
  EXPECT_DOUBLE_EQ(a.quartile1, 2);
  EXPECT_DOUBLE_EQ(a.quartile3, 4);
  EXPECT_DOUBLE_EQ(a.minimum, 1);
  EXPECT_DOUBLE_EQ(a.maximum, 10);
  EXPECT_NEAR(a.deviation, std::sqrt(10.0), 1e-12);
  EXPECT_DOUBLE_EQ(a.rate, 1);
  EXPECT_DOUBLE_EQ(a.best_rate, 4);
  EXPECT_NEAR(a.of_fastest, 1.0 / 8, 1e-12);
  for (const CodeletUse& c : m.codelets) {
    const double expected = c.kind == 1 ? 1 : c.codelet == 1 ? 0.25 : 1.0 / 8;
    EXPECT_NEAR(c.of_fastest, expected, 1e-12);
  }
}

TEST(CriticalPath, GoesThroughNodesNobodyExecuted) {
  Builder b;
  b.units("CPU", 2);
  const auto first = b.task("a", 0, 0, 3);
  const auto other = b.task("a", 1, 0, 2);
  const auto barrier = b.task("sync", none, 0, 0, {first, other});
  const auto last = b.task("b", 1, 3, 4, {barrier});
  const Metrics m = measure(b.finish());
  EXPECT_DOUBLE_EQ(m.critical_path.length, 4);
  EXPECT_EQ(m.critical_path.tasks, (std::vector<std::uint32_t>{first, last}));
}

TEST(CriticalPath, OfACycleIsRefused) {
  Builder b;
  b.units("CPU", 1);
  b.task("a", 0, 0, 1, {1});
  b.task("a", 0, 1, 2, {0});
  const Recording r = b.finish();
  try {
    measure(r);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), 2);
    EXPECT_NE(std::string(error.what()).find("job 1"), std::string::npos) << error.what();
  }
}

TEST(CriticalPath, EqualsAllPathsOfRandomGraphs) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    Builder b;
    b.units("CPU", 1);
    const int n = 9;
    std::vector<std::vector<std::uint32_t>> before(n);
    double at = 0;
    std::vector<double> duration(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j)
        if (random() % 3 == 0) before[i].push_back(static_cast<std::uint32_t>(j));
      duration[i] = 1 + static_cast<double>(random() % 100);
      b.task("a", 0, at, at + duration[i], before[i]);
      at += duration[i];
    }
    // Every subset of the tasks that is a path.
    double longest = 0;
    for (unsigned mask = 1; mask < 1U << n; ++mask) {
      double length = 0;
      int previous = -1;
      bool path = true;
      for (int i = 0; i < n && path; ++i) {
        if ((mask >> i & 1U) == 0) continue;
        if (previous >= 0)
          path = std::find(before[i].begin(), before[i].end(), static_cast<std::uint32_t>(previous)) != before[i].end();
        length += duration[i];
        previous = i;
      }
      if (path) longest = std::max(longest, length);
    }
    EXPECT_DOUBLE_EQ(longest_path(b.finish(), [](const Task& t) { return t.duration(); }).length, longest);
  }
}

TEST(Iterations, LastFromEndToEnd) {
  Builder b;
  b.units("CPU", 2);
  b.task("setup", 0, 0, 5);
  b.task("a", 0, 5, 6, {}, 1, 0, 3);
  b.task("a", 1, 5, 8, {}, 1, 0, 3);
  b.task("a", 0, 6, 10, {}, 1, 0, 4);
  b.task("a", 0, 10, 11, {}, 1, 0, 5);
  const Metrics m = measure(b.finish());
  EXPECT_EQ(m.iterations.number, (std::vector<std::int32_t>{3, 4, 5}));
  EXPECT_EQ(m.iterations.seconds, (std::vector<double>{3, 2, 1}));
  EXPECT_DOUBLE_EQ(m.iterations.median, 2);
}

TEST(Window, KeepsTasksInsideAndCutsTheRest) {
  Recording r = three_units();
  const Recording w = restrict_to(std::move(r), Window::parse("4:9.5"));
  EXPECT_DOUBLE_EQ(w.makespan(), 5.5);
  const Metrics m = measure(w);
  EXPECT_EQ(m.tasks, 1U);  // b; the GPU's a ends later, the first a began earlier
  EXPECT_EQ(w.tasks.size(), 2U);
  EXPECT_NEAR(m.unit[0][State::computing], 4 / 5.5, 1e-12);
  EXPECT_NEAR(m.unit[2][State::computing], 1.5 / 5.5, 1e-12);  // it occupies its unit all the same
  for (const Shares& s : m.unit) EXPECT_NEAR(sum(s), 1, 1e-12);
  ASSERT_EQ(m.links.size(), 2U);
  EXPECT_EQ(m.links[0].bytes, 1500U);
}

TEST(Window, ByIterationsByMarkersAndRefusals) {
  EXPECT_DOUBLE_EQ(restrict_to(three_units(), Window::parse("iterations")).makespan(), 10);
  Recording marked = three_units();
  marked.markers = {{1, "end loop"},   {2, "begin other"}, {2.5, "begin loop"},
                    {3, "begin more"}, {4, "end other"},   {9.5, "end loop"}};
  EXPECT_DOUBLE_EQ(restrict_to(marked, Window{}).begin, 2.5);  // the last that ends
  EXPECT_DOUBLE_EQ(restrict_to(marked, Window{}).end, 9.5);
  EXPECT_DOUBLE_EQ(restrict_to(marked, Window::parse("all")).makespan(), 10);
  EXPECT_THROW(restrict_to(three_units(), Window::parse("4.1:4.2")), Error);
  for (const char* wrong : {"", "5", "5:", ":5", "3:2", "-1:2", "1:2x", "everything"})
    EXPECT_THROW(Window::parse(wrong), Error) << wrong;
}

TEST(Efficiency, IsThatOfTheDefinitions) {
  // T_1(1) = 8; four blocks on one unit: T_b(1) = 10, tasks 8, runtime 1, idle 1; on two units: T_b(2) = 6.25.
  Metrics coarse;
  coarse.makespan = 8;
  const auto shares = [](double computing, double runtime) {
    Shares s;
    s.state = {computing, 0, 0, runtime, 1 - computing - runtime};
    return s;
  };
  coarse.unit = {shares(1, 0)};
  Metrics fine;
  fine.makespan = 10;
  fine.unit = {shares(0.8, 0.1)};
  Metrics run;
  run.makespan = 6.25;
  run.unit = {shares(0.8, 0.1), shares(0.6, 0.1)};
  const Efficiency e = efficiency(run, 2, &coarse, &fine);
  EXPECT_DOUBLE_EQ(e.speedup, 1.28);
  EXPECT_DOUBLE_EQ(e.efficiency, 0.64);
  EXPECT_DOUBLE_EQ(*e.granularity, 0.8);
  EXPECT_DOUBLE_EQ(*e.pipeline, 0.8);
  EXPECT_DOUBLE_EQ(e.efficiency, *e.granularity * *e.pipeline);
  EXPECT_NEAR(e.task * e.runtime * e.idle, *e.pipeline, 1e-12);
  EXPECT_DOUBLE_EQ(e.task, 8 / (6.25 * 1.4));
  EXPECT_THROW(efficiency(run, 2, nullptr, nullptr), Error);
}

TEST(Curve, StaysBoundedAndKeepsItsPeaks) {
  Curve curve;
  for (int i = 0; i < 3000000; ++i) curve.add(i * 1e-6, i == 1234567 ? 1000 : i % 7);
  EXPECT_LE(curve.points().size(), 2 * Curve::limit);
  EXPECT_GT(curve.points().size(), Curve::limit / 4);
  double peak = 0;
  double where = 0;
  for (const auto& p : curve.points())
    if (p.value > peak) peak = p.value, where = p.time;
  EXPECT_DOUBLE_EQ(peak, 1000);
  EXPECT_NEAR(where, 1.234567, 1e-3);
}

}  // namespace
}  // namespace asterism::traces
