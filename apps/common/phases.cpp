// SPDX-License-Identifier: Apache-2.0
#include "apps/common/phases.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/wall_clock.hpp"
#include "runtime/energy_meter.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps {
namespace {

constexpr std::array names = {"loading", "input",        "measuring", "StarPU",  "set-up",
                              "steps",   "verification", "output",    "shutdown"};

/// Seconds since the system created this process, to a tick of its clock (hundredths of a second).
double age_of_process() {
  std::string text;
  std::getline(std::ifstream("/proc/self/stat"), text);
  const std::size_t name_end = text.rfind(')');  // a name may hold spaces
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int fields_before_start = 19;
  std::string field;
  for (int i = 0; i < fields_before_start; ++i) fields >> field;
  double ticks = 0;
  timespec now{};
  if (!(fields >> ticks) || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  const auto tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) - (ticks + 0.5) * tick;
}

class PhaseClock {
 public:
  PhaseClock() {
    constexpr double most_of_loading = 5;  // more: the process was another program before
    const double age = age_of_process();
    begin_ = wall_seconds() - (age > 0 && age < most_of_loading ? age : 0);
    since_ = begin_;
  }
  Phase enter(Phase phase) {
    if (phase == Phase::runtime && !simulated && !meter_) meter_.emplace();
    if (meter_ && phase_ == Phase::steps && phase != Phase::steps) meter_->stop();
    if (meter_ && phase == Phase::steps && phase_ != Phase::steps) meter_->start();
    const double now = wall_seconds();
    seconds_[static_cast<std::size_t>(phase_)] += now - since_;
    since_ = now;
    return std::exchange(phase_, phase);
  }
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] const auto& seconds() const { return seconds_; }
  [[nodiscard]] double all() const { return since_ - begin_; }
  [[nodiscard]] std::vector<EnergyCount> energy() const {
    return meter_ ? meter_->counts() : std::vector<EnergyCount>();
  }

 private:
  Phase phase_ = Phase::loading;
  double begin_ = 0;
  double since_ = 0;
  std::array<double, names.size()> seconds_{};
  std::optional<EnergyMeter> meter_;  ///< of the steps
};

PhaseClock& phase_clock() {
  static PhaseClock clock;
  return clock;
}

/// Begins before the command line is read.
[[maybe_unused]] const PhaseClock& from_the_start = phase_clock();

}  // namespace

void enter(Phase phase) {
  phase_clock().enter(phase);
}

InPhase::InPhase(Phase phase) : before_(phase_clock().enter(phase)) {}

InPhase::~InPhase() {
  phase_clock().enter(before_);
}

void report_energy(Report& report) {
  if (simulated) return;
  struct Measured {
    std::size_t machine;
    std::array<double, 2> joules;  ///< of processors, of GPUs
    int counters;
  };
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  Measured mine{std::hash<std::string>()(host.data()), {}, 0};
  nlohmann::json counters = nlohmann::json::array();
  for (const EnergyCount& count : phase_clock().energy()) {
    mine.joules[count.gpu ? 1 : 0] += count.joules;
    ++mine.counters;
    counters.push_back({{"name", count.name}, {"joules", count.joules}});
  }
  std::set<std::size_t> machines;
  std::array<double, 2> joules{};
  for (const Measured& measured : rank_group().all_gather(mine)) {
    if (measured.counters == 0 || !machines.insert(measured.machine).second) continue;
    for (std::size_t kind = 0; kind < joules.size(); ++kind) joules[kind] += measured.joules[kind];
  }
  const double all = joules[0] + joules[1];
  const double seconds = phase_clock().seconds()[static_cast<std::size_t>(Phase::steps)];
  if (machines.empty() || !(seconds > 0)) return;
  report.record["counted_energy"] = {
      {"joules", all},      {"processors", joules[0]},     {"gpus", joules[1]},
      {"seconds", seconds}, {"machines", machines.size()}, {"counters", std::move(counters)}};
  report.rows.emplace_back(
      "energy", fmt::format("{:.4g} J in {:.3g} s of steps, {:.4g} W: processors {:.4g} J, GPUs {:.4g} J", all, seconds,
                            all / seconds, joules[0], joules[1]));
}

void report_phases(Report& report) {
  if (simulated) return;
  PhaseClock& clock = phase_clock();
  clock.enter(clock.phase());
  constexpr double worth_a_word = 0.005;
  std::string line = fmt::format("{:.2f} s:", clock.all());
  const char* mark = " ";
  for (std::size_t p = 0; p < names.size(); ++p) {
    const double seconds = clock.seconds()[p];
    report.record["phases"][names[p]] = seconds;
    if (seconds < worth_a_word * clock.all()) continue;
    line += fmt::format("{}{} {:.2f}", mark, names[p], seconds);
    mark = ", ";
  }
  report.record["wall_seconds"] = clock.all();
  report.rows.emplace_back("wall clock", line);
}

}  // namespace asterism::apps
