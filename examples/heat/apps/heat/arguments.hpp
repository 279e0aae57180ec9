// SPDX-License-Identifier: Apache-2.0
// The command line of asterism-heat.
#pragma once

#include <optional>
#include <string>

#include "apps/common/driver.hpp"
#include "taskflows/heat/cases.hpp"

namespace asterism::apps::heat {

struct Arguments {
  asterism::heat::CaseOptions problem_case;
  long steps = 1000;
  int blocks = 0;  ///< 0: two for each unit
  std::string checkpoint;
  std::string restart;
  SolverOptions common;
};

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

}  // namespace asterism::apps::heat
