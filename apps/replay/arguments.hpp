// SPDX-License-Identifier: Apache-2.0
// What asterism-replay is asked to do.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/simulate.hpp"
#include "apps/replay/graph.hpp"
#include "bounds/schedules/offline.hpp"
#include "runtime/session.hpp"
#include "traces/generated/graphs.hpp"

namespace asterism::apps::replay {

struct Arguments {
  std::filesystem::path recording;
  std::optional<traces::GraphRule> generate;  ///< in place of a recording
  std::string graph;                          ///< folder to write
  std::string window = "all";
  std::vector<std::filesystem::path> durations;  ///< further recordings
  std::vector<std::filesystem::path> models;
  std::string model_host;
  std::vector<Source> order{Source::platform, Source::models, Source::recording, Source::rates};
  Noise noise;
  Simulated machine;
  SessionOptions session;
  bool optimum = false;
  bounds::SearchOptions search;
  std::string schedule;  ///< file to write
  std::string json;
  std::string trace;
  bool quiet = false;
};

/// Returns an exit status when the program is to end here. Throws Error (bad_input).
std::optional<int> parse_arguments(int argc, char** argv, Arguments& args);

}  // namespace asterism::apps::replay
