// SPDX-License-Identifier: Apache-2.0
#include "apps/lbm/time_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "io/output_file.hpp"
#include "runtime/ranks/collective_try.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::apps::lbm {

TimeTable::TimeTable(std::string path, std::string header, long every, long steps)
    : path_(std::move(path)), header_(std::move(header)), every_(every), steps_(steps), text_(header_ + "\n") {}

std::vector<std::string> TimeTable::rows_before(const std::string& option, long from) const {
  std::vector<std::string> rows;
  if (from == 0) return rows;
  collective_try([&] {
    std::ifstream file(path_);
    std::string line;
    if (!std::getline(file, line)) return;
    if (line != header_)
      bad_input("{} {}: has other columns than this run; expected a new name, or the file of the run before", option,
                path_);
    while (std::getline(file, line)) {
      const long step = std::strtol(line.c_str(), nullptr, 10);
      if (step > 0 && step <= from && step % every_ == 0) rows.push_back(line);
    }
  });
  return rows;
}

long TimeTable::next_due(long step) const {
  return std::min(steps_, (step / every_ + 1) * every_);
}

void TimeTable::keep(const std::string& row) {
  text_ += row + "\n";
}

void TimeTable::add(const std::string& row) {
  keep(row);
  ++rows_;
}

void TimeTable::write() {
  collective_try([&] {
    if (!rank_group().is_root()) return;
    OutputFile file(path_);
    file.write(text_);
    file.commit();
  });
  written_ = rows_;
}

}  // namespace asterism::apps::lbm
