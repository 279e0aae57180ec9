// SPDX-License-Identifier: Apache-2.0
// What was run so far, kept so that nothing finished is lost: one line of JSON per run, on the disk before the next
// begins.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/compare/analysis.hpp"
#include "apps/compare/settings.hpp"

namespace asterism::apps::compare {

enum class Phase { calibration, warm_up, measured, extra };
const char* name_of(Phase phase);

struct Step {
  Phase phase = Phase::measured;
  std::string scheduler;
  int repetition = 1;  ///< from 1, within its phase
  int place = 1;       ///< from 1, within its round
  bool traced = false;
};

struct Run {
  Step step;
  std::string folder;  ///< name within the work folder's runs/
  std::string
      status;  ///< empty: good; else "exit status 3", "signal 11 (Segmentation fault)", "timeout after 10 s", ...
  std::string message;               ///< the last lines of stderr of a failed run
  double wall = 0;                   ///< seconds
  double processor = 0;              ///< seconds, user and system
  std::uint64_t memory = 0;          ///< bytes
  bool calibrating = false;          ///< StarPU found models without enough measurements and went on calibrating
  std::optional<double> told;        ///< seconds that the program itself told
  std::optional<Analysis> analysis;  ///< of its recording

  [[nodiscard]] bool good() const noexcept { return status.empty(); }
  /// what is compared, seconds
  [[nodiscard]] std::optional<double> time(TimeSource::Kind kind) const;
};

void to_json(nlohmann::json& json, const Run& run);
void from_json(const nlohmann::json& json, Run& run);

/// The file of finished runs in the work folder. One process at a time.
class Journal {
 public:
  /// Makes the folder or opens it again. `identity`: named facts that must be the same for runs to be comparable.
  /// Throws Error (bad_input) naming the fact that differs, or when another process works in this folder.
  Journal(const std::filesystem::path& folder, const nlohmann::json& identity);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  [[nodiscard]] const std::vector<Run>& runs() const noexcept { return runs_; }
  /// Returns when the run and the files in its folder are on the disk. Throws Error (failed).
  void add(Run run);
  /// Forgets the runs of any phase that failed, and removes their folders.
  void forget_failed();
  /// number for the next run's folder: larger than all before
  [[nodiscard]] int next_number() const;

 private:
  void write_line(const nlohmann::json& line);
  void rewrite();

  std::filesystem::path path_;
  nlohmann::json identity_;
  std::vector<Run> runs_;
  int lock_ = -1;
  int file_ = -1;
};

/// The runs recorded in a work folder without opening it for writing; none when there is no such folder.
std::vector<Run> read_journal(const std::filesystem::path& folder);

}  // namespace asterism::apps::compare
