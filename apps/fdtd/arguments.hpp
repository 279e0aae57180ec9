// SPDX-License-Identifier: Apache-2.0
// The command line of asterism-fdtd.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/driver.hpp"
#include "apps/fdtd/results.hpp"
#include "taskflows/fdtd/cases.hpp"

namespace asterism::apps::fdtd {

struct Arguments {
  SolverOptions common;
  // the problem
  asterism::fdtd::CaseOptions problem;
  std::string scene;                           ///< a TOML file instead of a case
  std::optional<long> steps;                   ///< none: those of the scene, or validation_steps
  std::vector<asterism::fdtd::Probe> sources;  ///< where currents are
  std::optional<double> pulse;                 ///< their width, s
  std::vector<asterism::fdtd::Probe> probes;
  // the pieces
  std::optional<std::array<int, 3>> boxes;  ///< equal parts; none: strips by speed
  std::optional<double> gpu_share;          ///< none: from measured rates, corrected while running
  std::vector<double> gpu_weights;          ///< of the GPUs of a process; empty: alike, or measured
  std::optional<int> overlap;               ///< none: best_overlap()
  int bricks_per_gpu = 0;                   ///< 0: two where there are neighbours
  asterism::fdtd::Exchange exchange = asterism::fdtd::Exchange::hidden;
  std::optional<asterism::fdtd::Transfers> transfers;  ///< of fields before the first step and after the last; none: no
  bool scheduler_places = false;
  bool measure_again = false;  ///< rates, though some are kept
  // results
  long check_every = 100;
  OutputOptions output;
  std::string probe_file;
  std::string checkpoint;
  std::optional<long> checkpoint_every;
  std::string restart;
};

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace asterism::apps::fdtd
