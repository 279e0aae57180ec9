// SPDX-License-Identifier: Apache-2.0
// The frame of experiments whose figures come from runs of a solver on simulated machines.
#pragma once

#include <filesystem>
#include <vector>

#include "apps/reproduce/experiment.hpp"
#include "apps/reproduce/simulations.hpp"

namespace asterism::apps::reproduce {

class SimulatedExperiment : public Experiment {
 public:
  using Experiment::Experiment;

  /// Options of its own, then those of simulations.
  void add_options(CLI::App& app) final;
  [[nodiscard]] Outcome run(const Paper& paper) const final;

 private:
  virtual void add_own_options(CLI::App& /*app*/) {}
  /// An object: what to say of the runs beside what was run.
  [[nodiscard]] virtual nlohmann::json settings() const { return nlohmann::json::object(); }
  [[nodiscard]] virtual std::vector<Simulation> runs() const = 0;
  /// Takes the figures from the solver's records, which are in the order of runs().
  virtual void add_figures(const std::vector<nlohmann::json>& records, OurFigures& figures) const = 0;

  Simulations simulations_;
};

/// The same where figures come from what --trace records, which is kept only if the user gave --trace.
class RecordedExperiment : public Experiment {
 public:
  using Experiment::Experiment;

  void add_options(CLI::App& app) final;
  [[nodiscard]] Outcome run(const Paper& paper) const final;

 private:
  virtual void add_own_options(CLI::App& /*app*/) {}
  [[nodiscard]] virtual nlohmann::json settings() const { return nlohmann::json::object(); }
  [[nodiscard]] virtual std::vector<Simulation> runs() const = 0;
  /// Takes the figures from the solver's records and the folders of their recordings, both in the order of runs(). What
  /// is to be said of a run goes into outcome.settings["runs"].
  virtual void add_figures(const std::vector<nlohmann::json>& records,
                           const std::vector<std::filesystem::path>& recordings, Outcome& outcome) const = 0;

  Simulations simulations_;
};

}  // namespace asterism::apps::reproduce
