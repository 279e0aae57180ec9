// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce/simulated_experiment.hpp"

namespace asterism::apps::reproduce {

void SimulatedExperiment::add_options(CLI::App& app) {
  add_own_options(app);
  simulations_.add_options(app);
}

Outcome SimulatedExperiment::run(const Paper& /*paper*/) const {
  const Simulated done = simulations_.run(runs());
  Outcome outcome;
  outcome.settings = settings();
  outcome.settings["runs"] = done.commands;
  add_figures(done.records, outcome.figures);
  return outcome;
}

void RecordedExperiment::add_options(CLI::App& app) {
  add_own_options(app);
  simulations_.add_options(app);
}

Outcome RecordedExperiment::run(const Paper& /*paper*/) const {
  const std::vector<Simulation> all = runs();
  const TemporaryFolder temporary;
  const std::filesystem::path folder =
      simulations_.trace().empty() ? temporary.path() : std::filesystem::path(simulations_.trace());
  const Simulated done = simulations_.run(all, folder);
  std::vector<std::filesystem::path> recordings;
  for (const Simulation& s : all) recordings.push_back(folder_of(folder, s.label));
  Outcome outcome;
  outcome.settings = settings();
  outcome.settings["runs"] = done.commands;
  add_figures(done.records, recordings, outcome);
  return outcome;
}

}  // namespace asterism::apps::reproduce
