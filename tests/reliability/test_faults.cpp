// SPDX-License-Identifier: Apache-2.0
// Every system call by which a file is written fails once, in every way: what was there before stays, or what is new is
// whole; the program says so in one line; and the next run goes on.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Ran {
  int status = 0;  ///< 128 + signal
  std::string out, err;
};

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class Faults : public testing::TestWithParam<const char*> {
 protected:
  Faults()
      : base_(fs::temp_directory_path() / ("asterism_faults_" + std::to_string(getpid()))), folder_(base_ / "out") {
    fs::remove_all(base_);
    fs::create_directories(folder_);
  }
  ~Faults() override { fs::remove_all(base_); }

  Ran run(const std::vector<std::string>& arguments, long at = -1, const char* kind = "") const {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      std::vector<std::string> all{FILE_WRITER};
      all.insert(all.end(), arguments.begin(), arguments.end());
      std::vector<char*> pointers;
      for (std::string& argument : all) pointers.push_back(argument.data());
      pointers.push_back(nullptr);
      if (freopen((base_ / "stdout").c_str(), "w", stdout) == nullptr ||
          freopen((base_ / "stderr").c_str(), "w", stderr) == nullptr)
        _exit(126);
      setenv("OMP_NUM_THREADS", "1", 1);
      if (at >= 0) {
        setenv("LD_PRELOAD", FAULT_INJECTION, 1);
        setenv("FAULT_FOLDER", folder_.c_str(), 1);
        setenv("FAULT_AT", std::to_string(at).c_str(), 1);
        setenv("FAULT_KIND", kind, 1);
        setenv("FAULT_COUNT", (base_ / "count").c_str(), 1);
      }
      execv(pointers[0], pointers.data());
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(base_ / "stdout"),
            contents(base_ / "stderr")};
  }

  void start_with_one() const {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    ASSERT_EQ(run({GetParam(), folder_, "1"}).status, 0);
  }
  [[nodiscard]] Ran check() const { return run({"check", GetParam(), folder_}); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const fs::path base_, folder_;
};

TEST_P(Faults, LeaveTheOldOrTheNew) {
  const std::string kind_of_file = GetParam();
  const bool series = kind_of_file != "checkpoint" && kind_of_file != "text";
  const std::string before = "1\n";
  const std::string after = series ? "1\n2\n" : "2\n";
  start_with_one();
  ASSERT_EQ(run({GetParam(), folder_, "2"}, 0).status, 0);
  ASSERT_EQ(check().out, after);
  const std::size_t whole = files();
  const long calls = std::atol(contents(base_ / "count").c_str());
  ASSERT_GT(calls, 3) << "writes, fsync of file and folder, rename";
  for (const char* const kind : {"enospc", "eio", "short", "eintr", "kill"})
    for (long at = 1; at <= calls; ++at) {
      SCOPED_TRACE(testing::Message() << kind << " at call " << at << " of " << calls);
      start_with_one();
      const Ran ran = run({GetParam(), folder_, "2"}, at, kind);
      const bool killed = std::string(kind) == "kill";
      ASSERT_TRUE(killed ? ran.status == 128 + SIGKILL : ran.status <= 1) << ran.status << ": " << ran.err;
      EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), ran.status == 1 ? 1 : 0) << ran.err;
      if (std::string(kind) == "short") {
        EXPECT_EQ(ran.status, 0) << "the rest is written by another call: " << ran.err;
      }
      const Ran found = check();
      ASSERT_EQ(found.status, 0) << found.err;
      EXPECT_TRUE(found.out == after || (ran.status != 0 && found.out == before)) << found.out;
      const Ran again = run({GetParam(), folder_, "2"});
      ASSERT_TRUE(again.status == 0 || found.out == after) << again.err;
      EXPECT_EQ(check().out, after);
      EXPECT_TRUE(killed || files() == whole) << "temporary files are left";
    }
}

INSTANTIATE_TEST_SUITE_P(Files, Faults, testing::Values("checkpoint", "text", "hdf5", "vti", "vtkhdf"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
