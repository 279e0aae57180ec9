// SPDX-License-Identifier: Apache-2.0
// The static cyclic scheduler as any StarPU program meets it: a library named by STARPU_SCHED_LIB, found by name.
// Every test starts StarPU anew with four CPU workers, on however few cores.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <starpu.h>
#include <starpu_scheduler.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/schedulers/plugin.hpp"

namespace {

using namespace asterism::schedulers;

constexpr unsigned limit_seconds = 60;  ///< a hang ends the program

/// What the tasks leave behind.
struct Log {
  std::mutex mutex;
  std::vector<std::pair<int, int>> entries;  ///< (tag of the task, worker), in the order in which they ran
  std::atomic<bool> open{true};              ///< tasks that wait, wait for this
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
  args.log->entries.emplace_back(args.tag, starpu_worker_get_id());
}

starpu_codelet codelet_of(starpu_cpu_func_t function) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.name = "cyclic_test";
  codelet.where = STARPU_CPU;
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  return codelet;
}

using Place = std::optional<int>;  ///< first coordinate

class Cyclic : public testing::Test {
 protected:
  static constexpr int workers = 4;

  Cyclic() : note_(codelet_of(note)), increment_(codelet_of(increment)), restricted_(codelet_of(note)) {
    restricted_.can_execute = only_worker_one;
    alarm(limit_seconds);
  }
  ~Cyclic() override {
    if (running_) {
      log_.open = true;
      starpu_task_wait_for_all();
      for (starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
      starpu_shutdown();
    }
    unsetenv("ASTERISM_CYCLIC_UNITS");
    alarm(0);
  }

  void start(int count = workers) {
    choose("cyclic", count);
    ASSERT_EQ(starpu_init(nullptr), 0);
    running_ = true;
    ASSERT_EQ(static_cast<int>(starpu_worker_get_count()), count);
    ASSERT_STREQ(starpu_sched_get_sched_policy()->policy_name, "cyclic");
  }

  starpu_data_handle_t datum(Place place, int second = 0) {
    memory_.push_back(0);
    starpu_data_handle_t handle = nullptr;
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&memory_.back()), sizeof(long));
    if (place) starpu_data_set_coordinates(handle, 2, *place, second);
    handles_.push_back(handle);
    return handle;
  }

  void submit(starpu_codelet& codelet,
              std::initializer_list<std::pair<starpu_data_handle_t, starpu_data_access_mode>> data, int tag = 0,
              int priority = 0, bool waits = false) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    auto* args = static_cast<TaskArgs*>(std::malloc(sizeof(TaskArgs)));
    *args = {&log_, tag, waits};
    task->cl_arg = args;
    task->cl_arg_size = sizeof(TaskArgs);
    task->cl_arg_free = 1;
    task->priority = priority;
    task->nbuffers = static_cast<int>(data.size());
    int k = 0;
    for (const auto& [handle, mode] : data) {
      task->handles[k] = handle;
      task->modes[k++] = mode;
    }
    ASSERT_EQ(starpu_task_submit(task), 0);
  }

  /// The worker that ran the task `tag` (each tag is used once).
  int worker_of(int tag) {
    starpu_task_wait_for_all();
    int worker = -1;
    for (const auto& [of, ran_on] : log_.entries)
      if (of == tag) worker = ran_on;
    return worker;
  }

  Log log_;
  starpu_codelet note_;
  starpu_codelet increment_;
  starpu_codelet restricted_;
  std::deque<long> memory_;  // addresses stay
  std::vector<starpu_data_handle_t> handles_;
  bool running_ = false;
};

TEST(CyclicLibrary, ExportsItsPolicies) {
  void* library = dlopen(plugin(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto list = reinterpret_cast<starpu_sched_policy** (*)()>(dlsym(library, "starpu_get_sched_lib_policies"));
  const auto find =
      reinterpret_cast<starpu_sched_policy* (*)(const char*)>(dlsym(library, "starpu_get_sched_lib_policy"));
  ASSERT_NE(list, nullptr);
  ASSERT_NE(find, nullptr);
  starpu_sched_policy** policies = list();
  ASSERT_NE(policies, nullptr);
  bool cyclic = false;
  int count = 0;
  for (; policies[count] != nullptr && count < 100; ++count) {
    EXPECT_EQ(find(policies[count]->policy_name), policies[count]);
    EXPECT_NE(policies[count]->policy_description, nullptr);
    EXPECT_NE(policies[count]->push_task, nullptr);
    EXPECT_NE(policies[count]->pop_task, nullptr);
    cyclic = cyclic || std::strcmp(policies[count]->policy_name, "cyclic") == 0;
  }
  EXPECT_LT(count, 100);
  EXPECT_TRUE(cyclic);
  EXPECT_EQ(find("nonsense"), nullptr);
  EXPECT_EQ(find(""), nullptr);
  EXPECT_EQ(find("cyclical"), nullptr);
}

TEST_F(Cyclic, WrittenDatumDecides) {
  start();
  for (int i = 0; i < 3 * workers; ++i) submit(note_, {{datum(i, 7 - i), STARPU_W}}, i);
  for (int i = 0; i < 3 * workers; ++i) EXPECT_EQ(worker_of(i), i % workers) << i;
}

TEST_F(Cyclic, WrittenBeforeReadAndFirstWrittenBeforeLater) {
  start();
  submit(note_, {{datum(1), STARPU_R}, {datum(2), STARPU_W}, {datum(3), STARPU_W}}, 0);
  submit(note_, {{datum(1), STARPU_R}, {datum(3), STARPU_RW}}, 1);
  submit(note_, {{datum(1), STARPU_R}, {datum(std::nullopt), STARPU_W}, {datum(3), STARPU_W}}, 2);
  EXPECT_EQ(worker_of(0), 2);
  EXPECT_EQ(worker_of(1), 3);
  EXPECT_EQ(worker_of(2), 3);
}

TEST_F(Cyclic, ReadDatumDecidesWhenNoWrittenOneHasCoordinates) {
  start();
  submit(note_, {{datum(3), STARPU_R}, {datum(2), STARPU_R}}, 0);
  submit(note_, {{datum(std::nullopt), STARPU_W}, {datum(std::nullopt), STARPU_R}, {datum(2), STARPU_R}}, 1);
  EXPECT_EQ(worker_of(0), 3);
  EXPECT_EQ(worker_of(1), 2);
}

TEST_F(Cyclic, WithoutCoordinatesTheFirstWorker) {
  start();
  submit(note_, {}, 0);
  submit(note_, {{datum(std::nullopt), STARPU_RW}}, 1);
  submit(note_, {{datum(-1), STARPU_RW}}, 2);  // not a block-row
  for (int tag = 0; tag < 3; ++tag) EXPECT_EQ(worker_of(tag), 0) << tag;
}

TEST_F(Cyclic, WorkerThatCannotIsPassedOver) {
  start();
  for (int i = 0; i < workers; ++i) submit(restricted_, {{datum(i), STARPU_W}}, i);
  for (int i = 0; i < workers; ++i) EXPECT_EQ(worker_of(i), 1) << i;
}

TEST_F(Cyclic, PrioritiesThenOrderOfSubmission) {
  start(2);
  log_.open = false;
  const starpu_data_handle_t place = datum(1);
  submit(note_, {{datum(1), STARPU_W}}, 100, 1000, true);  // keeps worker 1 busy until all are queued
  const std::vector<int> priorities{0, 5, -3, 5, 0, 900, -1000, 1, 5};
  for (std::size_t k = 0; k < priorities.size(); ++k)
    submit(note_, {{place, STARPU_R}}, static_cast<int>(k), priorities[k]);
  log_.open = true;
  starpu_task_wait_for_all();
  std::vector<int> order;
  for (const auto& [tag, worker] : log_.entries) {
    EXPECT_EQ(worker, 1);
    order.push_back(tag);
  }
  // worker 1 may have been given a first task before the one that waits only if that was submitted earlier
  EXPECT_EQ(order, (std::vector<int>{100, 5, 1, 3, 8, 7, 0, 4, 2, 6}));
}

TEST_F(Cyclic, OneWorkerRunsEverything) {
  start(1);
  for (int i = 0; i < 10; ++i) submit(note_, {{datum(i), STARPU_W}}, i);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(worker_of(i), 0);
}

class CyclicUnits : public Cyclic, public testing::WithParamInterface<const char*> {};

TEST_P(CyclicUnits, OnCpusAllValuesMeanTheSame) {
  setenv("ASTERISM_CYCLIC_UNITS", GetParam(), 1);
  start(3);
  for (int i = 0; i < 9; ++i) submit(note_, {{datum(i), STARPU_W}}, i);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(worker_of(i), i % 3) << i;
}
INSTANTIATE_TEST_SUITE_P(Values, CyclicUnits, testing::Values("cpu", "gpu", "all", "nonsense", ""),
                         [](const auto& info) { return info.param[0] == '\0' ? "empty" : std::string(info.param); });

TEST_F(Cyclic, DependentGraphEnds) {
  start();
  constexpr int rows = 7;
  constexpr int tasks = 2000;
  std::vector<starpu_data_handle_t> counts;
  for (int i = 0; i < rows; ++i) counts.push_back(datum(i));
  for (int k = 0; k < tasks; ++k)  // each waits for the one before in its row and for its neighbour's
    submit(increment_,
           {{counts[static_cast<std::size_t>(k % rows)], STARPU_RW},
            {counts[static_cast<std::size_t>((k + 1) % rows)], STARPU_R}},
           k, k % 5 - 2);
  starpu_task_wait_for_all();
  for (int i = 0; i < rows; ++i) {
    starpu_data_acquire(counts[static_cast<std::size_t>(i)], STARPU_R);
    EXPECT_EQ(memory_[static_cast<std::size_t>(i)], tasks / rows + (i < tasks % rows ? 1 : 0)) << i;
    starpu_data_release(counts[static_cast<std::size_t>(i)]);
  }
}

TEST_F(Cyclic, IndependentTasksAllRunWhereTheyBelong) {
  start();
  std::vector<starpu_data_handle_t> places;
  for (int i = 0; i < 11; ++i) places.push_back(datum(i));
  for (int k = 0; k < 3000; ++k) submit(note_, {{places[static_cast<std::size_t>(k % 11)], STARPU_R}}, k);
  starpu_task_wait_for_all();
  ASSERT_EQ(log_.entries.size(), 3000U);
  int wrong = 0;
  for (const auto& [tag, worker] : log_.entries) wrong += worker != tag % 11 % workers ? 1 : 0;
  EXPECT_EQ(wrong, 0);
}

TEST_F(Cyclic, StartsAndStopsRepeatedly) {
  for (int round = 0; round < 5; ++round) {
    start(1 + round % workers);
    for (int i = 0; i < 20; ++i) submit(note_, {{datum(i), STARPU_W}}, 100 * round + i);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(worker_of(100 * round + i), i % (1 + round % workers));
    for (starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
    handles_.clear();
    starpu_shutdown();
    running_ = false;
  }
}

}  // namespace
