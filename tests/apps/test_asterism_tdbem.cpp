// SPDX-License-Identifier: Apache-2.0
// asterism-tdbem as its users meet it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/hdf5/file.hpp"
#include "tests/apps/checkpoint_tests.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;
using nlohmann::json;

class AsterismTdbem : public CheckpointTest {
 protected:
  AsterismTdbem()
      : CheckpointTest("asterism-tdbem", "ASTERISM_TDBEM", ASTERISM_TDBEM,
                       {"--json", "run.json", "--output", "wave.pvd", "--png", "wave.png", "--checkpoint", "state.h5",
                        "--matrices", "matrices.h5"}) {}
};

/// What the past has left in a checkpoint.
std::vector<double> history(const fs::path& path) {
  const asterism::Hdf5Input file(path);
  const std::vector<std::size_t> shape = file.shape("history");
  std::vector<double> values(shape[0] * shape[1] * shape[2]);
  file.read_rows("history", 0, values);
  return values;
}
long step_of(const fs::path& path) {
  return static_cast<long>(asterism::Hdf5Input(path).integer_attribute("/", "steps"));
}

// ---- good runs

TEST_F(AsterismTdbem, HelpTeaches) {
  const Ran ran = run({"--help-all"});
  EXPECT_EQ(ran.status, 0);
  for (const char* word :
       {"--mesh", "sphere", "--boundary", "--pulse", "--direction", "--observer", "--group", "--ahead", "--ordering",
        "--solver", "mumps", "--sharing", "--output", "--matrices", "--restart", "--verify"})
    EXPECT_TRUE(contains(ran.out, word)) << word;
}

/// Ways of working, bodies and precisions, each compared with plain marching.
TEST_F(AsterismTdbem, OtherBodiesAndMethodsAreRight) {
  const std::vector<Arguments> cases = {
      {"--body", "ellipsoid", "--unknowns", "162", "--group", "1", "--cluster", "64"},
      {"--body", "box", "--unknowns", "150", "--solver", "mumps", "--group", "5", "--boundary", "soft"},
      {"--body", "box", "--unknowns", "150", "--precision", "single", "--ahead", "--direction", "1,1,0", "--direction",
       "0,0,-1"},
      {"--body", "ellipsoid", "--unknowns", "162", "--sharing", "scheduler", "--scheduler", "lws", "--pulse", "ricker",
       "--ordering", "morton"}};
  for (Arguments arguments : cases) {
    arguments.insert(arguments.end(), {"--verify", "--cluster", "32"});
    if (arguments[4] == "--group" && arguments[5] == "1") arguments.resize(arguments.size() - 2);
    EXPECT_TRUE(record(arguments).value("right", false)) << arguments[1];
  }
}

/// The paper's kernels.
TEST_F(AsterismTdbem, KernelsAreChosen) {
  for (const std::string kernel : {"contiguous-blocking", "full-blocking", "scalar", "matrix-vector"}) {
    Arguments arguments = {"--body",    "ellipsoid", "--unknowns", "162",      "--cpus", "2",
                           "--cluster", "32",        "--verify",   "--kernel", kernel};
    if (kernel == "full-blocking") arguments.insert(arguments.end(), {"--block-shape", "32x16"});
    const json r = record(arguments);
    EXPECT_TRUE(r.value("right", false)) << kernel;
    EXPECT_EQ(r["method"]["kernel"], kernel);
    if (kernel == "contiguous-blocking") {
      EXPECT_EQ(r["matrices"]["padded_values"], 162 * 192 * r["matrices"]["longest"].get<long>());
    }
  }
}

TEST_F(AsterismTdbem, KernelsThatDoNotExistAreRefused) {
  expect_bad_input({"--kernel", "full-bloking"}, {"full-bloking", "the nearest is full-blocking"});
  expect_bad_input({"--kernel", "scalar", "--gpus", "1"}, {"scalar", "CPUs only", "--gpus 0"});
  expect_bad_input({"--kernel", "matrix-vector", "--sharing", "gpus"}, {"matrix-vector", "--sharing"});
  expect_bad_input({"--kernel", "scalar", "--block-shape", "32x16"}, {"--block-shape", "full-blocking"});
  expect_bad_input({"--kernel", "full-blocking", "--block-shape", "32"}, {"--block-shape 32", "64x32"});
  expect_bad_input({"--kernel", "full-blocking", "--block-shape", "40x16"}, {"32, 64 or 128 rows"});
  // with the --matrices that every run of this test has
  expect_bad_input({"--kernel", "contiguous-blocking"}, {"--matrices", "contiguous-blocking"});
}

/// From a checkpoint on: the later steps against the series, and against plain marching.
TEST_F(AsterismTdbem, ResumedRunsAreVerified) {
  for (const std::string body : {"sphere", "ellipsoid"}) {
    SCOPED_TRACE(body);
    const Arguments problem = {"--body", body, "--unknowns", "162"};
    const auto with = [&](Arguments more) {
      more.insert(more.begin(), problem.begin(), problem.end());
      return more;
    };
    const std::string state = output(body + ".h5").string();
    record(with({"--steps", "96", "--checkpoint", state}));
    const json resumed = record(with({"--steps", "160", "--restart", state, "--verify"}));
    EXPECT_TRUE(resumed.value("right", false)) << resumed["verification"].dump();
    EXPECT_GT(resumed["verification"][0]["error"].get<double>(), 0);
    // without the option a run goes on as it began
    record(with({"--steps", "96", "--ahead", "--checkpoint", state}));
    EXPECT_TRUE(record(with({"--steps", "104", "--restart", state}))["method"]["ahead"].get<bool>());
    const Ran other = run(with({"--steps", "104", "--no-ahead", "--restart", state}));
    EXPECT_EQ(other.status, 2);
    expect_one_line(other.err, {"ahead: found \"yes\""});
  }
}

/// The paper's statistics, without values: as those that a run finds.
TEST_F(AsterismTdbem, StatisticsAreThoseOfTheMatrices) {
  const Arguments body = {"--unknowns", "162", "--speed", "1"};
  Arguments statistics = body;
  statistics.insert(statistics.end(), {"--statistics"});
  const json s = record(statistics);
  EXPECT_EQ(s["matrices"]["values"], 191478);
  EXPECT_EQ(s["matrices"]["largest_lag"], 15);
  EXPECT_GT(s["ordering_score"], 10.0);
  const json run = record(body);
  EXPECT_EQ(run["matrices"]["values"], s["matrices"]["values"]);
  double share = 1;
  for (const json& block : s["full_blocking"]) {
    EXPECT_GT(block["share"], 0.02);
    share = std::min(share, block["share"].get<double>());
    EXPECT_NEAR(block["share"].get<double>() * block["blocks"].get<double>() * block["rows"].get<double>() *
                    block["columns"].get<double>(),
                191478, 1);
  }
  EXPECT_LT(share, 0.2);
}

/// Matrices from a file give the same bits, and the file says whose they are.
TEST_F(AsterismTdbem, MatricesAreReadAgain) {
  const Arguments problem = {"--body",  "ellipsoid",  "--unknowns",         "162", "--steps", "96",
                             "--quiet", "--matrices", output("matrices.h5")};
  const auto with = [&](const Arguments& more) {
    Arguments all = problem;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ASSERT_EQ(run(with({"--checkpoint", output("first.h5")})).status, 0);
  ASSERT_EQ(run(with({"--checkpoint", output("second.h5"), "--verify"})).status, 0);
  EXPECT_EQ(history(output("first.h5")), history(output("second.h5")));
  const Ran other = run(with({"--speed", "340"}));
  EXPECT_EQ(other.status, 2);
  expect_one_line(other.err, {"matrices.h5", "speed"});
}

// ---- matrices that do not fit

/// 35 MB in 21 blocks of 2 MB at most.
const Arguments large = {"--body", "ellipsoid", "--unknowns", "642",     "--cluster",
                         "32",     "--group",   "4",          "--steps", "80"};

Arguments with(Arguments all, const Arguments& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST_F(AsterismTdbem, BlocksOnDiskGiveTheSameAnswerToTheBit) {
  fs::create_directory(folder_ / "swap");
  const Arguments less = {"--memory", "10MiB", "--swap", folder_ / "swap"};
  for (const Arguments& way :
       {Arguments{"--cpus", "1", "--observer", "3,0,0"}, Arguments{"--ahead", "--solver", "mumps"}}) {
    const json whole = record(with(with(large, way), {"--checkpoint", output("whole.h5")}));
    EXPECT_FALSE(whole.contains("disk"));
    const double bytes = whole["matrices"]["bytes"];
    const json part = record(with(with(with(large, way), less), {"--checkpoint", output("part.h5")}));
    EXPECT_EQ(history(output("part.h5")), history(output("whole.h5")));
    const json& disk = part["disk"];
    EXPECT_EQ(disk["memory_bytes"], 10 << 20);
    EXPECT_GT(bytes, 3 * disk["memory_bytes"].get<double>());
    // what memory does not hold lies on the disk, and is read in every pass
    EXPECT_GT(disk["written_before"], 0.6 * bytes);
    EXPECT_GT(disk["read_per_pass"], 0.5 * bytes);
    // and what it holds is used in two passes before it goes; several cores may each read a block for themselves
    EXPECT_LT(disk["read_per_pass"], (way[1] == "1" ? 0.85 : 2) * bytes);
    EXPECT_TRUE(fs::is_empty(folder_ / "swap"));
  }
}

TEST_F(AsterismTdbem, BlocksOnDiskAreSavedLoadedAndVerified) {
  fs::create_directory(folder_ / "swap");
  const Arguments less = {"--memory", "11MiB", "--swap", folder_ / "swap", "--matrices", output("matrices.h5")};
  const json made = record(with(with(large, less), {"--verify"}));
  EXPECT_TRUE(made.value("right", false));
  const json read = record(with(large, less));
  EXPECT_EQ(read["matrices"]["assembly_seconds"], 0);
  EXPECT_GT(read["disk"]["read"], 0);
}

/// StarPU would wait for ever.
TEST_F(AsterismTdbem, TooLittleMemoryIsRefused) {
  fs::create_directory(folder_ / "swap");
  const auto limited = [&](const std::string& memory) {
    return with(large, {"--quiet", "--memory", memory, "--swap", folder_ / "swap"});
  };
  expect_bad_input(limited("2MiB"), {"2.1 MB", "--memory", "--cluster"});
  expect_bad_input(with(large, {"--quiet", "--memory", "11MiB"}), {"11.5 MB", "--swap"});
  expect_bad_input(with(large, {"--memory", "11MiB", "--swap", "nowhere"}), {"--swap", "nowhere"});
  expect_bad_input({"--memory", "much"}, {"--memory", "much"});
  // as much as it asks for is enough
  const std::string error = run(limited("2MiB")).err;
  const std::string before = "need ";
  const double needed = std::stod(error.substr(error.find(before) + before.size()));
  const auto mebibytes = static_cast<int>(std::ceil((needed + 0.05) * 1e6 / (1 << 20)));
  EXPECT_EQ(run(limited(std::to_string(mebibytes) + "MiB")).status, 0);
}

/// Bytes from main memory to the first GPU, from StarPU's own summary.
double gigabytes_to_gpu(const std::string& summary) {
  const std::string bus = "-> CUDA 0";
  double sum = 0;
  for (const std::string& line : lines_of(summary))
    if (const std::size_t at = line.find(bus); at != std::string::npos && contains(line.substr(0, at), "NUMA"))
      sum += std::stod(line.substr(line.find('\t', at)));
  return sum;
}

TEST_F(AsterismTdbem, MatricesLargerThanTheMemoryOfAGpu) {
  if (!fs::exists("/dev/nvidia0")) GTEST_SKIP() << "no GPU";
  setenv("STARPU_BUS_STATS", "1", 1);
  std::vector<std::vector<double>> states;
  std::vector<double> moved;
  for (const char* limit : {"", "80"}) {
    if (*limit != '\0') setenv("STARPU_LIMIT_CUDA_MEM", limit, 1);
    setenv("STARPU_BUS_STATS_FILE", output("bus.txt").c_str(), 1);
    // 0.26 GB, three times the limit
    (void)record({"--body", "ellipsoid", "--unknowns", "2562", "--precision", "single", "--cluster", "64", "--gpus",
                  "1", "--sharing", "gpus", "--steps", "160", "--checkpoint", output("state.h5")});
    states.push_back(history(output("state.h5")));
    moved.push_back(gigabytes_to_gpu(contents(output("bus.txt"))));
  }
  for (const char* name : {"STARPU_BUS_STATS", "STARPU_BUS_STATS_FILE", "STARPU_LIMIT_CUDA_MEM"}) unsetenv(name);
  // fewer blocks to a task: other sums of the same products
  ASSERT_EQ(states[0].size(), states[1].size());
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < states[0].size(); ++i) {
    largest = std::max(largest, std::abs(states[0][i]));
    difference = std::max(difference, std::abs(states[0][i] - states[1][i]));
  }
  EXPECT_GT(largest, 0.5);  // the pulse has arrived
  EXPECT_LT(difference, 2e-6 * largest);
  EXPECT_GT(moved[1], 3 * moved[0]);
}

TEST_F(AsterismTdbem, WritesWhatIsAskedFor) {
  const Ran ran = run({"--unknowns", "42", "--steps", "120", "--every", "50", "--observer", "3,0,0", "--observer",
                       "0,0,-4", "--listen", output("ears.csv"), "--chart", output("ears.png"), "--output",
                       output("wave.pvd"), "--png", output("wave.png"), "--quiet"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  for (const char* name :
       {"ears.csv", "ears.png", "wave.pvd", "wave_0000050.png", "wave_0000100.png", "wave_0000119.png"})
    EXPECT_TRUE(fs::exists(output(name))) << name;
  std::size_t rows = 0;
  for (const std::string& line : lines_of(contents(output("ears.csv")))) rows += line.empty() || line[0] == '#' ? 0 : 1;
  EXPECT_EQ(rows, 121U);  // with the names of the columns
}

TEST_F(AsterismTdbem, GoesOnAfterKills) {
  expect_going_on_after_kills({"--unknowns", "42", "--group", "7", "--observer", "3,0,0"}, 3, step_of, history);
}

TEST_F(AsterismTdbem, KeepsTheOldCheckpointOnAFullDisk) {
  expect_the_old_one_on_a_full_disk({"--unknowns", "642"});
}

TEST_F(AsterismTdbem, RecordsItsSchedule) {
  ASSERT_EQ(run({"--unknowns", "162", "--steps", "64", "--quiet", "--trace", output("trace")}).status, 0);
  EXPECT_TRUE(fs::exists(output("trace") / "trace.html"));
}

// ---- bad input

TEST_F(AsterismTdbem, SaysWhatIsWrong) {
  expect_bad_input({"--body", "cube"}, {"cube", "sphere"});
  expect_bad_input({"--mesh", "nowhere.off"}, {"nowhere.off"});
  expect_bad_input({"--mesh", file("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "open.off")}, {"triangle"});
  expect_bad_input(
      {"--mesh", file("OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", "turned.off")},
      {"opposite"});
  expect_bad_input(
      {"--mesh", file("OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 3 1\n3 0 2 3\n3 1 3 2\n", "inward.off")},
      {"inward"});
  expect_bad_input({"--unknowns", "42", "--dt", "-1"}, {"time step", "-1"});
  expect_bad_input({"--unknowns", "42", "--dt", "1e-9"}, {"1e-09", "step"});
  expect_bad_input({"--unknowns", "42", "--courant", "9"}, {"time step", "too large", "pulse"});
  expect_bad_input({"--unknowns", "42", "--speed", "0"}, {"--speed"});
  expect_bad_input({"--unknowns", "42", "--direction", "0,0,0"}, {"direction"});
  expect_bad_input({"--unknowns", "42", "--direction", "1,2"}, {"--direction", "1,2"});
  expect_bad_input({"--unknowns", "42", "--frequency", "-3"}, {"--frequency", "-3"});
  expect_bad_input({"--unknowns", "42", "--group", "17"}, {"--group"});
  expect_bad_input({"--unknowns", "42", "--group", "12", "--ahead"}, {"--group", "8"});
  expect_bad_input({"--unknowns", "42", "--cluster", "40"}, {"40", "32"});
  expect_bad_input({"--unknowns", "42", "--tolerance", "2"}, {"tolerance"});
  expect_bad_input({"--unknowns", "42", "--observer", "0,0,0.1"}, {"observer", "inside"});
  expect_bad_input({"--unknowns", "42", "--observer", "0,0,1.01"}, {"observer"});
  expect_bad_input({"--unknowns", "42", "--chart", "c.png"}, {"--chart"});
  expect_bad_input({"--unknowns", "42", "--far-points", "5"}, {"5"});
  expect_bad_input({"--unknowns", "42", "--scheduler", "best"}, {"best"});
  expect_bad_input({"--unknowns", "42", "--intervals", "1,1"}, {"blocks"});
  expect_bad_input({"--unknowns", "42", "--restart", "nowhere.h5"}, {"nowhere.h5"});
  expect_bad_input({"--unknowns", "42", "--json", "/nowhere/run.json"}, {"/nowhere"}, false);
  expect_bad_input({"--unknowns", "42", "--output", "/nowhere/wave.pvd"}, {"/nowhere"}, false);
}

}  // namespace
