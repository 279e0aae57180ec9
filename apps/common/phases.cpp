// SPDX-License-Identifier: Apache-2.0
#include "apps/common/phases.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/wall_clock.hpp"
#include "runtime/machine/simulated_machine.hpp"

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
    const double now = wall_seconds();
    seconds_[static_cast<std::size_t>(phase_)] += now - since_;
    since_ = now;
    return std::exchange(phase_, phase);
  }
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] const auto& seconds() const { return seconds_; }
  [[nodiscard]] double all() const { return since_ - begin_; }

 private:
  Phase phase_ = Phase::loading;
  double begin_ = 0;
  double since_ = 0;
  std::array<double, names.size()> seconds_{};
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
