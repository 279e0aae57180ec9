// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "tests/structure/checker/checks.hpp"

namespace asterism::structure {
namespace {

/// Absolute paths, without the '/' in front, so that this file names none of them.
constexpr std::string_view absolute[] = {"root/", "home/"};

/// Folders beside the repository.
constexpr std::string_view beside[] = {"shared"};

/// An absolute path is not the end of a longer one, or of an address: "https://asterism.org/home/", "a/home/b".
bool begins_here(const std::string& text, std::size_t position) {
  if (position == 0) return true;
  const char before = text[position - 1];
  return std::isalnum(static_cast<unsigned char>(before)) == 0 &&
         std::string_view("_.~})/").find(before) == std::string_view::npos;
}

std::vector<std::string> outside_paths() {
  std::vector<std::string> paths;
  for (const std::string_view path : absolute) paths.push_back(fmt::format("/{}", path));
  for (const std::string_view path : beside) paths.push_back(fmt::format("../{}", path));
  return paths;
}

}  // namespace

std::vector<Complaint> check_outside_paths(const SourceTree& tree) {
  std::vector<Complaint> found;
  const std::vector<std::string> paths = outside_paths();
  for (const auto& [file, text] : tree) {
    for (const std::string& path : paths) {
      for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at + 1)) {
        if (path.starts_with('/') && !begins_here(text, at)) continue;
        found.push_back(
            {file, line_of(text, at), fmt::format("names {}", path), "nothing outside the repository", file});
      }
    }
  }
  return found;
}

}  // namespace asterism::structure
