// SPDX-License-Identifier: Apache-2.0
// Figure 13 of the TD-BEM paper: the airplane on 2 to 8 nodes, and the parallel efficiency of the version without GPUs.
#include <fmt/format.h>

#include <cstddef>

#include "apps/reproduce/data_file.hpp"
#include "apps/reproduce/simulated_experiment.hpp"
#include "apps/reproduce/tdbem/experiments.hpp"

namespace asterism::apps::reproduce {
namespace {

constexpr int nodes_of_figure[] = {2, 8};    // its first and its last
constexpr double steps_of_airplane = 10823;  // section 7.4

std::string label(int nodes) {
  return fmt::format("{} nodes, CPU only", nodes);
}

class Figure13 final : public SimulatedExperiment {
 public:
  Figure13()
      : SimulatedExperiment("tdbem-figure13",
                            "TD-BEM paper, Figure 13: the airplane on 2 and 8 nodes without GPUs, simulated") {}

 private:
  void add_own_options(CLI::App& app) override {
    add_mesh(app, mesh_);
    app.add_option("--unknowns", unknowns_, "Of the body")->check(CLI::Range(64, 1 << 20))->capture_default_str();
    app.add_option("--cluster", block_size_, "Slices of a block")
        ->check(CLI::Range(32, 1 << 20))
        ->capture_default_str();
  }
  [[nodiscard]] nlohmann::json settings() const override {
    return {{"mesh", airplane(mesh_).filename().string()}, {"unknowns", unknowns_}};
  }

  [[nodiscard]] std::vector<Simulation> runs() const override {
    const std::string mesh = std::filesystem::absolute(airplane(mesh_)).string();
    std::vector<Simulation> all;
    for (const int nodes : nodes_of_figure) {
      Simulation s{label(nodes), "tdbem", "nehalem-m2070", {}, {}, nodes};
      s.arguments = {"--mesh",      mesh,
                     "--unknowns",  std::to_string(unknowns_),
                     "--kernel",    "contiguous-blocking",
                     "--precision", "single",
                     "--cluster",   std::to_string(block_size_),
                     "--sharing",   "intervals",
                     "--gpus",      "0",
                     "--steps",     std::to_string(groups_ * steps_of_group)};
      all.push_back(s);
    }
    return all;
  }

  void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const override {
    const auto time = figures_of(figures, "Wall time of the simulation");
    std::vector<double> steps;
    for (const nlohmann::json& record : records) {
      steps.push_back(record.at("seconds_per_step").get<double>());
      time(label(nodes_of_figure[steps.size() - 1]), steps.back() * steps_of_airplane);
    }
    const double more = static_cast<double>(nodes_of_figure[1]) / nodes_of_figure[0];
    figures_of(figures, "Parallel efficiency")("CPU only, 8 nodes, %", percent * steps[0] / (more * steps[1]));
  }

  static constexpr int steps_of_group = 8;  // n_g of section 7.3
  static constexpr int groups_ = 5;

  std::string mesh_;
  int unknowns_ = airplane_unknowns;
  int block_size_ = 256;
};

}  // namespace

std::unique_ptr<Experiment> tdbem_figure13() {
  return std::make_unique<Figure13>();
}

}  // namespace asterism::apps::reproduce
