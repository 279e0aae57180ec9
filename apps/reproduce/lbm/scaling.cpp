// SPDX-License-Identifier: Apache-2.0
// Figures 10 to 12 of the lattice Boltzmann paper: weak and strong scaling over nodes of three clusters.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/reproduce/lbm/experiments.hpp"
#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce {
namespace {

using Triple = std::array<int, 3>;

constexpr int product(const Triple& n) {
  return n[0] * n[1] * n[2];
}

/// A cluster as section 5.3 uses it; a sub-domain has a GPU and its share of a node's cores.
struct Clustered {
  std::string section;
  std::string platform;
  int gpus_per_node = 1;
  int cores_per_node = 1;  ///< that compute beside GPUs: all but those that drive them
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

/// A run of the paper: sub-domains along each axis, and cells of one.
struct ScalingRun {
  Triple parts;
  Triple cells;
};

/// MB of a GPU's memory that StarPU may use for data: one of 4 sub-domains of 512^3 cells takes 5.8 GB, more than the
/// nine tenths of a K20X that it takes by default.
constexpr const char* gpu_memory = "6100";

class Scaling : public SimulatedExperiment {
 public:
  /// `steps`: of each run, by default.
  Scaling(std::string name, std::string summary, int steps)
      : SimulatedExperiment(std::move(name), std::move(summary)), steps_(steps) {}

 protected:
  /// The smallest and the largest run of a cluster.
  [[nodiscard]] virtual std::array<ScalingRun, 2> runs_of(const Clustered& c) const = 0;
  [[nodiscard]] virtual int share_of(const Clustered& c) const = 0;

 private:
  void add_own_options(CLI::App& app) override {
    app.add_option("--steps", steps_, "Steps of each run; the paper has 1024")
        ->check(CLI::Range(2, 1 << 20))
        ->capture_default_str();
    app.add_flag(
        "--whole", whole_,
        "Simulate all sub-domains of a run; by default two along an axis, or two nodes, periodic, stand for all");
    app.add_flag("--packed", packed_, "GPUs pack what they send, as this program does, instead of copying it by rows");
  }
  [[nodiscard]] nlohmann::json settings() const override {
    return {{"steps", steps_}, {"whole", whole_}, {"packed", packed_}};
  }

  /// The sub-domains that stand for those of a large run: two along each axis that it cuts, but along the first of
  /// them, where those of a node lie side by side, two nodes. With periodic faces each has a neighbour on either side,
  /// as an inner one of the paper has, on which the others wait.
  [[nodiscard]] Triple simulated(const Clustered& c, const Triple& parts) const {
    constexpr int simulated_whole = 8;
    if (whole_ || product(parts) <= simulated_whole) return parts;
    Triple few{1, 1, 1};
    int beside = c.gpus_per_node;
    for (std::size_t axis = 0; axis < parts.size(); ++axis) {
      if (parts[axis] == 1) continue;
      few[axis] = 2 * beside;
      beside = 1;
    }
    return few;
  }

  /// Runs on as many nodes as have the GPUs for its sub-domains; cores alone are all of a node's, also those that drive
  /// GPUs otherwise.
  [[nodiscard]] Simulation simulation(const Clustered& c, By by, const ScalingRun& run) const {
    const Triple parts = simulated(c, run.parts);
    const int all = product(parts);
    const Triple cells{parts[0] * run.cells[0], parts[1] * run.cells[1], parts[2] * run.cells[2]};
    Simulation s{fmt::format("{}, {} sub-domains, {}", c.section, product(run.parts), name_of(by)),
                 "lbm",
                 c.platform + (packed_ ? "" : "-chunks"),
                 {},
                 {}};
    s.nodes = std::max(1, all / c.gpus_per_node);
    const int gpus = std::min(all, c.gpus_per_node);
    const int cores = by == By::gpus   ? 0
                      : by == By::both ? c.cores_per_node * gpus / c.gpus_per_node
                                       : (c.cores_per_node + c.gpus_per_node) * gpus / c.gpus_per_node;
    s.arguments = {"--size",       fmt::format("{}", fmt::join(cells, "x")),
                   "--subdomains", fmt::format("{}", fmt::join(parts, "x")),
                   "--steps",      std::to_string(steps_),
                   "--gpu-bricks", "1",
                   "--cpus",       std::to_string(cores),
                   "--gpus",       by == By::cpus ? "0" : std::to_string(gpus)};
    if (by == By::both)
      s.arguments.insert(s.arguments.end(), {"--gpu-share", fmt::format("{:.2f}", share_of(c) / percent)});
    for (std::size_t axis = 0; axis < parts.size(); ++axis)
      if (parts[axis] < run.parts[axis])
        for (const char side : {'-', '+'})
          s.arguments.push_back(fmt::format("--face={}{}=periodic", side, "xyz"[axis]));
    if (by != By::cpus) s.environment.emplace_back("STARPU_LIMIT_CUDA_MEM", gpu_memory);
    return s;
  }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    std::vector<Simulation> all;
    for (const Clustered& c : clusters())
      for (const By by : ways)
        for (const ScalingRun& run : runs_of(c)) all.push_back(simulation(c, by, run));
    return all;
  }

  /// Records are in the order of runs().
  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    auto record = records.begin();
    for (const Clustered& c : clusters()) {
      const auto runs = runs_of(c);
      std::array<double, ways.size()> efficiency{}, glups{};
      for (std::size_t way = 0; way < ways.size(); ++way) {
        std::array<double, 2> each{};  // GLUPS of a sub-domain
        for (std::size_t r = 0; r < 2; ++r)
          each[r] = 1e-3 * (record++)->at("mlups").get<double>() / product(simulated(c, runs[r].parts));
        glups[way] = each[1] * product(runs[1].parts);
        efficiency[way] = percent * glups[way] / product(runs[1].parts) / each[0];
      }
      const auto figure = figures_of(figures, c.section);
      figure("GPUs alone, efficiency, %", efficiency[0]);
      figure("GPUs and CPUs, efficiency, %", efficiency[1]);
      figure("CPUs alone, efficiency, %", efficiency[2]);
      figure("GPUs alone, GLUPS", glups[0]);
      figure("GPUs and CPUs, GLUPS", glups[1]);
    }
  }

  int steps_;
  bool whole_ = false;
  bool packed_ = false;
};

/// Sub-domains of 512 x 512 x 128 cells in a row along y; efficiency is that of a sub-domain beside one alone.
class Weak final : public Scaling {
 public:
  Weak()
      : Scaling("lbm-figure10",
                "LBM paper, Figures 10 and 12: weak scaling in y over Hydra, TSUBAME2.5 and Piz Daint, simulated", 64) {
  }

 private:
  [[nodiscard]] std::array<ScalingRun, 2> runs_of(const Clustered& c) const override {
    const Triple cells{512, 512, 128};
    return {{{{1, 1, 1}, cells}, {{1, c.most, 1}, cells}}};
  }
  [[nodiscard]] int share_of(const Clustered& c) const override { return c.gpu_share; }
};

/// 512^3 cells in ever more sub-domains, beside the paper's 4 x 1 x 1 of them. 2048 are 8 x 16 x 16, of 64 x 32 x 32
/// cells each (section 5.3), 512 are 8 x 8 x 8: on the way the longest side is halved.
class Strong final : public Scaling {
 public:
  Strong()
      : Scaling("lbm-figure11",
                "LBM paper, Figures 11 and 12: strong scaling over Hydra, TSUBAME2.5 and Piz Daint, simulated", 32) {}

 private:
  static constexpr int side = 512;
  static constexpr Triple fewest{4, 1, 1};

  static ScalingRun cut_into(int count) {
    Triple parts = fewest;
    while (product(parts) < count) *std::min_element(parts.rbegin(), parts.rend()) *= 2;
    return {parts, {side / parts[0], side / parts[1], side / parts[2]}};
  }

  [[nodiscard]] std::array<ScalingRun, 2> runs_of(const Clustered& c) const override {
    return {cut_into(product(fewest)), cut_into(c.most)};
  }
  [[nodiscard]] int share_of(const Clustered& c) const override { return c.strong_share; }
};

}  // namespace

std::unique_ptr<Experiment> lbm_figure10() {
  return std::make_unique<Weak>();
}

std::unique_ptr<Experiment> lbm_figure11() {
  return std::make_unique<Strong>();
}

}  // namespace asterism::apps::reproduce
