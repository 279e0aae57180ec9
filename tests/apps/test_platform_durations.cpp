// SPDX-License-Identifier: Apache-2.0
// What a platform file says of codelets: out of recordings and StarPU's models, and back from the file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "apps/platform/durations.hpp"
#include "apps/platform/overheads.hpp"
#include "apps/platform/runs.hpp"
#include "apps/platform/write.hpp"
#include "base/error.hpp"
#include "runtime/session.hpp"

namespace asterism::apps::platform {
namespace {

namespace fs = std::filesystem;

/// A recording of one core and one GPU.
class Recorded {
 public:
  /// `data_grow`: tasks read as many bytes more as they do operations; else all have the same data.
  explicit Recorded(bool data_grow = false) : data_grow_(data_grow) {
    recording_.kinds = {{"CPU"}, {"CUDA"}, {"OpenCL"}};
    for (std::uint32_t kind = 0; kind < 3; ++kind) recording_.units.push_back({"unit", kind, 0, kind, 0});
    recording_.codelets = {{"product", "product_double"}, {"sum", ""}, {"starpu_data_cpy", ""}};
    recording_.handles = {{"a", 100}, {"b", 1000}};
  }
  Recorded& task(std::uint32_t codelet, std::uint32_t unit, std::uint32_t footprint, double flops, double seconds) {
    traces::Task t;
    t.codelet = codelet;
    t.unit = unit;
    t.footprint = footprint;
    t.flops = flops;
    t.start = 1;
    t.end = 1 + seconds;
    recording_.tasks.push_back(t);
    recording_.accesses.item.push_back({0, traces::Mode::read});
    recording_.accesses.item.push_back({1, traces::Mode::read_write});
    if (data_grow_) {
      recording_.accesses.item.push_back({static_cast<std::uint32_t>(recording_.handles.size()), traces::Mode::read});
      recording_.handles.push_back({"c", static_cast<std::size_t>(flops)});
    }
    recording_.accesses.close();
    return *this;
  }
  [[nodiscard]] const traces::Recording& get() const { return recording_; }

 private:
  traces::Recording recording_;
  bool data_grow_;
};

constexpr std::uint32_t product = 0, sum = 1, copy = 2;
constexpr std::uint32_t cpu = 0, gpu = 1, other = 2;

TaskCost rates(double seconds, double flops, double bytes) {
  TaskCost cost;
  cost.seconds = seconds;
  cost.flops = flops;
  cost.bytes = bytes;
  return cost;
}

Platform::Codelet codelet(const MeasuredDurations& durations, const std::string& name) {
  const auto all = durations.codelets(rates(1e-6, 2e9, 3e9), {rates(1e-5, 2e12, 3e12)});
  const auto found = all.find(name);
  return found == all.end() ? Platform::Codelet{} : found->second;
}

TEST(MeasuredDurations, SamplesByFlopsWithoutOutliers) {
  MeasuredDurations durations;
  Recorded r;
  for (int i = 0; i < 4; ++i) r.task(product, gpu, 1, 1e6, 2e-3).task(product, gpu, 2, 1.4e6, 5e-3);
  r.task(product, gpu, 1, 1e6, 1.0);  // the kernel's first launch
  r.task(product, other, 1, 1e6, 7.0).task(copy, cpu, 9, 0, 7.0);
  durations.add(r.get());
  EXPECT_EQ(durations.tasks(), 9U);
  const Platform::Codelet c = codelet(durations, "product_double");
  ASSERT_TRUE(c.gpu.size() == 1 && c.cpu);
  ASSERT_EQ(c.gpu.at(0).samples.size(), 2U);
  EXPECT_EQ(c.gpu.at(0).sized_by, TaskCost::Size::flops);
  EXPECT_DOUBLE_EQ(c.gpu.at(0).samples[0].size, 1e6);
  EXPECT_NEAR(c.gpu.at(0).samples[0].seconds, 2e-3, 1e-12);
  EXPECT_NEAR(c.gpu.at(0).samples[1].seconds, 5e-3, 1e-12);
  EXPECT_NEAR(c.gpu.at(0).of_class.at(2), 5e-3, 1e-12);
  EXPECT_TRUE(c.cpu->samples.empty());  // never seen there: as by default
  EXPECT_EQ(c.cpu->flops, 2e9);
  EXPECT_NEAR(durations.flops_per_second(UnitKind::gpu), 2.8e8, 1);
  EXPECT_EQ(durations.flops_per_second(UnitKind::cpu), 0);
  EXPECT_NEAR(durations.shortest(UnitKind::gpu), 2e-3, 1e-12);
  EXPECT_FALSE(codelet(durations, "starpu_data_cpy").cpu);
}

TEST(MeasuredDurations, ThoseOfOtherIntensitiesApart) {
  MeasuredDurations durations;
  Recorded r;
  for (int i = 0; i < 4; ++i)
    r.task(product, gpu, 1, 1e6, 2e-3).task(product, gpu, 2, 4e6, 3e-3).task(product, gpu, 3, 1.1e6, 2.1e-3);
  durations.add(r.get());
  const TaskCost found = codelet(durations, "product_double").gpu.at(0);
  EXPECT_TRUE(found.samples.empty());
  ASSERT_EQ(found.at.size(), 2U);
  EXPECT_NEAR(found.at[0].intensity, 1.05e6 / 2100, 1e-9);
  ASSERT_EQ(found.at[0].samples.size(), 2U);
  EXPECT_NEAR(found.at[0].samples[1].seconds, 2.1e-3, 1e-12);
  EXPECT_NEAR(found.at[1].intensity, 4e6 / 2100, 1e-9);
  ASSERT_EQ(found.at[1].samples.size(), 1U);
  EXPECT_NEAR(found.at[1].samples[0].seconds, 3e-3, 1e-12);
}

/// The first task of a class is slow: one of few tasks counts where nothing else is known of its size.
TEST(MeasuredDurations, RareOnesBetweenOthersAreNoSamples) {
  MeasuredDurations durations;
  Recorded r(true);
  for (std::size_t i = 0; i < MeasuredDurations::enough; ++i)
    r.task(product, gpu, 1, 1e6, 1e-3).task(product, gpu, 4, 4e6, 4e-3);
  r.task(product, gpu, 2, 2e6, 3e-3).task(product, gpu, 8, 8e6, 9e-3);
  durations.add(r.get());
  const TaskCost found = codelet(durations, "product_double").gpu.at(0);
  ASSERT_EQ(found.samples.size(), 3U);
  EXPECT_DOUBLE_EQ(found.samples[1].size, 4e6);
  EXPECT_NEAR(found.samples[2].seconds, 9e-3, 1e-12);
  EXPECT_NEAR(found.of_class.at(2), 3e-3, 1e-12);
}

TEST(MeasuredDurations, SamplesByBytesWhereNoFlopsAreCounted) {
  MeasuredDurations durations;
  durations.add(Recorded().task(sum, cpu, 1, 0, 1e-4).get());
  const Platform::Codelet c = codelet(durations, "sum");
  ASSERT_EQ(c.cpu->samples.size(), 1U);
  EXPECT_EQ(c.cpu->sized_by, TaskCost::Size::bytes);
  EXPECT_DOUBLE_EQ(c.cpu->samples[0].size, 100 + 2 * 1000);
}

TEST(MeasuredDurations, FirstRecordingsCountWhereTheyHaveEnough) {
  MeasuredDurations durations;
  Recorded first;
  for (std::size_t i = 0; i < MeasuredDurations::enough; ++i) first.task(product, gpu, 1, 1e6, 1e-3);
  first.task(product, gpu, 2, 2e6, 1e-3);
  durations.add(first.get());
  durations.add(Recorded().task(product, gpu, 1, 1e6, 3e-3).task(product, gpu, 2, 2e6, 3e-3).get());
  const Platform::Codelet c = codelet(durations, "product_double");
  EXPECT_NEAR(c.gpu.at(0).of_class.at(1), 1e-3, 1e-12);
  EXPECT_NEAR(c.gpu.at(0).of_class.at(2), 2e-3, 1e-12);
}

/// Recording makes small tasks longer: StarPU's own means of runs that were not recorded are better, once the first
/// launch is taken out.
TEST(MeasuredDurations, ModelsReplaceWhatWasRecorded) {
  MeasuredDurations durations;
  Recorded r;
  for (std::uint32_t footprint : {1U, 2U}) r.task(product, gpu, footprint, footprint * 1e6, 9e-3);
  durations.add(r.get());
  const double n = 100, m = 50, o = 4000;  // microseconds
  traces::PlatformRec models;
  traces::Timing timing{"product_double", "cuda0", 1, 0, 1e6, m + o / n, o * std::sqrt(n - 1) / n, 100};
  models.timings.push_back(timing);
  timing.architecture = "cuda1";
  timing.mean = 2 * m;
  timing.deviation = 0;
  timing.samples = 300;
  models.timings.push_back(timing);
  timing.footprint = 2;
  timing.samples = MeasuredDurations::enough - 1;
  models.timings.push_back(timing);
  timing.footprint = 3;  // nobody recorded it
  timing.samples = 300;
  models.timings.push_back(timing);
  durations.add(models);
  const Platform::Codelet c = codelet(durations, "product_double");
  EXPECT_NEAR(c.gpu.at(0).of_class.at(1), 1e-6 * (0.25 * m + 0.75 * 2 * m), 1e-12);
  EXPECT_NEAR(c.gpu.at(0).of_class.at(2), 9e-3, 1e-12);
  EXPECT_EQ(c.gpu.at(0).of_class.size(), 2U);
}

TEST(MeasuredDurations, SizesAreJoinedUntilFewAreLeft) {
  MeasuredDurations durations;
  Recorded r(true);
  for (std::uint32_t i = 0; i < 500; ++i) r.task(product, cpu, i, 1e6 * (1 + i), 1e-6 * (1 + i));
  durations.add(r.get());
  const TaskCost cost = *codelet(durations, "product_double").cpu;
  EXPECT_LE(cost.samples.size(), MeasuredDurations::most_samples);
  EXPECT_GE(cost.samples.size(), MeasuredDurations::most_samples / 3);
  for (std::size_t i = 1; i < cost.samples.size(); ++i) EXPECT_GT(cost.samples[i].size, cost.samples[i - 1].size);
  for (const double flops : {2e6, 33e6, 450e6}) EXPECT_NEAR(cost.of({flops, 0, 9999}), 1e-12 * flops, 0.03e-12 * flops);
}

/// Samples do not fall with size: the regression is the mean of neighbours that do, by tasks. Classes stay as measured.
TEST(MeasuredDurations, SamplesNeverFallWithSize) {
  MeasuredDurations durations;
  Recorded r(true);
  const auto add = [&](int tasks, std::uint32_t footprint, double flops, double seconds) {
    for (int i = 0; i < tasks; ++i) r.task(product, gpu, footprint, flops, seconds);
  };
  add(5, 1, 1e6, 2e-3);
  add(10, 2, 2e6, 5e-3);
  add(30, 3, 4e6, 4e-3);  // less than the one before, and with that
  add(10, 4, 8e6, 3e-3);  // less than both together
  add(5, 5, 9e6, 6e-3);
  durations.add(r.get());
  const TaskCost cost = codelet(durations, "product_double").gpu.at(0);
  ASSERT_EQ(cost.samples.size(), 3U);
  EXPECT_NEAR(cost.samples[0].seconds, 2e-3, 1e-12);
  EXPECT_NEAR(cost.samples[1].size, (10 * 2e6 + 30 * 4e6 + 10 * 8e6) / 50, 1e-3);
  EXPECT_NEAR(cost.samples[1].seconds, (10 * 5e-3 + 30 * 4e-3 + 10 * 3e-3) / 50, 1e-12);
  EXPECT_NEAR(cost.samples[2].seconds, 6e-3, 1e-12);
  EXPECT_NEAR(cost.of_class.at(2), 5e-3, 1e-12);
  EXPECT_NEAR(cost.of_class.at(4), 3e-3, 1e-12);

  // one that is so short that it takes all before it along
  MeasuredDurations other;
  r = Recorded(true);
  add(10, 1, 1e6, 4e-3);
  add(10, 2, 2e6, 5e-3);
  add(10, 3, 4e6, 1e-3);
  other.add(r.get());
  const TaskCost pooled = codelet(other, "product_double").gpu.at(0);
  ASSERT_EQ(pooled.samples.size(), 1U);
  EXPECT_NEAR(pooled.samples[0].seconds, 10e-3 / 3, 1e-12);
}

/// StarPU's time for a task is more than the task's own, and grows with its data.
TEST(Overheads, AreThoseOfAChain) {
  SessionOptions options;
  options.scheduler = "eager";
  options.cpus = 1;
  options.gpus = 0;
  const Session session(options);
  const int worker = session.units().front().worker;
  const ChainTimes few = measure_chain({worker}, 0);
  EXPECT_GT(few.wall, few.duration);
  EXPECT_GT(few.duration, 0);
  EXPECT_LT(few.duration, 1e-3);
  const ChainTimes many = measure_chain({worker}, 30);
  EXPECT_GT(many.wall, few.wall);
  EXPECT_THROW(measure_chain({worker}, 1000), Error);
  const Overheads one = measure_overheads({worker}, 0);
  EXPECT_EQ(one.copy, one.launch);
  EXPECT_GE(one.datum, 0);
  EXPECT_LT(one.launch, 1e-2);
}

TEST(PlatformText, IsReadBack) {
  Platform platform;
  platform.description = "a \"machine\" \\ of\nours";
  platform.overheads = {6e-6, 0, 5e-7};
  platform.cores = 12;
  platform.cpu_model = "core";
  platform.cpu = rates(1e-6, 2e9, 3);
  platform.gpu_kinds = {{2, "GPU", 6e9, rates(1e-5, 2e12, 3e12)}};
  platform.to_gpu = {{1e10, 1e-5}, {2e10, 2e-5}};
  platform.from_gpu = {{3e10, 3e-5}, {4e10, 4e-5}};
  platform.shared = 5e10;
  platform.peers.assign(4, Link{6e10, 5e-6});
  TaskCost measured = platform.gpu_kinds.front().rates;
  measured.sized_by = TaskCost::Size::bytes;
  measured.samples = {{10, 1e-3}, {1e9, 2}};
  measured.of_class = {{0xa1, 0.5}, {7, 0.25}};
  TaskCost several = measured;
  several.sized_by = TaskCost::Size::flops;
  several.at = {{0.5, {{10, 1e-3}}}, {2, {{40, 2e-3}, {80, 3e-3}}}};
  several.samples.clear();
  platform.codelets["stencil"] = {platform.cpu, {several}};
  TaskCost rated = platform.cpu;
  rated.seconds = 4e-6;
  rated.flops = 7e9;
  rated.bytes = std::numeric_limits<double>::infinity();
  platform.codelets["product_double"] = {rated, {measured}};
  platform.codelets["sum"] = {platform.cpu, {}};

  const fs::path folder = fs::temp_directory_path() / ("asterism-platform_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  write_platform(folder / "box.toml", platform, {"a remark", "and another"});
  const Platform read = read_platform(folder / "box.toml");
  platform.peers[2] = {7e10, 1e-6};
  platform.in_turn = true;
  write_platform(folder / "pairs.toml", platform, {});
  const Platform pairs = read_platform(folder / "pairs.toml");
  fs::remove_all(folder);
  EXPECT_EQ(pairs.peer(0, 1)->bandwidth, 6e10);
  EXPECT_EQ(pairs.peer(1, 0)->bandwidth, 7e10);
  EXPECT_EQ(pairs.peer(1, 0)->latency, 1e-6);
  EXPECT_TRUE(pairs.in_turn);

  EXPECT_EQ(read.name, "box");
  EXPECT_EQ(read.description, "a \"machine\" \\ of ours");
  EXPECT_TRUE(read.overheads == platform.overheads);
  EXPECT_EQ(read.cores, 12);
  EXPECT_EQ(read.cpu.bytes, 3);
  ASSERT_EQ(read.gpu_kinds.size(), 1U);
  EXPECT_EQ(read.gpu_kinds[0].rates.flops, 2e12);
  EXPECT_EQ(read.gpu_kinds[0].memory, 6e9);
  EXPECT_EQ(read.to_gpu[1].latency, 2e-5);
  EXPECT_EQ(read.from_gpu[0].bandwidth, 3e10);
  EXPECT_EQ(read.shared, 5e10);
  EXPECT_EQ(read.peer(1, 0)->latency, 5e-6);
  EXPECT_FALSE(read.in_turn);
  const Platform::Codelet& product_read = read.codelets.at("product_double");
  EXPECT_EQ(product_read.cpu->seconds, 4e-6);
  EXPECT_EQ(product_read.cpu->flops, 7e9);
  EXPECT_TRUE(std::isinf(product_read.cpu->bytes));
  EXPECT_EQ(product_read.gpu.at(0).sized_by, TaskCost::Size::bytes);
  EXPECT_EQ(product_read.gpu.at(0).samples[1].seconds, 2);
  EXPECT_EQ(product_read.gpu.at(0).of_class, measured.of_class);
  EXPECT_TRUE(read.codelets.at("sum").gpu.empty());
  EXPECT_EQ(read.codelets.at("sum").cpu->flops, 2e9);
  const TaskCost& stencil = read.codelets.at("stencil").gpu.at(0);
  ASSERT_EQ(stencil.at.size(), 2U);
  EXPECT_EQ(stencil.at[1].intensity, 2);
  EXPECT_EQ(stencil.at[1].samples[1].seconds, 3e-3);
}

/// Several kinds of GPUs: an array of tables, and of the costs on each.
TEST(PlatformText, OfSeveralKindsIsReadBack) {
  Platform platform;
  platform.description = "two kinds";
  platform.cores = 1;
  platform.cpu = rates(1e-6, 2e9, 3);
  platform.gpu_kinds = {{1, "fast", 6e9, rates(1e-5, 2e12, 3e12)}, {2, "slow", 2e9, rates(2e-5, 1e12, 1e12)}};
  platform.to_gpu = platform.from_gpu = std::vector<Link>(3, {1e10, 1e-5});
  TaskCost measured = platform.gpu_kinds[1].rates;
  measured.seconds = 7e-5;
  platform.codelets["product_double"] = {platform.cpu, {platform.gpu_kinds[0].rates, measured}};
  platform.codelets["sum"] = {platform.cpu, {}};

  const fs::path folder = fs::temp_directory_path() / ("asterism-platform_kinds_" + std::to_string(getpid()));
  fs::create_directories(folder);
  write_platform(folder / "box.toml", platform, {});
  const Platform read = read_platform(folder / "box.toml");
  fs::remove_all(folder);

  ASSERT_EQ(read.gpu_kinds.size(), 2U);
  EXPECT_EQ(read.gpu_kinds[0].model, "fast");
  EXPECT_EQ(read.gpu_kinds[1].count, 2);
  EXPECT_EQ(read.gpu_kinds[1].rates.bytes, 1e12);
  const std::vector<TaskCost>& costs = read.codelets.at("product_double").gpu;
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_EQ(costs[0].seconds, 1e-5);
  EXPECT_EQ(costs[1].seconds, 7e-5);
  EXPECT_EQ(costs[1].flops, 1e12);
  EXPECT_TRUE(read.codelets.at("sum").gpu.empty());
}

TEST(StandardRuns, AreOfEveryMethodAndKind) {
  for (const std::string& method : methods()) {
    bool on_gpus = false;
    for (const auto& run : standard_runs(method, true)) {
      EXPECT_EQ(run.front(), "asterism-" + method);
      on_gpus = on_gpus || std::find(run.begin(), run.end(), "--gpus") == run.end();
    }
    EXPECT_TRUE(on_gpus) << method;
    for (const auto& run : standard_runs(method, false))
      EXPECT_EQ(std::find(run.begin(), run.end(), "--cpus"), run.end()) << method;
  }
  EXPECT_THROW(standard_runs("dem", true), Error);
}

}  // namespace
}  // namespace asterism::apps::platform
