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

}  // namespace asterism::apps::reproduce
