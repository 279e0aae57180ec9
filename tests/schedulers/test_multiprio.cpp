// SPDX-License-Identifier: Apache-2.0
// The schedulers "multiprio" and "er-ls": the heaps of the first on nodes that do not exist, scores by hand; and both
// as any StarPU program meets them. What they do on CPUs and GPUs: tests/simulated.
#include <gtest/gtest.h>
#include <starpu.h>
#include <starpu_scheduler.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedulers/multiprio/heaps.hpp"
#include "tests/schedulers/plugin.hpp"

namespace {

using namespace asterism::schedulers;
using multiprio::Heaps;

constexpr std::size_t cpus = 0;
constexpr std::size_t gpu = 1;

/// Tasks are numbers; 0 is none.
struct World {
  World() { EXPECT_TRUE(heaps.reset({4, 1}).empty()); }
  void push(std::uintptr_t task, std::optional<double> on_cpu, std::optional<double> on_gpu, double out_degree = 0) {
    heaps.push(reinterpret_cast<void*>(task), {on_cpu, on_gpu}, out_degree);
  }
  std::uintptr_t pop(std::size_t node, std::uintptr_t nearest = 0, std::uintptr_t forbidden = 0) {
    return reinterpret_cast<std::uintptr_t>(heaps.pop(node, [&](void* task) -> std::optional<double> {
      const auto number = reinterpret_cast<std::uintptr_t>(task);
      if (number == forbidden) return std::nullopt;
      return number == nearest ? 1 : 0;
    }));
  }
  Heaps heaps;
};

TEST(MultiprioHeaps, EachNodeHasItsOwnOrderByGain) {
  World world;
  world.push(1, 30, 1);  // differences on the GPU 29, 2 and -1, on CPUs the opposite
  world.push(2, 3, 1);
  world.push(3, 1, 2);
  EXPECT_EQ(world.pop(cpus), 3U);
  // 2 us wait for the GPU: shorter than either task is on a CPU, which evicts both
  EXPECT_EQ(world.pop(cpus), 0U);
  EXPECT_EQ(world.heaps.size(), 2U);
  EXPECT_EQ(world.pop(gpu), 1U);
  EXPECT_EQ(world.pop(gpu), 2U);
  EXPECT_EQ(world.heaps.size(), 0U);
}

TEST(MultiprioHeaps, ASlowUnitHelpsWhileTheFastOnesAreBusyForLonger) {
  World world;
  for (std::uintptr_t task = 1; task <= 7; ++task) world.push(task, 5, 1);
  EXPECT_EQ(world.pop(cpus), 1U);  // 7 us wait for the GPU
  EXPECT_EQ(world.pop(cpus), 2U);  // 6
  EXPECT_EQ(world.pop(cpus), 0U);  // 5: no longer than on a CPU; all are evicted from its heap
  for (std::uintptr_t task = 8; task <= 20; ++task) world.push(task, std::nullopt, 1);
  EXPECT_EQ(world.pop(cpus), 0U);  // for good
  EXPECT_EQ(world.pop(gpu), 3U);
}

TEST(MultiprioHeaps, WorkIsSharedByTheUnitsOfTheBestKind) {
  Heaps heaps;
  heaps.reset({1, 1, 1});  // a CPU, two GPUs
  for (std::uintptr_t task = 1; task <= 11; ++task) heaps.push(reinterpret_cast<void*>(task), {5, 1, 1}, 0);
  const auto anywhere = [](void*) { return std::optional<double>(0); };
  EXPECT_NE(heaps.pop(0, anywhere), nullptr);  // 11 us for two GPUs: 5.5 each
  EXPECT_EQ(heaps.pop(0, anywhere), nullptr);  // 5 each
  EXPECT_NE(heaps.pop(2, anywhere), nullptr);
}

TEST(MultiprioHeaps, OutDegreeThenArrivalAmongEqualGains) {
  World world;
  world.push(1, 4, 2, 0.5);
  world.push(2, 4, 2, 1.5);
  world.push(3, 4, 2, 1.5);
  for (const std::uintptr_t expected : {2U, 3U, 1U, 0U}) EXPECT_EQ(world.pop(gpu), expected);
}

TEST(MultiprioHeaps, LocalityAmongTheFirstOfSimilarGain) {
  World world;
  for (std::uintptr_t task = 1; task <= 12; ++task) world.push(task, 20, 1);
  world.push(13, 1, 20);  // gain 0 on the GPU, 1 below the first: too far behind, wherever its data are
  EXPECT_EQ(world.pop(gpu, 13), 1U);
  EXPECT_EQ(world.pop(gpu, 12), 2U);  // the eleventh now: outside of the window
  EXPECT_EQ(world.pop(gpu, 12), 12U);
  EXPECT_EQ(world.pop(gpu, 5, 3), 5U);
  EXPECT_EQ(world.pop(gpu, 0, 3), 4U);  // this unit cannot run the first
}

TEST(MultiprioHeaps, UnknownDurationsHoldNobodyBack) {
  World world;
  world.push(1, 0, 0);
  world.push(2, 100, 0);
  EXPECT_EQ(world.pop(cpus), 1U);
  EXPECT_EQ(world.pop(cpus), 2U);
}

TEST(MultiprioHeaps, OtherNodesTakeOverWhatWaited) {
  World world;
  world.push(1, 1, 1);
  world.push(2, 1, std::nullopt);
  EXPECT_EQ(world.heaps.reset({1}).size(), 2U);
  EXPECT_EQ(world.heaps.size(), 0U);
}

// ---- with StarPU

class Policies : public testing::TestWithParam<const char*> {
 protected:
  static constexpr int workers = 3;
  Policies() {
    alarm(60);
    choose(GetParam(), workers);
    EXPECT_EQ(starpu_init(nullptr), 0);
    EXPECT_STREQ(starpu_sched_get_sched_policy()->policy_name, GetParam());
    starpu_codelet_init(&codelet_);
    codelet_.name = "policies_test";
    codelet_.cpu_funcs[0] = increment;
    codelet_.nbuffers = 1;
    codelet_.modes[0] = STARPU_RW;
  }
  ~Policies() override {
    starpu_shutdown();
    alarm(0);
  }
  starpu_codelet codelet_{};
};

TEST_P(Policies, ChainsOfTasksRunInOrderAndNoneIsLost) {
  std::vector<long> counts(5, 0);
  std::vector<starpu_data_handle_t> handles(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&counts[i]), sizeof(long));
  starpu_codelet restricted = codelet_;
  restricted.can_execute = only_worker_one;
  for (int round = 0; round < 400; ++round)
    for (starpu_data_handle_t handle : handles)
      ASSERT_EQ(starpu_task_insert(round % 7 == 0 ? &restricted : &codelet_, STARPU_PRIORITY, round % 3, STARPU_RW,
                                   handle, 0),
                0);
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  for (const long count : counts) EXPECT_EQ(count, 400);
}

TEST_P(Policies, RefuseATaskThatNobodyCanRun) {
  codelet_.nbuffers = 0;
  codelet_.can_execute = [](unsigned, starpu_task*, unsigned) { return 0; };
  starpu_task* const task = starpu_task_create();
  task->cl = &codelet_;
  EXPECT_EQ(starpu_task_submit(task), -ENODEV);
  task->destroy = 0;
  starpu_task_destroy(task);
}

INSTANTIATE_TEST_SUITE_P(Schedulers, Policies, testing::Values("er-ls", "multiprio"), [](const auto& scheduler) {
  return std::string(scheduler.param) == "er-ls" ? "ErLs" : "Multiprio";
});

}  // namespace
