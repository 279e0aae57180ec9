// SPDX-License-Identifier: Apache-2.0
// What the runs say: per scheduler, as a table, CSV, JSON and a page of charts.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/compare/lower_bounds.hpp"
#include "apps/compare/plan.hpp"
#include "apps/compare/settings.hpp"
#include "apps/compare/state.hpp"
#include "apps/compare/statistics.hpp"

namespace asterism::apps::compare {

/// One scheduler's runs.
struct Candidate {
  std::string scheduler;
  std::vector<std::optional<double>> times;  ///< seconds, per repetition; nothing where it failed or was not run
  MedianInterval time;
  MedianInterval ratio;         ///< to the best candidate, from pairs of the same repetition
  std::size_t failures = 0;     ///< runs of any phase
  std::size_t calibrating = 0;  ///< measured runs in which StarPU still calibrated
  bool given_up = false;

  // of its recorded runs
  std::optional<double> makespan;        ///< median, seconds
  std::optional<double> over_lp;         ///< median of makespan / LP of the same run
  std::optional<double> over_fitting;    ///< the same for LP where tasks fit
  std::optional<double> path;            ///< the critical path, seconds
  std::optional<double> windows;         ///< the window bound, seconds
  std::optional<Analysis> typical;       ///< medians of shares, transfers and bytes
  std::optional<double> recording_cost;  ///< wall time with over without recording, medians; when both are known
  const Run* shown = nullptr;            ///< recorded run closest to the median makespan whose recording is still there
  std::optional<traces::Recording> recording;  ///< of that run

  /// its interval of ratios to the best holds with 95 % and does not hold 1
  [[nodiscard]] bool told_apart() const noexcept {
    return ratio.count > 0 && ratio.confidence >= 0.95 && (ratio.low > 1 || ratio.high < 1);
  }
};

struct Comparison {
  std::vector<Candidate> candidates;       ///< in the order of the settings
  std::size_t best = 0;                    ///< index of the smallest median
  std::map<std::string, AreaBounds> area;  ///< by folder of the run
  bool complete = false;                   ///< every run was done
  std::vector<std::string> remarks;        ///< what could not be computed, and why
};

/// Runs beyond the number of repetitions that is asked for are left out. `runs` must outlive the result.
Comparison evaluate_runs(const Settings& settings, const std::vector<Run>& runs);

/// Indices of the candidates, fastest first, those without a time last.
std::vector<std::size_t> ranking(const Comparison& comparison);

std::string comparison_table(const Settings& settings, const Comparison& comparison, const std::vector<Run>& runs);
void write_comparison_csv(const Settings& settings, const Comparison& comparison, const std::vector<Run>& runs);
nlohmann::json comparison_json(const Settings& settings, const Comparison& comparison, const std::vector<Run>& runs);

/// The charts of each candidate's shown run, fastest first. False when nothing was recorded: then there is no page.
bool write_page(const Settings& settings, const Comparison& comparison);

/// Removes the recordings that the page does not show.
void remove_other_recordings(const Settings& settings, const Comparison& comparison, const std::vector<Run>& runs);

}  // namespace asterism::apps::compare
