// SPDX-License-Identifier: Apache-2.0
#include "apps/replay/task_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/error.hpp"
#include "traces/models/simulated.hpp"

namespace asterism::apps::replay {
namespace {

constexpr double no_duration = std::numeric_limits<double>::quiet_NaN();

/// The sources asked, for one machine.
class Asked {
 public:
  Asked(const traces::Recording& recording, const Platform& platform, const bounds::Durations& known)
      : recording_(recording), platform_(platform), known_(known) {}

  /// Seconds; NaN: the task does not run there; nothing: the source does not know.
  [[nodiscard]] std::optional<double> from(Source source, std::size_t task, std::size_t kind) const {
    const traces::Codelet& codelet = recording_.codelets[recording_.tasks[task].codelet];
    switch (source) {
      case Source::platform:
        return named(codelet) ? std::optional(cost(codelet, task, kind)) : std::nullopt;
      case Source::rates:
        if (named(codelet) || !(recording_.tasks[task].flops > 0)) return std::nullopt;
        return cost(codelet, task, kind);
      case Source::bytes:
        if (named(codelet) || recording_.tasks[task].flops > 0) return std::nullopt;
        return cost(codelet, task, kind);
      case Source::models:
        return measured(codelet, task, kind, bounds::Source::models);
      case Source::recording:
        if (const auto own = measured(codelet, task, kind, bounds::Source::recording)) return own;
        return measured(codelet, task, kind, bounds::Source::others);
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool named(const traces::Codelet& codelet) const {
    return platform_.codelets.contains(bounds::symbol_of(codelet)) || platform_.codelets.contains(codelet.name);
  }

  [[nodiscard]] double cost(const traces::Codelet& codelet, std::size_t task, std::size_t kind) const {
    int gpu = 0;  // the first of the kind
    for (std::size_t k = 1; k < kind; ++k) gpu += platform_.gpu_kinds[k - 1].count;
    const UnitKind unit = kind == 0 ? UnitKind::cpu : UnitKind::gpu;
    const TaskCost* const cost = platform_.cost(bounds::symbol_of(codelet), codelet.name, unit, gpu);
    if (cost == nullptr) return no_duration;
    TaskWork work = traces::work_of(recording_, task);
    if (kind == 0) work.units = platform_.cores;
    return cost->of(work);
  }

  /// The mean of the class on units of the recording: cores, or GPUs of the same model where they are told apart.
  [[nodiscard]] std::optional<double> measured(const traces::Codelet& codelet, std::size_t task, std::size_t kind,
                                               bounds::Source source) const {
    bounds::DurationOptions options;
    options.order = {source, source, source};
    const auto of = [&](const std::string& name) -> std::optional<double> {
      // a class has many tasks, and an estimate goes through all of them
      const std::uint32_t footprint = recording_.tasks[task].footprint;
      const auto [place, fresh] = cache_.try_emplace({bounds::symbol_of(codelet), footprint, name, source});
      if (!fresh) return place->second;
      const auto found = known_.find(bounds::symbol_of(codelet), footprint, name, options);
      if (found && found->source == source) place->second = found->seconds;
      return place->second;
    };
    if (kind == 0) return of("CPU");
    if (const auto same = of("CUDA (" + platform_.gpu_kinds[kind - 1].model + ")")) return same;
    return of("CUDA");
  }

  const traces::Recording& recording_;
  const Platform& platform_;
  const bounds::Durations& known_;
  using Key = std::tuple<std::string, std::uint32_t, std::string, bounds::Source>;
  mutable std::map<Key, std::optional<double>> cache_;
};

}  // namespace

std::vector<Source> parse_order(const std::string& text) {
  std::vector<Source> order;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, comma - at);
    const auto* const found = std::find(source_names.begin(), source_names.end(), name);
    const auto source = static_cast<Source>(found - source_names.begin());
    if (found == source_names.end() || std::find(order.begin(), order.end(), source) != order.end())
      bad_input("--order {}: found '{}', expected some of platform, models, recording, rates, bytes, each once", text,
                name);
    order.push_back(source);
    at = comma + 1;
  }
  return order;
}

TaskTimes::TaskTimes(const traces::Recording& recording, const Platform& platform, const bounds::Durations& known,
                     const std::vector<Source>& order)
    : recording_(recording), platform_(platform) {
  names_ = {"CPU"};
  for (const GpuKind& gpu : platform.gpu_kinds) names_.push_back(platform.gpu_kinds.size() == 1 ? "GPU" : gpu.model);
  seconds_.assign(recording.tasks.size() * kinds(), no_duration);
  const Asked asked(recording, platform, known);
  std::map<std::pair<std::string, std::size_t>, Coverage> coverage;
  for (std::size_t t = 0; t < recording.tasks.size(); ++t) {
    const traces::Task& task = recording.tasks[t];
    if (!task.executed() || task.codelet == traces::none) continue;
    const std::string& name = recording.codelets[task.codelet].name;
    bool runs = false;
    for (std::size_t kind = 0; kind < kinds(); ++kind) {
      if (kind == 0 ? platform.cores == 0 : platform.gpu_kinds[kind - 1].count == 0) continue;
      Coverage& line = coverage[{name, kind}];
      std::optional<double> found;
      for (const Source source : order) {
        found = asked.from(source, t, kind);
        if (!found) continue;
        if (std::isfinite(*found)) ++line.from[static_cast<std::size_t>(source)];
        break;
      }
      if (!found || !std::isfinite(*found)) {
        ++line.none;
        continue;
      }
      seconds_[t * kinds() + kind] = *found;
      runs = true;
    }
    if (!runs)
      bad_input(
          "{}: no unit of {} has a duration of the codelet {} (footprint {:08x}): give performance models (--models), "
          "further recordings (--durations), or name it in a platform file: [codelets.{}]",
          recording.name, platform.name, name, task.footprint, name);
  }
  for (auto& [key, line] : coverage) {
    line.codelet = key.first;
    line.kind = names_[key.second];
    coverage_.push_back(std::move(line));
  }
}

traces::PlatformRec TaskTimes::models() const {
  std::map<std::tuple<std::string, std::uint32_t, std::size_t>, std::pair<double, std::uint64_t>> sums;
  for (std::size_t t = 0; t < recording_.tasks.size(); ++t)
    for (std::size_t kind = 0; kind < kinds(); ++kind) {
      const double time = seconds(t, kind);
      if (!std::isfinite(time)) continue;
      const traces::Task& task = recording_.tasks[t];
      auto& [sum, count] = sums[{bounds::symbol_of(recording_.codelets[task.codelet]), task.footprint, kind}];
      sum += time;
      ++count;
    }
  traces::PlatformRec models;
  for (const auto& [key, sum] : sums) {
    const auto& [symbol, footprint, kind] = key;
    int device = 0;
    for (std::size_t k = 1; k < kind; ++k) device += platform_.gpu_kinds[k - 1].count;
    traces::Timing timing;
    timing.model = symbol;
    timing.architecture = kind == 0 ? "cpu0" : "cuda" + std::to_string(device);
    timing.footprint = footprint;
    timing.mean = 1e6 * sum.first / static_cast<double>(sum.second);
    timing.samples = sum.second;
    models.timings.push_back(timing);
  }
  return models;
}

}  // namespace asterism::apps::replay
