// SPDX-License-Identifier: Apache-2.0
// Which units a run has, by rates that are given: no StarPU, no clock.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "runtime/machine/unit_choice.hpp"

namespace asterism {
namespace {

StepWork work_of(double size, bool shared = true) {
  StepWork work;
  work.kind = "test";
  work.counted = "cells";
  work.size = size;
  work.small_per_core = 1e5;
  work.shared = shared;
  return work;
}

/// Rates by who; asking for another one is an error.
UnitChoice choice(const StepWork& work, int cores, int gpus, const std::map<std::string, double>& rates) {
  return choose_by_rates(work, cores, gpus, [&](const std::string& who) {
    const auto known = rates.find(who);
    if (known == rates.end()) failed("{} was asked for", who);
    return known->second;
  });
}

TEST(UnitChoice, GridsKeepTheirShape) {
  using Cells = std::array<int, 3>;
  EXPECT_EQ(shrunk(Cells{40, 20, 10}, 8000), (Cells{40, 20, 10}));
  EXPECT_EQ(shrunk(Cells{400, 200, 100}, 8000), (Cells{40, 20, 10}));
  EXPECT_EQ(shrunk(Cells{100000, 1, 1}, 1000), (Cells{21544, 1, 1})) << "no axis is lost";
  EXPECT_EQ(grid_work("a", {64, 32, 8}, 8, 1e6, 2e3).kind, "a/2^3 layers");
  EXPECT_EQ(grid_work("a", {64, 32, 8}, 8, 1e6, 2e3).size, 64 * 32 * 8);
  EXPECT_EQ(grid_work("a", {64, 64, 64}, 64, 1e6, 2e3).kind, "a") << "the rates of large grids are those of all";
}

TEST(UnitChoice, CoresThatBringLittleAreLeftOut) {
  const UnitChoice c = choice(work_of(1e7), 16, 1, {{"1 GPU", 205e9}, {"all cores beside 1 GPU", 1.9e9}});
  EXPECT_EQ(c.cpus, 0);
  EXPECT_EQ(c.gpus, std::nullopt);
  EXPECT_EQ(c.gpu_share, std::nullopt);
  EXPECT_EQ(c.reason, "1 GPU; cores would bring 0.93 % (1.9 G against 205 G cells/s)");
}

TEST(UnitChoice, CoresThatBringMuchShareTheWork) {
  const UnitChoice c =
      choice(work_of(1e7), 16, 2, {{"2 GPUs", 6e9}, {"all cores beside 2 GPUs", 2e9}, {"2 GPUs and cores", 7.5e9}});
  EXPECT_EQ(c.cpus, std::nullopt);
  EXPECT_EQ(c.gpu_share, 0.75);
  EXPECT_EQ(c.reason, "2 GPUs and cores: 7.5 G cells/s; 2 GPUs 6 G");
}

TEST(UnitChoice, CoresThatSlowGpusDownAreLeftOut) {
  const UnitChoice c =
      choice(work_of(1e7), 16, 1, {{"1 GPU", 6e9}, {"all cores beside 1 GPU", 6e8}, {"1 GPU and cores", 5e9}});
  EXPECT_EQ(c.cpus, 0);
  EXPECT_EQ(c.reason, "1 GPU; cores would bring 10 % (600 M against 6 G cells/s), but together they reach 5 G");
}

TEST(UnitChoice, SmallProblemsRunOnFewCores) {
  const UnitChoice c = choice(work_of(6400), 2, 0, {{"1 core", 8e7}, {"all cores", 3e6}});
  EXPECT_EQ(c.cpus, 1);
  EXPECT_EQ(c.gpus, std::nullopt);
  EXPECT_EQ(c.reason, "1 core: 80 M cells/s; all cores 3 M");
  const UnitChoice beside = choice(
      work_of(6400), 16, 1,
      {{"1 core", 8e7}, {"4 cores", 5e7}, {"1 GPU", 9e7}, {"all cores beside 1 GPU", 1e7}, {"1 GPU and cores", 1e6}});
  EXPECT_EQ(beside.cpus, 0);
  EXPECT_EQ(choice(work_of(3e5), 16, 0, {{"4 cores", 3e8}, {"all cores", 2e8}}).cpus, 4);
}

TEST(UnitChoice, MoreUnitsMustBeFaster) {
  EXPECT_EQ(choice(work_of(6400), 2, 0, {{"1 core", 8e7}, {"all cores", 8.4e7}}).cpus, 1);
  EXPECT_EQ(choice(work_of(6400), 2, 0, {{"1 core", 8e7}, {"all cores", 9e7}}).cpus, std::nullopt);
}

TEST(UnitChoice, LargeProblemsNeedNoTrialOnCores) {
  EXPECT_TRUE(choice(work_of(1e7), 2, 0, {}).reason.empty());
  EXPECT_TRUE(choice(work_of(1e7, false), 16, 1, {}).reason.empty());
  EXPECT_TRUE(choice(work_of(10), 1, 0, {}).reason.empty());
}

TEST(UnitChoice, GpusThatNeedCoresKeepThem) {
  const std::map<std::string, double> rates = {
      {"1 core", 2e6}, {"4 cores", 1e6}, {"all cores", 5e5}, {"all units", 1e6}};
  const UnitChoice few = choice(work_of(162, false), 16, 1, rates);
  EXPECT_EQ(few.cpus, 1);
  EXPECT_EQ(few.gpus, 0);
  std::map<std::string, double> fast = rates;
  fast["all units"] = 1e7;
  const UnitChoice all = choice(work_of(162, false), 16, 1, fast);
  EXPECT_EQ(all.cpus, std::nullopt);
  EXPECT_EQ(all.gpus, std::nullopt);
}

/// As choice(), where GPUs take so long to start; asking for that where it cannot matter is an error.
UnitChoice choice_with_start(const StepWork& work, int cores, int gpus, const std::map<std::string, double>& rates,
                             std::optional<double> start) {
  const auto rate = [&](const std::string& who) { return rates.at(who); };
  return choose_by_rates(work, cores, gpus, rate, [&] {
    if (!start) failed("the start was asked for");
    return *start;
  });
}

TEST(UnitChoice, GpusAreNotStartedForAShortRun) {
  StepWork work = work_of(1e7);
  const std::map<std::string, double> rates = {{"1 GPU", 1e10}, {"all cores beside 1 GPU", 1e8}};
  // 100 steps: 0.1 s on the GPU, 10 s on cores
  work.steps = 100;
  EXPECT_EQ(choice_with_start(work, 16, 1, rates, std::nullopt).gpus, std::nullopt) << "no start takes that long";
  // 10 steps: 0.01 s and 1 s
  work.steps = 10;
  EXPECT_EQ(choice_with_start(work, 16, 1, rates, 0.9).gpus, std::nullopt);
  const UnitChoice c = choice_with_start(work, 16, 1, rates, 1.2);
  EXPECT_EQ(c.gpus, 0);
  EXPECT_EQ(c.cpus, std::nullopt);
  EXPECT_EQ(c.reason, "all cores: 1 s for 10 steps; 1 GPU 0.01 s and 1.2 s to start");
  work.largest = 9e6;
  EXPECT_EQ(choice_with_start(work, 16, 1, rates, std::nullopt).gpus, std::nullopt) << "cores would set it up longer";
  work.largest = 1e7;
  EXPECT_EQ(choice_with_start(work, 16, 1, rates, 1.2).gpus, 0);
  work.steps = 0;  // nobody knows
  EXPECT_EQ(choice_with_start(work, 16, 1, rates, std::nullopt).gpus, std::nullopt);
}

TEST(UnitChoice, ShortRunsOfSmallProblemsHaveTheFewCoresThatSuitThem) {
  StepWork work = work_of(6400);
  const std::map<std::string, double> rates = {
      {"1 core", 8e7}, {"4 cores", 5e7}, {"1 GPU", 4e8}, {"all cores beside 1 GPU", 1e7}, {"1 GPU and cores", 1e6}};
  work.steps = 1e4;  // 0.8 s on a core, 0.16 s on the GPU
  EXPECT_EQ(choice_with_start(work, 16, 1, rates, 0.5).gpus, std::nullopt);
  const UnitChoice c = choice_with_start(work, 16, 1, rates, 0.75);
  EXPECT_EQ(c.gpus, 0);
  EXPECT_EQ(c.cpus, 1);
  // units that work together, as those of boundary elements
  StepWork together = work_of(162, false);
  together.steps = 2000;
  const std::map<std::string, double> of_all = {
      {"1 core", 1.6e6}, {"4 cores", 1.3e6}, {"all cores", 1.3e6}, {"all units", 2.8e6}};
  EXPECT_EQ(choice_with_start(together, 16, 1, of_all, 0.05).gpus, std::nullopt);
  EXPECT_EQ(choice_with_start(together, 16, 1, of_all, 0.7).gpus, 0);
  EXPECT_EQ(choice_with_start(together, 16, 1, of_all, 0.7).cpus, 1);
}

TEST(UnitChoice, TheStartOfGpusIsMeasuredOnceWhereItIsKept) {
  int measured = 0;
  const auto measure = [&](int gpus) { return ++measured, 0.5 * gpus; };
  KnownRates nowhere({}, rated_machine());
  EXPECT_EQ(start_of_gpus(2, nowhere, measure), std::nullopt);
  const auto folder = std::filesystem::temp_directory_path() / ("unit_choice_" + std::to_string(getpid()));
  {
    KnownRates kept(folder / "rates.json", rated_machine());
    EXPECT_EQ(start_of_gpus(2, kept, {}), std::nullopt);
    EXPECT_EQ(start_of_gpus(2, kept, [](int) { return 0.0; }), std::nullopt) << "could not be found out";
    EXPECT_EQ(start_of_gpus(2, kept, measure), 1.0);
  }
  KnownRates again(folder / "rates.json", rated_machine());
  EXPECT_EQ(start_of_gpus(2, again, measure), 1.0);
  EXPECT_EQ(start_of_gpus(1, again, measure), 0.5);
  EXPECT_EQ(measured, 2);
  std::filesystem::remove_all(folder);
}

TEST(UnitChoice, WhatWasSaidIsNotChosen) {
  KnownRates rates({}, rated_machine());
  SessionOptions options;
  options.cpus = 1;
  const auto say = [](const std::string& what) { ADD_FAILURE() << what; };
  EXPECT_TRUE(choose_units(work_of(10), options, rates, say).reason.empty());
  options.cpus.reset();
  options.scheduler = "lws";
  EXPECT_TRUE(choose_units(work_of(10), options, rates, say).reason.empty());
  options.scheduler.reset();
  Environment environment;
  environment.set("STARPU_NCPU", "1");
  EXPECT_TRUE(choose_units(work_of(10), options, rates, say).reason.empty());
}

TEST(UnitChoice, CloseRatesAreMeasuredAgainInTurn) {
  std::map<std::string, std::vector<double>> sessions = {
      {"1 core", {2, 2.4, 2.5}}, {"4 cores", {0.9}}, {"all cores", {2.3, 2.1, 2}}};
  std::string order;
  const auto measure = [&](const std::string& who) {
    std::vector<double>& left = sessions.at(who);
    if (left.empty()) failed("{} was measured too often", who);
    const double rate = left.front();
    left.erase(left.begin());
    order += who[0];
    return rate;
  };
  EXPECT_EQ(median_rates({"1 core", "4 cores", "all cores"}, measure), (std::vector<double>{2.4, 0.9, 2.1}));
  EXPECT_EQ(order, "14a1a1a");
  sessions = {{"1 core", {8}}, {"all cores", {0.3}}};
  EXPECT_EQ(median_rates({"1 core", "all cores"}, measure), (std::vector<double>{8, 0.3}));
  EXPECT_TRUE(median_rates({}, measure).empty());
}

/// Every fourth round is lucky, four times as fast: it does not count.
TEST(UnitChoice, TheMedianOfSeveralRoundsCounts) {
  long steps = 0, calls = 0;
  const double rate = median_step_rate([&](long n) {
    steps += n;
    const auto time = n * std::chrono::microseconds(++calls % 4 == 0 ? 25 : 100);
    for (const auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;) {
    }
  });
  EXPECT_LE(rate, 1.01e4);
  EXPECT_GT(rate, 1e3);
  EXPECT_GE(steps, 5 * 4);
}

}  // namespace
}  // namespace asterism
