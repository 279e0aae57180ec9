// SPDX-License-Identifier: Apache-2.0
// Everything Asterism can say about a recording, written in one go: what asterism-trace does, and --trace of the
// solvers.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bounds/bounds.hpp"
#include "traces/metrics.hpp"
#include "traces/readers/read.hpp"
#include "traces/reports/report.hpp"

namespace asterism::apps {

/// A recording with its metrics and bounds; stays where it is, since `view` points into it.
struct Analysis {
  traces::Recording recording;
  traces::Metrics metrics;
  bounds::Bounds bounds;
  bool bounded = false;  ///< `bounds` were computed
  traces::View view;

  Analysis() = default;
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;
};

/// Metrics of `recording`, and its bounds with its own durations; those of `others` and `models` stand in for what
/// never ran on some kind of unit.
void analyse(Analysis& analysis, traces::Recording recording, const std::vector<traces::Recording>& others = {},
             const traces::PlatformRec* models = nullptr);

/// Adds joules to an analysis: for the table, the page and the records.
void add_energy(Analysis& analysis, const traces::Power& power);

/// StarPU's own models of this machine, under STARPU_HOME; nothing when there are none.
std::optional<traces::PlatformRec> own_models();

/// Writes trace.html, trace.json, trace.csv, perfetto.json and platform_file.rec into `folder`.
/// `energy`: that was counted (`energy` of the program's record), for trace.json; null: none.
void write_all(const std::filesystem::path& folder, const Analysis& analysis, const traces::PlatformRec* models,
               const nlohmann::json& energy = {});

/// After a session that recorded into `folder`: converts, analyses, writes everything there and prints the table.
/// `calibration`: folder of a recording made under the scheduler "calibrate"; empty: none. `durations`: of classes on
/// kinds of units; none: those of the simulated machine, else StarPU's models.
void report_trace(const std::filesystem::path& folder, const std::string& name,
                  const std::filesystem::path& calibration = {}, const traces::PlatformRec* durations = nullptr,
                  const nlohmann::json& energy = {});

}  // namespace asterism::apps
