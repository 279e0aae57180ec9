// SPDX-License-Identifier: Apache-2.0
// The command line of asterism-lbm.
#pragma once

#include <optional>

#include "apps/common/driver.hpp"
#include "apps/lbm/output.hpp"
#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/geometry/body.hpp"
#include "taskflows/lbm/pieces.hpp"

namespace asterism::apps::lbm {

struct Arguments {
  SolverOptions common;
  // the flow
  asterism::lbm::CaseOptions flow;
  asterism::lbm::BodyOptions body;
  bool shape_given = false;
  bool interpolated_walls = false;  ///< at the surface of the body
  long steps = 1024;
  asterism::lbm::PieceOptions pieces;  ///< an open share of GPUs is corrected while running
  // results
  long check_every = 50;
  OutputOptions output;
};

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace asterism::apps::lbm
