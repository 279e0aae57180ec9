// SPDX-License-Identifier: Apache-2.0
// The scheduler "calibrate" as any StarPU program meets it: every class of tasks runs as often with each
// implementation, on workers that share the work.
#include <gtest/gtest.h>
#include <starpu.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <vector>

#include "tests/schedulers/plugin.hpp"

namespace {

using namespace asterism::schedulers;

constexpr unsigned limit_seconds = 60;  ///< a hang ends the program
constexpr std::size_t sizes = 3;

/// [size of the data][implementation], and tasks per worker.
std::array<std::array<std::atomic<int>, 2>, sizes> runs;
std::array<std::atomic<int>, 3> by_worker;

void note(void* buffers[], int implementation) {
  const std::size_t size = STARPU_VECTOR_GET_NX(buffers[0]) - 1;
  ++runs[size][static_cast<std::size_t>(implementation)];
  ++by_worker[static_cast<std::size_t>(starpu_worker_get_id())];
}
void first(void* buffers[], void* /*arguments*/) {
  note(buffers, 0);
}
void second(void* buffers[], void* /*arguments*/) {
  note(buffers, 1);
}

class Calibrate : public testing::TestWithParam<bool> {
 protected:
  Calibrate() {
    alarm(limit_seconds);
    choose("calibrate", 3);
    for (auto& of_size : runs)
      for (auto& count : of_size) count = 0;
    for (auto& count : by_worker) count = 0;
    EXPECT_EQ(starpu_init(nullptr), 0);
  }
  ~Calibrate() override {
    starpu_shutdown();
    alarm(0);
  }

  starpu_perfmodel model{};  ///< StarPU writes it to disk when it shuts down
};

TEST_P(Calibrate, EachClassRunsAsOftenWithEachImplementation) {
  model.type = STARPU_HISTORY_BASED;
  model.symbol = "calibrate_test";
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = first;
  codelet.cpu_funcs[1] = second;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_R;
  codelet.model = GetParam() ? &model : nullptr;
  codelet.name = "calibrate_test";

  std::array<std::vector<double>, sizes> data;
  std::array<starpu_data_handle_t, sizes> handle{};
  for (std::size_t s = 0; s < sizes; ++s) {
    data[s].resize(s + 1);
    starpu_vector_data_register(&handle[s], STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(data[s].data()),
                                static_cast<uint32_t>(s + 1), sizeof(double));
  }
  constexpr int tasks = 30;
  for (int t = 0; t < tasks; ++t)
    for (std::size_t s = 0; s < sizes; ++s) ASSERT_EQ(starpu_task_insert(&codelet, STARPU_R, handle[s], 0), 0);
  starpu_task_wait_for_all();
  for (auto& h : handle) starpu_data_unregister(h);
  for (std::size_t s = 0; s < sizes; ++s) {
    EXPECT_EQ(runs[s][0], tasks / 2) << "size " << s + 1;
    EXPECT_EQ(runs[s][1], tasks / 2) << "size " << s + 1;
  }
  for (const auto& count : by_worker) EXPECT_GT(count, 0);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutModel, Calibrate, testing::Bool());

}  // namespace
