// SPDX-License-Identifier: Apache-2.0
// Solvers over the ranks of a simulated cluster: messages take what the network says, the same each time, and what a
// rank submits does not grow with the others.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Ran {
  int status = -1;
  std::string errors;
  nlohmann::json record;
  [[nodiscard]] double seconds() const { return record.value("seconds", -1.0); }
  [[nodiscard]] double most_walked() const {
    double most = 0;
    for (const auto& rank : record["ranks"]) most = std::max(most, rank["tasks_walked"].get<double>());
    return most;
  }
  [[nodiscard]] double bytes_sent(std::size_t rank) const { return record["ranks"][rank]["bytes_sent"].get<double>(); }
};

class SimulatedClusters : public testing::Test {
 protected:
  SimulatedClusters() { fs::create_directories(folder_); }
  ~SimulatedClusters() override { fs::remove_all(folder_); }

  Ran run(int nodes, const std::string& program, const std::string& options, const std::string& platform = CLUSTER) {
    const fs::path json = folder_ / "run.json";
    const fs::path errors = folder_ / "errors";
    fs::remove(json);
    const std::string command = "cd '" + folder_.string() +
                                "' && ASTERISM_CLUSTERS='" PROGRAMS "' timeout 200 '" ON_CLUSTER "' '" + platform +
                                "' " + std::to_string(nodes) + " " + program + " " + options + " --json '" +
                                json.string() + "' >/dev/null 2>'" + errors.string() + "'";
    const int status = std::system(command.c_str());
    Ran ran;
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    std::ifstream file(errors);
    ran.errors.assign(std::istreambuf_iterator<char>(file), {});
    if (fs::exists(json)) ran.record = nlohmann::json::parse(std::ifstream(json));
    return ran;
  }

  Ran good(int nodes, const std::string& program, const std::string& options, const std::string& platform = CLUSTER) {
    Ran ran = run(nodes, program, options, platform);
    EXPECT_EQ(ran.status, 0) << program << " " << options << ": " << ran.errors;
    EXPECT_EQ(ran.record.value("ranks", nlohmann::json::array()).size(), static_cast<std::size_t>(nodes));
    EXPECT_EQ(ran.errors, "");
    return ran;
  }

  /// The test's cluster with one line replaced.
  std::string changed(const std::string& from, const std::string& to) const {
    std::ifstream file(CLUSTER);
    std::string text(std::istreambuf_iterator<char>(file), {});
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const fs::path path = folder_ / "changed.toml";
    std::ofstream(path) << text;
    return path.string();
  }

  static std::string strips(int ranks) { return "--size " + std::to_string(32 * ranks) + "x32x32 --cpus 0 --steps 20"; }

  static std::string slabs(int ranks, int steps) {
    return "--size 64x" + std::to_string(64 * ranks) + "x64 --subdomains 1x" + std::to_string(ranks) +
           "x1 --cpus 0 --steps " + std::to_string(steps);
  }

  static std::string sphere(int ranks, int height) {
    return "--distribution sphere --particles " + std::to_string(1000 * ranks) + " --height " + std::to_string(height) +
           " --group-size 8 --accuracy 2 --quiet";
  }

  fs::path folder_ = fs::temp_directory_path() / ("simulated_clusters_test_" + std::to_string(getpid()));
};

TEST_F(SimulatedClusters, MessagesTakeWhatTheNetworkSays) {
  const int steps = 40;
  const Ran ran = good(2, "asterism-lbm", slabs(2, steps));
  // Two ranks, one face between them: each step its populations cross the network once in each direction, behind the
  // envelope that StarPU-MPI announces them with.
  const double link = ran.bytes_sent(0) / steps / 1e8 + 2e-3;
  EXPECT_NEAR(ran.seconds() / steps, link, 0.03 * link);
  const Ran faster = good(2, "asterism-lbm", slabs(2, steps), changed("bandwidth = 1e8", "bandwidth = 1e9"));
  const double fast_link = ran.bytes_sent(0) / steps / 1e9 + 2e-3;
  EXPECT_NEAR(faster.seconds() / steps, fast_link, 0.06 * fast_link);
}

/// Two copies of five populations a step, of a row along x each: 64 rows of a face across y, 64 x 64 of one across x.
TEST_F(SimulatedClusters, PiecesThatAreCopiedTakeTime) {
  const int steps = 20;
  const double chunk = 1e-6;
  const std::string copied =
      changed("[network]", "[codelets.lbm_advance]\ngpu = { flops = 1e15, chunk = 1e-6 }\n[network]");
  const std::string common = " --cpus 0 --steps " + std::to_string(steps);
  for (const auto& [cut, rows] : {std::pair<const char*, int>{"--size 64x128x64 --subdomains 1x2x1", 64},
                                  {"--size 128x64x64 --subdomains 2x1x1", 64 * 64}}) {
    const double seconds =
        good(2, "asterism-lbm", cut + common, copied).seconds() - good(2, "asterism-lbm", cut + common).seconds();
    const double expected = 2 * 5 * rows * chunk * steps;
    EXPECT_NEAR(seconds, expected, expected / steps) << cut;  // what comes last is put in place by another codelet
  }
}

/// The LBM paper's scaling experiments simulate two sub-domains along an axis, in a ring, for any number of them.
TEST_F(SimulatedClusters, AStepTakesAsLongForAnyNumberOfSubdomains) {
  const auto seconds = [&](int nodes, const std::string& options) {
    return good(nodes, "asterism-lbm", options + " --gpu-bricks 1",
                ASTERISM_SOURCE_DIR "/experiments/machines/piz-daint-chunks.toml")
        .seconds();
  };
  const double ring = seconds(2, slabs(2, 40) + " --face=-y=periodic --face=+y=periodic");
  for (const int many : {8, 16, 32}) EXPECT_NEAR(seconds(many, slabs(many, 40)), ring, 0.01 * ring) << many;
  const double torus =
      seconds(8,
              "--cpus 0 --steps 10 --size 128x64x64 --subdomains 2x2x2 --face=-x=periodic --face=+x=periodic "
              "--face=-y=periodic --face=+y=periodic --face=-z=periodic --face=+z=periodic");
  // without walls beside them the neighbours of inner ones have as much to do as these
  EXPECT_NEAR(seconds(48, "--cpus 0 --steps 10 --size 256x128x96 --subdomains 4x4x3"), torus, 0.05 * torus);
}

TEST_F(SimulatedClusters, OwnSchedulersAreThere) {
  for (const char* scheduler : {"cyclic", "hprio", "dmdas"}) {
    const Ran ran =
        good(2, "asterism-cg", std::string("--stencil 7pts-16 --cpus 1 --iterations 3 --scheduler ") + scheduler);
    EXPECT_EQ(ran.record["starpu"]["scheduler"], scheduler);
  }
}

TEST_F(SimulatedClusters, TheSameTwice) {
  for (const auto& [program, options] :
       {std::pair<const char*, std::string>{"asterism-lbm", slabs(4, 10)},
        {"asterism-cg", "--stencil 7pts-32 --flow pipelined --transfer packed --cpus 1 --iterations 10"},
        {"asterism-fdtd", strips(4)},
        {"asterism-fmm", sphere(4, 5)},
        {"asterism-tdbem", "--unknowns 300 --steps 40 --cpus 1 --gpus 0 --quiet"}})
    EXPECT_EQ(good(4, program, options).seconds(), good(4, program, options).seconds()) << program;
}

/// Intervals of a rank are of its own blocks.
TEST_F(SimulatedClusters, RanksOfSeveralGpusShareOutTheirBlocks) {
  const Ran ran = good(2, "asterism-tdbem", "--unknowns 600 --cluster 64 --steps 200 --cpus 1 --sharing gpus --quiet",
                       changed("count = 1", "count = 2"));
  EXPECT_GT(ran.seconds(), 0);
}

TEST_F(SimulatedClusters, SubmissionDoesNotGrowWithTheRanks) {
  const double few = good(4, "asterism-lbm", slabs(4, 10)).most_walked();
  EXPECT_GT(few, 0);
  EXPECT_EQ(good(12, "asterism-lbm", slabs(12, 10)).most_walked(), few);
  const double few_strips = good(4, "asterism-fdtd", strips(4)).most_walked();
  EXPECT_GT(few_strips, 0);
  EXPECT_EQ(good(12, "asterism-fdtd", strips(12)).most_walked(), few_strips);
  // rounds that bring sums together: as many as the number of ranks has bits
  const std::string pipelined = " --flow pipelined --transfer packed --cpus 1 --iterations 10";
  const double of_four = good(4, "asterism-cg", "--stencil 7pts-32x32x32" + pipelined).most_walked();
  const double of_sixteen = good(16, "asterism-cg", "--stencil 7pts-32x32x128" + pipelined).most_walked();
  EXPECT_LT(of_sixteen, 2 * of_four);
  // four times the leaves, of a surface; four ranks have few neighbours yet
  const double of_quarters = good(4, "asterism-fmm", sphere(4, 5)).most_walked();
  EXPECT_LT(good(16, "asterism-fmm", sphere(16, 6)).most_walked(), 1.5 * of_quarters);
}

TEST_F(SimulatedClusters, WhatCannotBeIsRefused) {
  const Ran too_many = run(17, "asterism-lbm", slabs(17, 2));
  EXPECT_EQ(too_many.status, 2);
  EXPECT_NE(too_many.errors.find("room for 16"), std::string::npos) << too_many.errors;
  const Ran no_network = run(2, "asterism-lbm", slabs(2, 2), changed("[network]", "[other]"));
  EXPECT_EQ(no_network.status, 2);
  // all ranks find that: one line
  const Ran wrong = run(3, "asterism-lbm", "--size 64x64x64 --subdomains 1x2x1 --steps 2");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(std::count(wrong.errors.begin(), wrong.errors.end(), '\n'), 1) << wrong.errors;
  EXPECT_NE(wrong.errors.find("asterism-lbm: error: "), std::string::npos) << wrong.errors;
}

}  // namespace
