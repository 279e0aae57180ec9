// SPDX-License-Identifier: Apache-2.0
// asterism-fmm over one to four processes: the same bits, whatever the particles, the tree and the order of tasks;
// files read and written in parts; shares of the work; what a rank looks at; what is refused; a rank that is killed.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <tuple>

#include "tests/apps/fmm/result_table.hpp"
#include "tests/clusters/run_ranks.hpp"

namespace asterism::tests {
namespace {

class ClustersFmm : public RanksTest {
 protected:
  ClustersFmm() : RanksTest("asterism-fmm", "ASTERISM_FMM", ASTERISM_FMM) {}

  static Arguments joined(Arguments a, const Arguments& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  /// The same file of results from one process and from several.
  void expect_same_bits(const Arguments& problem, const std::vector<int>& ranks, const std::string& extension) const {
    const Arguments all = joined(problem, {"--quiet", "--output"});
    const std::string one = "one" + extension;
    const std::string several = "several" + extension;
    ASSERT_EQ(run_ranks(1, joined(all, {one})).status, 0);
    ASSERT_FALSE(contents(output(one)).empty());
    for (const int count : ranks) {
      SCOPED_TRACE(std::to_string(count) + " ranks");
      fs::remove(output(several));
      const Ran ran = run_ranks(count, joined(all, {several, "--json", "run.json"}));
      EXPECT_EQ(ran.status, 0) << ran.err;
      EXPECT_TRUE(contents(output(several)) == contents(output(one)));
      EXPECT_EQ(record("run.json")["ranks"].size(), static_cast<std::size_t>(count));
    }
  }

  /// Columns of a NumPy file of results.
  std::vector<std::vector<double>> columns(const std::string& name) const {
    const std::string bytes = contents(output(name));
    constexpr std::size_t width = 8;
    const std::size_t header = 10 + static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
    std::vector<std::vector<double>> result(width);
    for (std::size_t at = header, i = 0; at + sizeof(double) <= bytes.size(); at += sizeof(double), ++i) {
      double value = 0;
      std::memcpy(&value, &bytes[at], sizeof value);
      result[i % width].push_back(value);
    }
    return result;
  }

  static double relative(const std::vector<double>& a, const std::vector<double>& b) {
    double error = 0;
    double norm = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      error += (a[i] - b[i]) * (a[i] - b[i]);
      norm += b[i] * b[i];
    }
    return std::sqrt(error / norm);
  }
};

TEST_F(ClustersFmm, VolumesHaveTheSameBits) {
  expect_same_bits({"--particles", "5000", "--distribution", "plummer", "--charges", "uniform", "--accuracy", "3",
                    "--height", "5", "--group-size", "20"},
                   {2, 3, 4}, ".npy");
}

TEST_F(ClustersFmm, SurfacesHaveTheSameBitsEveryTime) {
  expect_same_bits(
      {"--particles", "6000", "--distribution", "ellipsoid", "--accuracy", "2", "--kernel", "yukawa", "--height", "6",
       "--group-size", "33", "--m2l", "separate", "--reduction", "first", "--repeat", "3"},
      {4}, ".csv");
}

TEST_F(ClustersFmm, OneCellPerGroupHasTheSameBits) {
  expect_same_bits({"--particles", "700", "--accuracy", "2", "--kernel", "inverse-square", "--height", "4",
                    "--group-size", "1", "--scheduler", "lws"},
                   {3}, ".vtk");
}

TEST_F(ClustersFmm, NearFieldsAloneHaveTheSameBits) {
  expect_same_bits({"--particles", "1000", "--height", "2", "--group-size", "1"}, {3}, ".vtp");
  // one leaf: all but one rank have nothing
  expect_same_bits({"--particles", "30", "--height", "1", "--group-size", "1"}, {2}, ".csv");
}

TEST_F(ClustersFmm, PeriodicBoxesHaveTheSameBits) {
  for (const auto& [directions, height, group_size] :
       {std::tuple{"x", "4", "17"}, {"xy", "3", "5"}, {"xyz", "4", "17"}, {"xyz", "2", "3"}}) {
    SCOPED_TRACE(std::string(directions) + ", " + height + " levels");
    expect_same_bits({"--particles", "3000", "--charges", "neutral", "--periodic", directions, "--accuracy", "3",
                      "--height", height, "--group-size", group_size},
                     {2, 3}, ".npy");
  }
  // few ions, whose images are neighbours of themselves; more ranks than groups of leaves above
  expect_same_bits(
      {"--distribution", "salt", "--particles", "64", "--periodic", "xyz", "--height", "2", "--group-size", "1"}, {3},
      ".csv");
  expect_same_bits({"--distribution", "salt", "--particles", "512", "--displacement", "0.1", "--periodic", "xyz",
                    "--accuracy", "3", "--height", "3", "--group-size", "5", "--steps", "4", "--dt", "0.02"},
                   {2, 3}, ".npy");
}

/// --verify over ranks, trees that are chosen, and boxes that are repeated until they fill a cube.
TEST_F(ClustersFmm, PeriodicBoxesAreThoseOfLatticeSums) {
  std::string bar;
  for (int i = 0; i < 256; ++i) {
    const int x = i / 64;
    const int y = i / 16 % 4;
    const int z = i % 16;  // sides 4, 4, 16
    bar += fmt::format("{},{},{},{}\n", x + 0.1 * (i % 3), y, z + 0.05 * (i % 7), (x + y + z) % 2 == 0 ? 1 : -1);
  }
  const std::string input = file(bar, "bar.csv");
  const std::vector<Arguments> problems{
      {"--particles", "2000", "--charges", "neutral", "--periodic", "xyz", "--accuracy", "4"},
      {"--particles", "2000", "--charges", "neutral", "--periodic", "xy", "--accuracy", "3"},
      {"--distribution", "salt", "--particles", "1000", "--periodic", "xyz", "--accuracy", "5"},
      {"--input", input, "--periodic", "xyz", "--box", "4,4,16", "--accuracy", "4"}};
  for (const Arguments& problem : problems) {
    SCOPED_TRACE(problem[1]);
    double energy[2] = {};
    for (const int ranks : {1, 3}) {
      const Ran ran = run_ranks(ranks, joined(problem, {"--verify", "--quiet", "--json", "run.json"}));
      EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
      energy[ranks / 2] = record("run.json")["physics"]["potential_energy"].get<double>();
    }
    EXPECT_NEAR(energy[1], energy[0], 1e-4 * std::abs(energy[0]));
  }
  const Ran charged = run_ranks(
      2, {"--input", file("0,0,0,1\n1,1,1,1\n", "charged.csv"), "--periodic", "xyz", "--box", "2", "--quiet"});
  EXPECT_EQ(charged.status, 2);
  EXPECT_TRUE(contains(charged.err, "the charges sum to 2; expected 0")) << charged.err;
}

TEST_F(ClustersFmm, MovingParticlesHaveTheSameBits) {
  const auto moving = [&](const Arguments& problem) {
    expect_same_bits(joined(problem, {"--accuracy", "2"}), {3}, ".npy");
  };
  // to leaves that have others, after leaving the first box
  moving({"--particles", "2500", "--charges", "uniform", "--height", "3", "--group-size", "3", "--steps", "8", "--dt",
          "5e-4"});
  // to empty leaves, which groups follow
  moving({"--particles", "400", "--distribution", "sphere", "--height", "5", "--group-size", "17", "--steps", "8",
          "--dt", "3e-4"});
  // out of the box in every step
  moving({"--particles", "2500", "--kernel", "yukawa", "--height", "4", "--group-size", "17", "--steps", "3", "--dt",
          "2e-3"});
  // masses with velocities
  moving({"--law", "gravity", "--distribution", "plummer", "--velocities", "equilibrium", "--particles", "1500",
          "--softening", "0.01", "--height", "4", "--group-size", "17", "--steps", "3", "--dt", "5e-4"});
}

/// Energies and momenta are the same up to rounding, and so are the radii of shares of the mass.
TEST_F(ClustersFmm, EnergiesOfMotionsAreEqualUpToRounding) {
  const Arguments problem{"--law",       "gravity",     "--distribution", "plummer",    "--velocities",
                          "equilibrium", "--particles", "1000",           "--accuracy", "2",
                          "--height",    "4",           "--group-size",   "15",         "--steps",
                          "3",           "--dt",        "1e-4",           "--quiet",    "--energies"};
  EXPECT_EQ(run_ranks(1, joined(problem, {"one.csv"})).status, 0);
  EXPECT_EQ(run_ranks(3, joined(problem, {"several.csv"})).status, 0);
  const auto one = table(output("one.csv"));
  const auto several = table(output("several.csv"));
  ASSERT_EQ(one.size(), 4U);
  ASSERT_EQ(one[0].size(), 14U);
  for (std::size_t row = 0; row < 4; ++row) EXPECT_LE(relative(several[row], one[row]), 1e-14) << row;
}

TEST_F(ClustersFmm, AnyOrderOfReductionsIsEqualUpToRounding) {
  const Arguments problem{"--particles",  "3000", "--accuracy",  "3",   "--height", "4",
                          "--group-size", "15",   "--reduction", "any", "--quiet",  "--output"};
  EXPECT_EQ(run_ranks(1, joined(problem, {"one.npy"})).status, 0);
  EXPECT_EQ(run_ranks(3, joined(problem, {"several.npy"})).status, 0);
  const auto one = columns("one.npy");
  const auto several = columns("several.npy");
  ASSERT_EQ(one[0].size(), 3000U);
  ASSERT_EQ(several[0].size(), 3000U);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_TRUE(one[c] == several[c]);
  for (std::size_t c = 4; c < 8; ++c) EXPECT_LT(relative(several[c], one[c]), 1e-12);
}

/// Parts of sources and targets mix otherwise on several ranks: leaves are summed in another order.
TEST_F(ClustersFmm, TargetsElsewhereAreEqualUpToRounding) {
  EXPECT_EQ(run_ranks(1, {"--particles", "700", "--distribution", "sphere", "--quiet", "--output", "at.csv"}).status,
            0);
  const Arguments problem{"--particles", "3000", "--at",         "at.csv", "--accuracy", "3",
                          "--height",    "4",    "--group-size", "15",     "--quiet",    "--output"};
  EXPECT_EQ(run_ranks(1, joined(problem, {"one.npy"})).status, 0);
  EXPECT_EQ(run_ranks(3, joined(problem, {"several.npy"})).status, 0);
  const auto one = columns("one.npy");
  const auto several = columns("several.npy");
  ASSERT_EQ(one[0].size(), 700U);
  ASSERT_EQ(several[0].size(), 700U);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_TRUE(one[c] == several[c]);
  for (std::size_t c = 4; c < 8; ++c) EXPECT_LT(relative(several[c], one[c]), 1e-12);
}

TEST_F(ClustersFmm, FilesAreReadAndWrittenInParts) {
  const Arguments tree{"--height", "3", "--group-size", "5", "--accuracy", "2", "--quiet", "--output"};
  const auto solve = [&](int ranks, const Arguments& input, const std::string& result) {
    const Ran ran = run_ranks(ranks, joined(joined(input, tree), {result}));
    EXPECT_EQ(ran.status, 0) << ran.err;
    return contents(output(result));
  };
  const Arguments generated{"--particles", "1003"};
  for (const std::string name : {"input.csv", "input.npy", "input.h5"}) solve(1, generated, name);
  solve(3, generated, "parts.h5");
  const std::string one = solve(1, {"--input", output("input.csv")}, "one.npy");
  ASSERT_FALSE(one.empty());
  for (const std::string name : {"input.csv", "input.npy", "parts.h5"})
    EXPECT_TRUE(solve(3, {"--input", output(name)}, "several.npy") == one) << name;
  const Arguments force{"--dataset", "force,potential", "--input"};
  EXPECT_TRUE(solve(1, joined(force, {output("parts.h5")}), "of_parts.npy") ==
              solve(1, joined(force, {output("input.h5")}), "of_input.npy"));
}

TEST_F(ClustersFmm, MoleculesAreReadInParts) {
  std::string molecule = "REMARK of nothing\n";
  for (int i = 0; i < 60; ++i)
    molecule += "ATOM " + std::to_string(i + 1) + " C GLY " + std::to_string(i / 5) + " " + std::to_string(i % 4) +
                "." + std::to_string(i) + " " + std::to_string(i % 7) + ".5 " + std::to_string(i % 9) + ".25 0.5 1.7\n";
  expect_same_bits({"--input", file(molecule, "m.pqr"), "--height", "3", "--group-size", "4"}, {3}, ".csv");
}

TEST_F(ClustersFmm, VerifiesOverRanks) {
  const Arguments problem{"--particles", "4000", "--accuracy",   "3",  "--verify", "--targets", "300",
                          "--height",    "4",    "--group-size", "21", "--json",   "run.json",  "--quiet"};
  const Ran one = run_ranks(1, problem);
  EXPECT_EQ(one.status, 0);
  const nlohmann::json whole = record("run.json");
  const nlohmann::json& alone = whole["verification"];
  const Ran ran = run_ranks(3, problem);
  EXPECT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json json = record("run.json");
  EXPECT_EQ(json["verification"]["targets"], 300);
  EXPECT_EQ(json["particles"]["count"], 4000);
  EXPECT_EQ(json["tree"], whole["tree"]);
  for (const auto& [name, flops] : whole["flops"].items())
    EXPECT_NEAR(json["flops"][name].get<double>() / flops.get<double>(), 1, 1e-12) << name;
  for (const char* error : {"potential_error", "force_error"}) {
    EXPECT_GT(alone[error].get<double>(), 1e-7);
    EXPECT_NEAR(json["verification"][error].get<double>() / alone[error].get<double>(), 1, 1e-6);
  }
  EXPECT_EQ(lines_of(ran.out).size(), lines_of(one.out).size() + 1U);  // rank 0 prints, and a row about ranks
  // what an accuracy promises is not reached by one that is too coarse for it
  const Ran coarse = run_ranks(2, {"--particles", "2000", "--order", "1", "--radius2", "0", "--verify", "--height", "4",
                                   "--group-size", "30", "--quiet", "--charges", "signs"});
  EXPECT_EQ(coarse.status, 1);
  EXPECT_EQ(lines_of(coarse.err).size(), 1U) << coarse.err;
}

TEST_F(ClustersFmm, ChoosesATreeForAllRanks) {
  const Arguments problem{"--particles", "20000", "--accuracy", "3", "--verify", "--targets", "100", "--quiet"};
  const Ran ran = run_ranks(3, joined(problem, {"--json", "run.json"}));
  EXPECT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json json = record("run.json");
  EXPECT_EQ(json["rates"][0]["units"], 3);
  EXPECT_GE(json["tree"]["groups"].get<int>(), 12);
  EXPECT_GE(json["tree"]["height"].get<int>(), 3);
}

TEST_F(ClustersFmm, RanksHaveEqualShares) {
  struct Unequal {  // the largest share over the mean one
    double flops, particles;
  };
  const auto solve = [&](const char* height, const char* balance) {
    const Ran ran = run_ranks(3, {"--particles", "20000", "--distribution", "plummer", "--accuracy", "3", "--height",
                                  height, "--group-size", "8", "--balance", balance, "--quiet", "--json", "run.json"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    const nlohmann::json json = record("run.json");
    const auto unequal = [&](const char* of) {
      double most = 0;
      double sum = 0;
      for (const auto& rank : json["ranks"]) {
        most = std::max(most, rank[of].get<double>());
        sum += rank[of].get<double>();
      }
      return 3 * most / sum;
    };
    return Unequal{unequal("flops"), unequal("particles")};
  };
  const Unequal near = solve("6", "work");  // most of the work is between particles of few leaves
  EXPECT_LT(near.flops, 1.2);
  EXPECT_GT(near.particles, 1.2);
  EXPECT_LT(solve("7", "work").flops, 1.15);  // most is between cells
  EXPECT_LT(solve("6", "particles").particles, 1.15);
}

TEST_F(ClustersFmm, WhatARankLooksAtGrowsLessThanTheProblem) {
  int walked[2] = {};
  int tasks[2] = {};
  for (const int k : {0, 1}) {  // four times the particles and the ranks; a surface has four times the leaves
    const Ran ran = run_ranks(k == 0 ? 2 : 8,
                              {"--particles", k == 0 ? "1000" : "4000", "--distribution", "sphere", "--accuracy", "2",
                               "--height", k == 0 ? "5" : "6", "--group-size", "4", "--quiet", "--json", "run.json"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    walked[k] = most_walked("run.json");
    const nlohmann::json json = record("run.json");
    for (const auto& rank : json["ranks"]) tasks[k] += rank["tasks"].get<int>();
  }
  EXPECT_GT(tasks[1], 3 * tasks[0]);
  EXPECT_LT(walked[1], 3 * walked[0] / 2);
  EXPECT_LT(walked[1], tasks[1] / 3);
}

TEST_F(ClustersFmm, RefusesWhatItCannotDo) {
  const Arguments small{"--particles", "100", "--height", "3", "--group-size", "5", "--quiet", "--output", "r.csv"};
  expect_refused(2, joined(small, {"--calibrate"}), {"--calibrate"});
  expect_refused(3, {"--particles", "2", "--quiet"}, {"--particles 2", "3 processes"});
  expect_refused(3, {"--input", file("0,0,0,1\n1,1,1,1\n", "two.csv"), "--quiet"}, {"two.csv", "2 particles", "3"});
  expect_refused(2, {"--input", "none.csv", "--quiet"}, {"none.csv"});
  expect_refused(2, joined(small, {"--balance", "leaves"}), {"--balance", "leaves"});
  expect_refused(2, joined(small, {"--tree", "adaptive"}), {"--tree adaptive", "one process", "2"});
  expect_refused(2, joined(small, {"--leaf-size", "20"}), {"--tree adaptive", "one process", "2"});
}

TEST_F(ClustersFmm, ARankThatFailsAloneEndsTheOthers) {
  std::string table;
  for (int i = 0; i < 30; ++i) table += std::to_string(i) + ",0.5," + std::to_string(i % 7) + ",1\n";
  const Ran ran = run_ranks(3, {"--input", file(table + "1,2,three,4\n", "bad.csv"), "--height", "3", "--group-size",
                                "4", "--quiet", "--output", "r.csv"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
  EXPECT_TRUE(contains(ran.err, "rank 2: ") && contains(ran.err, "line 31") && contains(ran.err, "three")) << ran.err;
  EXPECT_EQ(outputs(), 0U);
}

TEST_F(ClustersFmm, NamesARankThatIsKilled) {
  bool killed = false;
  std::optional<std::chrono::steady_clock::time_point> seen;
  const auto kill_one = [&] {
    const std::optional<pid_t> process = killed ? std::nullopt : process_of(2);
    if (!process) return false;
    const auto now = std::chrono::steady_clock::now();
    if (!seen) seen = now;
    if (now - *seen > std::chrono::seconds(3)) killed = kill(*process, SIGKILL) == 0;  // some steps later
    return false;
  };
  const Ran ran = run_ranks(3,
                            {"--particles", "2000", "--height", "4", "--group-size", "20", "--accuracy", "2", "--steps",
                             "1000000", "--dt", "1e-9", "--quiet", "--output", "r.npy"},
                            kill_one);
  ASSERT_TRUE(killed);
  EXPECT_NE(ran.status, 0);
  EXPECT_NE(ran.status, 124);
  EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
  EXPECT_TRUE(contains(ran.err, "killed from outside: rank 2 (process ")) << ran.err;
  EXPECT_FALSE(fs::exists(output("r.npy")));
}

TEST_F(ClustersFmm, GoesOnAfterARankWasKilledWithAnotherNumberOfRanks) {
  // they fly apart: out of leaves, and out of the box
  const Arguments problem{"--particles", "400",  "--charges", "ones",       "--height", "4",      "--group-size",
                          "11",          "--dt", "2e-4",      "--accuracy", "2",        "--quiet"};
  kill_the_last(3, joined(problem, {"--steps", "1000000", "--checkpoint", "state.h5", "--checkpoint-every", "3"}),
                "state.h5");
  // a run that is to end earlier says where the checkpoint is
  const Ran early = run_ranks(1, joined(problem, {"--steps", "1", "--restart", "state.h5"}));
  EXPECT_EQ(early.status, 2);
  const std::size_t at = early.err.find("at step ");
  ASSERT_NE(at, std::string::npos) << early.err;
  const long reached = std::stol(early.err.substr(at + 8));
  EXPECT_EQ(reached % 3, 0);
  const std::string end = std::to_string(reached + 4);
  const Ran resumed =
      run_ranks(2, joined(problem, {"--steps", end, "--restart", "state.h5", "--output", "resumed.npy"}));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(run_ranks(1, joined(problem, {"--steps", end, "--output", "whole.npy"})).status, 0);
  EXPECT_TRUE(contents(output("resumed.npy")) == contents(output("whole.npy")));
}

TEST_F(ClustersFmm, RecordsEveryRank) {
  const Ran ran = run_ranks(2, {"--particles", "500", "--height", "3", "--group-size", "9", "--accuracy", "2",
                                "--quiet", "--trace", "trace"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const char* name : {"prof_file_rank_0", "prof_file_rank_1", "trace.html"})
    EXPECT_TRUE(fs::exists(output("trace") / name)) << name;
  const std::string tasks = contents(output("trace") / "tasks.rec");
  EXPECT_TRUE(contains(tasks, "MPIRank: 0") && contains(tasks, "MPIRank: 1"));
}

}  // namespace
}  // namespace asterism::tests
