// SPDX-License-Identifier: Apache-2.0
// A platform out of the machine at hand: what is run and recorded, and what becomes of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/platform/runs.hpp"

namespace asterism::apps::platform {

struct Calibration {
  std::filesystem::path file;
  std::string description;
  std::vector<std::string> methods = platform::methods();
  std::vector<std::string> runs;
  std::vector<std::filesystem::path> recordings;
  std::filesystem::path work;  ///< empty: beside the file, until all runs are done
  bool quick = false;          ///< short runs, within a minute
  bool quiet = false;
};

/// Measures, and writes the file anew after each run. Runs that an earlier calibration left in the same work folder are
/// not made again. `command`: as it was given; `program`: this one, beside the solvers. Returns the exit status. Throws
/// Error.
int calibrate(const Calibration& asked, const std::string& command, const std::filesystem::path& program);

}  // namespace asterism::apps::platform
