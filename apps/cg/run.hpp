// SPDX-License-Identifier: Apache-2.0
// One run of asterism-cg, as the common driver calls it (apps/common/driver.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/cg/arguments.hpp"
#include "apps/cg/measure.hpp"
#include "apps/common/driver.hpp"
#include "taskflows/cg/problem.hpp"
#include "taskflows/cg/structure/results.hpp"
#include "taskflows/cg/verify.hpp"

namespace asterism::apps::cg {

class Run : public Solver {
 public:
  std::optional<int> parse(int argc, char** argv) override { return parse_arguments(argc, argv, arguments_); }
  SolverOptions& options() override { return arguments_.common; }
  std::optional<int> prepare() override;
  void calibrate() override;
  void solve(const Session& session) override;
  void describe(Report& report) override;
  std::vector<Verdict> verify(Report& report) override;
  void measure(Report& report) override;
  void finish(Report& report) override;
  [[nodiscard]] std::string title() const override { return a_.name; }

 private:
  void choose_units();
  void leave_small_systems_to_one_unit();
  void leave_small_systems_to_each_rank();
  /// What --preconditioner auto stands for.
  void choose_preconditioner();
  /// What --preconditioner ssor and amg set up, before StarPU takes the cores.
  void make_hierarchy();
  [[nodiscard]] const asterism::cg::Hierarchy* hierarchy() const {
    return hierarchy_.level.empty() ? nullptr : &hierarchy_;
  }
  void take_rows(std::int64_t first, std::int64_t last);
  /// Cuts the matrix into block-rows; over several ranks, takes the rows of this one.
  void decompose(const Session& session, const asterism::cg::Options& options);
  void add_error_to_known(Report& report) const;
  /// Stress, reactions and energy of a model, and whether they are in equilibrium; residual: ||b - A x|| / ||b||.
  Verdict add_structure(Report& report, double residual);
  void add_efficiency(Report& report);

  Arguments arguments_;
  SessionOptions whole_machine_;  ///< for calibration, which needs units that the run leaves idle
  bool on_gpus_ = false;
  int units_ = 1;  ///< that work, over all ranks
  asterism::cg::MatrixSource matrix_;
  asterism::cg::CsrMatrix a_;
  asterism::cg::RightHandSide right_;
  asterism::cg::Hierarchy hierarchy_;
  std::shared_ptr<const asterism::cg::Structure> structure_;       ///< of --model
  std::optional<asterism::cg::StructureResult> structure_result_;  ///< on rank 0
  asterism::cg::Partition partition_;
  Bandwidth bandwidth_;
  std::vector<double> calibrated_shares_;
  Solved solved_;
  nlohmann::json performance_;
};

}  // namespace asterism::apps::cg
