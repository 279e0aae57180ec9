// SPDX-License-Identifier: Apache-2.0
// An experiment of a paper: how our figures come about. What the paper says is data, in experiments/papers.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/reproduce/paper.hpp"

namespace asterism::apps::reproduce {

/// Our figures by section and name, one per column of the paper's file; none where a variant does not give it.
using OurFigures = std::map<std::pair<std::string, std::string>, std::vector<std::optional<double>>>;

struct Outcome {
  OurFigures figures;
  nlohmann::json settings;  ///< what it was computed with
};

/// What a share is multiplied with to be in percent.
inline constexpr double percent = 100;

/// Sets figures of a section that have one column: `figure(name, value)`. `figures` has to outlive it.
inline auto figures_of(OurFigures& figures, const std::string& section) {
  return [&figures, section](const std::string& name, const std::optional<double>& value) {
    figures[{section, name}] = {value};
  };
}

class Experiment {
 public:
  /// `name`: of the command line, and of the file in experiments/papers. `summary`: one line, for --list and --help.
  Experiment(std::string name, std::string summary) : name_(std::move(name)), summary_(std::move(summary)) {}
  virtual ~Experiment() = default;
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& summary() const noexcept { return summary_; }
  /// Options of its own.
  virtual void add_options(CLI::App& app) = 0;
  /// Computes the figures. Throws Error.
  [[nodiscard]] virtual Outcome run(const Paper& paper) const = 0;

 private:
  std::string name_, summary_;
};

using Experiments = std::vector<std::unique_ptr<Experiment>>;

/// All of them, in the order of --list.
Experiments experiments();

}  // namespace asterism::apps::reproduce
