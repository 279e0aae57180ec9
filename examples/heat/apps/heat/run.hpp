// SPDX-License-Identifier: Apache-2.0
// A run of asterism-heat, as the driver of the programs calls it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/common/driver.hpp"
#include "apps/heat/arguments.hpp"
#include "taskflows/heat/simulation.hpp"

namespace asterism::apps::heat {

class Run : public Solver {
 public:
  std::optional<int> parse(int argc, char** argv) override { return parse_arguments(argc, argv, args_); }
  SolverOptions& options() override { return args_.common; }
  std::optional<int> prepare() override;
  void calibrate() override;
  void solve(const Session& session) override;
  void describe(Report& report) override;
  std::vector<Verdict> verify(Report& report) override;
  void measure(Report& report) override;
  void release() override { simulation_.reset(); }
  [[nodiscard]] std::string title() const override { return args_.problem_case.name; }

 private:
  Arguments args_;
  asterism::heat::Case case_;
  std::optional<asterism::heat::Simulation> simulation_;
  double seconds_ = 0;
  long timed_steps_ = 0;
};

}  // namespace asterism::apps::heat
