// How the solvers' programs end: what they print and leave as files.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace asterism::apps {

/// What the options ask for beside the table.
struct Reports {
  std::filesystem::path json;   ///< --json; empty: none
  std::filesystem::path trace;  ///< --trace, a folder; empty: none
  bool calibrated = false;      ///< by --calibrate, whose recording is in the trace's folder "calibration"
};

/// After a session, when the answer is right: prints the table and the names of files that were written, writes the
/// record of the run and analyses its recording. `title`: program and problem, of the analysis.
void conclude(const Reports& reports, const std::string& title, const nlohmann::json& record,
              const std::vector<std::pair<std::string, std::string>>& rows, const std::vector<std::string>& written);

/// In a session, when the answer is wrong: prints the table, which then has no speed, writes the record (`json`, empty:
/// none) and throws Error (failed) with the complaint.
[[noreturn]] void conclude_wrong(const std::filesystem::path& json, const nlohmann::json& record,
                                 const std::vector<std::pair<std::string, std::string>>& rows,
                                 const std::string& complaint);

}  // namespace asterism::apps
