// SPDX-License-Identifier: Apache-2.0
// The command line of asterism-fdtd.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/common/driver.hpp"
#include "apps/fdtd/results.hpp"
#include "taskflows/fdtd/cases.hpp"
#include "taskflows/fdtd/division.hpp"

namespace asterism::apps::fdtd {

struct Arguments {
  SolverOptions common;
  // the problem
  asterism::fdtd::CaseOptions problem;
  std::string scene;                           ///< a TOML file instead of a case
  bool empty = false;                          ///< the scene without its bodies
  asterism::fdtd::scene::Overrides overrides;  ///< of the scene
  OtherRuns others;                            ///< of the scene
  std::optional<long> steps;                   ///< none: those of the scene, or validation_steps
  std::vector<asterism::fdtd::Probe> sources;  ///< where currents are
  std::optional<double> pulse;                 ///< their width, s
  std::vector<asterism::fdtd::Probe> probes;
  // the pieces
  asterism::fdtd::DivisionOptions pieces;              ///< an open share of GPUs is corrected while running
  std::optional<asterism::fdtd::Transfers> transfers;  ///< of fields before the first step and after the last; none: no
  bool measure_again = false;                          ///< rates, though some are kept
  // results
  long check_every = 96;  ///< whole passes of a GPU: of 8 steps in single precision, 4 in double
  OutputOptions output;
  std::string probe_file;
  bool charts = false;
  std::string checkpoint;
  std::optional<long> checkpoint_every;
  std::string restart;
};

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace asterism::apps::fdtd
