// SPDX-License-Identifier: Apache-2.0
// Figure 9 and Table 3 of the lattice Boltzmann paper: what a CPU adds to a GPU, by the GPU's share of the domain.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/reproduce/lbm/experiments.hpp"
#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce {
namespace {

/// A domain on one GPU and one CPU of a node.
struct Setting {
  std::string section;
  std::string platform;
  int cores = 0;  ///< of the CPU; one of them drives the GPU
  std::string size;
  std::string precision;
};

/// Domain sizes of section 5.1, both precisions.
std::vector<Setting> settings_of_figure9() {
  std::vector<Setting> all;
  for (const char* precision : {"double", "single"})
    for (const char* size : {"64x64x64", "128x128x128", "256x256x256", "512x512x128", "384x384x384"})
      all.push_back({fmt::format("{}, {} precision", size, precision), "piz-daint", 12, size, precision});
  return all;
}

/// One entire CPU and one GPU of each cluster (section 5.2).
std::vector<Setting> settings_of_table3() {
  return {{"Hydra", "hydra", 10, "512x512x128", "double"},
          {"TSUBAME2.5", "tsubame25", 6, "512x512x128", "double"},
          {"Piz Daint", "piz-daint", 12, "512x512x128", "double"}};
}

class LbmShares final : public SimulatedExperiment {
 public:
  LbmShares(std::string name, std::string summary, std::vector<Setting> settings)
      : SimulatedExperiment(std::move(name), std::move(summary)), settings_(std::move(settings)) {}

 private:
  void add_own_options(CLI::App& app) override {
    app.add_option("--steps", steps_, "Of each run; the paper has 1024")
        ->check(CLI::Range(10, 1 << 20))
        ->capture_default_str();
    app.add_option("--least-share", least_, "Smallest GPU share that is tried, %")
        ->check(CLI::Range(1, 99))
        ->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override { return {{"steps", steps_}}; }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const Setting& s : settings_) {
      all.push_back(simulation(s, "GPU alone", {"--cpus", "0", "--gpus", "1"}));
      all.push_back(simulation(s, "CPU alone", {"--cpus", std::to_string(s.cores), "--gpus", "0"}));
      for (int share = least_; share < percent; ++share)
        all.push_back(simulation(s, fmt::format("GPU {} %", share),
                                 {"--cpus", std::to_string(s.cores - 1), "--gpus", "1", "--gpu-share",
                                  fmt::format("{:.2f}", share / percent)}));
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const std::size_t each = records.size() / settings_.size();
    for (std::size_t i = 0; i < settings_.size(); ++i)
      add_figures_of(settings_[i].section, &records[i * each], each, figures);
  }

  [[nodiscard]] Simulation simulation(const Setting& s, const std::string& units,
                                      const std::vector<std::string>& options) const {
    Simulation simulated{s.section + ", " + units, "lbm", s.platform, {}, {}};
    simulated.arguments = {"--size",       s.size, "--precision", s.precision, "--steps", std::to_string(steps_),
                           "--gpu-bricks", "1"};
    simulated.arguments.insert(simulated.arguments.end(), options.begin(), options.end());
    return simulated;
  }

  /// Adds the figures of a section from its records, in the order of runs(): the GPU, the CPU, and both by share.
  void add_figures_of(const std::string& section, const nlohmann::json* of, std::size_t count,
                      OurFigures& figures) const {
    const auto glups = [&](std::size_t i) { return 1e-3 * of[i].at("mlups").get<double>(); };
    std::size_t best = 2;
    for (std::size_t i = 3; i < count; ++i)
      if (glups(i) > glups(best)) best = i;
    const auto figure = figures_of(figures, section);
    figure("GPU alone, GLUPS", glups(0));
    figure("CPU alone, GLUPS", glups(1));
    figure("GPU share at the best, %", least_ + static_cast<double>(best - 2));
    figure("both over the GPU, %", percent * (glups(best) / glups(0) - 1));
    figure("both over the CPU, times", glups(best) / glups(1));
  }

  std::vector<Setting> settings_;
  int steps_ = 128;
  int least_ = 70;
};

}  // namespace

std::unique_ptr<Experiment> lbm_figure9() {
  return std::make_unique<LbmShares>(
      "lbm-figure9", "LBM paper, Figure 9: a node of Piz Daint by the GPU's share, simulated", settings_of_figure9());
}

std::unique_ptr<Experiment> lbm_table3() {
  return std::make_unique<LbmShares>(
      "lbm-table3", "LBM paper, Table 3: a GPU and a CPU of Hydra, TSUBAME2.5 and Piz Daint, simulated",
      settings_of_table3());
}

}  // namespace asterism::apps::reproduce
