// SPDX-License-Identifier: Apache-2.0
// The parts of asterism-compare: statistics against hand-computed values and simulated coverage, the order of runs, the
// journal, processes, and bounds of small recordings.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "apps/common/process.hpp"
#include "apps/compare/lower_bounds.hpp"
#include "apps/compare/plan.hpp"
#include "apps/compare/state.hpp"
#include "apps/compare/statistics.hpp"
#include "apps/compare/time_source.hpp"
#include "base/error.hpp"
#include "tests/apps/compare/folder.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::apps;
using namespace asterism::apps::compare;
using asterism::Error;
using asterism::tests::Folder;
using asterism::tests::run_of;
using OneRun = asterism::apps::compare::Run;  // not testing::Test::Run
using Runs = std::vector<OneRun>;

/// 1, 2, ..., n in some order; n not divisible by 7.
std::vector<double> ranks(std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<double>((i * 7 + 3) % n + 1));
  return values;
}

// ---- statistics

TEST(CompareStatistics, IntervalsByHand) {
  // sums of binomial coefficients: 1 - 2 (C(n,0) + ... + C(n,k-1)) / 2^n
  struct Case {
    std::size_t n;
    double median, low, high, confidence;
  };
  const Case cases[] = {
      {1, 1, 1, 1, 0},
      {2, 1.5, 1, 2, 0.5},
      {5, 3, 1, 5, 0.9375},
      {6, 3.5, 1, 6, 0.96875},
      {8, 4.5, 1, 8, 1 - 2.0 / 256},
      {9, 5, 2, 8, 1 - 2 * (1.0 + 9) / 512},
      {10, 5.5, 2, 9, 1 - 2 * (1.0 + 10) / 1024},
      {12, 6.5, 3, 10, 1 - 2 * (1.0 + 12 + 66) / 4096},
      {20, 10.5, 6, 15, 1 - 2 * (1.0 + 20 + 190 + 1140 + 4845 + 15504) / 1048576},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.n);
    const MedianInterval m = median_interval(ranks(c.n));
    EXPECT_EQ(m.count, c.n);
    EXPECT_DOUBLE_EQ(m.median, c.median);
    EXPECT_DOUBLE_EQ(m.low, c.low);
    EXPECT_DOUBLE_EQ(m.high, c.high);
    EXPECT_NEAR(m.confidence, c.confidence, 1e-12);
  }
  const MedianInterval seven = median_interval({4, 9, 1, 7, 3, 8, 2});
  EXPECT_DOUBLE_EQ(seven.median, 4);
  EXPECT_DOUBLE_EQ(seven.low, 1);
  EXPECT_DOUBLE_EQ(seven.high, 9);
  EXPECT_NEAR(seven.confidence, 1 - 2.0 / 128, 1e-12);
  EXPECT_EQ(median_interval({}).count, 0U);
  // a lower level allows a narrower interval
  const MedianInterval half = median_interval({1, 2, 3, 4, 5, 6, 7}, 0.5);
  EXPECT_DOUBLE_EQ(half.low, 3);
  EXPECT_DOUBLE_EQ(half.high, 5);
  EXPECT_NEAR(half.confidence, 1 - 2 * (1.0 + 7 + 21) / 128, 1e-12);
}

TEST(CompareStatistics, CoverageOfTheTrueMedian) {
  std::mt19937_64 random(20120607);
  std::exponential_distribution<double> skewed(1);
  const double truth = std::log(2.0);
  for (const std::size_t n : {3U, 5U, 6U, 7U, 11U, 25U}) {
    constexpr int trials = 20000;
    int inside = 0;
    double confidence = 0;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> sample(n);
      for (double& x : sample) x = skewed(random);
      const MedianInterval m = median_interval(sample);
      inside += m.low <= truth && truth <= m.high ? 1 : 0;
      confidence = m.confidence;
    }
    const double coverage = static_cast<double>(inside) / trials;
    // five standard deviations
    EXPECT_NEAR(coverage, confidence, 5 * std::sqrt(confidence * (1 - confidence) / trials)) << n;
    if (n >= 6) {
      EXPECT_GE(confidence, 0.95) << n;
    }
  }
}

TEST(CompareStatistics, PairedRatiosCancelDrift) {
  // the machine slows down fourfold while b takes 1.1 times as long as a
  std::vector<std::optional<double>> a;
  std::vector<std::optional<double>> b;
  for (int i = 0; i < 8; ++i) {
    const double drift = 1 + 3.0 * i / 7;
    a.emplace_back(drift);
    b.emplace_back(1.1 * drift);
  }
  b[3] = std::nullopt;
  const MedianInterval ratio = paired_ratio(b, a);
  EXPECT_EQ(ratio.count, 7U);
  EXPECT_NEAR(ratio.low, 1.1, 1e-12);
  EXPECT_NEAR(ratio.high, 1.1, 1e-12);
  EXPECT_EQ(paired_ratio({1.0}, {std::nullopt}).count, 0U);
}

// ---- order

TEST(ComparePlan, OrdersAreBalanced) {
  for (std::size_t n = 1; n <= 9; ++n) {
    SCOPED_TRACE(n);
    const std::size_t rounds = n % 2 == 0 ? n : 2 * n;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> place;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> after;
    for (std::size_t round = 0; round < rounds; ++round) {
      const std::vector<std::size_t> order = order_of_round(round, n);
      ASSERT_EQ(order.size(), n);
      EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), n);
      for (std::size_t p = 0; p < n; ++p) {
        ASSERT_LT(order[p], n);
        ++place[{order[p], p}];
        if (p > 0) ++after[{order[p - 1], order[p]}];
      }
    }
    EXPECT_EQ(place.size(), n * n);
    for (const auto& [key, count] : place) EXPECT_EQ(count, rounds / n);
    EXPECT_EQ(after.size(), n * (n - 1));
    for (const auto& [key, count] : after) EXPECT_EQ(count, rounds / n);
    // and on after that
    EXPECT_EQ(order_of_round(rounds, n), order_of_round(0, n));
  }
}

Settings small_settings() {
  Settings s;
  s.schedulers = {"dmda", "lws", "eager"};
  s.repetitions = 2;
  s.calibrator = "calibrate";
  return s;
}

std::string text_of(const std::vector<Step>& steps) {
  std::string text;
  for (const Step& s : steps)
    text += std::string(name_of(s.phase)).substr(0, 1) + std::to_string(s.repetition) + s.scheduler + " ";
  return text;
}

TEST(ComparePlan, CalibrationWarmUpsThenInterleaved) {
  Settings s = small_settings();
  EXPECT_EQ(text_of(remaining_steps(s, {})),
            "c1calibrate c2calibrate w1dmda w1lws w1eager m1dmda m1lws m1eager m2lws m2eager m2dmda ");
  s.calibrator.clear();  // without the plug-in library
  EXPECT_TRUE(text_of(remaining_steps(s, {})).starts_with("c1dmda c2dmda w1dmda "));
  s.schedulers = {"eager", "lws"};
  s.calibrator = "calibrate";
  EXPECT_EQ(text_of(remaining_steps(s, {})), "w1eager w1lws m1eager m1lws m2lws m2eager ");
  for (const Step& step : remaining_steps(s, {})) EXPECT_TRUE(step.traced);
  s.untraced = 1;
  EXPECT_TRUE(text_of(remaining_steps(s, {})).ends_with("m2eager e1eager e1lws "));
  EXPECT_FALSE(remaining_steps(s, {}).back().traced);
  s.time = TimeSource::parse("wall");
  EXPECT_FALSE(remaining_steps(s, {}).front().traced);
  EXPECT_TRUE(text_of(remaining_steps(s, {})).ends_with("m2eager e1eager e1lws "));
  EXPECT_TRUE(remaining_steps(s, {}).back().traced);
  s.traced = 0;
  EXPECT_TRUE(text_of(remaining_steps(s, {})).ends_with("m1lws m2lws m2eager "));
}

TEST(ComparePlan, WarmUpsAreRepeatedWhileStarPUCalibrates) {
  Settings s = small_settings();
  s.calibrations = 0;
  s.warm_ups = 3;
  Runs runs;
  std::string text;
  while (const auto step = next_step(s, runs)) {
    text += text_of({*step});
    runs.push_back(run_of(*step, "", step->scheduler == "dmda" && step->repetition < 9));
    if (step->scheduler == "lws" && step->phase == Phase::warm_up && step->repetition == 1)
      runs.back().calibrating = true;
  }
  EXPECT_EQ(text, "w1dmda w2dmda w3dmda w1lws w2lws w1eager m1dmda m1lws m1eager m2lws m2eager m2dmda ");
}

TEST(ComparePlan, ResumesExtendsAndGivesUp) {
  Settings s = small_settings();
  s.calibrations = 0;
  s.give_up = 2;
  Runs runs;
  std::string text;
  std::vector<Step> all = remaining_steps(s, {});
  while (const auto step = next_step(s, runs)) {
    EXPECT_EQ(text_of({*step}), text_of({all[runs.size()]}));
    EXPECT_EQ(remaining_steps(s, runs).size(), all.size() - runs.size());
    runs.push_back(run_of(*step));
  }
  EXPECT_EQ(runs.size(), all.size());
  s.repetitions = 3;
  EXPECT_EQ(text_of(remaining_steps(s, runs)), "m3eager m3dmda m3lws ");
  // eager fails its warm-up and first repetition: the rest is left out
  s.repetitions = 4;
  runs.clear();
  text.clear();
  while (const auto step = next_step(s, runs)) {
    if (step->scheduler == "eager") text += text_of({*step});
    runs.push_back(run_of(*step, step->scheduler == "eager" ? "exit status 3" : ""));
  }
  EXPECT_EQ(text, "w1eager m1eager ");
  EXPECT_TRUE(given_up(s, runs, "eager"));
  EXPECT_FALSE(given_up(s, runs, "lws"));
  EXPECT_EQ(runs.size(), 2 + 2 * 5U);
}

TEST(ComparePlan, WhoUsesModels) {
  for (const char* name : {"dm", "dmda", "dmdas", "dmdasd", "pheft", "heteroprio", "modular-heft", "my-own"})
    EXPECT_TRUE(uses_models(name)) << name;
  for (const char* name : {"eager", "lws", "cyclic", "modular-random-prio", "modular-ws", "calibrate"})
    EXPECT_FALSE(uses_models(name)) << name;
}

TEST(CompareBounds, BestOfAllRunsByHand) {
  const TaskClass gemm{"gemm", 7};
  const TaskClass panel{"panel", 1};
  Durations on_cpus;
  on_cpus.classes[gemm]["CPU"] = {10, 40, 3};  // mean 4
  on_cpus.classes[panel]["CPU"] = {2, 4, 1};
  Durations on_both;
  on_both.classes[gemm]["CPU"] = {4, 20, 3.5};  // mean 5: the other run's is better
  on_both.classes[gemm]["CUDA"] = {6, 6, 0.5};  // mean 1
  on_both.classes[panel]["CPU"] = {2, 6, 2};
  BestDurations best;
  EXPECT_TRUE(best.empty());
  best.add(on_cpus);
  best.add(on_both);
  EXPECT_DOUBLE_EQ(best.on(gemm, "CPU").mean, 4);
  EXPECT_DOUBLE_EQ(best.on(gemm, "CPU").minimum, 3);
  EXPECT_DOUBLE_EQ(best.minimum(gemm), 0.5);
  EXPECT_TRUE(std::isinf(best.on(panel, "CUDA").mean));
  // 2 CPUs, 1 GPU, 10 gemms, 2 panels (CPU only): with x gemms on the CPUs 2 T = 4 + 4 x, T = 10 - x: x = 16/6
  const auto both = area_bounds(on_cpus, {{"CPU", 2}, {"CUDA", 1}}, best);
  ASSERT_TRUE(both);
  EXPECT_NEAR(both->lp, 10 - 16.0 / 6, 1e-6);
  EXPECT_NEAR(both->fitting, both->lp, 1e-6);  // no duration is longer
  // on 100 CPUs LP gives gemms to them, 100 T = 4 + 4 x, T = 10 - x: T = 44/104; whole gemms take 1 or 4
  const auto many = area_bounds(on_cpus, {{"CPU", 100}, {"CUDA", 1}}, best);
  ASSERT_TRUE(many);
  EXPECT_NEAR(many->lp, 44.0 / 104, 1e-6);
  EXPECT_NEAR(many->fitting, 4, 1e-6);  // 10 gemms on the GPU alone take longer than one on a CPU
  EXPECT_NEAR(area_bounds(on_cpus, {{"CPU", 2}}, best).value_or(AreaBounds()).lp, 22, 1e-6);
  EXPECT_FALSE(area_bounds(Durations(), {{"CPU", 2}}, best));
  const Folder folder;
  on_both.save(folder / "durations.json");
  const Durations back = Durations::load(folder / "durations.json");
  EXPECT_EQ(back.classes.at(gemm).at("CUDA").count, 6U);
  EXPECT_EQ(back.classes.at(gemm).at("CPU").minimum, 3.5);
}

}  // namespace
