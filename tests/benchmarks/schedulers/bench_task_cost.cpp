// SPDX-License-Identifier: Apache-2.0
// What a task costs, for each scheduler and kind of unit, in microseconds:
//   empty   independent empty tasks without data: wall clock per task, on one unit and on all
//   chain   empty tasks that all update one datum: wall clock per task, which is from the end of one to the next
//   METG    minimum effective task granularity at 50 % efficiency, as Task Bench defines it (Slaughter et al., SC
//   2020):
//           tasks of a one-dimensional stencil, each of which depends on its three predecessors, become shorter until
//           the units spend half of their time on them; then wall clock x units / tasks
// Beside GPU workers, the tasks for them are cudaMemsetAsync of more and less memory.
//
//   bench_task_cost --schedulers eager,lws,dmdas,cyclic,hprio --json experiments/records/task-cost-HOST.json
#include <fmt/format.h>
#include <starpu.h>
#ifdef ASTERISM_CUDA
#include <cuda_runtime_api.h>

#include "base/cuda_check.hpp"
#endif

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/version.hpp"
#include "runtime/clock.hpp"
#include "runtime/codelet.hpp"
#include "runtime/handle.hpp"
#include "runtime/machine/this_machine.hpp"
#include "runtime/session.hpp"
#include "runtime/submit.hpp"

namespace asterism {
namespace {

using nlohmann::ordered_json;

/// Work of a task: steps of a chain of operations on a CPU, bytes to fill on a GPU.
struct WorkArgs {
  std::int64_t amount;
};

double burn(std::int64_t steps) {
  double value = 1;
  for (std::int64_t k = 0; k < steps; ++k) value = std::fma(value, 0.999999, 1e-9);
  return value;
}

volatile double kept = 0;  // the compiler must not remove what nobody reads

void empty_cpu(void** /*buffers*/, void* /*arguments*/) {}
void work_cpu(void** /*buffers*/, void* arguments) {
  kept = burn(static_cast<const WorkArgs*>(arguments)->amount);
}

#ifdef ASTERISM_CUDA
constexpr std::size_t most_bytes = std::size_t{1} << 32;
void* filled = nullptr;
void empty_cuda(void** /*buffers*/, void* /*arguments*/) {}
void work_cuda(void** /*buffers*/, void* arguments) {
  const auto bytes = static_cast<std::size_t>(static_cast<const WorkArgs*>(arguments)->amount);
  if (bytes > 0) ASTERISM_CHECK_CUDA(cudaMemsetAsync(filled, 0, bytes, starpu_cuda_get_local_stream()));
}
#else
constexpr starpu_cuda_func_t empty_cuda = nullptr;
constexpr starpu_cuda_func_t work_cuda = nullptr;
#endif

Codelet empty_on_cpu({.name = "bench_empty_cpu", .variant = "", .cpu = empty_cpu, .cuda = nullptr});
Codelet empty_on_gpu({.name = "bench_empty_gpu", .variant = "", .cpu = nullptr, .cuda = empty_cuda});
Codelet work_on_cpu({.name = "bench_work_cpu", .variant = "", .cpu = work_cpu, .cuda = nullptr});
Codelet work_on_gpu({.name = "bench_work_gpu", .variant = "", .cpu = nullptr, .cuda = work_cuda});

enum class Kind { cpu, gpu };

Codelet& empty_task(Kind kind) {
  return kind == Kind::cpu ? empty_on_cpu : empty_on_gpu;
}
Codelet& work_task(Kind kind) {
  return kind == Kind::cpu ? work_on_cpu : work_on_gpu;
}

/// Seconds that `amount` of work takes without tasks, one piece after the other: the least of some trials.
double bare_seconds(Kind kind, std::int64_t amount) {
  double least = 1e9;
  constexpr int pieces = 8;
  for (int trial = 0; trial < 5; ++trial) {
    const auto begin = Clock::now();
    if (kind == Kind::cpu)
      for (int k = 0; k < pieces; ++k) kept = burn(amount);
#ifdef ASTERISM_CUDA
    if (kind == Kind::gpu) {
      for (int k = 0; k < pieces; ++k)
        ASTERISM_CHECK_CUDA(cudaMemsetAsync(filled, 0, static_cast<std::size_t>(amount), nullptr));
      ASTERISM_CHECK_CUDA(cudaStreamSynchronize(nullptr));
    }
#endif
    least = std::min(least, seconds_since(begin) / pieces);
  }
  return least;
}

double empty_us(Kind kind, int tasks) {
  const auto begin = Clock::now();
  for (int k = 0; k < tasks; ++k) submit(empty_task(kind), WorkArgs{0}, std::initializer_list<Access>{});
  starpu_task_wait_for_all();
  return seconds_since(begin) / tasks * 1e6;
}

double chain_us(Kind kind, int tasks) {
  const Handle datum = Handle::vector(nullptr, 1, sizeof(double), "chained", Coordinates{0, 0});
  submit(empty_task(kind), WorkArgs{0}, {{datum, STARPU_W}});
  starpu_task_wait_for_all();
  const auto begin = Clock::now();
  for (int k = 0; k < tasks; ++k) submit(empty_task(kind), WorkArgs{0}, {{datum, STARPU_RW}});
  starpu_task_wait_for_all();
  return seconds_since(begin) / tasks * 1e6;
}

/// Wall clock x units / tasks, in seconds, of a stencil of `steps` steps whose tasks do `amount`.
double granularity(Kind kind, int units, int steps, std::int64_t amount) {
  std::vector<Handle> data[2];
  for (auto& row : data)
    for (int i = 0; i < units; ++i)
      row.push_back(Handle::vector(nullptr, 1, sizeof(double), fmt::format("point {}", i), Coordinates{i, i}));
  for (auto& row : data)
    for (const Handle& point : row) submit(empty_task(kind), WorkArgs{0}, {{point, STARPU_W}});
  starpu_task_wait_for_all();
  const auto begin = Clock::now();
  for (int step = 0; step < steps; ++step)
    for (int i = 0; i < units; ++i) {
      std::vector<Access> accesses{{data[step % 2][static_cast<std::size_t>(i)], STARPU_W}};
      for (int j = std::max(0, i - 1); j <= std::min(units - 1, i + 1); ++j)
        accesses.push_back({data[1 - step % 2][static_cast<std::size_t>(j)], STARPU_R});
      submit(work_task(kind), WorkArgs{amount}, accesses);
    }
  starpu_task_wait_for_all();
  return seconds_since(begin) / steps;  // x units, / (steps x units)
}

/// METG(50 %) in microseconds: between the last task length with at least this efficiency and the first with less, in
/// proportion of the logarithms.
double metg_us(Kind kind, int units, int steps, std::int64_t longest) {
  double last_granularity = 0;
  double last_efficiency = 0;
  for (std::int64_t amount = longest; amount > 0; amount /= 2) {
    const double wall = granularity(kind, units, steps, amount);
    const double efficiency = bare_seconds(kind, amount) / wall;
    if (efficiency < 0.5) {
      if (last_efficiency == 0) return wall * 1e6;  // the longest is too short already: at least this
      const double part = (last_efficiency - 0.5) / (last_efficiency - efficiency);
      return last_granularity * std::pow(wall / last_granularity, part) * 1e6;
    }
    last_granularity = wall;
    last_efficiency = efficiency;
  }
  return last_granularity * 1e6;
}

using Samples = std::map<std::string, std::vector<double>>;

void measure(Kind kind, int units, int tasks, Samples& samples) {
  empty_us(kind, tasks / 4);  // threads and memory are there after a few
  samples["empty_us"].push_back(empty_us(kind, tasks));
  samples["chain_us"].push_back(chain_us(kind, tasks));
  samples["metg_us"].push_back(metg_us(kind, units, std::max(20, tasks / 10), kind == Kind::cpu ? 1 << 18 : 1 << 30));
}

ordered_json summary(const Samples& samples) {
  ordered_json all;
  for (const auto& [name, values] : samples) {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    all[name] = {{"median", sorted[sorted.size() / 2]}, {"min", sorted.front()}, {"max", sorted.back()}};
  }
  return all;
}

}  // namespace

int run_all(const std::vector<std::string>& schedulers, std::optional<int> cpus, int tasks, int repeats,
            const std::string& path) {
  std::map<std::string, std::map<std::string, Samples>> samples;
  ordered_json record{{"program", "bench_task_cost"}, {"version", version()}, {"tasks", tasks}, {"repeats", repeats}};
  const int gpus = visible_gpus();
#ifdef ASTERISM_CUDA
  if (gpus > 0) ASTERISM_CHECK_CUDA(cudaMalloc(&filled, most_bytes));
#endif
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (const std::string& scheduler : schedulers)
      for (const bool all_cpus : {false, true}) {
        SessionOptions options;
        options.scheduler = scheduler;
        options.gpus = all_cpus ? 0 : std::min(gpus, 1);
        options.cpus = all_cpus ? cpus : std::optional(1);
        const Session session(options);
        measure(Kind::cpu, session.cpus(), tasks, samples[scheduler][fmt::format("{} CPU", session.cpus())]);
        if (session.gpus() > 0) measure(Kind::gpu, 1, tasks, samples[scheduler]["1 GPU"]);
      }
#ifdef ASTERISM_CUDA
  if (gpus > 0) cudaFree(filled);
#endif
  int version_of_starpu[3] = {};
  starpu_get_version(version_of_starpu, version_of_starpu + 1, version_of_starpu + 2);
  record["starpu"] = fmt::format("{}.{}.{}", version_of_starpu[0], version_of_starpu[1], version_of_starpu[2]);
  const Machine machine = this_machine();
  record["machine"] = {{"processor", machine.processor}, {"cores", machine.cores}};
  for (const std::string& scheduler : schedulers)
    for (const auto& [units, of_units] : samples[scheduler]) record["schedulers"][scheduler][units] = summary(of_units);
  if (path.empty())
    fmt::print("{}\n", record.dump(1));
  else if (!(std::ofstream(path) << record.dump(1) << "\n").flush())
    throw std::runtime_error("cannot write " + path);
  return 0;
}

}  // namespace asterism

int main(int argc, char** argv) {
  std::vector<std::string> schedulers{"eager", "lws", "prio", "dmdas", "cyclic", "hprio", "greedy"};
  std::optional<int> cpus;
  int tasks = 2000;
  int repeats = 5;
  std::string json;
  CLI::App app("What a task costs: microseconds per empty task, and METG, per scheduler");
  app.add_option("--schedulers", schedulers, "As STARPU_SCHED")->delimiter(',')->capture_default_str();
  app.add_option("--cpus", cpus, "CPU workers (default: all); one is measured as well");
  app.add_option("--tasks", tasks, "Per measurement")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--repeat", repeats, "Repetitions, interleaved")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--json", json, "The record (default: standard output)");
  CLI11_PARSE(app, argc, argv);
  try {
    return asterism::run_all(schedulers, cpus, tasks, repeats, json);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_task_cost: error: {}\n", error.what());
    return 1;
  }
}
