// SPDX-License-Identifier: Apache-2.0
// Section 7.2 of the conjugate gradient paper: what it brings to sum dot products by reduction, and not to take p apart
// and together (Figures 5 to 8), with six block-rows on three GPUs.
#include <fmt/format.h>

#include "apps/reproduce/cg/experiments.hpp"
#include "apps/reproduce/cg/runs.hpp"
#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce {
namespace {

class Refinement final : public SimulatedExperiment {
 public:
  Refinement()
      : SimulatedExperiment("cg-figure7",
                            "CG paper, Figures 5 to 8: an iteration while its flow is refined, 11pts-128, simulated") {}

 private:
  void add_own_options(CLI::App& app) override {
    app.add_option("--points", points_, "Points of the grid along each axis")
        ->check(CLI::Range(8, 512))
        ->capture_default_str();
    app.add_option("--iterations", iterations_, "Iterations of each run")
        ->check(CLI::Range(64, 100000))
        ->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override { return {{"iterations", iterations_}}; }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    constexpr int block_rows = 6;
    const CgMatrix matrix{{"--stencil", fmt::format("11pts-{}", points_)}, "nehalem-m2070-rows"};
    std::vector<Simulation> all;
    const auto add = [&](const char* label, const char* exchange, const std::vector<std::string>& options) {
      Simulation s = simulation_of(matrix, {block_rows, most_gpus, "1D", exchange}, all_transfers[0], iterations_);
      s.label = label;
      s.arguments.insert(s.arguments.end(), options.begin(), options.end());
      all.push_back(s);
    };
    add("Figure 5", "full", {"--vector", "blocking", "--dot", "serial", "--x-update", "early"});
    add("Figure 6", "full", {"--vector", "blocking", "--dot", "reduction", "--x-update", "early"});
    add("Figure 7", "full", {});
    add("Figure 8", "packed", {});
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const auto figure = figures_of(figures, "From one iteration to the next");
    figure("Figure 5, all synchronisations, ms", milliseconds(records[0]));
    figure("Figure 6, dot by reduction, ms", milliseconds(records[1]));
    figure("Figure 7, p not taken apart and together, ms", milliseconds(records[2]));
    figure("Figure 8, p packed, ms", milliseconds(records[3]));
    figure("Figure 7 over Figure 6", milliseconds(records[2]) / milliseconds(records[1]));
  }

  int points_ = 128;
  int iterations_ = 160;
};

}  // namespace

std::unique_ptr<Experiment> cg_figure7() {
  return std::make_unique<Refinement>();
}

}  // namespace asterism::apps::reproduce
