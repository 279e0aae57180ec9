// SPDX-License-Identifier: Apache-2.0
// Figure 15 of the TD-BEM paper: intervals of slices for the cores and the GPUs of a node, balanced while it computes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/reproduce/tdbem/airplane_runs.hpp"
#include "apps/reproduce/tdbem/experiments.hpp"

namespace asterism::apps::reproduce {
namespace {

/// A node of so many, each with as many GPUs.
struct Configuration {
  std::string section;
  int nodes = 1, gpus = 1;
};
const std::vector<Configuration> configurations = {
    {"(a) 2 nodes, 1 GPU", 2, 1}, {"(b) 8 nodes, 2 GPUs", 8, 2}, {"(c) 4 nodes, 3 GPUs", 4, 3}};

class Figure15 final : public AirplaneExperiment {
 public:
  Figure15()
      : AirplaneExperiment("tdbem-figure15",
                           "TD-BEM paper, Figure 15: balance of the cores and the GPUs of a node, simulated", 64) {}

 private:
  [[nodiscard]] std::vector<Simulation> runs() const override {
    constexpr int balanced_groups = 15;  // iterations of the figure
    constexpr int timed_groups = 5;      // that the solver's own time is of
    std::vector<Simulation> all;
    for (const Configuration& c : configurations)
      // a body of N / sqrt(nodes) unknowns has as many values in its matrices as a node has of one of N
      all.push_back(simulation(c.section, std::round(unknowns_ / std::sqrt(c.nodes)), 0, c.gpus,
                               (balanced_groups + timed_groups) * steps_of_group,
                               {"--balance", "paper", "--balance-groups", std::to_string(balanced_groups)}));
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    for (std::size_t i = 0; i < configurations.size(); ++i)
      add_figures_of(configurations[i].section, records[i].at("balancing"), figures);
  }

  /// The share of a worker, in percent of the sum over the workers; worker: its place in the solver's lists, where 0
  /// stands for all cores together.
  static double part(const nlohmann::json& values, std::size_t worker) {
    double sum = 0;
    for (const nlohmann::json& value : values) sum += value.get<double>();
    return percent * values.at(worker).get<double>() / sum;
  }

  static void add_figures_of(const std::string& section, const nlohmann::json& balancing, OurFigures& figures) {
    const nlohmann::json& first = balancing.front();
    const nlohmann::json& last = balancing.back();
    const auto figure = figures_of(figures, section);
    figure("time of a GPU at first, % of the sum", part(first.at("seconds"), 1));
    figure("time of the cores at first, % of the sum", part(first.at("seconds"), 0));
    figure("time of a GPU at the end, % of the sum", part(last.at("seconds"), 1));
    figure("time of the cores at the end, % of the sum", part(last.at("seconds"), 0));
    figure("interval of the cores at first, %", part(first.at("blocks"), 0));
    figure("interval of the cores at the end, %", part(last.at("blocks"), 0));
  }
};

}  // namespace

std::unique_ptr<Experiment> tdbem_figure15() {
  return std::make_unique<Figure15>();
}

}  // namespace asterism::apps::reproduce
