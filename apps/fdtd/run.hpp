// SPDX-License-Identifier: Apache-2.0
// What asterism-fdtd brings to the common driver (apps/common/driver.hpp): one domain on all units.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/driver.hpp"
#include "apps/fdtd/arguments.hpp"
#include "apps/fdtd/time_stepping.hpp"

namespace asterism::apps::fdtd {

/// What a run is made of: a case or a scene, its outputs and its steps.
struct RunInput {
  asterism::fdtd::Case problem_case;
  std::optional<LoadedScene> scene;
  Outputs outputs;
  long steps = 0;
};

class Run final : public Solver {
 public:
  std::optional<int> parse(int argc, char** argv) override;
  SolverOptions& options() override { return args_.common; }
  std::optional<int> prepare() override;
  std::optional<StepWork> step_work() override;
  void calibrate() override;
  void solve(const Session& session) override;
  void describe(Report& report) override;
  std::vector<Verdict> verify(Report& report) override;
  void measure(Report& report) override;
  void release() override { stepping_.reset(); }
  void finish(Report& report) override { report.written = written_; }
  [[nodiscard]] std::string title() const override { return input_.problem_case.describe; }

 private:
  [[nodiscard]] const asterism::fdtd::Problem& problem() const { return input_.problem_case.problem; }
  void write_results();
  void describe_pieces(Report& report);
  void describe_state(Report& report);
  void describe_ports(Report& report);
  void describe_scattering(Report& report);
  void describe_fluxes(Report& report);
  void describe_ringdowns(Report& report);
  void measure_transfers(Report& report);
  void measure_bandwidth_share(Report& report);

  Arguments args_;
  RunInput input_;
  const Session* session_ = nullptr;  ///< from solve() to release()
  std::unique_ptr<TimeStepping> stepping_;
  std::vector<std::string> written_;  ///< names of files
};

}  // namespace asterism::apps::fdtd
