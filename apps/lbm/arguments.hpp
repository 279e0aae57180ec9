// The command line of asterism-lbm.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "apps/common/simulate.hpp"
#include "apps/lbm/body.hpp"
#include "apps/lbm/output.hpp"
#include "runtime/session.hpp"
#include "taskflows/lbm/cases.hpp"

namespace asterism::apps::lbm {

struct Arguments {
  // the flow
  asterism::lbm::CaseOptions flow;
  BodyOptions body;
  long steps = 1024;
  // the pieces
  std::array<int, 3> subdomains{1, 1, 1};
  std::optional<double> gpu_share;  ///< none: from measured rates, corrected while running
  int cores = 0;                    ///< bricks of each sub-domain for CPUs; 0: as many as the session has
  int gpu_bricks = 0;               ///< of each sub-domain for its GPU; 0: see main.cpp
  bool scheduler_places = false;    ///< bricks go where the scheduler likes
  // the machine
  SessionOptions session;
  Simulated platform;  ///< to simulate, if any
  bool calibrate = false;
  // results
  long check_every = 50;
  OutputOptions output;
  std::string json;
  std::string trace;
  bool verify = false;
  bool quiet = false;
};

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace asterism::apps::lbm
