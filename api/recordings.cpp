// SPDX-License-Identifier: Apache-2.0
// Recordings and their bounds for a program around: the readers of traces, and bounds.
#include <array>
#include <asterism/bounds.hpp>
#include <asterism/traces.hpp>
#include <filesystem>
#include <utility>

#include "api/translated.hpp"
#include "base/error.hpp"
#include "bounds/bounds.hpp"
#include "traces/metrics.hpp"
#include "traces/readers/read.hpp"

namespace asterism::v0 {
namespace traces {

namespace house = asterism::traces;

class Recording::State {
 public:
  State(const std::vector<std::filesystem::path>& paths, const std::string& window) {
    house::ReadOptions options;
    options.window = house::Window::parse(window);
    recording = house::read(paths, options);
    for (const house::Task& task : recording.tasks)
      tasks.push_back(
          {task.id, task.codelet == house::none ? std::string_view{} : recording.codelets[task.codelet].name,
           task.executed() ? static_cast<std::int32_t>(task.unit) : -1, static_cast<std::int32_t>(task.rank),
           task.submitted - recording.begin, task.start - recording.begin, task.end - recording.begin, task.flops,
           task.footprint, task.priority, task.iteration});
    const house::Metrics metrics = house::measure(recording);
    for (std::size_t u = 0; u < recording.units.size(); ++u) {
      const house::Unit& unit = recording.units[u];
      const std::array<double, house::state_count>& share = metrics.unit[u].state;
      const auto of = [&](house::State state) { return share[static_cast<std::size_t>(state)]; };
      units.push_back({unit.name, recording.kinds[unit.kind].name, static_cast<std::int32_t>(unit.rank),
                       of(house::State::computing), of(house::State::waiting), of(house::State::scheduling),
                       of(house::State::runtime), of(house::State::idle)});
    }
    for (const house::Transfer& copy : recording.transfers)
      transfers.push_back({copy.start - recording.begin, copy.end - recording.begin, copy.bytes,
                           recording.nodes[copy.from].name, recording.nodes[copy.to].name});
  }

  house::Recording recording;
  std::vector<Task> tasks;
  std::vector<Unit> units;
  std::vector<Transfer> transfers;
};

Recording::Recording(const std::string& path, const std::string& window)
    : Recording(std::vector<std::string>{path}, window) {}
Recording::Recording(const std::vector<std::string>& files, const std::string& window)
    : state_(translated([&] {
        return std::make_unique<State>(std::vector<std::filesystem::path>(files.begin(), files.end()), window);
      })) {}
Recording::~Recording() = default;
Recording::Recording(Recording&& other) noexcept = default;
Recording& Recording::operator=(Recording&& other) noexcept = default;

const Recording::State& Recording::state() const {
  return translated([&]() -> const State& {
    if (!state_) bad_input("a recording that was moved from: expected one that was read");
    return *state_;
  });
}

const std::string& Recording::name() const {
  return state().recording.name;
}
double Recording::makespan() const {
  return state().recording.makespan();
}
std::span<const Task> Recording::tasks() const {
  return state().tasks;
}
std::span<const std::uint32_t> Recording::predecessors(std::size_t task) const {
  const house::Recording& recording = state().recording;
  return translated([&]() -> std::span<const std::uint32_t> {
    if (task >= recording.tasks.size()) bad_input("task {}: expected one below {}", task, recording.tasks.size());
    if (!recording.has_dependencies) return {};
    const auto found = recording.predecessors(task);
    return {found.first, found.size()};
  });
}
std::span<const Unit> Recording::units() const {
  return state().units;
}
std::span<const Transfer> Recording::transfers() const {
  return state().transfers;
}

}  // namespace traces

namespace bounds {

namespace house = asterism::bounds;

Bounds compute(const traces::Recording& recording, const std::map<std::string, double>& units) {
  const asterism::traces::Recording& of = recording.state().recording;
  return translated([&] {
    house::Durations durations;
    durations.add(of, house::Source::recording);
    house::Options options;
    options.units = units;
    const house::Bounds found = house::compute(of, durations, options);
    if (!found.inconsistencies.empty()) failed("{}: {}", of.name, found.inconsistencies.front());
    Bounds bounds;
    bounds.makespan = found.makespan;
    bounds.lp = found.area.solution.seconds;
    bounds.lp_fit = found.fitting;
    bounds.lp_best_rates = found.best_rates.solution.seconds;
    if (found.critical_path) bounds.critical_path = found.critical_path->length;
    if (found.windows) bounds.windows = found.windows->seconds;
    bounds.best = found.best;
    bounds.notes = found.notes;
    return bounds;
  });
}

}  // namespace bounds
}  // namespace asterism::v0
