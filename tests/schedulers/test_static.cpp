// SPDX-License-Identifier: Apache-2.0
// The scheduler "static" as any StarPU program meets it: every task on the unit of the file, in the order of the file
// where it can, and no task lost when file and program do not fit.
#include <gtest/gtest.h>
#include <starpu.h>
#include <starpu_scheduler.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "tests/schedulers/plugin.hpp"

namespace {

using namespace asterism::schedulers;

struct Ran {
  int tag;
  int worker;
};

std::mutex mutex;
std::vector<Ran> ran;
std::atomic<bool> open{true};

void note(void** /*buffers*/, void* arguments) {
  const int tag = *static_cast<const int*>(arguments);
  while (tag < 0 && !open.load()) usleep(100);
  const std::lock_guard lock(mutex);
  ran.push_back({tag, starpu_worker_get_id()});
}

class Static : public testing::Test {
 protected:
  static constexpr int workers = 3;

  Static() : file_(std::filesystem::temp_directory_path() / ("static-" + std::to_string(getpid()) + ".rec")) {
    starpu_codelet_init(&codelet_);
    codelet_.name = "static_test";
    codelet_.where = STARPU_CPU;
    codelet_.cpu_funcs[0] = note;
    ran.clear();
    open = true;
    alarm(60);
  }
  ~Static() override {
    open = true;
    if (running_) {
      starpu_task_wait_for_all();
      starpu_shutdown();
    }
    std::filesystem::remove(file_);
    unsetenv("ASTERISM_STATIC_SCHEDULE");
    alarm(0);
  }
  void start(const std::string& text) {
    std::ofstream(file_) << text;
    setenv("ASTERISM_STATIC_SCHEDULE", file_.c_str(), 1);
    choose("static", workers);
    ASSERT_EQ(starpu_init(nullptr), 0);
    running_ = true;
    ASSERT_STREQ(starpu_sched_get_sched_policy()->policy_name, "static");
  }
  void submit(int tag) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet_;
    auto* argument = static_cast<int*>(std::malloc(sizeof(int)));
    *argument = tag;
    task->cl_arg = argument;
    task->cl_arg_size = sizeof(int);
    task->cl_arg_free = 1;
    ASSERT_EQ(starpu_task_submit(task), 0);
  }
  static std::string record(long order, int worker, long priority) {
    return "SubmitOrder: " + std::to_string(order) + "\nPriority: " + std::to_string(priority) +
           "\nSpecificWorker: " + std::to_string(worker) + "\nWorkers: 0 1\n\n";
  }

  std::filesystem::path file_;
  starpu_codelet codelet_{};
  bool running_ = false;
};

TEST_F(Static, UnitsOfTheFileByOrderOfSubmission) {
  // SubmitOrder counts tasks that run nowhere too: only its order matters, and not that of the records
  std::string text;
  for (int i = 9; i >= 0; --i) text += record(3 + 2 * i, (7 * i) % workers, -i);
  start(text);
  for (int i = 0; i < 10; ++i) submit(i);
  starpu_task_wait_for_all();
  ASSERT_EQ(ran.size(), 10U);
  for (const Ran& r : ran) EXPECT_EQ(r.worker, (7 * r.tag) % workers) << r.tag;
}

TEST_F(Static, OrderOfTheFile) {
  // the first keeps the unit busy until all others wait for it
  std::string text = record(1, 1, 100);
  const std::vector<long> priority{3, 70000, -5, 40, 12};
  for (std::size_t i = 0; i < priority.size(); ++i) text += record(2 + static_cast<long>(i), 1, priority[i]);
  open = false;
  start(text);
  submit(-1);
  usleep(20000);
  for (int i = 0; i < 5; ++i) submit(i);
  usleep(20000);
  open = true;
  starpu_task_wait_for_all();
  std::vector<int> order;
  for (const Ran& r : ran) order.push_back(r.tag);
  EXPECT_EQ(order, (std::vector<int>{-1, 1, 3, 4, 0, 2}));
}

TEST_F(Static, DoesNotWaitForATaskThatIsLate) {
  // the unit's first task by the file depends on one that waits; the second runs meanwhile
  start(record(1, 0, 9) + record(2, 1, 8) + record(3, 1, 7));
  open = false;
  starpu_task* blocker = starpu_task_create();
  blocker->cl = &codelet_;
  static int waits = -1;
  blocker->cl_arg = &waits;
  blocker->cl_arg_size = sizeof(int);
  starpu_task* late = starpu_task_create();
  late->cl = &codelet_;
  static int tag = 1;
  late->cl_arg = &tag;
  late->cl_arg_size = sizeof(int);
  starpu_task_declare_deps(late, 1, blocker);
  ASSERT_EQ(starpu_task_submit(blocker), 0);
  ASSERT_EQ(starpu_task_submit(late), 0);
  submit(2);
  for (int i = 0; i < 2000; ++i) {
    usleep(1000);
    const std::lock_guard lock(mutex);
    if (!ran.empty()) break;
  }
  {
    const std::lock_guard lock(mutex);
    ASSERT_EQ(ran.size(), 1U);
    EXPECT_EQ(ran[0].tag, 2);
    EXPECT_EQ(ran[0].worker, 1);
  }
  open = true;
  starpu_task_wait_for_all();
  EXPECT_EQ(ran.size(), 3U);
}

TEST_F(Static, MoreTasksThanRecordsAndUnitsThatAreNotThere) {
  start(record(1, 0, 0) + record(2, 17, 0));
  for (int i = 0; i < 6; ++i) submit(i);
  starpu_task_wait_for_all();
  EXPECT_EQ(ran.size(), 6U);
}

TEST_F(Static, WrongFileIsSaidAndAllTasksRun) {
  testing::internal::CaptureStderr();
  start("SubmitOrder: 1\nSpecificWorker: two\n");
  for (int i = 0; i < 4; ++i) submit(i);
  starpu_task_wait_for_all();
  EXPECT_EQ(ran.size(), 4U);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find(file_.string() + ":2: expected a whole number after SpecificWorker: , found 'two'"),
            std::string::npos)
      << said;
}

}  // namespace
