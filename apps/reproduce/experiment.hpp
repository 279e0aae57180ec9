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

/// All of them, in the order of --list.
std::vector<std::unique_ptr<Experiment>> experiments();

// In files of their names.
std::unique_ptr<Experiment> cg_table2();
std::unique_ptr<Experiment> cg_table3();
std::unique_ptr<Experiment> cg_table4();
std::unique_ptr<Experiment> cg_table5();
std::unique_ptr<Experiment> fdtd_figure4_4();
std::unique_ptr<Experiment> fdtd_figure4_5();
std::unique_ptr<Experiment> fdtd_figure4_6();
std::unique_ptr<Experiment> fdtd_figure4_7();
std::unique_ptr<Experiment> fdtd_figure4_8();
std::unique_ptr<Experiment> fmm_figure9();
std::unique_ptr<Experiment> fmm_figure10();
std::unique_ptr<Experiment> fmm_figure11();
std::unique_ptr<Experiment> fmm_figure12();
std::unique_ptr<Experiment> fmm_figure13();
std::unique_ptr<Experiment> fmm_figure16();
std::unique_ptr<Experiment> fmm_figure17();
std::unique_ptr<Experiment> fmm_table2();
std::unique_ptr<Experiment> fmm_table4();
std::unique_ptr<Experiment> lbm_figure9();
std::unique_ptr<Experiment> lbm_figure10();
std::unique_ptr<Experiment> lbm_figure11();
std::unique_ptr<Experiment> lbm_table3();
std::unique_ptr<Experiment> tdbem_figure15();
std::unique_ptr<Experiment> tdbem_table1();
std::unique_ptr<Experiment> tdbem_table4();

}  // namespace asterism::apps::reproduce
