// SPDX-License-Identifier: Apache-2.0
// asterism-compare with a simulated machine, its parts: durations and bounds from the platform, one run of each.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "apps/compare/lower_bounds.hpp"
#include "apps/compare/plan.hpp"
#include "base/error.hpp"
#include "tests/traces/recording_builder.hpp"
#include "traces/models/simulated.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism;
using namespace asterism::apps::compare;
using traces::Mode;
using traces::none;

constexpr const char* box =
    "description = \"a box\"\n"
    "[cpu]\ncores = 2\nrates = { flops = 10, bytes = 100, seconds = 0.5 }\n"
    "[gpu]\ncount = 1\nmemory = 1e9\nrates = { flops = 50, bytes = 1000, seconds = 0.25 }\n"
    "[bus]\nto_gpu = { bandwidth = 1e9, latency = 1e-6 }\nfrom_gpu = { bandwidth = 1e9, latency = 1e-6 }\n"
    "[codelets.panel]\ngpu = \"none\"\n";

class Box {
 public:
  Box() {
    fs::create_directories(folder_);
    std::ofstream(file()) << box;
    platform_ = read_platform(file());
  }
  ~Box() { fs::remove_all(folder_); }
  Box(const Box&) = delete;
  Box& operator=(const Box&) = delete;
  [[nodiscard]] fs::path file() const { return folder_ / "box.toml"; }
  const Platform* operator*() const { return &platform_; }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("compare_simulated_" + std::to_string(getpid()));
  Platform platform_;
};

/// Two gemms of different work in one class of StarPU's, one on each kind of unit, between a panel and one more.
traces::Recording four_tasks() {
  traces::testing::Builder b;
  b.units("CPU", 2).units("CUDA", 1);
  const auto a = b.handle("a", 100);
  const auto c = b.handle("c", 300);
  const auto panel = b.task("panel", 0, 0, 2.5, {}, 1, 20, -1, {{a, Mode::read_write}});
  const auto on_gpu = b.task("gemm", 2, 2.5, 4.75, {panel}, 7, 100, -1, {{a, Mode::read}, {c, Mode::read_write}});
  const auto on_cpu = b.task("gemm", 1, 2.5, 9.5, {panel}, 7, 60, -1, {{a, Mode::read}, {c, Mode::write}});
  b.task("panel", 0, 9.5, 12, {on_gpu, on_cpu}, 1, 20, -1, {{a, Mode::read_write}, {none, Mode::read}});
  return b.finish();
}

TEST(CompareSimulated, WorkOfATaskCountsWhatItReadsAndWritesTwice) {
  const traces::Recording r = four_tasks();
  EXPECT_DOUBLE_EQ(traces::work_of(r, 0).bytes, 200);
  EXPECT_DOUBLE_EQ(traces::work_of(r, 1).bytes, 700);
  EXPECT_DOUBLE_EQ(traces::work_of(r, 2).bytes, 400);
  EXPECT_DOUBLE_EQ(traces::work_of(r, 3).bytes, 200);
  EXPECT_DOUBLE_EQ(traces::work_of(r, 2).flops, 60);
  EXPECT_EQ(traces::work_of(r, 2).footprint, 7U);
}

TEST(CompareSimulated, DurationsOnTheKindWhereNoneRan) {
  const Box machine;
  const traces::Recording r = four_tasks();
  EXPECT_DOUBLE_EQ(traces::simulated_seconds(**machine, r, 1, 0).value_or(0), 10.5);  // 100 flop at 10, and 0.5
  EXPECT_DOUBLE_EQ(traces::simulated_seconds(**machine, r, 1, 1).value_or(0), 2.25);
  EXPECT_DOUBLE_EQ(traces::simulated_seconds(**machine, r, 2, 0).value_or(0), 6.5);
  EXPECT_FALSE(traces::simulated_seconds(**machine, r, 0, 1));
  const traces::PlatformRec models = traces::simulated_models(**machine, r);
  ASSERT_EQ(models.timings.size(), 3U);  // of the class of gemms on both kinds, and panels
  for (const traces::Timing& t : models.timings) {
    EXPECT_EQ(t.samples, 2U);
    const double expected = t.model == "panel" ? 2.5 : t.architecture == "cpu0" ? 8.5 : (2.25 + 1.45) / 2;
    EXPECT_NEAR(t.mean, 1e6 * expected, 1e-6) << t.model << " " << t.architecture;
  }
}

/// GPUs that differ are kinds of their own.
TEST(CompareSimulated, DurationsOnEachKindOfGpus) {
  const Box machine;
  Platform two = **machine;
  two.gpu_kinds = {two.gpu_kinds.front(), two.gpu_kinds.front()};
  two.gpu_kinds[1].rates.seconds += 1;
  two.codelets.at("panel").gpu.clear();
  traces::Recording r = four_tasks();
  r.kinds[1].devices = {0};
  r.kinds.push_back({"CUDA (slower)", {1}});
  EXPECT_DOUBLE_EQ(traces::simulated_seconds(two, r, 1, 1).value_or(0), 2.25);
  EXPECT_DOUBLE_EQ(traces::simulated_seconds(two, r, 1, 2).value_or(0), 3.25);
  bool known = false;
  for (const traces::Timing& t : traces::simulated_models(two, r).timings) {
    if (t.architecture != "cuda1") continue;
    EXPECT_NEAR(t.mean, 1e6 * (3.25 + 2.45) / 2, 1e-6);
    known = true;
  }
  EXPECT_TRUE(known);
}

TEST(CompareSimulated, BoundsKnowEveryKindOfUnit) {
  const Box machine;
  const traces::Recording r = four_tasks();
  const auto bound_with = [&](const Platform* platform) {
    const Durations durations = Durations::of(r, platform);
    BestDurations best;
    best.add(durations);
    return std::pair(area_bounds(durations, {{"CPU", 2}, {"CUDA", 1}}, best), path_bound(r, best, platform));
  };
  const auto [area, path] = bound_with(*machine);
  // cores: 5 s of panels and a part x of the larger gemm, which they are least slow at (10.5 to 2.25, not 6.5 to 1.45):
  // none; (5 + 0) / 2 < 2.25 + 1.45, so (5 + 6.5 x) / 2 = 2.25 + 1.45 (1 - x): 6.5 / 1.45 < 10.5 / 2.25 comes first
  const double x = (2 * 3.7 - 5) / (6.5 + 2 * 1.45);
  ASSERT_TRUE(area);
  EXPECT_NEAR(area->lp, 3.7 - 1.45 * x, 1e-9);
  // a panel, the larger gemm on the GPU, a panel
  EXPECT_NEAR(path.value_or(0), 2.5 + 2.25 + 2.5, 1e-12);
  // what was recorded knows gemms as one class of 7 s on cores and 2.25 s on the GPU
  const auto [recorded, recorded_path] = bound_with(nullptr);
  ASSERT_TRUE(recorded);
  EXPECT_GT(recorded->lp, area->lp + 0.1);
}

TEST(CompareSimulated, WaitsOfAGpusPipelineAreNoWork) {
  const Box machine;
  traces::testing::Builder b;
  b.units("CPU", 1).units("CUDA", 1);
  b.task("gemm", 1, 0, 5, {}, 7, 100);  // 2.25 s of work
  const Durations durations = Durations::of(b.finish(), *machine);
  ASSERT_EQ(durations.classes.size(), 1U);
  const auto& kinds = durations.classes.begin()->second;
  EXPECT_DOUBLE_EQ(kinds.at("CUDA").seconds, 2.25);
  EXPECT_EQ(kinds.at("CUDA").count, 1U);
  EXPECT_EQ(kinds.at("CPU").count, 0U);
  EXPECT_DOUBLE_EQ(kinds.at("CPU").minimum, 10.5);
}

TEST(CompareSimulated, ClassesDifferInFlopsAndInBytes) {
  const Box machine;
  traces::testing::Builder b;
  b.units("CPU", 1);
  const auto small = b.handle("small", 100);
  const auto large = b.handle("large", 300);
  b.task("gemm", 0, 0, 1, {}, 7, 100, -1, {{small, Mode::read}});
  b.task("gemm", 0, 1, 2, {}, 7, 100, -1, {{large, Mode::read}});
  b.task("gemm", 0, 2, 3, {}, 7, 60, -1, {{small, Mode::read}});
  b.task("gemm", 0, 3, 4, {}, 7, 60, -1, {{small, Mode::read}});
  const traces::Recording r = b.finish();
  EXPECT_EQ(Durations::of(r, *machine).classes.size(), 3U);
  EXPECT_EQ(Durations::of(r).classes.size(), 1U);
}

TEST(CompareSimulated, DurationsAreKept) {
  const Box machine;
  const Durations durations = Durations::of(four_tasks(), *machine);
  const fs::path file = machine.file().parent_path() / "durations.json";
  durations.save(file);
  const Durations back = Durations::load(file);
  ASSERT_EQ(back.classes.size(), 3U);  // the gemms differ in their work
  BestDurations before;
  BestDurations after;
  before.add(durations);
  after.add(back);
  for (const auto& [task, kinds] : durations.classes)
    for (const char* kind : {"CPU", "CUDA"}) EXPECT_EQ(after.on(task, kind).mean, before.on(task, kind).mean);
}

class CompareSimulatedArguments : public testing::Test {
 protected:
  Settings parsed(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"asterism-compare", "--schedulers", "eager,lws"});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    Settings settings;
    EXPECT_FALSE(parse_arguments(static_cast<int>(arguments.size()), argv.data(), settings));
    return settings;
  }
  const Box machine_;
  const std::string file_ = machine_.file().string();
};

TEST_F(CompareSimulatedArguments, OneRunOfEachAndNothingElse) {
  for (const Settings& settings : {parsed({"--repeat", "9", "--simulate", file_, "--", "sh", "-c", "true"}),
                                   parsed({"--", "sh", "-c", "true", "--simulate", file_}),
                                   parsed({"--", "sh", "-c", "true", "--simulate=" + file_})}) {
    ASSERT_TRUE(settings.platform);
    EXPECT_EQ(settings.platform->name, "box");
    EXPECT_EQ(settings.repetitions, 1);
    EXPECT_TRUE(settings.deterministic());
    EXPECT_EQ(shown_machine(settings), "simulated machine box: a box");
    const std::vector<Step> steps = remaining_steps(settings, {});
    ASSERT_EQ(steps.size(), 2U);
    for (const Step& step : steps) EXPECT_EQ(step.phase, Phase::measured);
  }
  const Settings given = parsed({"--simulate", file_, "--", "sh", "-c", "true"});
  EXPECT_EQ(given.command, (std::vector<std::string>{"sh", "-c", "true", "--simulate", file_}));
}

TEST_F(CompareSimulatedArguments, TimesOfTheSimulationItselfAreRepeated) {
  const Settings settings = parsed({"--time-from", "wall", "--repeat", "9", "--simulate", file_, "--", "sh"});
  EXPECT_EQ(settings.repetitions, 9);
  EXPECT_FALSE(settings.deterministic());
  EXPECT_EQ(settings.calibrations, 0);
}

TEST_F(CompareSimulatedArguments, RealMachinesStayAsTheyWere) {
  const Settings settings = parsed({"--", "sh", "-c", "true"});
  EXPECT_FALSE(settings.platform);
  EXPECT_EQ(settings.repetitions, 7);
  EXPECT_EQ(shown_machine(settings), "");
}

TEST_F(CompareSimulatedArguments, WhatIsWrong) {
  EXPECT_THROW(parsed({"--simulate", file_, "--", "sh", "--simulate", file_}), Error);
  EXPECT_THROW(parsed({"--simulate", "no-such-machine", "--", "sh"}), Error);
  EXPECT_THROW(parsed({"--", "sh", "--simulate", "missing.toml"}), Error);
}

}  // namespace
