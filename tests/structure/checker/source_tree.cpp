// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/checker/source_tree.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace asterism::structure {

namespace fs = std::filesystem;

namespace {

template <std::size_t n>
bool any_of(const std::array<std::string_view, n>& candidates, std::string_view name) {
  return std::find(candidates.begin(), candidates.end(), name) != candidates.end();
}

bool left_out(const fs::path& path, bool folder, bool in_root) {
  static constexpr std::array<std::string_view, 3> files = {".git", "CMakeUserPresets.json", "compile_commands.json"};
  const std::string name = path.filename().string();
  if (!folder) return any_of(files, name);
  if (in_root && (name.starts_with("build") || name.starts_with("bundle") || name == "install" || name == "out")) {
    return true;
  }
  return (name.starts_with('.') && name != ".ci") || name == "__pycache__";
}

std::string extension(const std::string& path) {
  return fs::path(path).extension().string();
}

/// Nothing for a binary file: one with a zero in its first 4096 bytes.
bool read_text(const fs::path& path, std::string& text) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path.string() + ": cannot be read");
  text.resize(4096);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.find('\0') != std::string::npos) return false;
  text.append(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  return true;
}

}  // namespace

SourceTree read_tree(const fs::path& root) {
  SourceTree tree;
  for (fs::recursive_directory_iterator entry(root), end; entry != end; ++entry) {
    const bool folder = entry->is_directory() && !entry->is_symlink();
    if (left_out(entry->path(), folder, entry.depth() == 0)) {
      if (folder) entry.disable_recursion_pending();
      continue;
    }
    std::string text;
    if (!entry->is_regular_file() || !read_text(entry->path(), text)) continue;
    tree[entry->path().lexically_relative(root).generic_string()] = std::move(text);
  }
  return tree;
}

bool is_cpp(const std::string& path) {
  static constexpr std::array<std::string_view, 6> extensions = {".cpp", ".hpp", ".cu", ".cuh", ".c", ".h"};
  return any_of(extensions, extension(path));
}

bool is_code(const std::string& path) {
  static constexpr std::array<std::string_view, 4> extensions = {".js", ".mjs", ".py", ".cmake"};
  if (is_cpp(path) || any_of(extensions, extension(path)) || path.ends_with("CMakeLists.txt")) return true;
  return (path.starts_with("scripts/") || path.starts_with(".ci/")) && extension(path).empty();
}

bool has_folder(const SourceTree& tree, const std::string& folder) {
  const auto first = tree.lower_bound(folder);
  return first != tree.end() && first->first.starts_with(folder);
}

std::vector<std::string> methods(const SourceTree& tree) {
  const std::string above = "taskflows/";
  std::vector<std::string> names;
  for (auto file = tree.lower_bound(above); file != tree.end() && file->first.starts_with(above); ++file) {
    const std::size_t end = file->first.find('/', above.size());
    if (end == std::string::npos) continue;
    const std::string name = file->first.substr(above.size(), end - above.size());
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

int line_of(const std::string& text, std::size_t position) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

int count_lines(const std::string& text) {
  const bool unfinished = !text.empty() && text.back() != '\n';
  return static_cast<int>(std::count(text.begin(), text.end(), '\n')) + (unfinished ? 1 : 0);
}

}  // namespace asterism::structure
