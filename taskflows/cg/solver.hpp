// SPDX-License-Identifier: Apache-2.0
// Runs a conjugate gradient flow to its end: submits iterations ahead of the units, reads the residual
// now and then, and restarts from the true residual where the recurrence has drifted from it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "taskflows/cg/simulation.hpp"

namespace asterism::cg {

/// When the recurrence meets the tolerance and the true residual exceeds it by at most this factor, the direction is
/// kept and the recurrence continues from the true residual; beyond, conjugate gradient begins anew.
constexpr double small_drift = 1.1;
/// Iterations of the pipelined flow between two replacements of its recurrences: four products each.
constexpr int replace_every = 25;

enum class Outcome {
  converged,       ///< the true residual is below the tolerance
  max_iterations,  ///< it is not, after max_iterations
  stagnated,       ///< it no longer falls: the tolerance is beyond what double precision reaches here
};

const char* name_of(Outcome outcome);

struct SolveResult {
  Outcome outcome = Outcome::converged;
  std::int64_t iterations = 0;
  int restarts = 0;                           ///< from the true residual
  double recurrence_residual = 0;             ///< ||r|| / ||b|| of the recurrence when it stopped
  double true_residual = 0;                   ///< ||b - A x|| / ||b||, computed anew
  std::vector<double> history;                ///< ||r|| / ||b|| before the first and after each iteration
  std::int64_t checkpoint = 0;                ///< iteration of the last checkpoint that was written; 0: none was
  double seconds = 0;                         ///< from the first task of the first iteration to the end
  std::vector<double> seconds_per_iteration;  ///< mean over each window of iterations but the first
};

struct Progress {
  std::int64_t iteration;
  std::int64_t max_iterations;
  double residual;  ///< relative
  double tolerance;
};

/// Files of the state (taskflows/cg/checkpoint.hpp).
struct Checkpoints {
  std::string write;         ///< empty: none is written
  std::int64_t every = 500;  ///< iterations
  std::string read;          ///< to resume from; empty: the solve begins with x0
};

/// The norm ||b||, in parallel and compensated; over several ranks `b` is this rank's part.
double norm(std::span<const double> b);

/// Solves; the solution is in system.x, in main memory, on return. Over several ranks all call it, with their rows of
/// b, take the same decisions and get the same result. Throws Error (bad_input) when the matrix turns out not to be
/// positive definite, naming it `name`, and for a checkpoint of another solve; failed when a value is not finite.
SolveResult solve(System& system, std::span<const double> b, const std::string& name,
                  const std::function<void(const Progress&)>& progress = {}, const Checkpoints& checkpoints = {});

}  // namespace asterism::cg
