// SPDX-License-Identifier: Apache-2.0
// asterism-fdtd as its users meet it.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/hdf5/file.hpp"
#include "tests/apps/checkpoint_tests.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;
using nlohmann::json;

class AsterismFdtd : public CheckpointTest {
 protected:
  AsterismFdtd()
      : CheckpointTest("asterism-fdtd", "ASTERISM_FDTD", ASTERISM_FDTD,
                       {"--json", "run.json", "--checkpoint", "state.h5"}) {}
};

/// All numbers of a checkpoint: fields, and probes where there are some.
std::vector<double> numbers(const fs::path& path) {
  const asterism::Hdf5Input file(path);
  std::vector<double> all;
  for (const std::string& name : file.members()) {
    std::size_t count = 1;
    for (const std::size_t n : file.shape(name)) count *= n;
    std::vector<double> values(count);
    file.read_rows(name, 0, values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

long step_of(const fs::path& path) {
  return static_cast<long>(asterism::Hdf5Input(path).integer_attribute("/", "step"));
}

// ---- good runs

TEST_F(AsterismFdtd, HelpTeaches) {
  const Ran ran = run({"--help-all"});
  EXPECT_EQ(ran.status, 0);
  for (const char* word :
       {"--case", "benchmark", "cavity", "--size", "--spacing", "--courant", "--source", "--probe", "--boxes",
        "--gpu-share", "--gpu-weights", "--bricks-per-gpu", "--checkpoint", "--restart", "--verify"})
    EXPECT_TRUE(contains(ran.out, word)) << word;
}

TEST_F(AsterismFdtd, TheBenchmarkGivesThePublishedSum) {
  json r = record({"--verify"});
  ASSERT_FALSE(r.is_null());
  EXPECT_NEAR(r["sums"]["ez"].get<double>(), -0.0692134169831, 1e-13);
  EXPECT_TRUE(contains(r["verification"]["against"].get<std::string>(), "published"));
  EXPECT_EQ(r["right"], true);
  r = record({"--verify", "--precision", "single", "--boxes", "1x2x2"});
  ASSERT_FALSE(r.is_null());
  EXPECT_NEAR(r["sums"]["ez"].get<double>(), -0.0692134169831, 1e-4);
  EXPECT_EQ(r["pieces"]["bricks"], 4);
}

TEST_F(AsterismFdtd, CasesAreRight) {
  const std::vector<Arguments> cases{
      {"--size", "31x20x17", "--steps", "40"},
      {"--size", "20", "--steps", "41", "--precision", "single", "--cpus", "1"},
      {"--case", "cavity", "--size", "15x11x9", "--spacing", "1e-3,2e-3,1.5e-3", "--mode", "2,1,3", "--steps", "400"},
      {"--case", "cavity", "--size", "12x9x5", "--spacing", "1e-3", "--mode", "2,1,0", "--steps", "300", "--strips",
       "3", "--precision", "single"},
      {"--case", "box", "--size", "20x14x9", "--spacing", "1e-3", "--steps", "60", "--source", "ez=3,4,5", "--source",
       "ex=17,2,4", "--face=-x=periodic", "--face=+x=periodic", "--face=-z=magnetic", "--boxes", "2x2x1"},
      {"--case", "box", "--size", "9", "--steps", "0"}};
  for (Arguments arguments : cases) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    arguments.push_back("--verify");
    const json r = record(arguments);
    ASSERT_FALSE(r.is_null());
    EXPECT_EQ(r["right"], true);
    EXPECT_LE(r["verification"]["error"].get<double>(), r["verification"]["allowed"].get<double>());
  }
}

TEST_F(AsterismFdtd, TheRecordSaysWhatWasRun) {
  const json r = record({"--size", "24x12x10", "--steps", "50", "--courant", "0.5", "--spacing", "2"});
  EXPECT_EQ(r["program"], "asterism-fdtd");
  EXPECT_EQ(r["problem"]["cells"], json({24, 12, 10}));
  EXPECT_NEAR(r["problem"]["courant"].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(r["pieces"]["bricks"], 2);
  EXPECT_GT(r["mcells"].get<double>(), 0);
  EXPECT_NEAR(r["bandwidth"]["two_pass"].get<double>(), r["mcells"].get<double>() * 144e6, 1);
  // formula (4.1)
  const double flops = 11 * 9 * 6 + 23 * 9 * 6 + 23 * 11 * 6 + 23 * 11 * 9 * 18 + 24 * 12 * 10 * 18;
  EXPECT_NEAR(r["gflops"].get<double>() * r["seconds"].get<double>() * 1e9 / (50 * flops), 1, 1e-9);
}

/// Nothing is loaded where there is no GPU; what that takes is tested on simulated machines.
TEST_F(AsterismFdtd, TimeWithTransfers) {
  const Arguments arguments{"--size", "24", "--steps", "50", "--exchange", "after-update", "--strips", "2", "--verify"};
  json r = record(arguments);
  ASSERT_FALSE(r.is_null());
  EXPECT_EQ(r["pieces"]["exchange"], "after-update");
  EXPECT_EQ(r["pieces"]["overlap"], 0);
  EXPECT_FALSE(r.contains("seconds_with_transfers"));
  Arguments with = arguments;
  with.insert(with.end(), {"--transfers", "at-once"});
  r = record(with);
  ASSERT_FALSE(r.is_null());
  const json transfers = r["transfers"];
  EXPECT_EQ(transfers["gpus"], "at-once");
  const double seconds = r["seconds_with_transfers"];
  EXPECT_NEAR(
      seconds,
      r["seconds"].get<double>() + transfers["load_seconds"].get<double>() + transfers["unload_seconds"].get<double>(),
      1e-12);
  EXPECT_NEAR(r["gflops_with_transfers"].get<double>() * seconds,
              r["gflops"].get<double>() * r["seconds"].get<double>(), 1e-9);
}

TEST_F(AsterismFdtd, ARestartedRunEndsInTheSameState) {
  const Arguments box{"--case",   "box",     "--size",    "22x13x9", "--spacing", "1e-3",   "--source",
                      "ey=4,5,6", "--probe", "ey=15,7,3", "--probe", "hz=2,2,2",  "--quiet"};
  const auto with = [&](const Arguments& more) {
    Arguments all = box;
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run(all);
    ASSERT_EQ(ran.status, 0) << ran.err;
  };
  with({"--steps", "40", "--checkpoint", output("whole.h5"), "--probes", output("whole.csv")});
  with({"--steps", "17", "--checkpoint", output("half.h5"), "--boxes", "2x1x2"});
  with({"--steps", "40", "--restart", output("half.h5"), "--checkpoint", output("end.h5"), "--cpus", "1", "--probes",
        output("end.csv")});
  EXPECT_EQ(step_of(output("end.h5")), 40);
  EXPECT_TRUE(numbers(output("end.h5")) == numbers(output("whole.h5")));
  EXPECT_EQ(contents(output("end.csv")), contents(output("whole.csv")));
  const std::vector<std::string> lines = lines_of(contents(output("end.csv")));
  ASSERT_EQ(lines.size(), 41U);
  EXPECT_EQ(lines[0], "step,time,ey 15 7 3,hz 2 2 2");
  EXPECT_TRUE(lines[40].starts_with("40,"));
}

TEST_F(AsterismFdtd, AKilledRunGoesOnFromItsCheckpoint) {
  expect_going_on_after_kills({"--size", "14x11x9"}, 3, step_of, numbers);
}

TEST_F(AsterismFdtd, AFullDiskLeavesTheOldCheckpoint) {
  expect_the_old_one_on_a_full_disk({"--size", "20"});
}

TEST_F(AsterismFdtd, OptionsFromAFile) {
  expect_bad_input({"--config", file("size = 9\nsise = 3\n", "wrong.toml")}, {"sise"});
  const fs::path config = file("case = \"cavity\"\nsize = \"9x8x7\"\nmode = [1, 1, 0]\nsteps = 11\n", "run.toml");
  const json r = record({"--config", config, "--verify"});
  ASSERT_FALSE(r.is_null());
  EXPECT_EQ(r["problem"]["cells"], json({9, 8, 7}));
  EXPECT_EQ(r["problem"]["steps"], 11);
}

/// A pulse that grows without limit.
TEST_F(AsterismFdtd, FieldsThatAreNoNumbersEndTheRun) {
  const Ran ran = run({"--case", "box", "--size", "12", "--spacing", "1e-120", "--source", "ez=5,5,5", "--steps",
                       "100000", "--checkpoint", output("state.h5"), "--quiet"});
  EXPECT_EQ(ran.status, 1);
  expect_one_line(ran.err, {"not finite"});
  EXPECT_EQ(outputs(), 0U);
  EXPECT_FALSE(contains(ran.out, "time"));
}

// ---- bad input

TEST_F(AsterismFdtd, SaysWhatIsWrong) {
  expect_bad_input({"--case", "dipole", "--size", "40", "--spacing", "1e-3", "--verify"}, {"--verify", "more cells"});
  expect_bad_input({"--case", "antenna"}, {"antenna", "benchmark", "cavity"});
  expect_bad_input({"--size", "12x"}, {"--size", "12x"});
  expect_bad_input({"--size", "0"}, {"--size"});
  expect_bad_input({"--spacing", "-1"}, {"spacing", "-1"});
  expect_bad_input({"--spacing", "1,2"}, {"--spacing", "2 numbers"});
  expect_bad_input({"--courant", "1.01"}, {"Courant", "1.01"});
  expect_bad_input({"--courant", "-1"}, {"time step", "-"});
  expect_bad_input({"--precision", "half"}, {"half"});
  expect_bad_input({"--steps", "-3"}, {"--steps"});
  expect_bad_input({"--face=-x=magnetic"}, {"--face", "box"});
  expect_bad_input({"--case", "box", "--face=x=magnetic"}, {"--face x=magnetic", "-x="});
  expect_bad_input({"--case", "box", "--face=-x"}, {"--face -x", "+y="});
  expect_bad_input({"--case", "box", "--face=-x=glass"}, {"glass", "periodic"});
  expect_bad_input({"--case", "box", "--face=-x=periodic"}, {"-x", "periodic", "+x"});
  expect_bad_input({"--source", "ez=1,2,3"}, {"--source", "box"});
  expect_bad_input({"--case", "box", "--source", "hz=1,2,3"}, {"--source", "hz=1,2,3"});
  expect_bad_input({"--case", "box", "--source", "ez=1,2"}, {"--source", "ez=1,2"});
  expect_bad_input({"--case", "box", "--source", "ez=1,2,3x"}, {"--source"});
  expect_bad_input({"--case", "box", "--size", "8", "--source", "ez=1,2,8"}, {"source ez", "(1, 2, 8)"});
  expect_bad_input({"--case", "box", "--size", "8", "--source", "ez=0,2,3"}, {"source ez", "face"});
  expect_bad_input({"--size", "8", "--probe", "ey=9,9,9"}, {"probe ey", "outside"});
  expect_bad_input({"--size", "8", "--probe", "q"}, {"--probe", "q"});
  expect_bad_input({"--size", "8", "--probes", "p.csv"}, {"--probes", "--probe"});
  expect_bad_input({"--mode", "1,1,1"}, {"--mode", "cavity"});
  expect_bad_input({"--case", "cavity", "--size", "8", "--mode", "1,8,1"}, {"mode", "7"});
  expect_bad_input({"--boxes", "1x1x101"}, {"101", "100"});
  expect_bad_input({"--strips", "101"}, {"101", "100"});
  expect_bad_input({"--strips", "2", "--boxes", "2x1x1"}, {"--boxes", "--strips"});
  expect_bad_input({"--exchange", "after-update", "--overlap", "2"}, {"--exchange", "overlap"});
  expect_bad_input({"--transfers", "in-turn", "--scheduler-places"}, {"--transfers", "--scheduler-places"});
  expect_bad_input({"--transfers", "twice"}, {"--transfers", "twice"});
  expect_bad_input({"--gpu-share", "1.5"}, {"--gpu-share", "1.5"});
  expect_bad_input({"--gpu-share", "0.5"}, {"GPUs", "none"});
  for (const char* wrong : {"1,x", "1,0", "1,-2", "1,inf", "1,2y"})
    expect_bad_input({"--gpu-weights", wrong}, {"--gpu-weights", "expected a number above 0"});
  expect_bad_input({"--gpu-weights", "1,2"}, {"--gpu-weights", "2 numbers", "0 GPUs"});
  expect_bad_input({"--size", "600", "--steps", "2", "--verify"}, {"too many"});
  expect_bad_input({"--restart", "none.h5"}, {"none.h5"});
  expect_bad_input({"--restart", file("not a checkpoint", "odd.h5")}, {"odd.h5"});
  expect_bad_input({"--scheduler", "none"}, {"none"});
  expect_bad_input({"--checkpoint-every", "5"}, {"--checkpoint-every", "--checkpoint"}, false);
  expect_bad_input({"--checkpoint", "nowhere/state.h5"}, {"nowhere"}, false);
  expect_bad_input({"--probe", "ez=1,1,1", "--probes", "nowhere/p.csv"}, {"nowhere"}, false);
}

TEST_F(AsterismFdtd, ACheckpointOfAnotherRunIsRefused) {
  ASSERT_EQ(run({"--size", "8", "--steps", "4", "--checkpoint", output("a.h5"), "--quiet"}).status, 0);
  const fs::path kept = folder_ / "a.h5";
  fs::rename(output("a.h5"), kept);
  expect_bad_input({"--size", "9", "--restart", kept}, {"3 x 8 x 8 x 8", "3 x 9 x 9 x 9"});
  expect_bad_input({"--size", "8", "--precision", "single", "--restart", kept}, {"single"});
  expect_bad_input({"--size", "8", "--courant", "0.5", "--restart", kept}, {"time_step"});
  expect_bad_input({"--size", "8", "--steps", "3", "--restart", kept}, {"step 4"});
}

}  // namespace
