// SPDX-License-Identifier: Apache-2.0
#include "apps/common/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "apps/common/files.hpp"
#include "apps/common/phases.hpp"
#include "apps/common/process.hpp"
#include "apps/common/program.hpp"
#include "runtime/machine/simulated_machine.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps {
namespace {

/// Makes a program start its units and end: measure_start() runs it with this option.
constexpr std::string_view only_start = "--only-start";

/// Seconds of a process that starts so many GPUs, beside cores as always, and ends; 0 where it fails.
double seconds_of_start(int gpus) {
  Process process;
  process.command = {"/proc/self/exe", std::string(only_start)};
  process.environment = {{"STARPU_NCUDA", std::to_string(gpus)}, {"STARPU_FXT_TRACE", "0"}};
  process.output = process.errors = "/dev/null";
  process.timeout = 60;
  const Outcome outcome = run_process(process, [](double) {});
  return outcome.good() ? outcome.wall : 0;
}

std::string complaint_of(const Verdict& verdict) {
  if (!verdict.complaint.empty()) return verdict.complaint;
  return fmt::format("{}: {:.3e}, expected at most {:.1e}", verdict.against, verdict.error, verdict.allowed);
}

/// Throws Error (failed) at the first verdict that is not right. Says nothing where nothing was verified.
void judge(const SolverOptions& options, const std::vector<Verdict>& verdicts, Report& report) {
  if (verdicts.empty()) return;
  report.record["right"] = true;
  for (const Verdict& verdict : verdicts)
    if (!verdict.right()) {
      report.record["right"] = false;
      report_wrong_answer(options.json, report, complaint_of(verdict));
    }
}

/// Ends the data of a run before its session, also when an error ends the run.
class Release {
 public:
  explicit Release(Solver& solver) : solver_(solver) {}
  ~Release() { solver_.release(); }
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;

 private:
  Solver& solver_;
};

/// Chooses units before StarPU starts, by rates that are measured in the first run of its kind on a machine.
void choose_units_for(const char* program, Solver& solver) {
  const std::optional<StepWork> work = solver.step_work();
  if (!work) return;
  const InPhase measuring(Phase::measuring);
  KnownRates rates = known_rates();
  SolverOptions& options = solver.options();
  const auto say = [&](const std::string& what) {
    if (!options.quiet) fmt::print(stderr, "{}: {}\n", program, what);
  };
  solver.use_units(choose_units(*work, options.session, rates, say, measure_start));
}

void report_units(const UnitChoice& units, Report& report) {
  if (units.reason.empty()) return;
  report.record["units"] = {{"choice", units.reason}, {"measuring_seconds", units.measuring}};
  report.rows.emplace_back("choice", units.reason);
}

/// Shows that it verifies: a reference solution may take longer than the solver.
std::vector<Verdict> verify(Solver& solver, Report& report) {
  const WaitingLine line(!solver.options().quiet, "verifying");
  return solver.verify(report);
}

int solve_and_report(const char* program, int argc, char** argv, Solver& solver) {
  if (const auto status = solver.parse(argc, argv)) return *status;
  enter(Phase::input);
  SolverOptions& options = solver.options();
  refuse_over_ranks(options.calibrate, "--calibrate");
  if (const auto status = solver.prepare()) return *status;
  const auto locks = lock_outputs();
  choose_units_for(program, solver);
  enter(Phase::measuring);
  if (options.calibrate) solver.calibrate();
  SessionOptions session_options = options.session;
  if (!options.trace.empty()) session_options.trace = options.trace;
  Report report;
  {
    enter(Phase::runtime);
    const Session session(session_options);
    const Release release(solver);
    enter(Phase::set_up);
    report.record = record_header(program, argc, argv, session);
    solver.solve(session);
    enter(Phase::output);
    if (simulated) report.rows.push_back(simulated_row());
    solver.describe(report);
    report_units(options.units, report);
    enter(Phase::verification);
    if (!simulated) judge(options, verify(solver, report), report);
    enter(Phase::measuring);
    solver.measure(report);
    enter(Phase::shutdown);
  }
  enter(Phase::output);
  solver.finish(report);
  report_energy(report);
  report_phases(report);
  report_results({options.json, options.trace, options.calibrate}, fmt::format("{} {}", program, solver.title()),
                 report);
  return 0;
}

}  // namespace

void Solver::use_units(const UnitChoice& units) {
  SolverOptions& own = options();
  own.units = units;
  if (units.cpus) own.session.cpus = units.cpus;
  if (units.gpus) own.session.gpus = units.gpus;
  if (own.session.gpus == 0) own.session.resting_cores = false;  // which rest beside GPUs
}

double measure_start(int gpus) {
  double with = 0, without = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {  // the first one may have to read libraries from a disk
    with = seconds_of_start(gpus);
    without = seconds_of_start(0);
    if (with == 0 || without == 0) return 0;
  }
  return std::max(0.0, with - without);
}

nlohmann::json record_of(const Verdict& verdict) {
  return {{"against", verdict.against}, {"error", verdict.error}, {"allowed", verdict.allowed}};
}

void add_verdict(Report& report, const std::string& key, const Verdict& verdict) {
  report.record[key] = record_of(verdict);
  report.rows.emplace_back("verified", fmt::format("{:.2e}: {}", verdict.error, verdict.against));
}

int drive(const char* program, int argc, char** argv, Solver& solver) {
  if (argc == 2 && argv[1] == only_start)
    return run(program, [] {
      const Session session(SessionOptions{});
      return 0;
    });
  return run(program, [&] { return solve_and_report(program, argc, argv, solver); });
}

}  // namespace asterism::apps
