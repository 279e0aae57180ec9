// SPDX-License-Identifier: Apache-2.0
// The interval that holds the least makespan of a recorded graph on the simulated machine.
#pragma once

#include <filesystem>
#include <vector>

#include "apps/replay/graph.hpp"
#include "apps/replay/task_times.hpp"
#include "bounds/schedules/offline.hpp"
#include "bounds/windows.hpp"
#include "runtime/machine/platform.hpp"
#include "traces/recording.hpp"

namespace asterism::apps::replay {

struct Optimum {
  double lower = 0;                         ///< seconds: LP where tasks fit, or windows
  const char* lower_by = "";                ///< which of them
  std::vector<bounds::Schedule> schedules;  ///< feasible, the best first
};

/// The graph on the units that StarPU started, numbered as its workers. A copy takes latency + bytes / bandwidth of the
/// platform's link, alone on it; where main memory has a bandwidth for all, copies from and to it are one after the
/// other. What StarPU's simulator adds for launches is not counted.
bounds::Workload workload(const traces::Recording& recording, const TaskTimes& times, const Platform& platform,
                          const Graph& graph);

/// The best schedules known, and a lower bound: windows, or LP where tasks fit, with what data in main memory need to
/// reach tasks that run elsewhere. Let U be the makespan of the best schedule, and L a bound of those schedules in
/// which no task runs on a kind where head + duration + tail exceed U. A schedule shorter than U is one of those, so
/// min(U, L) bounds all. L has larger heads and tails in turn, which exclude more kinds: this is repeated. Throws Error
/// (failed) when the validator refuses a schedule.
Optimum optimum(const traces::Recording& recording, const bounds::Workload& work);

/// A schedule as StarPU's sched.rec: per task SubmitOrder, SpecificWorker, Workers, and Priority, which falls with the
/// start. Throws Error when the file cannot be written.
void write_schedule(const std::filesystem::path& path, const traces::Recording& recording,
                    const bounds::Schedule& schedule);

}  // namespace asterism::apps::replay
