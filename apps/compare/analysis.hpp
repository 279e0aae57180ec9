// SPDX-License-Identifier: Apache-2.0
// What one recorded run says, in a few numbers that are kept when its recording is not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "traces/metrics.hpp"
#include "traces/recording.hpp"

namespace asterism::apps::compare {

struct Analysis {
  double makespan = 0;  ///< seconds
  std::uint64_t tasks = 0;
  double flops = 0;
  traces::Shares all;                           ///< of all units; without the shares of codelets
  std::map<std::string, traces::Shares> kinds;  ///< by the name of the kind
  std::map<std::string, std::uint64_t> units;   ///< per kind
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  double critical_path = 0;  ///< seconds, with this run's durations; 0 when dependencies were not recorded
};

void to_json(nlohmann::json& json, const Analysis& analysis);
void from_json(const nlohmann::json& json, Analysis& analysis);

Analysis analyse(const traces::Recording& recording, const traces::Metrics& metrics);

/// The FxT files that a run left in its folder.
std::vector<std::filesystem::path> fxt_files(const std::filesystem::path& folder);

/// Turns the FxT files of a run's folder into compressed text files, which read_run reads, and removes them unless
/// `keep`. Throws Error.
void convert_run(const std::filesystem::path& folder, bool keep);

/// Throws Error.
traces::Recording read_run(const std::filesystem::path& folder, const std::string& name, const std::string& window);

/// Whether read_run finds something.
bool has_recording(const std::filesystem::path& folder);
void remove_recording(const std::filesystem::path& folder);

}  // namespace asterism::apps::compare
