// SPDX-License-Identifier: Apache-2.0
// What is compared, and how: the command line of asterism-compare, understood.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/compare/time_source.hpp"
#include "runtime/machine/platform.hpp"

namespace asterism::apps::compare {

struct Settings {
  std::vector<std::string> command;     ///< the program and its arguments, never changed
  std::vector<std::string> schedulers;  ///< in the order of the user
  int repetitions = 7;
  int calibrations = 2;  ///< runs with STARPU_CALIBRATE=1 when any scheduler uses performance models
  /// scheduler of the calibration runs, which runs every class of tasks everywhere; empty when Asterism's plug-in
  /// library is missing: then each scheduler that uses models calibrates them itself
  std::string calibrator;
  int warm_ups = 10;   ///< at most; one is enough when StarPU finds its models calibrated
  int traced = 1;      ///< rounds of recorded runs when the measured ones are not recorded
  int untraced = 0;    ///< rounds without recording when the measured ones are recorded
  int give_up = 3;     ///< failures in a row after which the rest of a scheduler's runs is left out
  double timeout = 0;  ///< seconds for one run; 0: none
  TimeSource time;     ///< what is compared
  /// the simulated machine that the program runs on; simulation is deterministic, so one run of each scheduler suffices
  std::optional<Platform> platform;
  std::filesystem::path platform_file;
  std::string window = "auto";
  std::filesystem::path work;
  std::filesystem::path csv;  ///< default: in the work folder, as the next two
  std::filesystem::path json;
  std::filesystem::path html;
  bool keep_traces = false;
  bool retry = false;    ///< do failed runs again
  bool dry_run = false;  ///< say what would be done
  bool quiet = false;

  /// Nothing to calibrate, nothing to repeat: durations are the platform's, and the same makespan comes each time.
  [[nodiscard]] bool deterministic() const noexcept {
    return platform.has_value() && time.kind != TimeSource::Kind::wall;
  }
  /// the measured runs are recorded
  [[nodiscard]] bool records() const noexcept { return time.kind == TimeSource::Kind::trace; }
};

/// Returns an exit status when the program is to end here. Throws Error (bad_input).
std::optional<int> parse_arguments(int argc, char** argv, Settings& settings);

/// "a 'b c'": a command as one would type it.
std::string shell_text(const std::vector<std::string>& command);
/// The same for records and titles: the program without its folder, which means nothing elsewhere.
std::string shown_command(const Settings& settings);
/// "simulated machine NAME: DESCRIPTION"; empty when none is simulated.
std::string shown_machine(const Settings& settings);

}  // namespace asterism::apps::compare
