// SPDX-License-Identifier: Apache-2.0
#include "bounds/critical_path.hpp"

#include <algorithm>
#include <unordered_map>

namespace asterism::bounds {

traces::Path critical_path(const traces::Recording& recording, std::span<const double> seconds,
                           const std::optional<Network>& network) {
  const traces::Task* const first = recording.tasks.data();
  const auto weight = [&](const traces::Task& task) {
    return task.executed() ? seconds[static_cast<std::size_t>(&task - first)] : 0.0;
  };
  if (!network) return traces::longest_path(recording, weight);
  const auto key = [](std::uint32_t task, std::uint32_t before) {
    return (static_cast<std::uint64_t>(task) << 32) | before;
  };
  std::unordered_map<std::uint64_t, double> least;
  for (const traces::Message& m : recording.messages) {
    if (m.releases == traces::none || m.sent_after == traces::none) continue;
    double& slowest = least[key(m.releases, m.sent_after)];  // of several messages all have to arrive
    slowest = std::max(slowest, least_time(m, *network));
  }
  return traces::longest_path(recording, weight, [&](std::uint32_t task, std::uint32_t before) {
    if (recording.tasks[task].rank == recording.tasks[before].rank) return 0.0;
    const auto it = least.find(key(task, before));
    return it == least.end() ? 0.0 : it->second;
  });
}

}  // namespace asterism::bounds
