// SPDX-License-Identifier: Apache-2.0
// Figures 10 to 12 of the lattice Boltzmann paper: weak and strong scaling over nodes of three clusters.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce {
namespace {

/// A cluster as section 5.3 uses it; a sub-domain has a GPU and its share of a node's cores.
struct Clustered {
  std::string section;
  std::string platform;
  int gpus_per_node = 1;
  int cores_per_node = 1;  ///< that compute: all but those that drive GPUs
  int most = 1;            ///< sub-domains of the largest run
  int gpu_share = 100;     ///< %, of the best run there
};

std::vector<Clustered> clusters() {
  return {{"Hydra", "hydra", 2, 18, 512, 85},
          {"TSUBAME2.5", "tsubame25", 2, 10, 512, 96},
          {"Piz Daint", "piz-daint", 1, 11, 2048, 95}};
}

/// Runs on as many nodes as have the GPUs for `parts`, which are counted along each axis.
Simulation simulation(const Clustered& c, const std::string& label, const std::array<int, 3>& cells,
                      const std::array<int, 3>& parts, int steps, const std::vector<std::string>& units) {
  Simulation s{fmt::format("{}, {}", c.section, label), "lbm", c.platform, {}, {}};
  s.nodes = std::max(1, parts[0] * parts[1] * parts[2] / c.gpus_per_node);
  s.arguments = {"--size",       fmt::format("{}", fmt::join(cells, "x")),
                 "--subdomains", fmt::format("{}", fmt::join(parts, "x")),
                 "--steps",      std::to_string(steps)};
  s.arguments.insert(s.arguments.end(), units.begin(), units.end());
  return s;
}

double glups(const nlohmann::json& record) {
  return 1e-3 * record.at("mlups").get<double>();
}

class Scaling : public SimulatedExperiment {
 public:
  using SimulatedExperiment::SimulatedExperiment;

 protected:
  [[nodiscard]] int steps() const { return steps_; }
  [[nodiscard]] int most(const Clustered& c) const { return std::min(c.most, largest_); }

 private:
  void add_own_options(CLI::App& app) override {
    app.add_option("--steps", steps_, "Of each run; the paper has 1024")
        ->check(CLI::Range(2, 1 << 20))
        ->capture_default_str();
    app.add_option("--largest", largest_, "Sub-domains at most, a power of two; totals are the paper's at its own only")
        ->check(CLI::Range(8, 4096))
        ->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override { return {{"steps", steps_}}; }

  int steps_ = 10;
  int largest_ = 4096;
};

/// Sub-domains of 512 x 512 x 128 cells in a row along y; efficiency is that of a sub-domain beside one alone.
class Weak final : public Scaling {
 public:
  Weak()
      : Scaling("lbm-figure10",
                "LBM paper, Figures 10 and 12: weak scaling in y over Hydra, TSUBAME2.5 and Piz Daint, simulated") {}

 private:
  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const Clustered& c : clusters())
      for (const int parts : {1, most(c)}) {
        const std::array<int, 3> cells{512, 512 * parts, 128};
        const int on_a_node = std::min(parts, c.gpus_per_node);
        const std::string gpus = std::to_string(on_a_node);
        all.push_back(simulation(c, fmt::format("{} GPUs", parts), cells, {1, parts, 1}, steps(),
                                 {"--cpus", "0", "--gpus", gpus}));
        all.push_back(simulation(c, fmt::format("{} GPUs and cores", parts), cells, {1, parts, 1}, steps(),
                                 {"--cpus", std::to_string(c.cores_per_node * on_a_node / c.gpus_per_node), "--gpus",
                                  gpus, "--gpu-share", fmt::format("{:.2f}", c.gpu_share / percent)}));
      }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    for (std::size_t i = 0; i < clusters().size(); ++i) {
      const Clustered c = clusters()[i];
      const auto of = [&](std::size_t run) { return glups(records[4 * i + run]); };
      const auto figure = figures_of(figures, c.section);
      const auto total = [&](const char* what, double value) {
        figure(what, most(c) == c.most ? std::optional(value) : std::nullopt);
      };
      figure("GPUs alone, efficiency, %", percent * of(2) / (most(c) * of(0)));
      figure("GPUs and CPUs, efficiency, %", percent * of(3) / (most(c) * of(1)));
      total("GPUs alone, GLUPS", of(2));
      total("GPUs and CPUs, GLUPS", of(3));
    }
  }
};

/// 512^3 cells in ever more sub-domains along all axes, beside 4 x 2 x 1 of them: of the paper's 4 x 1 x 1 none fits
/// into the memory that StarPU gives to data on a K20X.
class Strong final : public Scaling {
 public:
  Strong() : Scaling("lbm-figure11", "LBM paper, Figure 11: strong scaling over GPUs of Hydra, simulated") {}

 private:
  static constexpr int fewest = 8;

  [[nodiscard]] std::vector<Simulation> runs() const override {
    const Clustered c = clusters().front();
    const std::array<int, 3> cells{512, 512, 512};
    const int parts = most(c);
    std::array<int, 3> cut{4, 2, 1};
    for (int axis = 2, n = fewest; n < parts; n *= 2, axis = (axis + 1) % 3) cut[static_cast<std::size_t>(axis)] *= 2;
    const std::vector<std::string> gpus{"--cpus", "0", "--gpus", std::to_string(c.gpus_per_node)};
    return {simulation(c, fmt::format("{} GPUs", fewest), cells, {4, 2, 1}, steps(), gpus),
            simulation(c, fmt::format("{} GPUs", parts), cells, cut, steps(), gpus)};
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const Clustered c = clusters().front();
    const double efficiency = glups(records[1]) / glups(records[0]) * fewest / most(c);
    figures_of(figures, c.section)("GPUs alone, efficiency, %",
                                   most(c) == c.most ? std::optional(percent * efficiency) : std::nullopt);
  }
};

}  // namespace

std::unique_ptr<Experiment> lbm_figure10() {
  return std::make_unique<Weak>();
}

std::unique_ptr<Experiment> lbm_figure11() {
  return std::make_unique<Strong>();
}

}  // namespace asterism::apps::reproduce
