// SPDX-License-Identifier: Apache-2.0
// A run of asterism-fmm, for the common driver: run.cpp computes, motion.cpp moves the particles, report.cpp says what
// came out.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/driver.hpp"
#include "apps/common/program.hpp"
#include "apps/fmm/arguments.hpp"
#include "taskflows/fmm/checkpoint.hpp"
#include "taskflows/fmm/dynamics/energy_series.hpp"
#include "taskflows/fmm/dynamics/snapshots.hpp"
#include "taskflows/fmm/flow.hpp"
#include "taskflows/fmm/motion.hpp"
#include "taskflows/fmm/plan/plan.hpp"
#include "taskflows/fmm/tree/tree_cost_model.hpp"
#include "taskflows/fmm/verify.hpp"

namespace asterism::apps::fmm {

/// What an evaluation took and consists of, kept after its data are gone.
struct Outcome {
  std::vector<double> seconds;      ///< of the evaluations, on the rank that takes longest
  std::vector<double> own_seconds;  ///< of the evaluations, on this rank
  double build_seconds = 0;
  double step_seconds = 0;  ///< median of a step: moving, adapting the tree, evaluating
  asterism::fmm::WorkSummary work;
  std::size_t tasks = 0;
  std::vector<int> operator_ranks;  ///< numerical ranks of the M2L operators; empty without far field
  double mean_rank = 0;
  int basis_size = 0;
  std::string units;     ///< what ran it, in words
  nlohmann::json tree;   ///< tree_record()
  nlohmann::json ranks;  ///< shares_record(), over several ranks
};

/// Seconds on the rank that takes longest. All ranks call it.
double slowest(double seconds);

class Run : public Solver {
 public:
  std::optional<int> parse(int argc, char** argv) override;
  SolverOptions& options() override { return args_.common; }
  std::optional<int> prepare() override;
  void calibrate() override;
  void solve(const Session& session) override;
  void describe(Report& report) override;
  std::vector<Verdict> verify(Report& report) override;
  void measure(Report& report) override;
  void finish(Report& report) override;
  [[nodiscard]] std::string title() const override;

 private:
  void begin_particles();
  void begin_motion();
  void join_targets();
  void keep_targets();
  void begin_periodic();
  [[nodiscard]] std::size_t in_tree(std::size_t particles) const;
  const asterism::fmm::Particles& particles_of_tree();
  void collect(asterism::fmm::Simulation& simulation, asterism::fmm::FieldTimes times);
  asterism::fmm::Errors errors_of(const asterism::fmm::Particles& points, std::int64_t targets,
                                  const std::function<void(double)>& progress) const;
  void describe_periodic(Report& report) const;
  void resume();
  void choose_tree();
  asterism::fmm::Plan choose_plan(bool ask_rates);
  [[nodiscard]] std::string method() const;
  void evaluate(asterism::fmm::Flow& flow);
  void advance(asterism::fmm::Simulation& simulation, asterism::fmm::Flow& flow, ProgressLine& line);
  void observe();
  void write_energies() const;
  void write_state(const asterism::fmm::Simulation& simulation);
  [[nodiscard]] asterism::fmm::ResultParts results() const;
  void describe_physics(Report& report) const;
  [[nodiscard]] std::vector<Verdict> verify_motion() const;
  void note_outcome(const asterism::fmm::Simulation& simulation, const asterism::fmm::Flow& flow);
  void check_finite() const;

  Arguments args_;
  asterism::fmm::Problem problem_;
  asterism::fmm::Units units_;
  asterism::fmm::Options options_;
  std::optional<asterism::fmm::PeriodicBox> periodic_;
  asterism::fmm::Particles particles_;  ///< of this rank
  asterism::fmm::Particles repeated_;   ///< with their copies, where the periodic box is not a cube
  double mass_ = 0;                     ///< of all particles, with gravity
  asterism::fmm::Motion motion_;
  std::optional<asterism::fmm::EnergySeries> energies_;
  std::optional<asterism::fmm::Snapshots> snapshots_;
  std::optional<double> energy_;                ///< 1/2 sum q phi at the end
  asterism::fmm::Particles targets_;            ///< of this rank, with --at
  asterism::fmm::Result result_;                ///< of this rank's particles; of its targets with --at
  std::optional<asterism::output::Grid> grid_;  ///< of the targets
  std::size_t all_targets_ = 0;
  std::size_t all_particles_ = 0;
  std::size_t first_ = 0;  ///< number of this rank's first particle
  std::vector<asterism::fmm::UnitRates> rates_;
  asterism::fmm::Plan plan_;
  double measuring_seconds_ = 0;  ///< of rates, before the session
  asterism::fmm::GpuOrder gpu_order_ = asterism::fmm::GpuOrder::far_first;
  Outcome outcome_;
};

}  // namespace asterism::apps::fmm
