// SPDX-License-Identifier: Apache-2.0
// One solve on one set of units, and the paper's efficiencies from three of them.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "apps/cg/arguments.hpp"
#include "runtime/machine/bandwidth.hpp"
#include "taskflows/cg/solver.hpp"

namespace asterism::apps::cg {

/// What one solve leaves behind. Over several ranks: the solution has the rows of this rank.
struct Solved {
  asterism::cg::SolveResult result;
  asterism::cg::Options options;
  Array<double> x;
  double nonzeros = 0;                ///< of the whole matrix
  double stored_entries = 0;          ///< of the whole matrix, padding included
  double bytes_exchanged = 0;         ///< between block-rows, per iteration
  double assembly_seconds = 0;        ///< blocks of A built, data registered
  double preconditioner_seconds = 0;  ///< set-up of ssor and amg, part of the assembly and what came before
  std::vector<std::int64_t> rows;     ///< of each block-row
};

/// Relative sizes of the block-rows: equal, or with --units all in proportion to the speed of their units.
std::vector<double> block_shares(const Arguments& arguments, const Session& session, const Bandwidth& bandwidth,
                                 int blocks);

/// Over several ranks: a and b are the rows of this rank, and so is the solution. `assembled` is called once the blocks
/// of A are there: on a simulated machine nothing reads the entries of `a` from then on.
Solved solve_once(const Session& session, const asterism::cg::CsrMatrix& a, std::span<const double> b,
                  const asterism::cg::Options& options, const asterism::cg::Partition& partition,
                  const std::function<void(const asterism::cg::Progress&)>& progress,
                  const asterism::cg::Checkpoints& checkpoints = {}, const std::function<void()>& assembled = {},
                  const asterism::cg::Hierarchy* hierarchy = nullptr);
/// Solves with block-rows of these relative sizes.
Solved solve_once(const Session& session, const asterism::cg::CsrMatrix& a, std::span<const double> b,
                  const asterism::cg::Options& options, std::span<const double> shares,
                  const std::function<void(const asterism::cg::Progress&)>& progress,
                  const asterism::cg::Hierarchy* hierarchy = nullptr);

/// A few iterations of the same flow, so that every class of tasks has run on every kind of unit; recorded with
/// --trace.
void calibrate(const Arguments& arguments, const SessionOptions& machine, const asterism::cg::CsrMatrix& a,
               std::span<const double> b, asterism::cg::Options options, std::span<const double> shares,
               const asterism::cg::Hierarchy* hierarchy);

/// Median time of an iteration in seconds.
double seconds_per_iteration(const asterism::cg::SolveResult& result);

/// Definitions 1 to 5 of the paper.
struct Efficiency {
  double t1_1 = 0;  ///< one block, one unit
  double tb_1 = 0;  ///< b blocks, one unit
  double tb_p = 0;  ///< b blocks, p units
  int blocks = 1;
  int units = 1;

  [[nodiscard]] double speedup() const { return t1_1 / tb_p; }
  [[nodiscard]] double e() const { return speedup() / units; }
  [[nodiscard]] double granularity() const { return t1_1 / tb_1; }
  [[nodiscard]] double pipeline() const { return tb_1 / (tb_p * units); }
};

/// Which kind of units a solve with one unit uses.
enum class UnitsOf { cpus, gpus };
/// Definitions 1 to 5 for a solve on `units` units: solves with one block on one unit and with all blocks on one
/// unit, in sessions of their own.
Efficiency measure_efficiency(const Arguments& arguments, const asterism::cg::CsrMatrix& a, std::span<const double> b,
                              const Solved& solved, UnitsOf kind, int units, const asterism::cg::Hierarchy* hierarchy);

double sum_over_ranks(double value);

/// What the iteration must move and do, and how the time compares with the memory's.
nlohmann::json performance(const Solved& solved, std::int64_t rows, const Session& session, const Bandwidth& bandwidth,
                           int units);

}  // namespace asterism::apps::cg
