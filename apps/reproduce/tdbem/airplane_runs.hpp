// SPDX-License-Identifier: Apache-2.0
// Runs of asterism-tdbem on the airplane of the boundary element paper, with its kernel and precision.
#pragma once

#include <string>
#include <vector>

#include "apps/reproduce/data_file.hpp"
#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce {

inline constexpr int steps_of_group = 8;              // n_g of section 7.3
inline constexpr double steps_of_simulation = 10823;  // section 7.4

class AirplaneExperiment : public SimulatedExperiment {
 public:
  /// `block_size`: slices of a block, by default.
  AirplaneExperiment(std::string name, std::string summary, int block_size)
      : SimulatedExperiment(std::move(name), std::move(summary)), block_size_(block_size) {}

 protected:
  /// A run of a body of so many unknowns on `nodes` nodes of a cluster (0: one machine) with `gpus` GPUs each.
  [[nodiscard]] Simulation simulation(const std::string& label, double unknowns, int nodes, int gpus, int steps,
                                      const std::vector<std::string>& options) const;

  double unknowns_ = airplane_unknowns;

 private:
  void add_own_options(CLI::App& app) override;
  [[nodiscard]] nlohmann::json settings() const override;

  std::string mesh_;
  int block_size_;
};

}  // namespace asterism::apps::reproduce
