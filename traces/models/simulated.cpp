// SPDX-License-Identifier: Apache-2.0
#include "traces/models/simulated.hpp"

#include <map>
#include <tuple>

namespace asterism::traces {
namespace {

const std::string& symbol_of(const Codelet& codelet) {
  return codelet.model.empty() ? codelet.name : codelet.model;
}

}  // namespace

TaskWork work_of(const Recording& recording, std::size_t task) {
  TaskWork work{recording.tasks[task].flops, 0, recording.tasks[task].footprint};
  for (const Access& access : recording.data(task)) {
    if (access.handle == none || access.mode == Mode::other) continue;
    const int passes = access.mode == Mode::read_write ? 2 : 1;
    work.bytes += passes * static_cast<double>(recording.handles[access.handle].bytes);
  }
  return work;
}

std::optional<double> simulated_seconds(const Platform& platform, const Recording& recording, std::size_t task,
                                        std::uint32_t kind) {
  const std::uint32_t number = recording.tasks[task].codelet;
  if (number == none) return std::nullopt;
  const Codelet& codelet = recording.codelets[number];
  const Kind& units = recording.kinds[kind];
  const UnitKind unit = units.name == "CPU" ? UnitKind::cpu : UnitKind::gpu;
  const TaskCost* const cost =
      platform.cost(symbol_of(codelet), codelet.name, unit, units.devices.empty() ? 0 : units.devices.front());
  return cost == nullptr ? std::nullopt : std::optional(cost->of(work_of(recording, task)));
}

PlatformRec simulated_models(const Platform& platform, const Recording& recording) {
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, std::pair<double, std::uint64_t>> sums;
  for (std::size_t t = 0; t < recording.tasks.size(); ++t) {
    const Task& task = recording.tasks[t];
    if (!task.executed()) continue;
    for (std::uint32_t kind = 0; kind < recording.kinds.size(); ++kind)
      if (const auto seconds = simulated_seconds(platform, recording, t, kind)) {
        auto& [sum, count] = sums[{symbol_of(recording.codelets[task.codelet]), task.footprint, kind}];
        sum += *seconds;
        ++count;
      }
  }
  PlatformRec models;
  for (const auto& [key, sum] : sums) {
    const auto& [symbol, footprint, kind] = key;
    Timing timing;
    timing.model = symbol;
    timing.architecture = architecture_of(recording.kinds[kind]);
    timing.footprint = footprint;
    timing.mean = 1e6 * sum.first / static_cast<double>(sum.second);
    timing.samples = sum.second;
    models.timings.push_back(timing);
  }
  return models;
}

Power power_of(const Platform& platform) {
  Power power;
  if (platform.cpu_watts) power["CPU"] = {platform.cpu_watts->idle, platform.cpu_watts->busy};
  for (const GpuKind& kind : platform.gpu_kinds)
    if (kind.watts)
      power[platform.gpu_kinds.size() == 1 ? "CUDA" : "CUDA (" + kind.model + ")"] = {kind.watts->idle,
                                                                                      kind.watts->busy};
  return power;
}

}  // namespace asterism::traces
