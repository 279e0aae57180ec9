// SPDX-License-Identifier: Apache-2.0
// Figures 10 to 12 of the lattice Boltzmann paper: weak and strong scaling over nodes of three clusters.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/reproduce/lbm/experiments.hpp"
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
  int gpu_share = 100;     ///< %, of the best run of weak scaling there
  int strong_share = 100;  ///< %, of strong scaling
};

std::vector<Clustered> clusters() {
  return {{"Hydra", "hydra", 2, 18, 512, 85, 73},
          {"TSUBAME2.5", "tsubame25", 2, 10, 512, 96, 94},
          {"Piz Daint", "piz-daint", 1, 11, 2048, 95, 90}};
}

/// What a sub-domain is computed by.
enum class By { gpus, both, cpus };
constexpr std::array ways{By::gpus, By::both, By::cpus};
constexpr const char* name_of(By by) {
  return by == By::gpus ? "GPUs" : by == By::both ? "GPUs and cores" : "cores";
}

/// Runs on as many nodes as have the GPUs for `parts`, which are counted along each axis; cores alone are all of a
/// node's, also those that drive GPUs otherwise.
Simulation simulation(const Clustered& c, const std::array<int, 3>& cells, const std::array<int, 3>& parts, int steps,
                      By by, int gpu_share) {
  const int all = parts[0] * parts[1] * parts[2];
  Simulation s{fmt::format("{}, {} sub-domains, {}", c.section, all, name_of(by)), "lbm", c.platform, {}, {}};
  s.nodes = std::max(1, all / c.gpus_per_node);
  const int gpus = std::min(all, c.gpus_per_node);
  const int cores = by == By::gpus   ? 0
                    : by == By::both ? c.cores_per_node * gpus / c.gpus_per_node
                                     : (c.cores_per_node + c.gpus_per_node) * gpus / c.gpus_per_node;
  std::vector<std::string> units{"--cpus", std::to_string(cores), "--gpus",
                                 by == By::cpus ? "0" : std::to_string(gpus)};
  if (by == By::both) units.insert(units.end(), {"--gpu-share", fmt::format("{:.2f}", gpu_share / percent)});
  s.arguments = {"--size",       fmt::format("{}", fmt::join(cells, "x")),
                 "--subdomains", fmt::format("{}", fmt::join(parts, "x")),
                 "--steps",      std::to_string(steps),
                 "--gpu-bricks", "1"};
  s.arguments.insert(s.arguments.end(), units.begin(), units.end());
  return s;
}

/// From runs of each cluster, each way, a small and a large one.
double glups_of(const std::vector<nlohmann::json>& records, std::size_t cluster, By by, bool large) {
  const std::size_t run = (cluster * ways.size() + static_cast<std::size_t>(by)) * 2 + (large ? 1 : 0);
  return 1e-3 * records[run].at("mlups").get<double>();
}

class Scaling : public SimulatedExperiment {
 public:
  using SimulatedExperiment::SimulatedExperiment;

 protected:
  [[nodiscard]] int steps() const { return steps_; }
  [[nodiscard]] int most(const Clustered& c) const { return std::min(c.most, largest_); }
  /// The runs of each cluster, each way, with the fewest and the most sub-domains.
  template <class Run>
  [[nodiscard]] std::vector<Simulation> of_each_cluster(int fewest, const Run& run) const {
    std::vector<Simulation> all;
    for (const Clustered& c : clusters())
      for (const By by : ways)
        for (const int parts : {fewest, most(c)}) all.push_back(run(c, by, parts));
    return all;
  }

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

  int steps_ = 16;  // hundreds of simulated sub-domains take a minute for each
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
    return of_each_cluster(1, [&](const Clustered& c, By by, int parts) {
      return simulation(c, {512, 512 * parts, 128}, {1, parts, 1}, steps(), by, c.gpu_share);
    });
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    for (std::size_t i = 0; i < clusters().size(); ++i) {
      const Clustered c = clusters()[i];
      const auto figure = figures_of(figures, c.section);
      const auto total = [&](const char* what, double value) {
        figure(what, most(c) == c.most ? std::optional(value) : std::nullopt);
      };
      const auto efficiency = [&](By by) {
        return percent * glups_of(records, i, by, true) / (most(c) * glups_of(records, i, by, false));
      };
      figure("GPUs alone, efficiency, %", efficiency(By::gpus));
      figure("GPUs and CPUs, efficiency, %", efficiency(By::both));
      figure("CPUs alone, efficiency, %", efficiency(By::cpus));
      total("GPUs alone, GLUPS", glups_of(records, i, By::gpus, true));
      total("GPUs and CPUs, GLUPS", glups_of(records, i, By::both, true));
    }
  }
};

/// 512^3 cells in ever more sub-domains, beside 4 x 1 x 2 of them: of the paper's 4 x 1 x 1 none fits into the memory
/// that StarPU gives to data on a K20X. 2048 are 8 x 16 x 16 (64 x 32 x 32 cells each, section 5.3), on the way the
/// longest side is halved.
class Strong final : public Scaling {
 public:
  Strong()
      : Scaling("lbm-figure11",
                "LBM paper, Figure 11: strong scaling over Hydra, TSUBAME2.5 and Piz Daint, simulated") {}

 private:
  static constexpr int side = 512;
  static constexpr int fewest = 8;

  static std::array<int, 3> cut(int parts) {
    std::array<int, 3> cut{4, 1, 1};
    for (int n = 4; n < parts; n *= 2) *std::min_element(cut.rbegin(), cut.rend()) *= 2;
    return cut;
  }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    return of_each_cluster(fewest, [&](const Clustered& c, By by, int parts) {
      return simulation(c, {side, side, side}, cut(parts), steps(), by, c.strong_share);
    });
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    for (std::size_t i = 0; i < clusters().size(); ++i) {
      const Clustered c = clusters()[i];
      const auto figure = figures_of(figures, c.section);
      const auto of_all = [&](const char* what, double value) {
        figure(what, most(c) == c.most ? std::optional(value) : std::nullopt);
      };
      const auto efficiency = [&](By by) {
        return percent * glups_of(records, i, by, true) / glups_of(records, i, by, false) * fewest / most(c);
      };
      of_all("GPUs alone, efficiency, %", efficiency(By::gpus));
      of_all("GPUs and CPUs, efficiency, %", efficiency(By::both));
      of_all("CPUs alone, efficiency, %", efficiency(By::cpus));
      of_all("GPUs alone, GLUPS", glups_of(records, i, By::gpus, true));
      of_all("GPUs and CPUs, GLUPS", glups_of(records, i, By::both, true));
    }
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
