// SPDX-License-Identifier: Apache-2.0
// Tables that asterism-fmm writes.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/run_program.hpp"

namespace asterism::tests {

/// Rows of numbers of a CSV file with a header.
inline std::vector<std::vector<double>> table(const fs::path& path) {
  std::vector<std::vector<double>> rows;
  const std::vector<std::string> lines = lines_of(contents(path));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::istringstream line(lines[i]);
    rows.emplace_back();
    for (std::string field; std::getline(line, field, ',');) rows.back().push_back(std::stod(field));
  }
  return rows;
}

}  // namespace asterism::tests
