// SPDX-License-Identifier: Apache-2.0
// A folder of a test, and runs as asterism-compare keeps them.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "apps/compare/state.hpp"
#include "tests/apps/run_program.hpp"

namespace asterism::tests {

namespace fs = std::filesystem;
using apps::compare::Phase;
using apps::compare::Step;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("compare_parts_" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

inline apps::compare::Run run_of(const Step& step, const std::string& status = "", bool calibrating = false) {
  apps::compare::Run run;
  run.step = step;
  run.status = status;
  run.calibrating = calibrating;
  return run;
}

}  // namespace asterism::tests
