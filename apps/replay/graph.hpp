// SPDX-License-Identifier: Apache-2.0
// The task graph of a recording as tasks of StarPU: same dependencies, data, priorities and classes, without the
// program that made it.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/replay/task_times.hpp"

namespace asterism::apps::replay {

/// Durations that vary: each task takes its duration times exp(s z - s^2 / 2), z normal, whose mean is 1. Schedulers
/// predict the duration without it.
struct Noise {
  double deviation = 0;  ///< s
  std::uint64_t seed = 1;
};

/// By handle: whether it is copied to where a task reads it. A datum that was copied less than half as often as units
/// read it after a unit with another memory wrote it stays where it is for all (buffers of a codelet with specific
/// nodes): only its dependencies are replayed. Where no copy was recorded all data are copied.
std::vector<bool> moved_data(const traces::Recording& recording);

/// To be made before StarPU starts and to live until it has stopped: StarPU keeps the performance models.
class Graph {
 public:
  /// Throws Error (bad_input) for a graph with a cycle.
  Graph(const traces::Recording& recording, const TaskTimes& times, const Platform& platform, Noise noise);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Submits all tasks and waits for them; StarPU runs. Simulated seconds from the first submission to the last end.
  /// Throws Error (bad_input) when no unit can run a task.
  double run();

  /// After run(): seconds that the workers of each kind (TaskTimes) were in tasks, together.
  [[nodiscard]] std::vector<double> busy_seconds() const;

  /// The data of a task that are copied to where it runs, each once.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, starpu_data_access_mode>> data(std::size_t task) const;

 private:
  /// What StarPU's callbacks find at a task.
  struct Argument {
    const Graph* graph;
    std::size_t task;
    double factor;            ///< noise
    std::size_t kind = none;  ///< of the unit that ran it
    static constexpr std::size_t none = ~std::size_t{0};
  };
  struct Class;  // StarPU's codelet, which is not of one size in all its builds
  static void count(void* argument);
  static double microseconds(starpu_task* task, starpu_perfmodel_arch* unit, unsigned implementation);
  static int can_run(unsigned worker, starpu_task* task, unsigned implementation);
  static std::uint32_t footprint(starpu_task* task);
  /// Throws Error (bad_input) when no unit that StarPU started can run a task.
  void require_units() const;
  [[nodiscard]] std::size_t kind_of(starpu_worker_archtype type, int device) const;
  starpu_task* make(std::size_t task, const std::vector<starpu_data_handle_t>& handles);

  const traces::Recording& recording_;
  const TaskTimes& times_;
  const Platform& platform_;
  std::vector<Argument> arguments_;   ///< by task
  std::vector<bool> moved_;           ///< by handle: it is copied to where a task reads it
  std::unique_ptr<Class[]> classes_;  ///< by codelet
};

}  // namespace asterism::apps::replay
