// SPDX-License-Identifier: Apache-2.0
// Figures 9 to 13 of the FMM paper: times to completion under HeteroPrio.
#include <fmt/format.h>

#include "apps/reproduce/fmm/experiments.hpp"
#include "apps/reproduce/fmm/runs.hpp"
#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce {

Simulation simulation_of(const FmmRun& run) {
  constexpr int cores_of_machine = 12;
  Simulation s{run.label, "fmm", run.platform, {}, {}};
  s.arguments = {"--distribution", run.distribution,
                 "--particles",    std::to_string(run.particles),
                 "--order",        std::to_string(run.accuracy),
                 "--epsilon",      fmt::format("1e-{}", run.accuracy),
                 "--height",       std::to_string(run.height),
                 "--group-size",   std::to_string(run.group_size),
                 "--gpu-order",    "near-first",
                 "--m2l",          "separate",
                 "--reduction",    run.reduction,
                 "--gpus",         std::to_string(run.gpus),
                 "--cpus",         std::to_string(cores_of_machine - run.gpus)};
  s.environment = {{"ASTERISM_HPRIO_RULES", run.rules}};
  return s;
}

namespace {

class Times final : public SimulatedExperiment {
 public:
  Times(int figure, const std::string& what, std::vector<FmmRun> runs)
      : SimulatedExperiment(fmt::format("fmm-figure{}", figure),
                            fmt::format("FMM paper, Figure {}: {}, simulated", figure, what)),
        runs_(std::move(runs)) {}

 private:
  void add_own_options(CLI::App& app) override {
    app.add_option("--particles", particles_, fmt::format("Instead of the paper's {}", runs_.front().particles))
        ->check(CLI::Range(1000, 1'000'000'000));
  }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (FmmRun run : runs_) {
      if (particles_ > 0) run.particles = particles_;
      all.push_back(simulation_of(run));
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const auto figure = figures_of(figures, "Execution time");
    for (std::size_t i = 0; i < runs_.size(); ++i) figure(runs_[i].label, records[i].at("seconds").get<double>());
  }

  std::vector<FmmRun> runs_;
  std::int64_t particles_ = 0;
};

FmmRun of_accuracy(int accuracy, int group_size) {
  FmmRun run;
  run.label = fmt::format("n_g = {}", group_size);
  run.accuracy = accuracy;
  run.group_size = group_size;
  return run;
}

}  // namespace

std::unique_ptr<Experiment> fmm_figure9() {
  FmmRun run;
  run.label = "P2P-Reduction before L2P";
  run.reduction = "first";
  run.rules += ",-prefetch";  // Figure 10's caption has "prefetched", this one's has not
  return std::make_unique<Times>(9, "P2P-Reduction right after P2P", std::vector{run});
}

std::unique_ptr<Experiment> fmm_figure10() {
  FmmRun m2070, m2090;
  m2070.label = "(a) M2070";
  m2090.label = "(b) M2090";
  m2090.platform = "nehalem-m2090";
  return std::make_unique<Times>(10, "balanced near and far field on M2070 and M2090", std::vector{m2070, m2090});
}

std::unique_ptr<Experiment> fmm_figure11() {
  return std::make_unique<Times>(11, "dominant near field, two group sizes",
                                 std::vector{of_accuracy(3, 2000), of_accuracy(3, 1000)});
}

std::unique_ptr<Experiment> fmm_figure12() {
  return std::make_unique<Times>(12, "dominant far field, two group sizes",
                                 std::vector{of_accuracy(7, 2000), of_accuracy(7, 1000)});
}

std::unique_ptr<Experiment> fmm_figure13() {
  std::vector<FmmRun> runs;
  for (int gpus = 0; gpus <= 3; ++gpus) {
    FmmRun run;
    run.label = fmt::format("{} GPUs", gpus);
    run.distribution = "tilted-ellipsoid";
    run.particles = 50'000'000;
    run.height = 11;
    run.group_size = 3500;
    run.gpus = gpus;
    runs.push_back(run);
  }
  return std::make_unique<Times>(13, "an ellipsoid on 0 to 3 GPUs", runs);
}

}  // namespace asterism::apps::reproduce
