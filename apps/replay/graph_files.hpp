// SPDX-License-Identifier: Apache-2.0
// Task graphs as files: what asterism-replay reads, generates and writes, and what can be said of a graph.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/replay/arguments.hpp"
#include "apps/replay/task_times.hpp"
#include "bounds/durations.hpp"
#include "traces/recording.hpp"

namespace asterism::apps::replay {

/// The name of the file of durations in the folder of a graph: what StarPU's platform_file.rec is.
inline constexpr const char* durations_file = "durations.rec";

struct TaskGraph {
  traces::Recording recording;
  traces::PlatformRec durations;  ///< of a generated graph, or of durations.rec in the folder
  std::uint32_t ranks = 1;        ///< of the recording, which is that of one process now (one_process.hpp)
};

/// The recording, or the generated graph. Throws Error (bad_input), also for a recording without dependencies.
TaskGraph read_graph(const Arguments& args);

/// All sources of durations but those of the platform.
bounds::Durations known_durations(const Arguments& args, const TaskGraph& graph);

/// tasks.rec, data.rec and durations.rec: the means of the recording, or the durations of a generated graph. Data that
/// are not copied have no mode there, so that the same graph is replayed from these files. Throws Error when the folder
/// cannot be written.
void write_graph(const std::filesystem::path& folder, const TaskGraph& graph);

/// What a graph is on a machine: tasks, dependencies, data, bytes, seconds of the recorded run; depth (tasks on the
/// longest path); work and path: all tasks, and the longest path, each at its fastest, s; parallelism: work / path.
nlohmann::json facts(const traces::Recording& recording, const TaskTimes& times);

}  // namespace asterism::apps::replay
