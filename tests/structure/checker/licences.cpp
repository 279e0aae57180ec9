// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "tests/structure/checker/checks.hpp"

namespace asterism::structure {
namespace {

constexpr std::string_view licence = "SPDX-License-Identifier: Apache-2.0";

constexpr std::string_view extensions[] = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".js", ".mjs", ".css", ".cmake", ".py"};

/// Sources, and scripts: what begins with "#!".
bool has_licence(const std::string& file, const std::string& text) {
  const std::filesystem::path path(file);
  if (path.filename() == "CMakeLists.txt" || text.starts_with("#!")) return true;
  const std::string extension = path.extension().string();
  for (const std::string_view known : extensions) {
    if (extension == known) return true;
  }
  return false;
}

}  // namespace

std::vector<Complaint> check_licences(const SourceTree& tree) {
  std::vector<Complaint> found;
  for (const auto& [file, text] : tree) {
    if (!has_licence(file, text)) continue;
    const std::size_t line = text.starts_with("#!") ? text.find('\n') + 1 : 0;  // below the interpreter
    if (text.substr(line, text.find('\n', line) - line).find(licence) == std::string::npos) {
      found.push_back({file, 1, "names no licence at its top", fmt::format("\"{}\"", licence), file});
    }
  }
  return found;
}

}  // namespace asterism::structure
