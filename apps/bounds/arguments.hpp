// SPDX-License-Identifier: Apache-2.0
// What asterism-bounds is asked to do.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bounds/bounds.hpp"

namespace asterism::apps::bounds {

struct Arguments {
  std::vector<std::filesystem::path> recording;
  std::vector<std::filesystem::path> durations;
  std::vector<std::filesystem::path> models;
  std::string model_host;
  std::string window = "auto";
  std::filesystem::path rates;
  std::filesystem::path write_lp;
  std::filesystem::path json;
  std::filesystem::path csv;
  bool links_of_models = false;
  bool all_missing = false;
  bool quiet = false;
  asterism::bounds::Options options;  ///< without rates and links, which are files
};

/// Returns an exit status when the program is to end here. Throws Error (bad_input).
std::optional<int> parse_arguments(int argc, char** argv, Arguments& args);

}  // namespace asterism::apps::bounds
