// SPDX-License-Identifier: Apache-2.0
// Writes reports of one or more recordings: table, CSV, JSON, HTML page, Perfetto (Chrome) JSON. Every writer goes
// through a temporary file in the same folder, so that no partial file is ever seen.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "traces/diagnosis/finding.hpp"
#include "traces/energy.hpp"
#include "traces/metrics.hpp"
#include "traces/recording.hpp"

namespace asterism::traces {

/// A lower bound on the makespan, drawn as a line at begin + seconds.
struct BoundLine {
  std::string name;  ///< "LP", "LP where tasks fit", "critical path"
  double seconds = 0;
  std::string explanation;  ///< one sentence for the tooltip
};

/// What is known of more than the recorded run, for the top of the page's summary.
struct Fact {
  std::string name;  ///< "median time"
  std::string text;
};

/// A recording with what was derived from it.
struct View {
  const Recording* recording = nullptr;
  const Metrics* metrics = nullptr;
  std::vector<BoundLine> bounds;
  std::vector<Fact> facts = {};
  std::vector<Finding> findings = {};  ///< listed on the page
  std::optional<Energy> energy = {};   ///< where the units' watts are known
};

/// For people, on stdout.
std::string table(const View& view);
/// For machines: makespan, shares per unit and kind, links, codelets, critical path, iterations, bounds.
nlohmann::json summary(const View& view);
/// Joules in words, and where they went; "" of nothing known.
std::string energy_text(const Recording& recording, const Energy& energy);
/// Findings for people: two or three lines each, those that lose most first; or that there are none. "#BEGIN:END" is
/// the part of the page's address that shows the interval.
std::string findings_text(const Recording& recording, const std::vector<Finding>& findings);
/// For machines; times from the recording's begin.
nlohmann::json findings_json(const Recording& recording, const std::vector<Finding>& findings);
/// A SQLite database: units, tasks, data, transfers, states, ... (docs/traces.md lists the tables). Throws Error
/// (failed) with SQLite's reason.
void write_sqlite(const std::filesystem::path& path, const Recording& recording);
/// One line per (table, subject, quantity): `table,subject,kind,quantity,value,unit`.
void write_csv(const std::filesystem::path& path, const std::vector<View>& views);
/// Chrome trace events, for ui.perfetto.dev: units as threads, transfers and counters as tracks, dependencies as flows.
void write_perfetto(const std::filesystem::path& path, const View& view);
/// For pmtool, StarVZ and other readers of StarPU's records; handles are numbered instead of given by address.
void write_tasks_rec(const std::filesystem::path& path, const Recording& recording);
/// Names, sizes and coordinates of data, as data.rec beside it; of a recording of one process.
void write_data_rec(const std::filesystem::path& path, const Recording& recording);
/// A single page that works offline: Gantt charts of all views on one time axis, tables beside them.
void write_html(const std::filesystem::path& path, const std::vector<View>& views, const std::string& title);

}  // namespace asterism::traces
