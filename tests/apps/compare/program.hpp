// SPDX-License-Identifier: Apache-2.0
// Runs asterism-compare in a folder of its own, with two CPU workers.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/apps/run_program.hpp"

namespace asterism::tests {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int comparison_limit_seconds = 240;

/// Rows of a CSV file by column name.
inline std::vector<std::map<std::string, std::string>> read_csv(const fs::path& path) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> result(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        result.emplace_back();
      else
        result.back() += c;
    }
    return result;
  };
  const std::vector<std::string> lines = lines_of(contents(path));
  std::vector<std::map<std::string, std::string>> rows;
  if (lines.empty()) return rows;
  const std::vector<std::string> names = cells(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> values = cells(lines[i]);
    EXPECT_EQ(values.size(), names.size()) << lines[i];
    std::map<std::string, std::string> row;
    for (std::size_t c = 0; c < std::min(names.size(), values.size()); ++c) row[names[c]] = values[c];
    rows.push_back(std::move(row));
  }
  return rows;
}

class AsterismCompare : public testing::Test {
 protected:
  AsterismCompare() : folder_(fs::temp_directory_path() / ("asterism_compare_test_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "home");
  }
  ~AsterismCompare() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// Starts the program in folder_, with two CPU workers.
  pid_t start(const Arguments& arguments, const std::map<std::string, std::string>& environment = {}) const {
    Arguments copy = arguments;
    copy.insert(copy.begin(), ASTERISM_COMPARE);
    std::vector<char*> argv;
    for (std::string& argument : copy) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    for (const auto& [name, target] : {std::pair{"stdout", STDOUT_FILENO}, std::pair{"stderr", STDERR_FILENO}}) {
      const int file = open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      if (file < 0 || dup2(file, target) < 0) _exit(126);
    }
    if (chdir(folder_.c_str()) != 0) _exit(126);
    for (const char* name : {"STARPU_SCHED", "STARPU_CALIBRATE", "STARPU_SCHED_LIB", "STARPU_PERF_MODEL_DIR"})
      unsetenv(name);
    setenv("STARPU_NCPU", "2", 1);
    setenv("STARPU_NCUDA", "0", 1);
    setenv("STARPU_WORKERS_NOBIND", "1", 1);
    setenv("STARPU_HOME", (folder_ / "home").c_str(), 1);
    setenv("OMP_WAIT_POLICY", "passive", 1);
    for (const auto& [name, value] : environment)
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    execv(argv[0], argv.data());
    _exit(127);
  }

  Ran finish(pid_t child) const {
    Ran ran;
    int status = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(comparison_limit_seconds);
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) kill(child, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ran.out = contents(folder_ / "stdout");
    ran.err = contents(folder_ / "stderr");
    return ran;
  }

  Ran run(const Arguments& arguments, const std::map<std::string, std::string>& environment = {}) const {
    return finish(start(arguments, environment));
  }

  /// Options, then the command after --.
  static Arguments with(Arguments options, const Arguments& command) {
    options.emplace_back("--");
    options.insert(options.end(), command.begin(), command.end());
    return options;
  }

  json result(const std::string& work = "w") const { return json::parse(contents(folder_ / work / "compare.json")); }
  std::vector<std::string> journal(const std::string& work = "w") const {
    return lines_of(contents(folder_ / work / "runs.jsonl"));
  }
  /// Waits until so many runs are recorded.
  bool wait_for_runs(std::size_t count) const {
    for (int i = 0; i < 12000; ++i) {
      if (journal().size() > count) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  void expect_bad_input(const Arguments& arguments, const std::vector<std::string>& words,
                        const std::map<std::string, std::string>& environment = {}) const {
    const Ran ran = run(arguments, environment);
    EXPECT_EQ(ran.status, 2) << ran.err;
    EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
    EXPECT_TRUE(ran.err.starts_with("asterism-compare: error: ")) << ran.err;
    for (const std::string& word : words) EXPECT_TRUE(contains(ran.err, word)) << word << " is not in: " << ran.err;
    EXPECT_TRUE(ran.out.empty()) << ran.out;
  }

  const fs::path folder_;
};

}  // namespace asterism::tests
