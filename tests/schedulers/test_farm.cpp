// SPDX-License-Identifier: Apache-2.0
// The schedulers for farms of independent tasks: what they decide, and under StarPU, as any program meets them.
#include <gtest/gtest.h>
#include <starpu.h>
#include <starpu_scheduler.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "schedulers/farm_queue.hpp"
#include "tests/schedulers/plugin.hpp"

namespace {

using namespace asterism::schedulers;
using Tasks = std::vector<int>;

bool any(int /*task*/) {
  return true;
}

TEST(FarmQueue, PriorityThenOrderOfArrival) {
  FarmQueue<int> queue;
  for (const auto& [task, priority] : std::vector<std::pair<int, int>>{{1, 0}, {2, 5}, {3, 0}, {4, 5}, {5, -1}})
    queue.push(task, priority, 1);
  EXPECT_EQ(queue.take(100, any), (Tasks{2, 4, 1, 3, 5}));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(FarmQueue, BatchesFillTheTargetAndStopAtTheFirstThatDoesNotFit) {
  FarmQueue<int> queue;
  for (int task = 1; task <= 6; ++task) queue.push(task, 0, task);
  EXPECT_EQ(queue.take(6, any), (Tasks{1, 2, 3}));  // exactly
  EXPECT_EQ(queue.take(8.9, any), (Tasks{4}));      // 5 more would be 9
  EXPECT_EQ(queue.take(0, any), (Tasks{5}));        // one at least
  EXPECT_EQ(queue.take(1, any), (Tasks{6}));        // though it is more than the target
  EXPECT_TRUE(queue.take(1, any).empty());
}

TEST(FarmQueue, TasksForOtherUnitsStay) {
  FarmQueue<int> queue;
  for (int task = 1; task <= 6; ++task) queue.push(task, 0, 1);
  EXPECT_EQ(queue.take(2, [](int task) { return task % 2 == 0; }), (Tasks{2, 4}));
  EXPECT_EQ(queue.take(10, any), (Tasks{1, 3, 5, 6}));
}

TEST(BestSpeed, IsTheHighestAndSurvivesSlowTasks) {
  BestSpeed speed;
  EXPECT_EQ(speed.value(), 0);
  speed.begin(1);
  speed.end(3, 10);
  EXPECT_DOUBLE_EQ(speed.value(), 5);
  speed.begin(3);
  speed.end(4, 12);
  EXPECT_DOUBLE_EQ(speed.value(), 12);
  speed.begin(4);
  speed.end(14, 10);
  EXPECT_DOUBLE_EQ(speed.value(), 12);
}

TEST(BestSpeed, ATaskThatBeganBehindAnotherCountsFromItsEnd) {
  BestSpeed speed;
  speed.begin(0);
  speed.begin(0.5);
  speed.end(2, 2);
  speed.end(4, 8);
  EXPECT_DOUBLE_EQ(speed.value(), 4);
}

// Under StarPU: two workers, tasks of some milliseconds.
struct Log {
  std::mutex mutex;
  std::vector<std::pair<int, int>> ran;  ///< (task, worker) in the order in which they began
};
struct TaskArgs {
  Log* log;
  int task;
  unsigned microseconds;
};

void note(void** /*buffers*/, void* arguments) {
  const auto& args = *static_cast<const TaskArgs*>(arguments);
  {
    const std::lock_guard lock(args.log->mutex);
    args.log->ran.emplace_back(args.task, starpu_worker_get_id());
  }
  usleep(args.microseconds);
}

class Farm : public testing::Test {
 protected:
  Farm() {
    starpu_codelet_init(&codelet_);
    codelet_.name = "farm_test";
    codelet_.where = STARPU_CPU;
    codelet_.cpu_funcs[0] = note;
    alarm(60);
  }
  ~Farm() override {
    unsetenv("ASTERISM_ASSIGNMENT_SECONDS");
    alarm(0);
  }

  /// Durations of tasks, in the order in which they are submitted, all at once.
  void run(const char* scheduler, const std::vector<unsigned>& microseconds, bool second_only_on_one = false) {
    choose(scheduler, 2);
    ASSERT_EQ(starpu_init(nullptr), 0);
    EXPECT_STREQ(starpu_sched_get_sched_policy()->policy_name, scheduler);
    starpu_codelet restricted = codelet_;
    restricted.can_execute = only_worker_one;
    starpu_pause();
    for (std::size_t i = 0; i < microseconds.size(); ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = second_only_on_one && i % 2 == 1 ? &restricted : &codelet_;
      auto* args = static_cast<TaskArgs*>(std::malloc(sizeof(TaskArgs)));
      *args = {&log_, static_cast<int>(i), microseconds[i]};
      task->cl_arg = args;
      task->cl_arg_size = sizeof(TaskArgs);
      task->cl_arg_free = 1;
      task->flops = microseconds[i];
      EXPECT_EQ(starpu_task_submit(task), 0);
    }
    starpu_resume();
    starpu_task_wait_for_all();
    starpu_shutdown();
    ASSERT_EQ(log_.ran.size(), microseconds.size());
  }
  [[nodiscard]] int tasks_of(int worker) const {
    return static_cast<int>(std::count_if(log_.ran.begin(), log_.ran.end(),
                                          [&](const std::pair<int, int>& r) { return r.second == worker; }));
  }
  [[nodiscard]] int worker_of(int task) const {
    return std::find_if(log_.ran.begin(), log_.ran.end(), [&](const auto& r) { return r.first == task; })->second;
  }

  Log log_;
  starpu_codelet codelet_;
};

/// The first task takes as long as all others together.
std::vector<unsigned> one_long_task() {
  std::vector<unsigned> durations(41, 5000);
  durations[0] = 200000;
  return durations;
}

TEST_F(Farm, GreedyGivesTheFreeUnitTheNextTask) {
  run("greedy", one_long_task());
  EXPECT_LE(tasks_of(worker_of(0)), 15);
}

TEST_F(Farm, ShortBatchesAreGreedy) {
  setenv("ASTERISM_ASSIGNMENT_SECONDS", "1e-6", 1);
  run("assignment", one_long_task());
  EXPECT_LE(tasks_of(worker_of(0)), 15);
}

TEST_F(Farm, ALongBatchIsKeptThoughTheOtherUnitIsFree) {
  setenv("ASTERISM_ASSIGNMENT_SECONDS", "100", 1);
  run("assignment", std::vector<unsigned>(41, 2000));
  // the unit that ends its first task first is assigned all that is left
  EXPECT_LE(std::min(tasks_of(0), tasks_of(1)), 1);
}

TEST_F(Farm, TasksForOneUnitDoNotHoldUpTheOther) {
  for (const char* scheduler : {"greedy", "assignment"}) {
    log_.ran.clear();
    run(scheduler, std::vector<unsigned>(40, 1000), true);
    for (const auto& [task, worker] : log_.ran) {
      if (task % 2 == 1) {
        EXPECT_EQ(worker, 1);
      }
    }
  }
}

/// Submitted while units wait for them, so that many end before their submission does.
TEST_F(Farm, TasksMayEndAtOnce) {
  constexpr int many = 30000;
  codelet_.cpu_funcs[0] = [](void**, void*) {};
  for (const char* scheduler : {"greedy", "assignment"}) {
    choose(scheduler, 2);
    ASSERT_EQ(starpu_init(nullptr), 0);
    for (int i = 0; i < many; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = &codelet_;
      ASSERT_EQ(starpu_task_submit(task), 0);
    }
    EXPECT_EQ(starpu_task_wait_for_all(), 0);
    starpu_shutdown();
  }
}

TEST_F(Farm, AnUnreadableTimeIsReportedAndReplaced) {
  setenv("ASTERISM_ASSIGNMENT_SECONDS", "soon", 1);
  testing::internal::CaptureStderr();
  run("assignment", {1000, 1000});
  EXPECT_NE(testing::internal::GetCapturedStderr().find("found 'soon'"), std::string::npos);
}

}  // namespace
