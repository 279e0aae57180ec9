// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "traces/models/platform_rec.hpp"

namespace asterism::traces {

PlatformRec platform_of(const Recording& r, const PlatformRec* measured) {
  PlatformRec platform;
  const auto architecture = [&](std::uint32_t kind) { return architecture_of(r.kinds[kind]); };
  for (std::uint32_t k = 0; k < r.kinds.size(); ++k) platform.worker_counts.push_back({architecture(k), r.units_of(k)});
  for (std::uint32_t n = 0; n < r.nodes.size(); ++n) {
    MemoryWorkers memory{r.nodes[n].index, r.nodes[n].name, -1, {}};
    for (const Unit& u : r.units)
      if (u.node == n) memory.workers.push_back(u.worker);
    platform.memory_workers.push_back(std::move(memory));
  }

  struct Samples {
    std::uint64_t count = 0;
    double sum = 0;
    double squares = 0;
    double flops = 0;
    std::uint64_t size = 0;
  };
  std::map<std::tuple<std::string, std::string, std::uint32_t>, Samples> samples;
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    const Task& t = r.tasks[i];
    if (!t.executed() || t.codelet == none) continue;
    const Codelet& codelet = r.codelets[t.codelet];
    Samples& s = samples[{codelet.model.empty() ? codelet.name : codelet.model, architecture(r.units[t.unit].kind),
                          t.footprint}];
    const double us = t.duration() * 1e6;
    ++s.count;
    s.sum += us;
    s.squares += us * us;
    s.flops += t.flops;
    s.size = 0;
    for (const Access& a : r.data(i))
      if (a.handle != none) s.size += r.handles[a.handle].bytes;
  }
  for (const auto& [key, s] : samples) {
    const auto n = static_cast<double>(s.count);
    Timing timing;
    std::tie(timing.model, timing.architecture, timing.footprint) = key;
    timing.size = s.size;
    if (s.flops > 0) timing.flops = s.flops / n;
    timing.mean = s.sum / n;
    timing.deviation = std::sqrt(std::max(0.0, s.squares / n - timing.mean * timing.mean));
    timing.samples = s.count;
    platform.timings.push_back(std::move(timing));
  }
  if (measured) {
    platform.memory_performance = measured->memory_performance;
    for (const Timing& t : measured->timings) {
      const std::string architecture_name = [&] {
        const std::string kind = kind_of_architecture(t.architecture, r);
        for (std::uint32_t k = 0; k < r.kinds.size(); ++k)
          if (r.kinds[k].name == kind) return architecture(k);
        return t.architecture;
      }();
      if (samples.contains({t.model, architecture_name, t.footprint})) continue;
      platform.timings.push_back(t);
      platform.timings.back().architecture = architecture_name;
    }
  }
  return platform;
}

}  // namespace asterism::traces
