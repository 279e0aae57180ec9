// SPDX-License-Identifier: Apache-2.0
// A recorded graph on the simulated machine for bounds and schedules made before the run.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "apps/replay/graph.hpp"
#include "apps/replay/task_times.hpp"
#include "bounds/schedules/optimum.hpp"
#include "runtime/machine/platform.hpp"
#include "traces/recording.hpp"

namespace asterism::apps::replay {

/// The graph on the units that StarPU started, numbered as its workers. A copy takes latency + bytes / bandwidth of the
/// platform's link, alone on it; where main memory has a bandwidth for all, copies from and to it are one after the
/// other. What StarPU's simulator adds for launches is not counted.
bounds::Workload workload(const traces::Recording& recording, const TaskTimes& times, const Platform& platform,
                          const Graph& graph);

/// Shares of a schedule's makespan: of each kind's units in tasks ("kind 0": cores), and of the connections in copies,
/// the mean of those "from main memory", "to main memory" and "between GPUs". With a rate that connections share also
/// "shared": bytes over what that carries in the makespan.
std::map<std::string, double> busy_shares(const bounds::Workload& work, const bounds::Schedule& schedule);

/// A schedule as StarPU's sched.rec: per task SubmitOrder, SpecificWorker, Workers, and Priority, which falls with the
/// start. Throws Error when the file cannot be written.
void write_schedule(const std::filesystem::path& path, const traces::Recording& recording,
                    const bounds::Schedule& schedule);

}  // namespace asterism::apps::replay
