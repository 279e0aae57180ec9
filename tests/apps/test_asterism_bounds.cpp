// SPDX-License-Identifier: Apache-2.0
// The program asterism-bounds from outside: a recording written here whose bounds are known by hand, what it writes,
// bad input in one line and status 2, durations that contradict the run in one line and status 1.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/run_program.hpp"

namespace {

namespace fs = std::filesystem;
using asterism::tests::contents;
using asterism::tests::Ran;
using nlohmann::json;

class AsterismBounds : public testing::Test {
 protected:
  AsterismBounds() : folder_(fs::temp_directory_path() / ("asterism_bounds_test_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "run");
    // Two workers on main memory, milliseconds; gemm 3 + 3 ms and, one after the other, two of 1 ms.
    std::ofstream rec(folder_ / "run" / "tasks.rec");
    const auto task = [&](int id, const char* name, int worker, double start, double end, const char* after) {
      rec << "Name: " << name << "\nModel: " << name << "_model\nJobId: " << id << "\nSubmitOrder: " << id
          << "\nPriority: 0\n";
      if (*after) rec << "DependsOn: " << after << "\n";
      rec << "Tag: 0\nWorkerId: " << worker << "\nMemoryNode: 0\nSubmitTime: 0.0\nStartTime: " << start
          << "\nEndTime: " << end << "\nFootprint: beef\nMPIRank: -1\n\n";
    };
    task(1, "gemm", 0, 0.0, 3.0, "");
    task(2, "gemm", 0, 3.0, 6.0, "");
    task(3, "dot", 1, 3.0, 4.0, "1");
    task(4, "dot", 1, 6.0, 7.0, "2 3");
  }
  ~AsterismBounds() override { fs::remove_all(folder_); }

  Ran run(const std::string& arguments) const {
    const std::string out = folder_ / "stdout";
    const std::string err = folder_ / "stderr";
    const std::string command =
        "cd " + folder_.string() + " && " ASTERISM_BOUNDS " " + arguments + " >" + out + " 2>" + err;
    Ran ran;
    const int status = std::system(command.c_str());
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ran.out = contents(out);
    ran.err = contents(err);
    return ran;
  }

  /// One line on stderr that says `what`, nothing else.
  void expect_error(const std::string& arguments, int status, const std::string& what) const {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, status) << arguments;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_NE(ran.err.find(what), std::string::npos) << ran.err;
  }

  fs::path folder_;
};

TEST_F(AsterismBounds, ByHand) {
  const Ran ran = run("run --json b.json --csv b.csv --write-lp b.lp --milp");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json b = json::parse(contents(folder_ / "b.json"));
  EXPECT_NEAR(b["makespan"], 7e-3, 1e-12);
  EXPECT_NEAR(b["bounds"]["lp"]["seconds"], 4e-3, 1e-12);
  EXPECT_NEAR(b["bounds"]["lp"]["of_makespan"], 4.0 / 7, 1e-9);
  EXPECT_NEAR(b["bounds"]["lp_fit"]["seconds"], 4e-3, 1e-12);
  EXPECT_NEAR(b["bounds"]["critical_path"]["seconds"], 5e-3, 1e-12);  // gemm, dot, dot
  EXPECT_NEAR(b["bounds"]["best"]["seconds"], 5e-3, 1e-12);
  EXPECT_NEAR(b["bounds"]["milp"]["seconds"], 4e-3, 1e-12);
  EXPECT_EQ(b["bounds"]["critical_path"]["tasks"], 3);
  EXPECT_NE(ran.out.find("57.14 %"), std::string::npos) << ran.out;
  EXPECT_NE(contents(folder_ / "b.lp").find("share_gemm_beef_CPU"), std::string::npos);
  EXPECT_NE(ran.out.find("LP where tasks fit"), std::string::npos) << ran.out;
  EXPECT_NE(contents(folder_ / "b.csv").find("bound,LP where tasks fit,,lower bound,"), std::string::npos);
  EXPECT_NE(contents(folder_ / "b.csv").find("bound,critical path,,lower bound,"), std::string::npos);
}

TEST_F(AsterismBounds, OtherUnitsAndModels) {
  std::ofstream(folder_ / "p.rec") << "%rec: timing\n\nModel: gemm_model\nArchitecture: cuda0\nFootprint: 0000beef\n"
                                      "Size: 8\nMean: 1000\nStddev: 0\nSamples: 5\n\n";
  const Ran ran = run("run --models p.rec --units CPU=1,CUDA=1 --json b.json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json b = json::parse(contents(folder_ / "b.json"));
  EXPECT_FALSE(b["comparable"]);
  EXPECT_FALSE(b["bounds"]["lp"].contains("of_makespan"));
  EXPECT_NEAR(b["bounds"]["lp"]["seconds"], 2e-3, 1e-12);  // gemm on CUDA, dot on the CPU
  ASSERT_EQ(b["missing"].size(), 1U);
  EXPECT_EQ(b["missing"][0]["codelet"], "dot");
  EXPECT_EQ(b["missing"][0]["kind"], "CUDA");
  EXPECT_NE(ran.out.find("dot never ran on CUDA (1 footprint, 2 tasks)"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("--calibrate"), std::string::npos);
}

TEST_F(AsterismBounds, DurationsThatContradictTheRun) {
  std::ofstream(folder_ / "p.rec") << "%rec: timing\n\nModel: gemm_model\nArchitecture: cpu0\nFootprint: 0000beef\n"
                                      "Size: 8\nMean: 9000\nStddev: 0\nSamples: 5\n\n";
  EXPECT_EQ(run("run --models p.rec").status, 0);
  expect_error("run --models p.rec --order models,recording,durations", 1,
               "LP = 0.01 s exceeds the makespan of the recorded run, 0.007 s; durations too long: gemm (footprint "
               "beef) on CPU: 0.009 s in the table, 0.003 s in this run");
}

TEST_F(AsterismBounds, BadInput) {
  expect_error("", 2, "recording is required");
  expect_error("nowhere", 2, "nowhere");
  expect_error("run --units CPU", 2, "--units CPU: found 'CPU', expected KIND=NUMBER");
  expect_error("run --units HIP=2", 2, "has no duration on HIP");
  expect_error("run --aggregate maximum", 2, "expected mean, median or min");
  expect_error("run --order models", 2, "expected each of recording, durations, models once");
  expect_error("run --rates nowhere", 2, "nowhere: cannot be opened for reading");
  expect_error("run --window 3", 2, "window '3'");
  expect_error("run --json nowhere/b.json", 2, "there is no folder nowhere");
  expect_error("run --links-of-models", 2, "requires");
  std::ofstream(folder_ / "p.rec") << "Model gemm\n";
  expect_error("run --models p.rec", 2, "p.rec:1: found 'Model gemm'");
  EXPECT_FALSE(fs::exists(folder_ / "b.json"));
}

/// Two ranks, one CPU each, as StarPU's converter leaves them; ms. Rank 0: two gemm of 3 ms; rank 1: one of 2 ms that
/// waits for what the first sent: 5000 bytes under way from 3 to 4 ms.
class AsterismBoundsOfRanks : public AsterismBounds {
 protected:
  AsterismBoundsOfRanks() {
    fs::create_directories(folder_ / "ranks");
    std::ofstream rec(folder_ / "ranks" / "tasks.rec");
    const auto task = [&](int rank, int id, double start, double end, const char* after) {
      rec << "Name: gemm\nModel: gemm\nJobId: " << rank << "_" << id << "\n";
      if (*after) rec << "DependsOn: " << after << "\n";
      rec << "Tag: 0\nWorkerId: 0\nMemoryNode: 0\nSubmitTime: 0.0\nStartTime: " << start << "\nEndTime: " << end
          << "\nFootprint: beef\nMPIRank: " << rank << "\n\n";
    };
    task(0, 1, 0, 3, "");
    rec << "JobId: 0_2\nDependsOn: 0_1\nTag: 0\nMPIRank: 0\n\nJobId: 1_1\nTag: 0\nMPIRank: 1\n\n";
    task(0, 3, 3, 6, "");
    task(1, 2, 5, 7, "1_1");
    std::ofstream(folder_ / "ranks" / "comms.rec")
        << "Src: 0\nDst: 1\nTag: 1\nSendTime: 3\nRecvTime: 4\nSendHandle: a\nRecvHandle: b\nSendJobId: 0_2\n"
           "RecvJobId: 1_1\nSize: 5000\nPriority: 0\nType: PointToPoint\n\n";
  }
};

TEST_F(AsterismBoundsOfRanks, PerNodeAndAcross) {
  const Ran ran = run("ranks --network 1e-4,1e7 --json b.json --csv b.csv");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const json b = json::parse(contents(folder_ / "b.json"));
  const auto seconds = [&](const char* name) { return b["bounds"][name]["seconds"].get<double>(); };
  EXPECT_NEAR(seconds("lp"), 4e-3, 1e-12);  // 8 ms of work on two units
  EXPECT_NEAR(seconds("lp_nodes"), 6e-3, 1e-12);
  EXPECT_NEAR(seconds("critical_path"), 5e-3, 1e-12);  // 3 ms on rank 0, then 2 on rank 1
  EXPECT_NEAR(seconds("critical_path_messages"), 5.6e-3, 1e-12);
  EXPECT_NEAR(seconds("network"), 0.5e-3, 1e-12);
  EXPECT_NEAR(seconds("best"), 6e-3, 1e-12);
  EXPECT_NEAR(b["nodes"]["imbalance"].get<double>(), 1.5, 1e-9);
  EXPECT_EQ(b["nodes"]["messages_in_graph"], 1);
  EXPECT_EQ(b["nodes"]["ranks"][1]["bytes_received"], 5000);
  EXPECT_NEAR(b["nodes"]["ranks"][1]["lp"].get<double>(), 2e-3, 1e-12);
  EXPECT_NE(ran.out.find("imbalance of the distribution 1.5000"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("a message takes at least 0.0001 s + bytes / 1e+07 (1 on this path)"), std::string::npos);
  EXPECT_NE(contents(folder_ / "b.csv").find("node,1,,received,5000,B"), std::string::npos);
  const Ran own = run("ranks --network trace --json b.json");
  EXPECT_EQ(own.status, 0) << own.err;
  EXPECT_NEAR(json::parse(contents(folder_ / "b.json"))["bounds"]["critical_path_messages"]["seconds"].get<double>(),
              6e-3, 1e-9);
  const Ran without = run("ranks --json b.json");
  EXPECT_FALSE(json::parse(contents(folder_ / "b.json"))["bounds"].contains("network"));
}

TEST_F(AsterismBoundsOfRanks, NetworksAreRefusedThatAreNone) {
  for (const char* network : {"fast", "1e-6", "1e-6,", "-1,1e9", "1e-6,0", "1e-6,1e9x", "inf,1e9"})
    expect_error(std::string("ranks --network ") + network, 2, "expected trace, or LATENCY,BANDWIDTH");
  expect_error("ranks --network 5e-3,1e9", 1, "path with messages");
}

}  // namespace
