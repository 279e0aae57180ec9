// SPDX-License-Identifier: Apache-2.0
// How the solvers' programs end: what they print and leave as files.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace asterism::apps {

/// What is said of a run.
struct Report {
  nlohmann::json record;                                  ///< for --json
  std::vector<std::pair<std::string, std::string>> rows;  ///< of the table on stdout
  std::vector<std::string> written;                       ///< names of files
};

/// What the options ask for beside the table.
struct ReportFiles {
  std::filesystem::path json;   ///< --json; empty: none
  std::filesystem::path trace;  ///< --trace, a folder; empty: none
  bool calibrated = false;      ///< by --calibrate, whose recording is in the trace's folder "calibration"
};

/// After a session, when the answer is right: prints the table and the names of files that were written, writes the
/// record of the run and analyses its recording. `title`: program and problem, of the analysis.
void report_results(const ReportFiles& files, const std::string& title, const Report& report);

/// In a session, when the answer is wrong: prints the table, which then has no speed, writes the record (`json`, empty:
/// none) and throws Error (failed) with the complaint.
[[noreturn]] void report_wrong_answer(const std::filesystem::path& json, const Report& report,
                                      const std::string& complaint);

}  // namespace asterism::apps
