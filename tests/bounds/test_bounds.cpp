// SPDX-License-Identifier: Apache-2.0
// Bounds of recordings: by hand, and LP <= makespan on random schedules.
#include "bounds/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "bounds/critical_path.hpp"
#include "tests/bounds/compute_bounds.hpp"
#include "tests/traces/recording_builder.hpp"

namespace {

using namespace asterism::bounds;
using asterism::traces::Access;
using asterism::traces::Mode;
using asterism::traces::none;
using asterism::traces::PlatformRec;
using asterism::traces::Recording;
using asterism::traces::testing::Builder;

TEST(Bounds, CriticalPathDominates) {
  Builder b;
  b.units("CPU", 4);
  std::vector<std::uint32_t> before;
  for (int i = 0; i < 5; ++i) before = {b.task("step", static_cast<std::uint32_t>(i % 4), i, i + 1, before)};
  const Bounds bounds = bounds_of(b.finish());
  EXPECT_DOUBLE_EQ(bounds.area.solution.seconds, 1.25);
  EXPECT_DOUBLE_EQ(bounds.critical_path->length, 5);
  EXPECT_EQ(bounds.critical_path->tasks.size(), 5U);
  EXPECT_DOUBLE_EQ(bounds.best, 5);
  EXPECT_DOUBLE_EQ(bounds.makespan, 5);
  EXPECT_TRUE(bounds.comparable);
  EXPECT_TRUE(bounds.inconsistencies.empty());
}

TEST(Bounds, AreaDominates) {
  Builder b;
  b.units("CPU", 2);
  for (int i = 0; i < 4; ++i) b.task("step", static_cast<std::uint32_t>(i % 2), i / 2, i / 2 + 1);
  const Bounds bounds = bounds_of(b.finish());
  EXPECT_DOUBLE_EQ(bounds.area.solution.seconds, 2);
  EXPECT_DOUBLE_EQ(bounds.critical_path->length, 1);
  EXPECT_DOUBLE_EQ(bounds.best, 2);
}

TEST(Bounds, CriticalPathTakesFastestKindAndMinimumAndSkipsNodesNobodyExecuted) {
  Builder b;
  b.units("CPU", 1).units("CUDA", 1);
  const auto a = b.task("a", 0, 0, 4);
  b.task("a", 1, 0, 1);
  b.task("a", 1, 1, 4);
  const auto barrier = b.task("barrier", none, 4, 4, {a});
  b.task("b", 0, 4, 6, {barrier});
  const Bounds bounds = bounds_of(b.finish());
  EXPECT_DOUBLE_EQ(bounds.critical_path->length, 1 + 2);
  EXPECT_EQ(bounds.critical_path->tasks, (std::vector<std::uint32_t>{0, 4}));
}

TEST(Bounds, Cycle) {
  Builder b;
  b.units("CPU", 1);
  b.task("a", 0, 0, 1, {1});
  b.task("a", 0, 1, 2, {0});
  const Recording r = b.finish();
  EXPECT_THROW(bounds_of(r), asterism::Error);
}

TEST(Bounds, Heterogeneous) {
  // The run gives the CPU too much: 2 of 4 tasks. Best: n on CUDA with n = 3 (4 - n).
  Builder b;
  b.units("CPU", 1).units("CUDA", 1);
  b.task("a", 0, 0, 3, {}, 1, 6);
  b.task("a", 0, 3, 6, {}, 1, 6);
  b.task("a", 1, 0, 1, {}, 1, 6);
  b.task("a", 1, 1, 2, {}, 1, 6);
  const Recording r = b.finish();
  const Bounds bounds = bounds_of(r);
  EXPECT_DOUBLE_EQ(bounds.area.solution.seconds, 3);
  EXPECT_NEAR(bounds.area.solution.tasks[0][1], 3, 1e-12);
  EXPECT_DOUBLE_EQ(bounds.best_rates.solution.seconds, 3);  // all tasks ran at the best rate
  Options options;
  options.milp = true;
  EXPECT_DOUBLE_EQ(*bounds_of(r, options).milp, 3);
  options.milp = false;
  options.units = {{"CPU", 1}, {"CUDA", 3}};
  const Bounds larger = bounds_of(r, options);
  EXPECT_FALSE(larger.comparable);
  EXPECT_DOUBLE_EQ(larger.area.solution.seconds, 1.2);  // rates 1/3 + 3: 4 / (10/3)
  options.units = {{"CUDA", 1}};
  EXPECT_DOUBLE_EQ(bounds_of(r, options).area.solution.seconds, 4);
  options.units = {{"HIP", 1}};
  EXPECT_THROW(bounds_of(r, options), asterism::Error);
}

TEST(Bounds, TasksThatDoNotFitOnAKind) {
  // LP cuts tasks onto the CPUs, 2 = T + 4 T / 10; whole, one takes 10 there and both 2 on CUDA.
  Builder b;
  b.units("CPU", 4).units("CUDA", 1);
  b.task("a", 0, 0, 10);
  b.task("a", 4, 0, 1);
  const Bounds bounds = bounds_of(b.finish());
  EXPECT_DOUBLE_EQ(bounds.area.solution.seconds, 2 / 1.4);
  EXPECT_DOUBLE_EQ(bounds.fitting, 2);
  EXPECT_DOUBLE_EQ(bounds.best, 2);
}

TEST(Bounds, BestRatesOfAnyFootprint) {
  // The small task runs at 1 flop/s, the large at 4: at 4 flop/s the work takes (2 + 8) / 4.
  Builder b;
  b.units("CPU", 1);
  b.task("a", 0, 0, 2, {}, 1, 2);
  b.task("a", 0, 2, 4, {}, 2, 8);
  b.task("init", 0, 4, 5, {}, 3);
  b.task("init", 0, 5, 8, {}, 3);
  const Recording r = b.finish();
  const Bounds bounds = bounds_of(r);
  EXPECT_DOUBLE_EQ(bounds.area.solution.seconds, 8);
  EXPECT_DOUBLE_EQ(bounds.best_rates.solution.seconds, 2.5 + 2);  // without flops: the fastest init twice
  EXPECT_EQ(bounds.without_flops, std::vector<std::string>{"init"});
  Options options;
  options.rates[{"a", "CPU"}] = 10;
  EXPECT_DOUBLE_EQ(bounds_of(r, options).best_rates.solution.seconds, 1 + 2);
}

TEST(Bounds, MissingDurations) {
  Builder b;
  b.units("CPU", 1).units("CUDA", 1);
  b.task("a", 0, 0, 1, {}, 5);
  b.task("a", 0, 1, 2, {}, 5);
  b.task("b", 1, 0, 1, {}, 6);
  const Recording r = b.finish();
  const Bounds bounds = bounds_of(r);
  ASSERT_EQ(bounds.missing.size(), 2U);
  EXPECT_EQ(bounds.missing[0].codelet, "a");
  EXPECT_EQ(bounds.missing[0].footprint, 5U);
  EXPECT_EQ(bounds.missing[0].kind, "CUDA");
  EXPECT_EQ(bounds.missing[0].tasks, 2U);
  EXPECT_EQ(bounds.missing[1].kind, "CPU");
  EXPECT_DOUBLE_EQ(bounds.area.solution.seconds, 2);

  PlatformRec models;  // a on CUDA: 0.5 s
  models.timings.push_back({"a", "cuda0", 5, 0, {}, 5e5, 0, 10});
  Durations d = durations_of(r);
  d.add(models);
  const Bounds more = compute(r, d);
  EXPECT_EQ(more.missing.size(), 1U);
  EXPECT_NEAR(more.area.solution.seconds, 4.0 / 3, 1e-12);  // 2 - n = 1 + n/2
}

TEST(Bounds, DurationsTooLongAreAnErrorNotClipped) {
  Builder b;
  b.units("CPU", 1);
  b.task("a", 0, 0, 1, {}, 5);
  b.task("a", 0, 1, 2, {}, 5);
  const Recording r = b.finish();
  PlatformRec models;
  models.timings.push_back({"a", "cpu0", 5, 0, {}, 1.5e6, 0, 10});
  Durations d = durations_of(r);
  d.add(models);
  EXPECT_TRUE(compute(r, d).inconsistencies.empty());  // the recording's own come first
  Options options;
  options.durations.order = {Source::models, Source::recording, Source::others};
  const Bounds bounds = compute(r, d, options);
  EXPECT_DOUBLE_EQ(bounds.area.solution.seconds, 3);
  ASSERT_FALSE(bounds.inconsistencies.empty());
  EXPECT_EQ(bounds.inconsistencies[0],
            "LP = 3 s exceeds the makespan of the recorded run, 2 s; durations too long: a (footprint 5) on CPU: 1.5 s "
            "in the table, 1 s in this run");
}

TEST(Bounds, OverlappingTasksAreReported) {
  Builder b;
  b.units("CPU", 1);
  b.task("a", 0, 0, 2);
  Recording r = b.finish();
  r.tasks.push_back(r.tasks[0]);
  r.dependencies.close();
  r.accesses.close();
  const Bounds bounds = bounds_of(r);
  ASSERT_EQ(bounds.notes.size(), 1U);
  EXPECT_EQ(bounds.notes[0],
            "CPU 0: tasks overlap during 2 s, so their durations are not those of tasks alone on the unit");
  ASSERT_EQ(bounds.inconsistencies.size(), 4U);  // and LP where tasks fit, LP~
  EXPECT_EQ(bounds.inconsistencies[0], "LP = 4 s exceeds the makespan of the recorded run, 2 s");
}

/// A schedule of random tasks on two CPUs and three devices with transfers before first uses: what a runtime would do.
Recording random_run(std::mt19937& random) {
  const auto whole = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  std::uniform_real_distribution<double> real(0, 1);
  Builder b;
  b.units("CPU", 2).units("CUDA", 3);
  constexpr int data = 12;
  std::vector<std::uint64_t> bytes;
  std::vector<std::vector<bool>> present(data, std::vector<bool>(4, false));
  for (int h = 0; h < data; ++h) {
    bytes.push_back(static_cast<std::uint64_t>(whole(1, 1000)) * 1000);
    b.handle("h" + std::to_string(h), bytes.back());
    present[static_cast<std::size_t>(h)][0] = true;
  }
  std::vector<double> free(5, 0);
  std::vector<double> ends;
  free[2] = free[3] = free[4] = 0.01;  // transfers begin after the first task
  const int tasks = whole(1, 60);
  for (int i = 0; i < tasks; ++i) {
    const int codelet = whole(0, 3);
    const auto unit = static_cast<std::uint32_t>(codelet == 3 ? whole(0, 1) : whole(0, 4));
    const std::size_t node = unit < 2 ? 0 : unit - 1;
    double start = free[unit];
    std::vector<std::uint32_t> after;
    for (int d = 0; d < whole(0, 2) && i > 0; ++d) {
      after.push_back(static_cast<std::uint32_t>(whole(0, i - 1)));
      start = std::max(start, ends[after.back()]);
    }
    std::vector<Access> access;
    for (int d = 0; d < whole(0, 3); ++d) {
      const auto h = static_cast<std::uint32_t>(whole(0, data - 1));
      access.push_back({h, Mode::read});
      if (present[h][node]) continue;
      present[h][node] = true;
      const double took = static_cast<double>(bytes[h]) / (2e5 * (1 - 0.3 * real(random)));
      b.transfer(0, static_cast<std::uint32_t>(node), start, start + took, bytes[h], h);
      start += took;
    }
    const int footprint = whole(1, 2);
    const double end = start + (0.1 + real(random)) * footprint * (unit < 2 ? 3 : 1);
    b.task("c" + std::to_string(codelet), unit, start, end, after, static_cast<std::uint32_t>(footprint),
           codelet < 2 ? 1e6 * footprint : 0, -1, access);
    free[unit] = end;
    ends.push_back(end);
  }
  return b.finish();
}

TEST(Bounds, NoRandomRunBeatsThem) {
  std::mt19937 random(11);
  int tighter = 0;
  int fits = 0;
  for (int i = 0; i < 300; ++i) {
    const Recording r = random_run(random);
    Options options;
    options.communication = true;
    const Bounds b = bounds_of(r, options);
    ASSERT_TRUE(b.inconsistencies.empty()) << i << ": " << b.inconsistencies[0];
    const double lp = b.area.solution.seconds;
    EXPECT_GT(lp, 0);
    EXPECT_LE(lp, b.makespan * (1 + 1e-9));
    EXPECT_LE(b.critical_path->length, b.makespan * (1 + 1e-9));
    EXPECT_LE(b.best_rates.solution.seconds, lp * (1 + 1e-9));
    EXPECT_GE(b.links->solution.seconds, lp * (1 - 1e-9));
    EXPECT_LE(b.best, b.makespan * (1 + 1e-9));
    EXPECT_GE(b.best, std::max({lp, b.fitting, b.critical_path->length}));
    EXPECT_GE(b.fitting, lp);
    EXPECT_LE(b.fitting, b.makespan * (1 + 1e-9));
    fits += b.fitting > lp * (1 + 1e-6);
    tighter += b.links->solution.seconds > lp * (1 + 1e-6);
    options.durations.aggregate = Aggregate::minimum;
    EXPECT_LE(bounds_of(r, options).area.solution.seconds, lp * (1 + 1e-9));
  }
  EXPECT_GT(tighter, 3);
  EXPECT_GT(fits, 3);
}

TEST(Bounds, AMillionTasksOfAThousandClasses) {
  Builder b;
  b.units("CPU", 16).units("CUDA", 4).units("OPENCL", 2).units("HIP", 4);
  constexpr std::uint32_t units = 26;
  constexpr int tasks = 1000000;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> real(0.5, 1.5);
  std::vector<double> free(units, 0);
  std::vector<std::uint32_t> after;
  for (int i = 0; i < tasks; ++i) {
    const auto unit = static_cast<std::uint32_t>(i) % units;
    const auto footprint = static_cast<std::uint32_t>(i / 10 * 7919LL % 100);
    const double took = 1e-3 * real(random) * (1 + footprint % 10);
    after.clear();
    if (i >= 1000) after.push_back(static_cast<std::uint32_t>(i - 1000));
    b.task("codelet" + std::to_string(i % 10), unit, free[unit], free[unit] + took, after, footprint, 1e6);
    free[unit] += took;
  }
  Recording r = b.finish();
  for (asterism::traces::Task& t : r.tasks) t.footprint += 100 * t.codelet;
  const auto begin = std::chrono::steady_clock::now();
  const Bounds bounds = bounds_of(r);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 20);
  EXPECT_GT(bounds.area.solution.seconds, 0.5 * bounds.makespan);
  EXPECT_LE(bounds.best, bounds.makespan * (1 + 1e-9));
  RecordProperty("classes", static_cast<int>(bounds.classes.size()));
  RecordProperty("milliseconds", static_cast<int>(1e3 * seconds.count()));
  std::printf("%zu classes, %zu kinds: %.2f s\n", bounds.classes.size(), bounds.kinds.size(), seconds.count());
}

}  // namespace
