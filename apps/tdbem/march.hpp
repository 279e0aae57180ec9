// SPDX-License-Identifier: Apache-2.0
// The march of asterism-tdbem in the precision of its problem: matrices from a file or assembled, groups of steps with
// balanced intervals, outputs when they are due, and what is said about it.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/program.hpp"
#include "apps/common/report.hpp"
#include "apps/tdbem/arguments.hpp"
#include "apps/tdbem/output.hpp"
#include "base/verdict.hpp"
#include "runtime/clock.hpp"
#include "runtime/machine/unit_choice.hpp"
#include "runtime/memory/memory_limits.hpp"
#include "runtime/session.hpp"
#include "taskflows/tdbem/matrices/matrices.hpp"
#include "taskflows/tdbem/simulation.hpp"

namespace asterism::apps::tdbem {

/// A march whose precision is not known where it is used. All ranks make the same calls, in this order.
class March {
 public:
  March() = default;
  virtual ~March() = default;
  March(const March&) = delete;
  March& operator=(const March&) = delete;

  /// All steps. Throws Error.
  virtual void run() = 0;
  /// As those of Solver (driver.hpp).
  virtual void describe(Report& report) = 0;
  virtual std::vector<Verdict> verify() = 0;
  virtual void measure(Report& report) = 0;
};

/// Prepares the matrices and the state that the march begins with. Arguments are kept by reference. Throws Error.
std::unique_ptr<March> make_march(const Arguments& arguments, const asterism::tdbem::ProblemCase& problem_case,
                                  const Session& session);

/// What the choice of units depends on, of bodies that few cores may be best for.
std::optional<StepWork> step_work_of(const Arguments& arguments, const asterism::tdbem::ProblemCase& problem_case);

/// Runs every class of tasks on every kind of unit, in a session of its own.
void calibrate(const Arguments& arguments, const asterism::tdbem::ProblemCase& problem_case);

/// T: of the matrices. march.cpp: the march; report.cpp: what is said about it.
template <class T>
class PrecisionMarch final : public March {
 public:
  PrecisionMarch(const Arguments& arguments, const asterism::tdbem::ProblemCase& problem_case, const Session& session);

  void run() override;
  void describe(Report& report) override;
  std::vector<Verdict> verify() override;
  void measure(Report& report) override;

 private:
  void prepare_matrices();
  void assemble_matrices();
  void resume();
  void record_group();
  std::vector<double> time_group();
  void balance_intervals();
  void warm_up();
  void show_progress(Clock::time_point begin, std::int64_t first);

  [[nodiscard]] nlohmann::json problem_record() const;
  [[nodiscard]] nlohmann::json matrices_record() const;
  [[nodiscard]] nlohmann::json method_record() const;
  void describe_ranks(Report& report) const;
  void describe_disk(Report& report) const;
  [[nodiscard]] double read_per_pass() const;
  void measure_rates(Report& report) const;
  void report_spectrum(Report& report) const;
  void measure_bandwidth_share(Report& report, double achieved) const;

  const Arguments& args_;
  const asterism::tdbem::ProblemCase& case_;
  const asterism::tdbem::Problem& problem_;
  const Session& session_;
  ProgressLine line_;
  const asterism::tdbem::Sharing sharing_;
  const std::int64_t compared_steps_;  ///< whose values are kept to be verified
  std::int64_t first_compared_ = 0;    ///< step from which a resumed run has values
  std::unique_ptr<asterism::tdbem::Matrices<T>> matrices_;
  std::unique_ptr<asterism::tdbem::Simulation<T>> simulation_;
  std::unique_ptr<Output> output_;
  std::vector<std::string> written_;
  double structure_seconds_ = 0, assembly_seconds_ = 0, march_seconds_ = 0, output_seconds_ = 0;
  std::int64_t timed_steps_ = 0;
  std::int64_t bytes_sent_ = 0;                           ///< by this rank, in these
  std::optional<DiskTraffic> disk_before_, disk_during_;  ///< the march, with a disk for what does not fit into memory
  std::vector<double> values_;                            ///< [step][unknown] of the first wave, to be verified
  nlohmann::json balancing_ = nlohmann::json::array();
};

}  // namespace asterism::apps::tdbem
