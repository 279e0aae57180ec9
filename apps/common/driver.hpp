// SPDX-License-Identifier: Apache-2.0
// The one driver of the five programs: arguments, calibration, session, run, verification, results, report. A program
// brings a Solver; what all of them do in the same way, in the same words, is here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/common/report.hpp"
#include "apps/common/simulate.hpp"
#include "base/verdict.hpp"
#include "runtime/machine/unit_choice.hpp"
#include "runtime/session.hpp"

namespace asterism::apps {

/// Options that all five programs have.
struct SolverOptions {
  SessionOptions session;  ///< scheduler, CPUs, GPUs
  Simulated platform;      ///< to simulate, if any
  bool calibrate = false;  ///< measure every codelet on every kind of unit first
  bool verify = false;
  bool quiet = false;
  std::string json;   ///< record of the run; empty: none
  std::string trace;  ///< folder of a recording; empty: none
  UnitChoice units;   ///< chosen by the driver where the options leave it open
};

/// What a program brings to the driver, which calls the functions in the order in which they stand here. All ranks of a
/// run make the same calls. Functions throw Error.
class Solver {
 public:
  virtual ~Solver() = default;

  /// Reads the command line; an exit status when the program is to end here.
  virtual std::optional<int> parse(int argc, char** argv) = 0;
  /// Those of the command line.
  virtual SolverOptions& options() = 0;
  /// Before StarPU starts: input is read and checked, choices are made. An exit status when the program is to end here.
  virtual std::optional<int> prepare() { return std::nullopt; }
  /// What the choice of units depends on; nothing: units stay as the options and StarPU have them.
  virtual std::optional<StepWork> step_work() { return std::nullopt; }
  /// Takes the units that were chosen by it.
  virtual void use_units(const UnitChoice& units);
  /// --calibrate: runs every class of tasks on every kind of unit, in sessions of its own (calibration(), program.hpp),
  /// for StarPU's models and, with a folder, for bounds.
  virtual void calibrate() = 0;
  /// The run itself.
  virtual void solve(const Session& session) = 0;
  /// What was run, on what, and what came out, without any speed.
  virtual void describe(Report& report) = 0;
  /// How far the answer is from independent ones: with --verify, or always where it costs little. Not called on a
  /// simulated machine.
  virtual std::vector<Verdict> verify(Report& report) = 0;
  /// Times, rates and their share of the machine's ceilings. Not called when the answer is wrong.
  virtual void measure(Report& report) = 0;
  /// Before the session ends, also after an error: gives back all data that StarPU has handles of.
  virtual void release() {}
  /// After the session, when the answer is right: writes results, names them in `report.written`, and makes further
  /// sessions where it has to.
  virtual void finish(Report& report) { static_cast<void>(report); }
  /// The problem in a few words.
  [[nodiscard]] virtual std::string title() const = 0;
};

/// Runs `solver` from its command line to its report; the exit status: 0 right, 1 failed or wrong, 2 bad usage or
/// input.
int drive(const char* program, int argc, char** argv, Solver& solver);

/// By how many seconds the program at hand takes longer to start and to end with so many GPUs than without: the second
/// of two runs of each that do nothing else. 0 where they fail.
double measure_start(int gpus);

/// Adds a verdict to the table and, as `record[key]`, to the record.
void add_verdict(Report& report, const std::string& key, const Verdict& verdict);
/// In the record of a run.
nlohmann::json record_of(const Verdict& verdict);

}  // namespace asterism::apps
