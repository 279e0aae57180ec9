// SPDX-License-Identifier: Apache-2.0
#include "apps/platform/overheads.hpp"

#include <starpu.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "runtime/clock.hpp"
#include "runtime/handle.hpp"
#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>
#endif

namespace asterism::apps::platform {
namespace {

constexpr int tasks = 300;
constexpr int repetitions = 5;
constexpr int many = 6;  ///< further data of a task

void touch(void** /*buffers*/, void* /*arguments*/) {}
#ifdef ASTERISM_CUDA
/// The shortest kernel: what fails is seen by the driver, which ends the program.
void touch_cuda(void** buffers, void* /*arguments*/) {
  static_cast<void>(cudaMemsetAsync(reinterpret_cast<void*>(STARPU_VECTOR_GET_PTR(buffers[0])), 0, sizeof(double),
                                    starpu_cuda_get_local_stream()));
}
#endif

starpu_codelet& touching() {
  static starpu_codelet codelet = [] {
    starpu_codelet c{};
    starpu_codelet_init(&c);
    c.cpu_funcs[0] = touch;
#ifdef ASTERISM_CUDA
    c.cuda_funcs[0] = touch_cuda;
    c.cuda_flags[0] = STARPU_CUDA_ASYNC;
#endif
    c.nbuffers = STARPU_VARIABLE_NBUFFERS;
    c.name = "asterism_overhead";
    return c;
  }();
  return codelet;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double seconds(const timespec& from, const timespec& to) {
  return static_cast<double>(to.tv_sec - from.tv_sec) + 1e-9 * static_cast<double>(to.tv_nsec - from.tv_nsec);
}

starpu_task* task_on(int worker, const std::vector<Handle>& data) {
  starpu_task* const task = starpu_task_create();
  task->cl = &touching();
  task->nbuffers = static_cast<int>(data.size());
  for (std::size_t d = 0; d < data.size(); ++d) {
    task->handles[d] = data[d].get();
    task->modes[d] = d == 0 ? STARPU_RW : STARPU_R;
  }
  task->execute_on_a_specific_worker = 1;
  task->workerid = static_cast<unsigned>(worker);
  task->destroy = 0;
  return task;
}

ChainTimes chain(const std::vector<int>& workers, const std::vector<Handle>& data) {
  std::vector<starpu_task*> all;
  const auto begin = Clock::now();
  for (int t = 0; t < tasks; ++t) {
    all.push_back(task_on(workers[static_cast<std::size_t>(t) % workers.size()], data));
    if (starpu_task_submit(all.back()) != 0) failed("a task of the measurement of overheads cannot be submitted");
  }
  starpu_task_wait_for_all();
  ChainTimes times;
  times.wall = seconds_since(begin) / tasks;
  std::vector<double> durations;
  for (starpu_task* const task : all) {
    if (const starpu_profiling_task_info* const info = task->profiling_info)
      durations.push_back(seconds(info->start_time, info->end_time));
    starpu_task_destroy(task);
  }
  times.duration = durations.empty() ? 0 : median(durations);
  return times;
}

/// Task information while this exists.
class Profiling {
 public:
  Profiling() : before_(starpu_profiling_status_set(STARPU_PROFILING_ENABLE)) {}
  ~Profiling() { starpu_profiling_status_set(before_); }
  Profiling(const Profiling&) = delete;
  Profiling& operator=(const Profiling&) = delete;

 private:
  int before_;
};

}  // namespace

ChainTimes measure_chain(const std::vector<int>& workers, int further) {
  if (static_cast<std::size_t>(further) >= STARPU_NMAXBUFS) failed("{} data are too many for a task", further + 1);
  const Profiling profiling;
  std::vector<std::array<double, 1>> values(static_cast<std::size_t>(further) + 1);
  std::vector<Handle> data;
  for (std::array<double, 1>& value : values)
    data.push_back(Handle::temporary(value.data(), 1, sizeof(double), "touched"));
  chain(workers, data);  // memory and first launches
  std::vector<double> walls;
  std::vector<double> durations;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const ChainTimes times = chain(workers, data);
    walls.push_back(times.wall);
    durations.push_back(times.duration);
  }
  return {median(walls), median(durations)};
}

Overheads measure_overheads(const std::vector<int>& workers, double latency) {
  const auto beside = [](const ChainTimes& times) { return std::max(0., times.wall - times.duration); };
  const double few_data = beside(measure_chain({workers.front()}, 0));
  const double many_data = beside(measure_chain({workers.front()}, many));
  Overheads overheads;
  overheads.datum = std::max(0., many_data - few_data) / many;
  overheads.launch = std::max(0., few_data - overheads.datum);
  overheads.copy = overheads.launch;
  if (workers.size() > 1)
    overheads.copy = std::max(0., beside(measure_chain({workers[0], workers[1]}, 0)) - few_data - latency);
  return overheads;
}

}  // namespace asterism::apps::platform
