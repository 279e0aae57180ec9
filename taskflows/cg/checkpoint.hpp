// SPDX-License-Identifier: Apache-2.0
// The state of a solve between two iterations: the vectors, the scalars and what the host knows of the past. A solve
// that resumes from it has bit-identical results. Any number of ranks may resume, with the same block-rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "taskflows/cg/simulation.hpp"

namespace asterism::cg {

/// What the host knows of a solve that is under way.
struct Past {
  std::int64_t iterations = 0;  ///< of which `since_start` since the recurrence began or began again
  std::int32_t since_start = 0;
  std::int32_t restarts = 0;
  double true_residual = 0;  ///< relative, when the recurrence began
  double b_norm = 0;
  std::vector<double> history;  ///< see SolveResult
};

/// Throws Error (bad_input) for flows that keep more than their vectors between two iterations: naive and refined, and
/// p in other forms than pieces.
void require_checkpoints(const Options& options);

/// HDF5: the dataset of each vector has all rows; each rank writes its own. All ranks call it, when all tasks are done.
/// Throws Error (failed), on all of them, when it cannot be written: then an older file stays.
void write_checkpoint(const std::filesystem::path& path, const System& system, const Past& past);

/// Sets vectors and scalars of a new System, each rank its rows; the residual to be reached is that of `threshold`.
/// Throws Error (bad_input): not a checkpoint, or one of another system, right-hand side, method or other block-rows.
Past read_checkpoint(const std::filesystem::path& path, System& system, double b_norm, double threshold);

}  // namespace asterism::cg
