// SPDX-License-Identifier: Apache-2.0
// asterism-tdbem over one to four processes: the same answer, shares of the matrices, what is sent and looked at,
// files, what is refused, a rank that is killed.
#include <algorithm>
#include <cmath>
#include <limits>

#include "io/hdf5/file.hpp"
#include "tests/clusters/run_ranks.hpp"

namespace asterism::tests {
namespace {

Arguments with(Arguments all, const Arguments& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

class ClustersTdbem : public RanksTest {
 protected:
  ClustersTdbem() : RanksTest("asterism-tdbem", "ASTERISM_TDBEM", ASTERISM_TDBEM) {}

  template <class V = double>
  std::vector<V> values(const std::string& file, const std::string& dataset) const {
    const Hdf5Input in(output(file));
    std::size_t size = 1;
    const std::vector<std::size_t> shape = in.shape(dataset);
    for (const std::size_t extent : shape) size *= extent;
    std::vector<V> all(size);
    in.read_block(dataset, {std::vector<std::size_t>(shape.size(), 0), shape}, std::span<V>(all));
    return all;
  }
  /// What the past has left behind, and the pressure at observers.
  std::vector<double> history(const std::string& file) const { return values(file, "history"); }
  std::vector<double> observed_pressure(const std::string& file) const { return values(file, "record"); }

  void solve(int ranks, const Arguments& arguments) const {
    const Ran ran = run_ranks(ranks, with(arguments, {"--quiet", "--json", "run.json"}));
    ASSERT_EQ(ran.status, 0) << ran.err;
  }

  /// By the largest value; infinite when nothing can be compared.
  static double difference(const std::vector<double>& found, const std::vector<double>& expected) {
    double largest = 0;
    double most = 0;
    for (std::size_t i = 0; i < expected.size() && i < found.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      const double here = std::abs(found[i] - expected[i]);
      most = here <= most ? most : here;
    }
    if (found.size() != expected.size() || !(largest > 0)) return std::numeric_limits<double>::infinity();
    return most / largest;
  }

  /// State and record of several ranks are those of one but for the order of sums.
  void expect_same_answer(const Arguments& problem, const std::vector<int>& several, double allowed) const {
    const Arguments all = with(problem, {"--observer", "0,0.2,-1.2", "--checkpoint", "state.h5"});
    solve(1, all);
    EXPECT_FALSE(record("run.json").contains("ranks"));
    const std::vector<double> one = history("state.h5");
    const std::vector<double> pressure_of_one = observed_pressure("state.h5");
    EXPECT_GT(*std::max_element(one.begin(), one.end()), 0.1);  // the pulse has come
    EXPECT_GT(*std::max_element(pressure_of_one.begin(), pressure_of_one.end()), 0.01);
    for (const int ranks : several) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks");
      fs::remove(output("state.h5"));
      solve(ranks, all);
      EXPECT_LT(difference(history("state.h5"), one), allowed);
      EXPECT_LT(difference(observed_pressure("state.h5"), pressure_of_one), allowed);
      EXPECT_EQ(record("run.json")["ranks"].size(), static_cast<std::size_t>(ranks));
    }
  }
};

const Arguments ellipsoid{"--body", "ellipsoid", "--unknowns", "162", "--cluster", "32"};
/// In double precision M^0 is solved further than by default, so that the order of sums is all that differs.
const Arguments exactly{"--tolerance", "1e-14"};
constexpr double double_allowed = 1e-12;
constexpr double single_allowed = 1e-5;

TEST_F(ClustersTdbem, RigidBodiesGiveTheSameAnswer) {
  expect_same_answer(with(with(ellipsoid, exactly), {"--steps", "96", "--group", "12"}), {2, 3, 4}, double_allowed);
}

TEST_F(ClustersTdbem, SoftBodiesGiveTheSameAnswer) {
  expect_same_answer(with(with(ellipsoid, exactly), {"--steps", "96", "--group", "16", "--boundary", "soft"}),
                     {2, 3, 4}, double_allowed);
}

TEST_F(ClustersTdbem, RadiationOfAllRowsOnEveryRankGivesTheSameAnswer) {
  expect_same_answer(with(with(ellipsoid, exactly), {"--steps", "96", "--radiation", "all-rows"}), {2, 3, 4},
                     double_allowed);
}

TEST_F(ClustersTdbem, WavesGroupsAheadInSinglePrecision) {
  const Arguments problem = with(ellipsoid, {"--steps", "98", "--group", "7", "--ahead", "--precision", "single",
                                             "--direction", "1,0,0", "--direction", "0,0.3,1"});
  expect_same_answer(problem, {3}, single_allowed);
  expect_same_answer(with(problem, {"--boundary", "soft"}), {4}, single_allowed);
  expect_same_answer(with(problem, {"--radiation", "all-rows"}), {3}, single_allowed);
}

TEST_F(ClustersTdbem, BlocksByTheSchedulerAndOneStepAtATime) {
  const Arguments problem = with(with(ellipsoid, exactly), {"--steps", "98", "--group", "1", "--sharing", "scheduler"});
  expect_same_answer(problem, {2}, double_allowed);
  expect_same_answer(with(problem, {"--radiation", "own-rows"}), {3}, double_allowed);
}

TEST_F(ClustersTdbem, FactorisesTogether) {
  expect_same_answer(with(ellipsoid, {"--courant", "1", "--steps", "50", "--group", "16", "--solver", "mumps"}), {2},
                     double_allowed);
  expect_same_answer(
      with(ellipsoid, {"--steps", "96", "--solver", "mumps", "--precision", "single", "--boundary", "soft"}), {3},
      single_allowed);
}

TEST_F(ClustersTdbem, RanksHaveTheSameNumberOfValues) {
  solve(3, {"--body", "ellipsoid", "--unknowns", "642", "--cluster", "32", "--steps", "8"});
  const nlohmann::json json = record("run.json");
  double all = 0;
  double blocks = 0;
  for (const auto& rank : json["ranks"]) {
    all += rank["values"].get<double>();
    blocks += rank["blocks"].get<double>();
  }
  EXPECT_EQ(all, json["matrices"]["values"].get<double>());
  EXPECT_EQ(blocks, json["matrices"]["blocks"].get<double>());
  for (const auto& rank : json["ranks"])
    EXPECT_NEAR(rank["values"].get<double>(), all / 3, 0.8 * all / blocks);  // half a block, which vary a little
}

TEST_F(ClustersTdbem, SumsAreSentTwiceAndLightWithThemOrAsOften) {
  const double numbers = 162 * 2 * sizeof(double);  // of two waves
  // sums to the ranks of their rows and from there to all, each once to every other rank: less light, or light likewise
  for (const auto& [radiation, times] : {std::pair{"own-rows", 2}, std::pair{"all-rows", 3}})
    for (const int ranks : {2, 3, 4}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + radiation);
      solve(ranks, with(ellipsoid,
                        {"--steps", "16", "--direction", "1,0,0", "--direction", "0,0,1", "--radiation", radiation}));
      double sent = 0;
      const nlohmann::json json = record("run.json");
      for (const auto& rank : json["ranks"]) sent += rank["bytes_sent_per_step"].get<double>();
      EXPECT_NEAR(sent, times * numbers * (ranks - 1), 1);
    }
}

TEST_F(ClustersTdbem, WhatARankLooksAtDoesNotGrowWithTheRanks) {
  const fs::path octahedron = file(
      "OFF\n6 8 0\n1 0 0\n-1 0 0\n0 1 0\n0 -1 0\n0 0 1\n0 0 -1\n"
      "3 0 2 4\n3 2 1 4\n3 1 3 4\n3 3 0 4\n3 2 0 5\n3 1 2 5\n3 3 1 5\n3 0 3 5\n",
      "octahedron.off");
  int walked[2] = {};
  int tasks[2] = {};
  for (const int ranks : {3, 4}) {  // as many rounds, and two blocks of each
    const std::string unknowns = std::to_string(64 * ranks);
    solve(ranks,
          {"--mesh", octahedron, "--unknowns", unknowns, "--cluster", "32", "--steps", "64", "--observer", "3,0,0"});
    const nlohmann::json json = record("run.json");
    ASSERT_EQ(json["matrices"]["blocks"], 2 * ranks);
    for (const auto& rank : json["ranks"]) {
      EXPECT_EQ(rank["blocks"], 2);
      tasks[ranks - 3] += rank["tasks"].get<int>();
    }
    walked[ranks - 3] = most_walked("run.json");
  }
  EXPECT_LT(walked[1], 1.1 * walked[0]);  // rows of a message that go on at the first one are two messages
  EXPECT_LT(walked[1], tasks[1] / 2);
}

TEST_F(ClustersTdbem, MatricesAreKeptForAnyNumberOfRanks) {
  const Arguments problem = with(ellipsoid, {"--steps", "96", "--checkpoint", "state.h5", "--matrices"});
  solve(3, with(problem, {"three.h5"}));
  const std::vector<double> made = history("state.h5");
  solve(1, with(problem, {"one.h5"}));
  for (const char* kind : {"slices_", "initial_"})
    for (int b = 0; b < 6; ++b) {
      const std::string name = kind + std::to_string(b);
      EXPECT_TRUE((values<std::int64_t>("three.h5", name) == values<std::int64_t>("one.h5", name))) << name;
    }
  solve(3, with(problem, {"one.h5"}));
  EXPECT_EQ(record("run.json")["matrices"]["assembly_seconds"], 0);
  EXPECT_TRUE(history("state.h5") == made);
  solve(2, with(problem, {"three.h5"}));
  EXPECT_EQ(record("run.json")["matrices"]["assembly_seconds"], 0);
  EXPECT_LT(difference(history("state.h5"), made), 10 * double_allowed);
}

TEST_F(ClustersTdbem, VerifiesAndWritesWhatIsAskedFor) {
  const Arguments problem{"--body",   "box",      "--unknowns", "150",      "--cluster",  "32",    "--steps",
                          "100",      "--every",  "40",         "--output", "wave.h5",    "--png", "wave.png",
                          "--listen", "ears.csv", "--chart",    "ears.png", "--observer", "2,0,0"};
  solve(1, problem);
  const std::vector<double> one = values("wave.h5", "step_0000000080/pressure_0");
  const std::string ears = contents(output("ears.csv"));
  for (const char* file : {"wave.h5", "ears.csv", "ears.png", "wave_0000040.png", "wave_0000099.png"})
    EXPECT_TRUE(fs::remove(output(file))) << file;
  solve(3, with(problem, {"--verify"}));
  EXPECT_TRUE(record("run.json")["right"].get<bool>());
  EXPECT_LT(difference(values("wave.h5", "step_0000000080/pressure_0"), one), 1e-6);  // kept in single precision
  EXPECT_EQ(lines_of(contents(output("ears.csv"))).size(), lines_of(ears).size());
  for (const char* file : {"ears.png", "wave_0000040.png", "wave_0000099.png"})
    EXPECT_TRUE(fs::exists(output(file))) << file;
  // on the sphere: the exact series
  solve(2, {"--unknowns", "162", "--cluster", "32", "--speed", "1", "--frequency", "0.32", "--width", "1", "--boundary",
            "soft", "--verify"});
  EXPECT_LT(record("run.json")["verification"][0]["error"], 0.08);
}

TEST_F(ClustersTdbem, BlocksOnDiskGiveTheSameAnswer) {
  fs::create_directory(folder_ / "swap");
  const Arguments problem{"--body",  "ellipsoid", "--unknowns", "642", "--cluster",    "32",
                          "--group", "4",         "--steps",    "60",  "--checkpoint", "state.h5"};
  solve(2, problem);
  const std::vector<double> whole = history("state.h5");
  solve(2, with(problem, {"--memory", "8MiB", "--swap", folder_ / "swap"}));
  EXPECT_TRUE(history("state.h5") == whole);
  EXPECT_GT(record("run.json")["disk"]["read"], 0);
  EXPECT_TRUE(fs::is_empty(folder_ / "swap"));
}

TEST_F(ClustersTdbem, RefusesWhatItCannotDo) {
  const Arguments small = with(ellipsoid, {"--steps", "8", "--quiet", "--checkpoint", "state.h5"});
  expect_refused(4, {"--unknowns", "42", "--cluster", "32", "--quiet"}, {"2 blocks", "4 processes", "--cluster"});
  expect_refused(2, with(small, {"--calibrate"}), {"--calibrate"});
  expect_refused(2, with(small, {"--intervals", "1,1"}), {"--intervals"});
  expect_refused(2, with(small, {"--restart", "none.h5"}), {"none.h5"});
  expect_refused(2, with(small, {"--dt", "1e-9"}), {"time step", "1e-09"});
}

TEST_F(ClustersTdbem, GoesOnAfterARankWasKilledWithAnotherNumberOfRanks) {
  const Arguments problem = with(with(ellipsoid, exactly), {"--quiet", "--observer", "2,0,0", "--group", "5"});
  kill_the_last(3, with(problem, {"--steps", "100000", "--checkpoint", "state.h5", "--checkpoint-every", "60"}),
                "state.h5");
  const long reached = static_cast<long>(Hdf5Input(output("state.h5")).integer_attribute("/", "steps"));
  EXPECT_GE(reached, 120);
  const std::string end = std::to_string(reached + 45);
  const auto to = [&](const char* file, const Arguments& more) {
    return with(with(problem, {"--steps", end, "--checkpoint", file}), more);
  };
  const Arguments restart{"--restart", "state.h5"};
  EXPECT_EQ(run_ranks(3, to("whole.h5", {})).status, 0);
  EXPECT_EQ(run_ranks(3, to("resumed.h5", restart)).status, 0);
  EXPECT_TRUE(history("resumed.h5") == history("whole.h5"));
  EXPECT_TRUE(observed_pressure("resumed.h5") == observed_pressure("whole.h5"));
  for (const int ranks : {1, 2}) {
    EXPECT_EQ(run_ranks(ranks, to("resumed.h5", restart)).status, 0);
    EXPECT_LT(difference(history("resumed.h5"), history("whole.h5")), double_allowed) << ranks;
    EXPECT_LT(difference(observed_pressure("resumed.h5"), observed_pressure("whole.h5")), double_allowed) << ranks;
  }
}

TEST_F(ClustersTdbem, GoesOnInTheMiddleOfSumsThatWereBegun) {
  const Arguments problem =
      with(with(ellipsoid, exactly), {"--quiet", "--ahead", "--group", "6", "--observer", "2,0,0"});
  solve(1, with(problem, {"--steps", "144", "--checkpoint", "whole.h5"}));
  solve(3, with(problem, {"--steps", "72", "--checkpoint", "half.h5"}));
  solve(2, with(problem, {"--steps", "144", "--restart", "half.h5", "--checkpoint", "resumed.h5"}));
  EXPECT_LT(difference(history("resumed.h5"), history("whole.h5")), double_allowed);
  EXPECT_LT(difference(observed_pressure("resumed.h5"), observed_pressure("whole.h5")), double_allowed);
}

}  // namespace
}  // namespace asterism::tests
