// SPDX-License-Identifier: Apache-2.0
// Figure 13 of the TD-BEM paper: the airplane on 2 to 8 nodes, and the parallel efficiency of the version without GPUs.
#include <fmt/format.h>

#include <cstddef>

#include "apps/reproduce/tdbem/airplane_runs.hpp"
#include "apps/reproduce/tdbem/experiments.hpp"

namespace asterism::apps::reproduce {
namespace {

constexpr int nodes_of_figure[] = {2, 8};  // its first and its last

std::string label(int nodes) {
  return fmt::format("{} nodes, CPU only", nodes);
}

class Figure13 final : public AirplaneExperiment {
 public:
  Figure13()
      : AirplaneExperiment("tdbem-figure13",
                           "TD-BEM paper, Figure 13: the airplane on 2 and 8 nodes without GPUs, simulated", 256) {}

 private:
  [[nodiscard]] std::vector<Simulation> runs() const override {
    constexpr int groups = 5;
    std::vector<Simulation> all;
    for (const int nodes : nodes_of_figure)
      all.push_back(simulation(label(nodes), unknowns_, nodes, 0, groups * steps_of_group, {}));
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const auto time = figures_of(figures, "Wall time of the simulation");
    std::vector<double> steps;
    for (const nlohmann::json& record : records) {
      steps.push_back(record.at("seconds_per_step").get<double>());
      time(label(nodes_of_figure[steps.size() - 1]), steps.back() * steps_of_simulation);
    }
    const double more = static_cast<double>(nodes_of_figure[1]) / nodes_of_figure[0];
    figures_of(figures, "Parallel efficiency")("CPU only, 8 nodes, %", percent * steps[0] / (more * steps[1]));
  }
};

}  // namespace

std::unique_ptr<Experiment> tdbem_figure13() {
  return std::make_unique<Figure13>();
}

}  // namespace asterism::apps::reproduce
