// SPDX-License-Identifier: Apache-2.0
// A source tree of a few files in a temporary folder, and what a rule complains about in it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/structure/checker/checks.hpp"

namespace asterism::structure {

class SmallTree {
 public:
  SmallTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "asterism_structure_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error(pattern + ": cannot be made");
    root_ = pattern;
  }
  SmallTree(const SmallTree&) = delete;
  SmallTree& operator=(const SmallTree&) = delete;
  ~SmallTree() { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  void remove(const std::string& path) const { std::filesystem::remove_all(root_ / path); }
  [[nodiscard]] SourceTree read() const { return read_tree(root_); }

 private:
  std::filesystem::path root_;
};

/// Each complaint begins with one of these, in any order: "file:line: beginning".
inline void expect_complaints(const std::vector<Complaint>& complaints, std::vector<std::string> beginnings) {
  for (const Complaint& complaint : complaints) {
    const std::string text = to_string(complaint);
    const auto begins = [&](const std::string& beginning) { return text.starts_with(beginning); };
    const auto found = std::find_if(beginnings.begin(), beginnings.end(), begins);
    if (found == beginnings.end()) {
      ADD_FAILURE() << "not expected: " << text;
    } else {
      beginnings.erase(found);
    }
  }
  for (const std::string& beginning : beginnings) ADD_FAILURE() << "no complaint: " << beginning;
}

}  // namespace asterism::structure
