// SPDX-License-Identifier: Apache-2.0
// The scheduler "hprio" as any StarPU program meets it: named by STARPU_SCHED_LIB and STARPU_SCHED, with a table from
// the environment, from the application or none.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <starpu.h>
#include <starpu_scheduler.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "tests/schedulers/plugin.hpp"

namespace {

using namespace asterism::schedulers;

constexpr unsigned limit_seconds = 120;  ///< a hang ends the program

struct Log {
  std::mutex mutex;
  std::vector<int> tags;  ///< in the order in which the tasks ran
  std::atomic<bool> open{true};
};
struct TaskArgs {
  Log* log;
  int tag;
  bool waits;
};

void note(void** /*buffers*/, void* arguments) {
  const auto& args = *static_cast<const TaskArgs*>(arguments);
  while (args.waits && !args.log->open.load()) usleep(100);
  const std::lock_guard lock(args.log->mutex);
  args.log->tags.push_back(args.tag);
}

class Hprio : public testing::Test {
 protected:
  Hprio() {
    alarm(limit_seconds);
    library_ = dlopen(plugin(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
    order_ = reinterpret_cast<int (*)(const char*)>(dlsym(library_, "asterism_hprio_order"));
    error_ = reinterpret_cast<const char* (*)()>(dlsym(library_, "asterism_hprio_error"));
    for (std::size_t i = 0; i < codelets_.size(); ++i) {
      starpu_codelet_init(&codelets_[i]);
      codelets_[i].name = i == 0 ? "alpha" : i == 1 ? "beta" : "gamma";
      codelets_[i].cpu_funcs[0] = note;
    }
    starpu_codelet_init(&increment_);
    increment_.name = "increment";
    increment_.cpu_funcs[0] = increment;
    increment_.nbuffers = 1;
    increment_.modes[0] = STARPU_RW;
  }
  ~Hprio() override {
    stop();
    order_(nullptr);
    for (const char* name :
         {"ASTERISM_HPRIO_ORDER", "ASTERISM_HPRIO_RULES", "ASTERISM_HPRIO_LOOKAHEAD", "ASTERISM_HPRIO_SPEEDUP"})
      unsetenv(name);
    alarm(0);
  }
  void start(int workers) {
    choose("hprio", workers);
    ASSERT_EQ(starpu_init(nullptr), 0);
    running_ = true;
    ASSERT_STREQ(starpu_sched_get_sched_policy()->policy_name, "hprio");
  }
  void stop() {
    if (!running_) return;
    log_.open = true;
    starpu_task_wait_for_all();
    starpu_shutdown();
    running_ = false;
  }
  void submit(std::size_t codelet, int tag, int priority = 0, double flops = 0, bool waits = false) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelets_[codelet];
    auto* args = static_cast<TaskArgs*>(std::malloc(sizeof(TaskArgs)));
    *args = {&log_, tag, waits};
    task->cl_arg = args;
    task->cl_arg_size = sizeof(TaskArgs);
    task->cl_arg_free = 1;
    task->priority = priority;
    task->flops = flops;
    ASSERT_EQ(starpu_task_submit(task), 0);
  }
  /// Keeps the only worker busy until all tasks are there.
  void hold() {
    log_.open = false;
    submit(0, 1000, 1000, 0, true);
    usleep(20000);
  }
  std::vector<int> order() {
    log_.open = true;
    starpu_task_wait_for_all();
    return {log_.tags.begin() + 1, log_.tags.end()};
  }

  void* library_ = nullptr;
  int (*order_)(const char*) = nullptr;
  const char* (*error_)() = nullptr;
  Log log_;
  std::array<starpu_codelet, 3> codelets_{};
  starpu_codelet increment_{};
  bool running_ = false;
};

TEST_F(Hprio, WithoutATableByPriorityWithinACodelet) {
  start(1);
  hold();
  const std::vector<int> priorities{0, 5, -3, 5, 0, 900};
  for (std::size_t i = 0; i < priorities.size(); ++i) submit(0, static_cast<int>(i), priorities[i]);
  EXPECT_EQ(order(), (std::vector<int>{5, 1, 3, 0, 4, 2}));
}

TEST_F(Hprio, ATableFromTheEnvironment) {
  setenv("ASTERISM_HPRIO_ORDER",
         "gamma codelet=gam* 0 -\nhigh priority=5..9 1 0\nb codelet=beta split large 4 0 small 3 1", 1);
  EXPECT_EQ(order_("other codelet=* 0 0"), 0);  // loses against the user
  start(1);
  hold();
  submit(0, 0);          // rest
  submit(0, 1, 7);       // high
  submit(1, 2, 0, 100);  // large
  submit(1, 3, 0, 10);   // small
  submit(1, 4, 5, 10);   // high
  submit(2, 5, 9);       // gamma
  submit(1, 6, 0, 9);    // small
  submit(0, 7, 4);       // rest: first in, first out
  EXPECT_EQ(order(), (std::vector<int>{5, 1, 4, 3, 6, 2, 0, 7}));
}

TEST_F(Hprio, ATableFromTheApplicationBeforeAndWhileStarpuRuns) {
  ASSERT_NE(order_, nullptr);
  ASSERT_NE(error_, nullptr);
  EXPECT_EQ(order_("a codelet=alpha 1 1\nb codelet=beta 0 zero"), -1);
  EXPECT_STREQ(error_(), "line 2: expected the GPU priority (0, 1, 2, ... or -), found 'zero'");
  EXPECT_EQ(order_("a codelet=alpha 1 1\nb codelet=beta 0 0"), 0);
  EXPECT_STREQ(error_(), "");
  start(1);
  hold();
  submit(0, 0);
  submit(1, 1);
  EXPECT_EQ(order(), (std::vector<int>{1, 0}));
  log_.tags.clear();
  hold();
  submit(0, 0);
  submit(1, 1);
  EXPECT_EQ(order_("b codelet=beta 1 1\ng codelet=gamma per-priority 0 0"), 0);
  submit(1, 2);
  submit(2, 3);
  submit(2, 4, 1);
  EXPECT_EQ(order(), (std::vector<int>{1, 0, 4, 3, 2}));  // what came under the former table goes first
}

TEST_F(Hprio, AWrongTableOrRuleIsReportedInOneLineAndIgnored) {
  const auto said = [&](const char* variable, const char* value) {
    setenv(variable, value, 1);
    testing::internal::CaptureStderr();
    start(1);
    submit(0, 0);
    stop();
    std::string ours;
    std::string all = testing::internal::GetCapturedStderr();
    for (std::size_t from = all.find("[hprio]"); from != std::string::npos; from = all.find("[hprio]", from + 1))
      ours += all.substr(from, all.find('\n', from) + 1 - from);
    unsetenv(variable);
    return ours;
  };
  EXPECT_EQ(said("ASTERISM_HPRIO_ORDER", "\na codelet=b 0"),
            "[hprio] ASTERISM_HPRIO_ORDER: line 2: expected the GPU priority (0, 1, 2, ... or -), found the end of the "
            "line; ignored\n");
  EXPECT_EQ(said("ASTERISM_HPRIO_ORDER", "/nowhere"),
            "[hprio] ASTERISM_HPRIO_ORDER: /nowhere: expected a file that can be read, or the table itself; ignored\n");
  EXPECT_EQ(said("ASTERISM_HPRIO_RULES", "-terminator"),
            "[hprio] ASTERISM_HPRIO_RULES: expected -termination, -backlog, -split, -priorities, -prefetch, -locality "
            "or -speedup, separated by commas; found '-terminator'\n");
  EXPECT_EQ(said("ASTERISM_HPRIO_LOOKAHEAD", "many"),
            "[hprio] ASTERISM_HPRIO_LOOKAHEAD: expected a number of at least 0.000000, found 'many'\n");
  EXPECT_EQ(said("ASTERISM_HPRIO_RULES", "-termination,-backlog,-split,-priorities,-prefetch,-locality"), "");
  EXPECT_EQ(log_.tags.size(), 5U);
}

TEST_F(Hprio, WithoutPrioritiesOneQueue) {
  setenv("ASTERISM_HPRIO_RULES", "-priorities", 1);
  setenv("ASTERISM_HPRIO_ORDER", "b codelet=beta 0 0", 1);
  start(1);
  hold();
  for (int i = 0; i < 6; ++i) submit(static_cast<std::size_t>(i % 3), i, i);
  EXPECT_EQ(order(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST_F(Hprio, AWorkerThatCannotRunATaskLeavesIt) {
  codelets_[1].can_execute = only_worker_one;
  start(4);
  for (int i = 0; i < 200; ++i) submit(static_cast<std::size_t>(i % 2), i);
  starpu_task_wait_for_all();
  EXPECT_EQ(log_.tags.size(), 200U);
}

TEST_F(Hprio, ManySmallDependentTasksInSeveralSessions) {
  constexpr int chains = 40;
  constexpr int length = 250;
  for (const char* rules : {"", "-termination", "-backlog", "-priorities"}) {
    setenv("ASTERISM_HPRIO_RULES", rules, 1);
    start(8);
    std::array<long, chains> count{};
    std::array<starpu_data_handle_t, chains> handle{};
    for (std::size_t c = 0; c < chains; ++c)
      starpu_variable_data_register(&handle[c], STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&count[c]), sizeof(long));
    for (int i = 0; i < length; ++i)
      for (std::size_t c = 0; c < chains; ++c)
        ASSERT_EQ(starpu_task_insert(&increment_, STARPU_RW, handle[c], STARPU_PRIORITY, static_cast<int>(c), 0), 0);
    starpu_task_wait_for_all();
    for (auto& h : handle) starpu_data_unregister(h);
    for (const long c : count) EXPECT_EQ(c, length);
    stop();
  }
}

TEST_F(Hprio, SchedulingContextsOfTheirOwn) {
  start(4);
  std::array<int, 2> first{0, 1};
  std::array<int, 2> second{2, 3};
  const unsigned one = starpu_sched_ctx_create(first.data(), 2, "one", STARPU_SCHED_CTX_POLICY_NAME, "hprio", 0);
  const unsigned two = starpu_sched_ctx_create(second.data(), 2, "two", STARPU_SCHED_CTX_POLICY_NAME, "hprio", 0);
  for (int i = 0; i < 300; ++i) {
    unsigned context = i % 3 == 0 ? one : two;
    starpu_sched_ctx_set_context(&context);
    submit(static_cast<std::size_t>(i % 3), i);
  }
  starpu_task_wait_for_all_in_ctx(one);
  starpu_task_wait_for_all_in_ctx(two);
  EXPECT_EQ(log_.tags.size(), 300U);
  starpu_sched_ctx_set_context(nullptr);
  starpu_sched_ctx_delete(one);
  starpu_sched_ctx_delete(two);
}

}  // namespace
