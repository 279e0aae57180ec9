// SPDX-License-Identifier: Apache-2.0
// Runs one of our programs as its user does: arguments in, status, output and files out. Nothing of the project is
// linked.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asterism::tests {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

inline constexpr int limit_seconds = 180;  ///< of one run: then it is ended and its status is 124

inline std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

struct Ran {
  int status = -1;  ///< 128 + signal when it was ended by one
  std::string out;
  std::string err;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class ProgramTest : public testing::Test {
 protected:
  /// `name`: as it calls itself in errors. `variable`: of the environment, which may name another place (a bundle's).
  /// `results`: options with files that a failed run must not leave behind.
  ProgramTest(std::string name, const char* variable, std::string program, Arguments results)
      : folder_(fs::temp_directory_path() / (name + "_test_" + std::to_string(getpid()))),
        name_(std::move(name)),
        program_(std::getenv(variable) != nullptr ? std::getenv(variable) : std::move(program)),
        results_(std::move(results)) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "out");
  }
  ~ProgramTest() override {
    std::error_code ignored;
    fs::permissions(folder_ / "locked", fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }

  /// Runs the program in out/, with two CPU workers unless units_open_. It is killed, and its status 124, when it takes
  /// too long or when `enough` says so; another `signal` than SIGKILL is sent once, and the program ends by itself.
  /// `environment`: more variables.
  Ran run(
      const Arguments& arguments, const std::function<bool()>& enough = [] { return false; }, int signal = SIGKILL,
      const std::vector<std::pair<std::string, std::string>>& environment = {}) const {
    std::vector<char*> argv;
    std::string program = program_;
    argv.push_back(program.data());
    Arguments copy = arguments;
    for (std::string& argument : copy) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const std::string out = folder_ / "stdout";
    const std::string err = folder_ / "stderr";
    const std::string where = folder_ / "out";
    const pid_t child = fork();
    if (child == 0) {
      for (const auto& [name, target] : {std::pair{&out, STDOUT_FILENO}, std::pair{&err, STDERR_FILENO}}) {
        const int file = open(name->c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file < 0 || dup2(file, target) < 0) _exit(126);
      }
      if (chdir(where.c_str()) != 0) _exit(126);
      if (units_open_)
        unsetenv("STARPU_NCPU");
      else
        setenv("STARPU_NCPU", "2", 1);
      setenv("STARPU_NCUDA", "0", 1);
      setenv("STARPU_WORKERS_NOBIND", "1", 1);
      setenv("OMP_WAIT_POLICY", "passive", 1);
      setenv("ASTERISM_RATES", "off", 0);
      unsetenv("STARPU_SCHED");
      for (const auto& [variable, value] : environment) setenv(variable.c_str(), value.c_str(), 1);
      execv(argv[0], argv.data());
      _exit(127);
    }
    Ran ran;
    int status = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(limit_seconds);
    bool signalled = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (signal != SIGKILL && !signalled && enough()) {
        kill(child, signal);
        signalled = true;
      }
      if (std::chrono::steady_clock::now() > end || (signal == SIGKILL && enough())) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        ran.status = 124;
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (ran.status != 124) ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ran.out = contents(out);
    for (const std::string& line : lines_of(contents(err)))  // StarPU's own remarks about the machine are not ours
      if (!line.starts_with("[starpu]")) ran.err += line + "\n";
    return ran;
  }

  fs::path file(const std::string& text, const std::string& name = "a.mtx") const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  fs::path output(const std::string& name) const { return folder_ / "out" / name; }
  std::size_t outputs() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_ / "out"), fs::directory_iterator()));
  }

  /// One line on stderr that contains every one of `words`, status 2, and no file made, temporary or not.
  void expect_bad_input(Arguments arguments, const std::vector<std::string>& words, bool with_outputs = true) const {
    if (with_outputs) arguments.insert(arguments.end(), results_.begin(), results_.end());
    std::string command;
    for (const std::string& argument : arguments) command += argument + " ";
    SCOPED_TRACE(command);
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2);
    expect_one_line(ran.err, words);
    EXPECT_EQ(outputs(), 0U);
    EXPECT_FALSE(contains(ran.out, "time")) << ran.out;
  }

  void expect_one_line(const std::string& text, const std::vector<std::string>& words) const {
    EXPECT_EQ(lines_of(text).size(), 1U) << text;
    EXPECT_TRUE(text.starts_with(name_ + ": error: ")) << text;
    for (const std::string& word : words) EXPECT_TRUE(contains(text, word)) << word << " is not in: " << text;
  }

  const fs::path folder_;
  bool units_open_ = false;  ///< the program chooses its units

 private:
  std::string name_;
  std::string program_;
  Arguments results_;
};

}  // namespace asterism::tests
