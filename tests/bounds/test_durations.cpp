// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "bounds/durations.hpp"
#include "tests/traces/recording_builder.hpp"

namespace {

using namespace asterism::bounds;
using asterism::traces::PlatformRec;
using asterism::traces::testing::Builder;

asterism::traces::Recording four_tasks() {
  Builder b;
  b.units("CPU", 1).units("CUDA", 1);
  b.task("gemm", 0, 0, 1, {}, 7, 10);
  b.task("gemm", 0, 1, 3, {}, 7, 10);
  b.task("gemm", 0, 3, 9, {}, 7, 10);
  b.task("gemm", 1, 0, 0.5, {}, 7, 10);
  return b.finish();
}

double seconds(const Durations& d, const std::string& kind, const DurationOptions& o = {}) {
  const auto e = d.find("gemm", 7, kind, o);
  return e ? e->seconds : -1;
}

TEST(Durations, Aggregates) {
  Durations d;
  d.add(four_tasks(), Source::recording);
  EXPECT_DOUBLE_EQ(seconds(d, "CPU"), 3);
  EXPECT_DOUBLE_EQ(seconds(d, "CPU", {Aggregate::median}), 2);
  EXPECT_DOUBLE_EQ(seconds(d, "CPU", {Aggregate::minimum}), 1);
  EXPECT_DOUBLE_EQ(seconds(d, "CUDA"), 0.5);
  const auto e = d.find("gemm", 7, "CPU", {});
  EXPECT_EQ(e->count, 3U);
  EXPECT_DOUBLE_EQ(e->minimum, 1);
  EXPECT_DOUBLE_EQ(e->deviation, std::sqrt(14.0 / 3));
  EXPECT_FALSE(d.find("gemm", 8, "CPU", {}));
  EXPECT_FALSE(d.find("gemm", 7, "HIP", {}));
  EXPECT_EQ(parse_aggregate("min"), Aggregate::minimum);
  EXPECT_THROW(parse_aggregate("maximum"), asterism::Error);
}

TEST(Durations, OrderOfSources) {
  PlatformRec models;
  models.timings.push_back({"gemm", "cpu0", 7, 0, {}, 4e6, 0, 10});
  models.timings.push_back({"gemm", "cuda0", 7, 0, 20.0, 1e6, 0, 10});
  models.timings.push_back({"gemm", "cuda1", 7, 0, 20.0, 2e6, 0, 30});
  models.timings.push_back({"gemm", "hip0", 7, 0, {}, 3e6, 0, 1});
  Durations d;
  d.add(models);
  EXPECT_DOUBLE_EQ(seconds(d, "CUDA"), 1.75);  // 10 samples of 1 s, 30 of 2 s
  EXPECT_DOUBLE_EQ(seconds(d, "CUDA", {Aggregate::minimum}), 1);
  EXPECT_NEAR(d.find("gemm", 7, "CUDA", {})->deviation, std::sqrt(0.1875), 1e-12);
  d.add(four_tasks(), Source::others);
  EXPECT_DOUBLE_EQ(seconds(d, "CPU"), 3);
  EXPECT_DOUBLE_EQ(seconds(d, "CPU", {Aggregate::mean, {Source::models, Source::recording, Source::others}}), 4);
  EXPECT_DOUBLE_EQ(seconds(d, "HIP"), 3);
  EXPECT_EQ(d.find("gemm", 7, "HIP", {})->source, Source::models);
  EXPECT_EQ(d.kinds(), (std::vector<std::string>{"CPU", "CUDA", "HIP"}));
}

/// Models of devices that a recording tells from each other are not pooled.
TEST(Durations, ModelsOfGpusThatDiffer) {
  PlatformRec models;
  models.timings.push_back({"gemm", "cuda0", 7, 0, {}, 1e6, 0, 10});
  models.timings.push_back({"gemm", "cuda1", 7, 0, {}, 2e6, 0, 30});
  asterism::traces::Recording r;
  r.kinds = {{"CPU"}, {"CUDA (quick)", {0}}, {"CUDA (lame)", {1}}};
  Durations d;
  d.add(models, &r);
  EXPECT_DOUBLE_EQ(seconds(d, "CUDA (quick)"), 1);
  EXPECT_DOUBLE_EQ(seconds(d, "CUDA (lame)"), 2);
  EXPECT_FALSE(d.find("gemm", 7, "CUDA", {}));
}

TEST(Durations, BestRate) {
  Durations d;
  d.add(four_tasks(), Source::recording);
  EXPECT_DOUBLE_EQ(*d.best_rate("gemm", "CPU"), 10);
  EXPECT_DOUBLE_EQ(*d.best_rate("gemm", "CUDA"), 20);
  EXPECT_FALSE(d.best_rate("dot", "CPU"));
}

TEST(Durations, TaskThatEndsBeforeItStarts) {
  Builder b;
  b.units("CPU", 1);
  b.task("gemm", 0, 2, 1);
  Durations d;
  EXPECT_THROW(d.add(b.finish(), Source::recording), asterism::Error);
}

TEST(Durations, RatesFile) {
  const auto file = std::filesystem::temp_directory_path() / ("asterism-rates-" + std::to_string(getpid()));
  std::ofstream(file) << "codelet,kind,flop/s\n# peak\ngemm,CPU,1.5e10\ngemm,CUDA, 2e12 # fp64\n";
  const Rates rates = read_rates(file);
  EXPECT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates.at({"gemm", "CUDA"}), 2e12);
  std::ofstream(file) << "gemm,CPU\n";
  try {
    read_rates(file);
    FAIL();
  } catch (const asterism::Error& e) {
    EXPECT_EQ(e.what(), file.string() + ":1: found 'gemm,CPU', expected 'codelet,kind,flop/s' with a rate > 0");
  }
  std::filesystem::remove(file);
}

}  // namespace
