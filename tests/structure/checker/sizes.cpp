// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/structure/checker/checks.hpp"
#include "tests/structure/checker/functions.hpp"

namespace asterism::structure {
namespace {

constexpr int most_lines_of_file = 400;
constexpr int most_lines_of_function = 100;
constexpr int most_files_of_folder = 25;

/// CMakeLists.txt lists sources and is none.
bool counts_in_folder(const std::string& file) {
  return is_code(file) && !file.ends_with("CMakeLists.txt");
}

}  // namespace

std::vector<Complaint> check_sizes(const SourceTree& tree) {
  std::vector<Complaint> found;
  std::map<std::string, int> files_in;
  for (const auto& [file, text] : tree) {
    if (!is_code(file)) continue;
    if (counts_in_folder(file)) ++files_in[file.substr(0, file.rfind('/') + 1)];
    const int lines = count_lines(text);
    if (lines > most_lines_of_file) {
      found.push_back({file, most_lines_of_file + 1, fmt::format("a file of {} lines", lines),
                       fmt::format("at most {}", most_lines_of_file), file});
    }
    if (!is_cpp(file)) continue;
    for (const Function& function : functions(split_lines(text))) {
      if (function.lines <= most_lines_of_function) continue;
      found.push_back({file, function.line, fmt::format("{} has {} lines", function.name, function.lines),
                       fmt::format("at most {} in a function", most_lines_of_function),
                       fmt::format("{}: {}", file, function.name)});
    }
  }
  for (const auto& [folder, count] : files_in) {
    if (count <= most_files_of_folder) continue;
    found.push_back({folder, 0, fmt::format("a folder of {} source files", count),
                     fmt::format("at most {}", most_files_of_folder), folder});
  }
  return found;
}

}  // namespace asterism::structure
