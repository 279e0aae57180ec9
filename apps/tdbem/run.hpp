// SPDX-License-Identifier: Apache-2.0
// asterism-tdbem, as the common driver runs it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/driver.hpp"
#include "apps/tdbem/arguments.hpp"
#include "apps/tdbem/march.hpp"

namespace asterism::apps::tdbem {

class Run final : public Solver {
 public:
  std::optional<int> parse(int argc, char** argv) override;
  SolverOptions& options() override { return arguments_.common; }
  std::optional<int> prepare() override;
  std::optional<StepWork> step_work() override { return step_work_of(arguments_, problem_case_); }
  void calibrate() override;
  void solve(const Session& session) override;
  void describe(Report& report) override;
  std::vector<Verdict> verify(Report& report) override;
  void measure(Report& report) override;
  void release() override { march_.reset(); }
  [[nodiscard]] std::string title() const override;

 private:
  [[nodiscard]] bool ahead_suits(const Session& session) const;

  Arguments arguments_;
  asterism::tdbem::ProblemCase problem_case_;
  std::unique_ptr<March> march_;
  std::string scheduler_;
};

}  // namespace asterism::apps::tdbem
