// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/tdbem/airplane_runs.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace asterism::apps::reproduce {

void AirplaneExperiment::add_own_options(CLI::App& app) {
  add_mesh(app, mesh_);
  app.add_option("--unknowns", unknowns_, "Unknowns of the whole body, on all nodes")
      ->check(CLI::Range(64., 1e6))
      ->capture_default_str();
  app.add_option("--cluster", block_size_, "Slices of a block")->check(CLI::Range(32, 1 << 20))->capture_default_str();
}

nlohmann::json AirplaneExperiment::settings() const {
  return {{"mesh", airplane(mesh_).filename().string()}, {"unknowns", unknowns_}};
}

Simulation AirplaneExperiment::simulation(const std::string& label, double unknowns, int nodes, int gpus, int steps,
                                          const std::vector<std::string>& options) const {
  Simulation s{label, "tdbem", "nehalem-m2070", {}, {}, nodes};
  s.arguments = {"--mesh",      std::filesystem::absolute(airplane(mesh_)).string(),
                 "--unknowns",  fmt::format("{:.0f}", unknowns),
                 "--kernel",    "contiguous-blocking",
                 "--precision", "single",
                 "--cluster",   std::to_string(block_size_),
                 "--sharing",   "intervals",
                 "--steps",     std::to_string(steps),
                 "--gpus",      std::to_string(gpus)};
  s.arguments.insert(s.arguments.end(), options.begin(), options.end());
  return s;
}

}  // namespace asterism::apps::reproduce
