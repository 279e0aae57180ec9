// SPDX-License-Identifier: Apache-2.0
// Runs one of our programs over several processes of this machine, as its user does with mpirun.
#pragma once

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "tests/apps/run_program.hpp"

namespace asterism::tests {

class RanksTest : public ProgramTest {
 protected:
  /// `name` and `program`: of the program, which `variable` of the environment may name elsewhere.
  RanksTest(std::string name, const char* variable, std::string program)
      : ProgramTest("mpirun", "ASTERISM_MPIRUN", ASTERISM_MPIRUN, {}),
        name_(std::move(name)),
        program_(std::getenv(variable) != nullptr ? std::getenv(variable) : std::move(program)) {
    // containers run as root, cores are fewer than ranks, and nothing leaves this machine
    for (const auto& [key, value] : {std::pair{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                     {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                     {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                     {"OMPI_MCA_btl", "self,vader,tcp"},
                                     {"OMPI_MCA_btl_tcp_if_include", "lo"},
                                     {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
                                     {"OMPI_MCA_mpi_yield_when_idle", "1"},
                                     // a quarter of a second less for each start
                                     {"OMPI_MCA_plm", "isolated"},
                                     {"OMPI_MCA_pml", "ob1"},
                                     {"PMIX_MCA_gds", "hash"},
                                     {"OMP_NUM_THREADS", "1"}})
      setenv(key, value, 1);
  }

  /// With one CPU worker each. What mpirun itself says about ranks that failed is left out of stderr.
  Ran run_ranks(
      int ranks, const Arguments& arguments, const std::function<bool()>& enough = [] { return false; }) const {
    return run_ranks_of(program_, ranks, arguments, enough);
  }

  /// The files of the last rank cannot grow beyond a number of bytes: status 1, and one line of one rank, which names
  /// the file.
  void expect_full_disk(int ranks, std::size_t bytes, const Arguments& arguments, const std::string& name) const {
    const fs::path script =
        file("#!/bin/sh\ntrap '' XFSZ\n[ $OMPI_COMM_WORLD_RANK -eq " + std::to_string(ranks - 1) + " ] && ulimit -f " +
                 std::to_string(bytes / 512) + "\nexec " + program_ + " \"$@\"\n",
             "full.sh");
    fs::permissions(script, fs::perms::owner_all);
    const Ran ran = run_ranks_of(script, ranks, arguments, [] { return false; });
    EXPECT_EQ(ran.status, 1);
    EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
    EXPECT_TRUE(ran.err.starts_with(name_ + ": error: " + name + ": ")) << ran.err;
    for (const char* words : {"cannot be written", "too large"}) EXPECT_TRUE(contains(ran.err, words)) << ran.err;
  }

  Ran run_ranks_of(const std::string& program, int ranks, const Arguments& arguments,
                   const std::function<bool()>& enough) const {
    Arguments all{"-n", std::to_string(ranks), program};
    all.insert(all.end(), arguments.begin(), arguments.end());  // a sub-command is first
    all.insert(all.end(), {"--cpus", "1"});
    Ran ran = run(all, enough);
    std::string ours;
    for (const std::string& line : lines_of(ran.err))
      if (line.starts_with("asterism")) ours += line + "\n";
    ran.err = ours;
    return ran;
  }

  nlohmann::json record(const std::string& file) const { return nlohmann::json::parse(contents(output(file))); }

  /// Most tasks that a rank looked at, as the record of a run has it.
  int most_walked(const std::string& file) const {
    int most = 0;
    const nlohmann::json json = record(file);
    for (const auto& rank : json["ranks"]) most = std::max(most, rank["tasks_walked"].get<int>());
    return most;
  }

  /// Status 2, one line of one rank, and no file.
  void expect_refused(int ranks, const Arguments& arguments, const std::vector<std::string>& words) const {
    std::string command;
    for (const std::string& argument : arguments) command += argument + " ";
    SCOPED_TRACE(command);
    setenv("OMPI_MCA_odls_base_sigkill_timeout", "0", 1);  // mpirun would wait for the others, who have nothing to say
    const Ran ran = run_ranks(ranks, arguments);
    unsetenv("OMPI_MCA_odls_base_sigkill_timeout");
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
    EXPECT_TRUE(ran.err.starts_with(name_ + ": error: ")) << ran.err;
    for (const std::string& word : words) EXPECT_TRUE(contains(ran.err, word)) << word << " is not in: " << ran.err;
    EXPECT_EQ(outputs(), 0U);
  }

  /// Runs until `checkpoint` has been written twice, kills the last rank and sees that this ends the others with one
  /// line, which names it and the checkpoint.
  void kill_the_last(int ranks, const Arguments& arguments, const std::string& checkpoint) const {
    bool killed = false;
    std::optional<fs::file_time_type> first;
    const Ran ran = run_ranks(ranks, arguments, [&] {
      if (killed || !fs::exists(output(checkpoint))) return false;
      const auto written = fs::last_write_time(output(checkpoint));
      if (!first) first = written;
      if (written == *first) return false;  // the first one is told of once the second is there
      const std::optional<pid_t> process = process_of(ranks - 1);
      killed = process && kill(*process, SIGKILL) == 0;
      return false;
    });
    ASSERT_TRUE(killed);
    EXPECT_NE(ran.status, 0);
    EXPECT_NE(ran.status, 124);
    EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
    for (const std::string& word : {"rank " + std::to_string(ranks - 1), checkpoint, "--restart " + checkpoint})
      EXPECT_TRUE(contains(ran.err, word)) << word << " is not in: " << ran.err;
  }

  /// The process of `rank` of the run in out/; nothing before it is there.
  std::optional<pid_t> process_of(int rank) const {
    const std::string variable = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
      const std::string number = entry.path().filename();
      if (!std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
      if (fs::read_symlink(entry.path() / "cwd", error) != folder_ / "out" || error) continue;
      const std::string environment = contents(entry.path() / "environ");
      if (environment.find(variable + '\0') != std::string::npos) return std::stoi(number);
    }
    return std::nullopt;
  }

 private:
  std::string name_;
  std::string program_;
};

}  // namespace asterism::tests
