// SPDX-License-Identifier: Apache-2.0
// The command line of asterism-cg.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/common/driver.hpp"
#include "taskflows/cg/options.hpp"
#include "taskflows/cg/problem.hpp"
#include "taskflows/cg/solver.hpp"

namespace asterism::apps::cg {

struct Arguments {
  SolverOptions common;
  asterism::cg::Problem problem;
  // the method; choices left open are made when the units are known
  asterism::cg::Options options;
  std::optional<int> blocks;
  std::optional<asterism::cg::Transfer> transfer;
  std::optional<asterism::cg::VectorMode> vector;
  std::optional<asterism::cg::DotMode> dot;
  std::optional<asterism::cg::XUpdate> x_update;
  std::optional<asterism::cg::TaskSize> task;
  std::string preconditioner = "auto";      ///< once the matrix is known, what was chosen
  std::string why_preconditioner;           ///< of auto; empty: it was given
  bool own_pace = false;                    ///< --check-every was given
  bool own_scheduler = false;               ///< --scheduler or STARPU_SCHED
  std::optional<int> preconditioner_block;  ///< default: 3 for block-jacobi, found in the matrix for amg
  std::optional<int> iterations;            ///< run exactly this number
  bool default_iterations = false;          ///< a simulated run that was not told how many
  // the machine
  std::string units = "default";
  // results
  std::string solution;
  std::string output;
  asterism::cg::Checkpoints checkpoints;
  bool efficiency = false;
};

/// Fills `arguments`; returns an exit status when the program is to end here.
std::optional<int> parse_arguments(int argc, char** argv, Arguments& arguments);

/// What follows from the name of the preconditioner, unless this is auto.
void apply_preconditioner(Arguments& arguments);

/// The choices left open, for the units at hand and a matrix of so many rows.
asterism::cg::Options complete_options(const Arguments& arguments, const Session& session, std::int64_t rows);

}  // namespace asterism::apps::cg
