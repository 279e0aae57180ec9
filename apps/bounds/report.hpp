// SPDX-License-Identifier: Apache-2.0
// The bounds of a recording as a table, JSON and CSV.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "bounds/bounds.hpp"
#include "traces/recording.hpp"

namespace asterism::apps::bounds {

struct Report {
  const traces::Recording* recording = nullptr;
  const asterism::bounds::Bounds* bounds = nullptr;
  bool all_missing = false;  ///< per footprint instead of per codelet
};

std::string table(const Report& report);
nlohmann::json summary(const Report& report);
/// Lines `table,subject,kind,quantity,value,unit`, as asterism-trace writes. Throws Error (failed).
void write_csv(const std::filesystem::path& path, const Report& report);

}  // namespace asterism::apps::bounds
