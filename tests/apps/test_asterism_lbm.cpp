// SPDX-License-Identifier: Apache-2.0
// asterism-lbm from its command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "taskflows/lbm/checkpoint.hpp"
#include "tests/apps/checkpoint_tests.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;
using nlohmann::json;

class AsterismLbm : public CheckpointTest {
 protected:
  AsterismLbm()
      : CheckpointTest("asterism-lbm", "ASTERISM_LBM", ASTERISM_LBM,
                       {"--json", "run.json", "--output", "flow.pvd", "--png", "flow.png", "--checkpoint", "state.h5",
                        "--profiles", "lines.csv"}) {}
  double seconds_of(const Arguments& arguments);
  std::pair<json, double> default_run(const Arguments& flow);
};

/// The populations of a checkpoint.
std::vector<double> populations(const fs::path& path) {
  using namespace asterism::lbm;
  const Checkpoint c = read_checkpoint(path);
  const auto cells = static_cast<std::size_t>(c.nx) * static_cast<std::size_t>(c.ny) * static_cast<std::size_t>(c.nz);
  std::vector<double> all(q * cells);
  read_populations<double>(
      path, {{0, c.nx, 0, c.ny, 0, c.nz}}, [&](std::size_t, int slot, const Box& part, const double* values) {
        const auto plane = static_cast<std::size_t>(c.nx) * static_cast<std::size_t>(c.ny);
        std::copy_n(values, static_cast<std::size_t>(part.cells()),
                    all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(slot) * cells +
                                                              static_cast<std::size_t>(part.z0) * plane));
      });
  return all;
}

long step_of(const fs::path& path) {
  return static_cast<long>(asterism::lbm::read_checkpoint(path).step);
}

// ---- good runs

TEST_F(AsterismLbm, HelpTeaches) {
  const Ran ran = run({"--help-all"});
  EXPECT_EQ(ran.status, 0);
  for (const char* word : {"--case", "cavity", "taylor-green", "--size", "--re", "--tau", "--collision", "--subdomains",
                           "--gpu-share", "--checkpoint", "--restart", "--output", "--body", "stl", "--verify"})
    EXPECT_TRUE(contains(ran.out, word)) << word;
}

/// How long the process takes.
double AsterismLbm::seconds_of(const Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran = run(arguments);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(ran.status, 0) << ran.err;
  return seconds;
}

/// What --json has of a run whose units are not said, and how long the process took.
std::pair<json, double> AsterismLbm::default_run(const Arguments& flow) {
  Arguments arguments = flow;
  arguments.insert(arguments.end(), {"--json", output("run.json")});
  units_open_ = true;
  const double seconds = seconds_of(arguments);
  units_open_ = false;
  return {json::parse(contents(output("run.json"))), seconds};
}

TEST_F(AsterismLbm, UnitsAreMeasuredOnce) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core";
  setenv("ASTERISM_RATES", output("rates.json").c_str(), 1);
  const json first = default_run({"--size", "12", "--steps", "100"}).first;
  const json second = default_run({"--size", "12", "--steps", "100"}).first;
  const json large = default_run({"--size", "64", "--steps", "2"}).first;
  setenv("ASTERISM_RATES", "off", 1);
  EXPECT_GT(first["units"]["measuring_seconds"], 0);
  EXPECT_EQ(second["units"]["measuring_seconds"], 0);
  const std::string choice = second["units"]["choice"];
  EXPECT_TRUE(contains(choice, "M cells/s; ")) << choice;
  EXPECT_TRUE(contains(first["units"]["choice"], choice));
  EXPECT_EQ(first["starpu"]["cpu_workers"], second["starpu"]["cpu_workers"]);
  EXPECT_EQ(first["pieces"], second["pieces"]);
  // cores alone, and far too much for one of them: nothing to choose
  EXPECT_FALSE(large.contains("units"));
  EXPECT_GT(large["starpu"]["cpu_workers"], 1);
}

TEST_F(AsterismLbm, PhasesAddUpToTheWallClock) {
  // the process ends after its record was written, and a busy machine looks at it late: best of five, beside a process
  // that does nothing
  double after_the_record = 1e9, nothing = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto [record, seconds] = default_run({"--size", "24", "--steps", "100", "--verify", "--cpus", "1"});
    double sum = 0;
    for (const auto& [name, phase] : record["phases"].items()) sum += phase.get<double>();
    EXPECT_NEAR(sum, record["wall_seconds"], 1e-6);
    EXPECT_LE(record["wall_seconds"], seconds + 0.02);
    EXPECT_GE(record["phases"]["steps"].get<double>(), 0.99 * record["seconds"].get<double>());
    for (const char* phase : {"loading", "StarPU", "set-up", "verification", "shutdown"})
      EXPECT_GT(record["phases"][phase], 0) << phase;
    after_the_record = std::min(after_the_record, seconds - record["wall_seconds"].get<double>() - 0.02 * seconds);
    nothing = std::min(nothing, seconds_of({"--version"}));
    if (after_the_record < 0.03 + nothing) break;
  }
  EXPECT_LT(after_the_record, 0.03 + nothing);
}

/// A GPU of 100 W that does not exist, beside the machine's own counters, if it has any.
TEST_F(AsterismLbm, EnergyOfTheSteps) {
  const char* const libraries = std::getenv("LD_LIBRARY_PATH");
  const std::string path = std::string(FAKE_NVML) + (libraries != nullptr ? ":" + std::string(libraries) : "");
  const Ran ran = run({"--size", "32", "--steps", "200", "--cpus", "1", "--json", "run.json"}, [] { return false; },
                      SIGKILL, {{"LD_LIBRARY_PATH", path}});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json record = nlohmann::json::parse(contents(output("run.json")));
  const nlohmann::json& energy = record.at("counted_energy");
  EXPECT_EQ(energy["seconds"], record["phases"]["steps"]);
  EXPECT_NEAR(energy["gpus"].get<double>(), 100 * energy["seconds"].get<double>(), 0.2);
  EXPECT_EQ(energy["counters"].back()["name"], "GPU 0: Fake GPU");
  EXPECT_DOUBLE_EQ(energy["joules"].get<double>(), energy["gpus"].get<double>() + energy["processors"].get<double>());
  EXPECT_TRUE(contains(ran.out, "  energy "));
}

TEST_F(AsterismLbm, CasesAreRight) {
  const std::vector<Arguments> cases{
      {"--case", "cavity", "--size", "23x17x12", "--steps", "30"},
      {"--case", "cavity", "--size", "16", "--steps", "31", "--precision", "single", "--collision", "trt"},
      {"--case", "cavity", "--size", "16", "--steps", "31", "--precision", "half"},
      {"--case", "stream", "--size", "30x16x14", "--steps", "25", "--precision", "half"},
      {"--case", "taylor-green", "--size", "32x24x3", "--steps", "200"},
      {"--case", "taylor-green", "--size", "32x24x3", "--steps", "200", "--precision", "half"},
      {"--case", "poiseuille", "--size", "3x2x8", "--tau", "0.9", "--steps", "1500", "--collision", "trt"},
      {"--case", "couette", "--size", "2x3x7", "--tau", "1.1", "--steps", "1500", "--subdomains", "1x3x2"},
      {"--case", "stream", "--size", "30x16x14", "--steps", "25", "--smagorinsky", "0.1", "--walls", "interpolated"},
      {"--case", "box", "--size", "9x8x7", "--steps", "30", "--collision", "central-moments", "--re", "4000"},
      {"--case", "poiseuille", "--size", "2x2x12", "--tau", "0.9", "--steps", "3000", "--collision", "central-moments",
       "--magic", "0.1875"},
      {"--size", "10x9x8", "--steps", "40", "--re", "400", "--collision", "central-moments", "--magic", "0.25",
       "--smagorinsky", "0.1"},
      {"--case", "box", "--size", "9x8x7", "--steps", "30", "--face=-x=wall:0.03,0,0", "--face=+x=pressure:1.002",
       "--face=-z=periodic", "--face=+z=periodic", "--face=+y=wall:0.02,0,0.01", "--force", "0,1e-5,0"},
      {"--case", "stream", "--size", "24x4x20", "--steps", "25", "--shape", "cylinder", "--length", "5", "--walls",
       "interpolated", "--face=-x=parabola:0.04,0,0.01", "--face=-z=wall", "--face=+z=wall"},
      {"--case", "channel", "--size", "24x13x20", "--steps", "25", "--re", "180", "--collision", "central-moments"},
      {"--case", "cavity", "--size", "12", "--steps", "0"}};
  for (Arguments arguments : cases) {
    SCOPED_TRACE(arguments[1] + " " + arguments[3]);
    arguments.push_back("--verify");
    const json r = record(arguments);
    ASSERT_FALSE(r.is_null());
    EXPECT_EQ(r["right"], true);
    EXPECT_LE(r["verification"]["error"].get<double>(), r["verification"]["allowed"].get<double>());
  }
}

/// The mean is that of a turbulent flow, 15.6 u_tau (Kim, Moin and Moser 1987), and friction at the walls holds it.
TEST_F(AsterismLbm, AChannelBeginsTurbulent) {
  for (const char* steps : {"0", "300"}) {
    const json r = record(
        {"--case", "channel", "--size", "32x16x30", "--re", "180", "--steps", steps, "--collision", "central-moments"});
    ASSERT_FALSE(r.is_null());
    const double cells = 32 * 16 * 30;
    EXPECT_NEAR(r["totals"]["momentum"][0].get<double>() / (cells * 0.005), 15.6, 0.6) << steps;
    EXPECT_NEAR(r["totals"]["momentum"][1].get<double>() / cells, 0, 1e-5) << steps;
    EXPECT_NEAR(r["totals"]["mass"].get<double>(), 0, 1e-6) << steps;
    EXPECT_NEAR(r["flow"]["reynolds"].get<double>(), 180, 1e-9) << steps;
    // more than the mean alone has: rolls
    EXPECT_GT(2 * r["totals"]["energy"].get<double>() / (cells * 0.005 * 0.005), 15.6 * 15.6 + 3) << steps;
  }
}

/// Two-dimensional, steady; errors fall with the square of the cell.
TEST_F(AsterismLbm, CavitiesAreThePublishedOnes) {
  struct Run {
    const char *reynolds, *size, *steps;
    double within;
  };
  for (const Run& r : {Run{"100", "32x1x32", "6000", 0.005}, Run{"400", "24x1x24", "10000", 0.06},
                       Run{"400", "48x1x48", "20000", 0.015}}) {
    SCOPED_TRACE(std::string(r.reynolds) + " " + r.size);
    const json found =
        record({"--size", r.size, "--face=-y=periodic", "--face=+y=periodic", "--re", r.reynolds, "--velocity", "0.1",
                "--collision", "trt", "--steps", r.steps, "--profiles", output("lines.csv")});
    ASSERT_TRUE(found.contains("published"));
    EXPECT_LT(found["published"]["u"].get<double>(), r.within);
    EXPECT_TRUE(contains(contents(output("lines.csv")), "w(x),"));
  }
  EXPECT_FALSE(
      record({"--size", "8", "--re", "100", "--steps", "4", "--profiles", output("lines.csv")}).contains("published"));
}

TEST_F(AsterismLbm, TheRecordSaysWhatWasRun) {
  const json r = record({"--size", "20x10x12", "--re", "50", "--velocity", "0.1", "--steps", "40", "--subdomains",
                         "2x1x1", "--cores", "2"});
  EXPECT_EQ(r["program"], "asterism-lbm");
  EXPECT_NEAR(r["flow"]["tau"].get<double>(), 3 * 0.1 * 12 / 50 + 0.5, 1e-12);
  EXPECT_EQ(r["flow"]["fluid_cells"], 2400);
  EXPECT_EQ(r["pieces"]["bricks"], 4);
  EXPECT_EQ(r["pieces"]["gpu_share"], 0);
  EXPECT_NEAR(r["totals"]["mass"].get<double>(), 0, 1e-9);
  EXPECT_GT(r["totals"]["energy"].get<double>(), 0);
  EXPECT_GT(r["mlups"].get<double>(), 0);
  EXPECT_NEAR(r["bandwidth"]["achieved"].get<double>(), r["mlups"].get<double>() * 304e6, 1);
}

TEST_F(AsterismLbm, ARestartedRunEndsInTheSameState) {
  const Arguments flow{"--case", "stream", "--size", "26x14x12", "--re", "20", "--quiet"};
  const auto with = [&](const Arguments& more) {
    Arguments all = flow;
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run(all);
    ASSERT_EQ(ran.status, 0) << ran.err;
  };
  with({"--steps", "40", "--checkpoint", output("whole.h5")});
  for (const char* half : {"17", "24"}) {
    with({"--steps", half, "--checkpoint", output("half.h5"), "--subdomains", "2x1x1"});
    with({"--steps", "40", "--restart", output("half.h5"), "--checkpoint", output("end.h5"), "--subdomains", "1x2x2"});
    EXPECT_EQ(asterism::lbm::read_checkpoint(output("end.h5")).step, 40);
    EXPECT_EQ(populations(output("end.h5")), populations(output("whole.h5"))) << half;
  }
}

TEST_F(AsterismLbm, AKilledRunResumesFromItsCheckpoint) {
  expect_going_on_after_kills({"--size", "14x11x9", "--re", "30"}, 4, step_of, populations);
}

TEST_F(AsterismLbm, AFullDiskLeavesTheOldCheckpoint) {
  expect_the_old_one_on_a_full_disk({"--size", "20"});
}

TEST_F(AsterismLbm, WritesSeriesPicturesAndForces) {
  for (const char* series : {"flow.pvd", "flow.h5"}) {
    const Ran ran = run({"--case", "stream", "--size", "24x12x12", "--steps", "20", "--every", "10", "--output",
                         output(series), "--png", output("cut.png"), "--slice", "z=3", "--quantity", "vorticity-y",
                         "--forces", output("drag.csv"), "--quiet"});
    ASSERT_EQ(ran.status, 0) << ran.err;
  }
  for (const char* name : {"flow.pvd", "flow_0000000010.vti", "flow_0000000020.vti", "flow.h5", "flow.xdmf",
                           "cut_0000010.png", "cut_0000020.png", "drag.csv"})
    EXPECT_TRUE(fs::exists(output(name))) << name;
  const std::vector<std::string> drag = lines_of(contents(output("drag.csv")));
  ASSERT_EQ(drag.size(), 3U);
  EXPECT_TRUE(drag[1].starts_with("10,"));
}

TEST_F(AsterismLbm, ABodyFromAFile) {
  // a tetrahedron, as OFF
  const fs::path body =
      file("OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", "body.off");
  const json r = record({"--case", "stream", "--size", "20x14x14", "--steps", "20", "--body", body, "--length", "8",
                         "--rotate", "10,20,30", "--position", "8,7,7", "--verify"});
  ASSERT_FALSE(r.is_null());
  const int solid = 20 * 14 * 14 - r["flow"]["fluid_cells"].get<int>();
  EXPECT_GT(solid, 40);  // 8^3 / 6 = 85 before it was turned
  EXPECT_LT(solid, 130);
}

// ---- bad input

TEST_F(AsterismLbm, SaysWhatIsWrong) {
  expect_bad_input({"--case", "pipe"}, {"pipe", "cavity", "couette"});
  expect_bad_input({"--size", "12x"}, {"--size", "12x"});
  expect_bad_input({"--size", "0"}, {"--size"});
  expect_bad_input({"--size", "4x4x4x4"}, {"--size"});
  expect_bad_input({"--tau", "0.5"}, {"0.5", "viscosity"});
  expect_bad_input({"--tau", "nan"}, {"nan"});
  expect_bad_input({"--re", "-3"}, {"--re", "-3"});
  expect_bad_input({"--re", "100", "--tau", "0.7"}, {"--tau"});
  expect_bad_input({"--velocity", "0.4"}, {"0.4", "half the speed of sound"});
  expect_bad_input({"--subdomains", "1x1x99"}, {"99", "64"});
  expect_bad_input({"--gpu-share", "1.5"}, {"--gpu-share", "1.5"});
  expect_bad_input({"--gpu-share", "half"}, {"--gpu-share", "half"});
  expect_bad_input({"--force", "1,2"}, {"--force"});
  for (const char* force : {"0.1,0,0", "0,-0.1,0", "0,0,0.2"})
    expect_bad_input({"--force", force}, {"body force", "less than 0.1 each"});
  expect_bad_input({"--face=x=wall"}, {"--face", "x=wall"});
  expect_bad_input({"--face=-x=glass"}, {"glass", "periodic"});
  expect_bad_input({"--face=-x=wall:1,2"}, {"wall:1,2"});
  expect_bad_input({"--face=-x=wall:a,0,0"}, {"number", "a"});
  expect_bad_input({"--face=-x=periodic"}, {"-x", "periodic", "+x"});
  expect_bad_input({"--face=-x=pressure:9"}, {"density 9"});
  expect_bad_input({"--face=-x=parabola:0.05"}, {"parabola:0.05", "parabola:u,v,w"});
  expect_bad_input({"--face=-x=parabola:0.13,0,0"}, {"-x", "0.2925"});
  expect_bad_input({"--shape", "cylinder"}, {"--shape", "stream"});
  expect_bad_input({"--slice", "q"}, {"--slice"});
  expect_bad_input({"--slice", "x=64"}, {"--slice", "63"});
  expect_bad_input({"--body", "part.stl"}, {"--body", "stream"});
  expect_bad_input({"--case", "stream", "--body", "part.stl"}, {"part.stl"});
  expect_bad_input({"--case", "stream", "--size", "16", "--position", "90,90,90"}, {"no cell"});
  expect_bad_input({"--case", "poiseuille", "--size", "4x4x32", "--steps", "10", "--verify"}, {"--steps"});
  expect_bad_input({"--size", "600", "--steps", "2", "--verify"}, {"too many"});
  expect_bad_input({"--restart", "none.h5"}, {"none.h5"});
  expect_bad_input({"--restart", file("not a checkpoint", "odd.h5")}, {"odd.h5"});
  expect_bad_input({"--scheduler", "none"}, {"none"});
  expect_bad_input({"--output", "flow.txt"}, {"flow.txt", ".pvd"}, false);
  expect_bad_input({"--output", "nowhere/flow.pvd"}, {"nowhere"}, false);
  expect_bad_input({"--checkpoint", "/proc/state.h5"}, {"/proc/state.h5"}, false);
}

TEST_F(AsterismLbm, ACheckpointOfAnotherRunIsRefused) {
  ASSERT_EQ(run({"--size", "8", "--steps", "4", "--checkpoint", output("a.h5"), "--quiet"}).status, 0);
  const fs::path kept = folder_ / "a.h5";
  fs::rename(output("a.h5"), kept);
  expect_bad_input({"--size", "9", "--restart", kept}, {"8 x 8 x 8", "9 x 9 x 9"});
  expect_bad_input({"--size", "8", "--precision", "single", "--restart", kept}, {"double"});
  expect_bad_input({"--size", "8", "--precision", "half", "--restart", kept}, {"double", "half"});
  expect_bad_input({"--size", "8", "--steps", "3", "--restart", kept}, {"step 4"});
}

TEST_F(AsterismLbm, ADivergingFlowIsStoppedAndLeavesWhatWasWritten) {
  const Ran ran = run({"--size", "20", "--velocity", "0.28", "--tau", "0.5001", "--steps", "100000", "--output",
                       output("flow.pvd"), "--every", "20", "--quiet"});
  EXPECT_EQ(ran.status, 1);
  expect_one_line(ran.err, {"diverged before step"});
  EXPECT_TRUE(fs::exists(output("flow_0000000020.vti")));
  EXPECT_TRUE(contains(contents(output("flow.pvd")), "flow_0000000020.vti"));
  EXPECT_FALSE(contains(ran.out, "time"));
}

}  // namespace
