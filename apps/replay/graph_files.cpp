// SPDX-License-Identifier: Apache-2.0
#include "apps/replay/graph_files.hpp"

#include <algorithm>
#include <cmath>

#include "apps/common/program.hpp"
#include "apps/common/report.hpp"
#include "apps/replay/one_process.hpp"
#include "base/error.hpp"
#include "bounds/schedules/schedule.hpp"
#include "traces/models/sampling.hpp"
#include "traces/readers/read.hpp"
#include "traces/reports/report.hpp"

namespace asterism::apps::replay {
namespace {

traces::Recording read_recording(const std::filesystem::path& path, const std::string& window, bool quiet) {
  ProgressLine progress(!quiet);
  traces::ReadOptions options;
  options.window = traces::Window::parse(window);
  options.progress = [&](double fraction) { progress.show(fraction, "reading " + path.string()); };
  traces::Recording recording = traces::read({path}, options);
  if (!recording.has_dependencies) bad_input("{}: found no tasks.rec, which has the dependencies", path.string());
  return recording;
}

}  // namespace

TaskGraph read_graph(const Arguments& args) {
  if (args.generate) {
    traces::GeneratedGraph made = traces::generate(*args.generate);
    return {std::move(made.recording), std::move(made.durations)};
  }
  TaskGraph graph{read_recording(args.recording, args.window, args.quiet), {}};
  if (const std::uint32_t ranks = graph.recording.ranks; ranks > 1) {
    graph.recording = as_one_process(graph.recording);
    graph.ranks = ranks;
  }
  if (const auto file = args.recording / durations_file; std::filesystem::exists(file))
    graph.durations = traces::read_platform_rec(file);
  return graph;
}

bounds::Durations known_durations(const Arguments& args, const TaskGraph& graph) {
  bounds::Durations known;
  known.add(graph.recording, bounds::Source::recording);
  known.add(graph.durations);
  for (const auto& path : args.durations) known.add(read_recording(path, "all", args.quiet), bounds::Source::others);
  for (const auto& path : args.models)
    known.add(std::filesystem::is_directory(path) ? traces::read_sampling(path, {args.model_host})
                                                  : traces::read_platform_rec(path));
  return known;
}

void write_graph(const std::filesystem::path& folder, const TaskGraph& graph) {
  traces::Recording recording = graph.recording;
  const std::vector<bool> moved = moved_data(recording);
  for (traces::Access& access : recording.accesses.item)
    if (access.handle != traces::none && !moved[access.handle]) access.mode = traces::Mode::other;
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) bad_input("--write-graph {}: {}", folder.string(), failure.message());
  traces::write_tasks_rec(folder / "tasks.rec", recording);
  traces::write_data_rec(folder / "data.rec", recording);
  traces::PlatformRec durations = graph.durations;
  if (durations.timings.empty()) durations.timings = traces::platform_of(graph.recording).timings;
  traces::write_platform_rec(folder / durations_file, durations);
}

nlohmann::json facts(const traces::Recording& recording, const TaskTimes& times) {
  const bounds::Workload graph = bounds::workload_of(recording);
  const std::size_t count = recording.tasks.size();
  std::vector<double> end(count, 0);
  std::vector<std::uint64_t> depth(count, 0);
  std::uint64_t bytes = 0, tasks = 0, deepest = 0;
  double work = 0, path = 0;
  for (const traces::Handle& handle : recording.handles) bytes += handle.bytes;
  for (const std::uint32_t t : graph.order) {
    for (const std::uint32_t before : recording.predecessors(t)) {
      end[t] = std::max(end[t], end[before]);
      depth[t] = std::max(depth[t], depth[before]);
    }
    if (recording.tasks[t].executed()) {
      double least = bounds::impossible;
      for (std::size_t kind = 0; kind < times.kinds(); ++kind)
        if (const double seconds = times.seconds(t, kind); std::isfinite(seconds)) least = std::min(least, seconds);
      if (std::isfinite(least)) {
        work += least;
        end[t] += least;
      }
      ++depth[t];
      ++tasks;
    }
    path = std::max(path, end[t]);
    deepest = std::max(deepest, depth[t]);
  }
  return {{"name", recording.name},
          {"tasks", tasks},
          {"dependencies", recording.dependencies.item.size()},
          {"data", recording.handles.size()},
          {"bytes", bytes},
          {"seconds", recording.makespan()},
          {"depth", deepest},
          {"work_seconds", work},
          {"path_seconds", path},
          {"parallelism", path > 0 ? work / path : 0}};
}

}  // namespace asterism::apps::replay
