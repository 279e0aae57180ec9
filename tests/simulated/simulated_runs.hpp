// SPDX-License-Identifier: Apache-2.0
// Runs the solvers for simulated machines as their user does: options in; status, errors and record out.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace asterism::tests {

struct SimulatedRun {
  int status = -1;
  std::string errors;  ///< what it printed on stderr
  nlohmann::json record;
};

class SimulatedRuns : public testing::Test {
 protected:
  SimulatedRuns() { std::filesystem::create_directories(folder_); }
  ~SimulatedRuns() override { std::filesystem::remove_all(folder_); }

  /// In folder_. `environment`: NAME=VALUE, separated by spaces.
  SimulatedRun run(const std::string& program, const std::string& options, const std::string& platform = BOX,
                   const std::string& environment = "") const {
    const std::filesystem::path json = folder_ / "run.json";
    const std::filesystem::path errors = folder_ / "errors";
    std::filesystem::remove(json);
    const std::string command = "cd '" + folder_.string() + "' && STARPU_SILENT=1 " + environment +
                                " timeout 120 '" PROGRAMS "/" + program + "' " + options + " --simulate '" + platform +
                                "' --json '" + json.string() + "' >/dev/null 2>'" + errors.string() + "'";
    const int status = std::system(command.c_str());
    SimulatedRun ran;
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    std::ifstream file(errors);
    ran.errors.assign(std::istreambuf_iterator<char>(file), {});
    if (std::filesystem::exists(json)) ran.record = nlohmann::json::parse(std::ifstream(json));
    return ran;
  }

  /// What the solver says it takes; -1 when it fails.
  double seconds(const std::string& program, const std::string& options, const std::string& platform = BOX,
                 const std::string& environment = "") const {
    const SimulatedRun ran = run(program, options, platform, environment);
    EXPECT_EQ(ran.status, 0) << program << " " << options << ": " << ran.errors;
    if (ran.status != 0) return -1;
    EXPECT_EQ(ran.record.at("simulated").at("platform"), std::filesystem::path(platform).stem().string());
    return ran.record["seconds"].get<double>();
  }

  void expect_the_same_twice(const std::string& program, const std::string& options,
                             const std::string& platform = BOX) const {
    const double first = seconds(program, options, platform);
    EXPECT_GT(first, 0);
    EXPECT_EQ(seconds(program, options, platform), first) << program << " " << options;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("simulated_test_" + std::to_string(getpid()));
};

}  // namespace asterism::tests
