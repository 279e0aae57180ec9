// SPDX-License-Identifier: Apache-2.0
// The command line of asterism-lbm.
#pragma once

#include <array>
#include <optional>

#include "apps/common/driver.hpp"
#include "apps/lbm/body.hpp"
#include "apps/lbm/output.hpp"
#include "taskflows/lbm/cases.hpp"

namespace asterism::apps::lbm {

struct Arguments {
  SolverOptions common;
  // the flow
  asterism::lbm::CaseOptions flow;
  BodyOptions body;
  long steps = 1024;
  // the pieces
  std::array<int, 3> subdomains{1, 1, 1};
  std::optional<double> gpu_share;  ///< none: from measured rates, corrected while running
  int cores = 0;                    ///< bricks of each sub-domain for CPUs; 0: as many as the session has
  int gpu_bricks = 0;               ///< of each sub-domain for its GPU; 0: see pieces.cpp
  bool scheduler_places = false;    ///< the scheduler decides where bricks are updated
  // results
  long check_every = 50;
  OutputOptions output;
};

/// With several bricks, a GPU packs for the neighbours of one while it updates another.
bool several_bricks_per_gpu(const Arguments& args);

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace asterism::apps::lbm
