// SPDX-License-Identifier: Apache-2.0
// A run of asterism-lbm, as the driver of the programs calls it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/driver.hpp"
#include "apps/common/program.hpp"
#include "apps/lbm/arguments.hpp"
#include "apps/lbm/output.hpp"
#include "runtime/clock.hpp"
#include "runtime/machine/unit_rates.hpp"
#include "taskflows/lbm/cases.hpp"
#include "taskflows/lbm/pieces.hpp"
#include "taskflows/lbm/simulation.hpp"

namespace asterism::apps::lbm {

class Run : public Solver {
 public:
  std::optional<int> parse(int argc, char** argv) override { return parse_arguments(argc, argv, args_); }
  SolverOptions& options() override { return args_.common; }
  std::optional<int> prepare() override;
  std::optional<StepWork> step_work() override;
  void use_units(const UnitChoice& units) override;
  void calibrate() override;
  void solve(const Session& session) override;
  void describe(Report& report) override;
  std::vector<Verdict> verify(Report& report) override;
  void measure(Report& report) override;
  void release() override;
  void finish(Report& report) override { report.written = written_; }
  [[nodiscard]] std::string title() const override { return flow_.describe; }

 private:
  /// Steps that are timed: those since the domain was cut as it is, without the writing of files.
  struct Stopwatch {
    Clock::time_point begin = Clock::now();
    long from = 0;
    double writing = 0;  ///< seconds
  };
  /// Where the cut between CPUs and GPUs is corrected.
  struct Correction {
    std::unique_ptr<Balance> balance;  ///< null: no corrections
    long looked = 0;                   ///< step of the last look
    long next = 0;
    Clock::time_point since = Clock::now();
  };

  [[nodiscard]] asterism::lbm::PlacedBy placed_by() const;
  void check_results();
  void say_numbers() const;
  double choose_share();
  void set_up();
  void advance();
  void write_output(long t);
  [[noreturn]] void stop_here();
  void correct(long t);
  [[nodiscard]] bool gpus_alone_are_faster(long steps, double seconds) const;
  [[nodiscard]] bool worth(double share) const;
  [[nodiscard]] double mlups() const;
  void show(long t);
  void describe_flow(Report& report) const;
  void describe_pieces(Report& report) const;
  void measure_bandwidth_share(Report& report, double bytes) const;

  Arguments args_;
  asterism::lbm::Case flow_;
  const Session* session_ = nullptr;
  std::optional<ProgressLine> line_;
  asterism::lbm::Pieces pieces_;
  std::unique_ptr<asterism::lbm::Simulation> simulation_;
  std::unique_ptr<Output> output_;
  std::optional<Rates> rates_;
  std::string cores_share_;  ///< name of the share of the cores, once it has settled, among the known rates
  long start_ = 0;           ///< time at which the run begins
  Stopwatch watch_;
  Correction correction_;
  int corrections_ = 0;
  double seconds_ = 0;  ///< of the timed steps
  long timed_steps_ = 0;
  asterism::lbm::Totals totals_{};
  std::vector<std::string> written_;
};

}  // namespace asterism::apps::lbm
