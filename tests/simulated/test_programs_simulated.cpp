// SPDX-License-Identifier: Apache-2.0
// The solvers on a small simulated machine: the same makespan each time, not more with more GPUs, and errors of one
// line.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/codelet.hpp"
#include "tests/simulated/simulated_runs.hpp"

namespace {

namespace fs = std::filesystem;
using Ran = asterism::tests::SimulatedRun;
using asterism::is_own_codelet;

class SimulatedProgram : public asterism::tests::SimulatedRuns {
 protected:
  /// One GPU, then four, without cores.
  void expect_more_gpus_to_help(const std::string& program, const std::string& options, double at_least) const {
    const double one = seconds(program, options + " --gpus 1 --cpus 0");
    const double four = seconds(program, options + " --gpus 4 --cpus 0");
    EXPECT_GT(one, at_least * four) << program << " " << options;
  }

  void expect_refused(const std::string& program, const std::string& options, const std::string& says,
                      const std::string& platform = BOX) const {
    const Ran ran = run(program, options, platform);
    EXPECT_EQ(ran.status, 2) << program << " " << options;
    EXPECT_NE(ran.errors.find(says), std::string::npos) << ran.errors;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    EXPECT_EQ(ran.errors.find("error: "), program.size() + 2) << ran.errors;
  }
};

TEST_F(SimulatedProgram, ConjugateGradient) {
  expect_the_same_twice("asterism-cg", "--stencil 7pts-40 --iterations 30");
  expect_the_same_twice("asterism-cg", "--stencil 7pts-20 --iterations 5 --gpus 0");
  expect_the_same_twice("asterism-cg", "--stencil 7pts-20 --iterations 5 --units all --blocks 11");
  expect_more_gpus_to_help("asterism-cg", "--stencil 7pts-160 --iterations 20", 2);
  EXPECT_EQ(run("asterism-cg", "--stencil 7pts-12 --max-iterations 17").record["iterations"], 17);
}

TEST_F(SimulatedProgram, EveryFlowOfConjugateGradient) {
  for (const char* flow : {"naive", "refined", "fused", "pipelined"})
    for (const char* decomposition : {"1d", "2d"})
      EXPECT_GT(seconds("asterism-cg", std::string("--stencil 7pts-16 --iterations 3 --gpus 3 --flow ") + flow +
                                           " --decomposition " + decomposition),
                0);
}

TEST_F(SimulatedProgram, FastMultipole) {
  expect_the_same_twice("asterism-fmm", "--particles 20000");
  expect_the_same_twice("asterism-fmm", "--particles 20000 --scheduler dmdas --height 4 --group-size 16");
  expect_more_gpus_to_help("asterism-fmm", "--particles 100000 --height 5 --group-size 32", 2);
}

/// The units that write each datum of local expansions, by its handle in a recording.
std::map<std::string, std::set<std::string>> writers_of_locals(const fs::path& folder) {
  std::map<std::string, std::set<std::string>> writers;
  std::map<std::string, std::string> task;
  std::ifstream file(folder / "tasks.rec");
  for (std::string line; std::getline(file, line);) {
    if (const std::size_t colon = line.find(": "); colon != std::string::npos)
      task[line.substr(0, colon)] = line.substr(colon + 2);
    if (!line.empty()) continue;
    if (task["Name"] == "fmm_m2l" || task["Name"] == "fmm_l2l") {
      std::istringstream handles(task["Handles"]);
      std::istringstream modes(task["Modes"]);
      for (std::string handle, mode; handles >> handle && modes >> mode;)
        if (mode.find('W') != std::string::npos) writers[handle].insert(task["WorkerId"]);
    }
    task.clear();
  }
  return writers;
}

TEST_F(SimulatedProgram, GroupsOfTheFastMultipoleMethodHaveOneGpu) {
  const auto units = [&](const std::string& options) {
    const std::string tree = "--particles 100000 --height 5 --group-size 128 --tree uniform --gpus 4 --trace trace ";
    EXPECT_EQ(run("asterism-fmm", tree + options).status, 0);
    return writers_of_locals(folder_ / "trace");
  };
  const auto writers = units("--cpus 0");
  std::map<std::string, int> groups;
  for (const auto& [handle, of_group] : writers) {
    EXPECT_EQ(of_group.size(), 1U) << handle;
    for (const std::string& unit : of_group) ++groups[unit];
  }
  ASSERT_EQ(groups.size(), 4U);
  for (const auto& [unit, count] : groups) {  // a quarter of the work, in groups of unequal work
    EXPECT_GE(count, static_cast<int>(writers.size()) / 8) << unit;
    EXPECT_LE(count, static_cast<int>(writers.size()) / 2) << unit;
  }
  // a scheduler that is named decides, and so it does beside as many cores
  for (const char* options : {"--cpus 0 --scheduler lws", "--cpus 0 --scheduler-places", "--cpus 4"}) {
    const auto free = units(options);
    EXPECT_TRUE(std::ranges::any_of(free, [](const auto& of_group) { return of_group.second.size() > 1; })) << options;
  }
}

/// With shares of whole groups, and the levels above those of leaves on one GPU, 95 and 90 %.
TEST_F(SimulatedProgram, FourGpusEvaluateInLittleMoreThanTheBound) {
  const auto expect_share = [&](const std::string& options, double at_least) {
    const std::string traced = "--particles 10000000 --accuracy 5 --repeat 2 --trace trace " + options;
    ASSERT_EQ(run("asterism-fmm", traced, MACHINES "/h200x4.toml").status, 0);
    std::ifstream file(folder_ / "trace" / "trace.json");
    const nlohmann::json bound = nlohmann::json::parse(file)["bounds"][0];
    EXPECT_EQ(bound["name"], "LP");
    EXPECT_GE(bound["of_makespan"].get<double>(), at_least) << options;
    EXPECT_LE(bound["of_makespan"].get<double>(), 1) << options;
  };
  expect_share("", 0.97);
  expect_share("--distribution ellipsoid", 0.93);
}

TEST_F(SimulatedProgram, LatticeBoltzmann) {
  expect_the_same_twice("asterism-lbm", "--size 48x32x40 --steps 60");
  expect_the_same_twice("asterism-lbm", "--size 48x32x40 --steps 20 --gpus 0");
  expect_more_gpus_to_help("asterism-lbm", "--size 64x256x64 --steps 20 --subdomains 1x4x1", 2);
}

TEST_F(SimulatedProgram, FiniteDifferences) {
  expect_the_same_twice("asterism-fdtd", "--size 48x32x40 --steps 60");
  expect_the_same_twice("asterism-fdtd", "--size 48x32x40 --steps 20 --gpus 0");
  expect_more_gpus_to_help("asterism-fdtd", "--size 256x64x64 --steps 20", 2);
  for (const char* scheduler : {"greedy", "assignment", "dmdas"})
    EXPECT_GT(seconds("asterism-fdtd", std::string("farm --size 20 --domains 30 --steps 10 --scheduler ") + scheduler),
              0);
}

/// Two GPUs that differ get what they are found to be worth, which is what the platform says, and the bounds count them
/// apart.
TEST_F(SimulatedProgram, FiniteDifferencesOnGpusThatDiffer) {
  const std::string options = "--size 200x20x20 --steps 16 --cpus 0 --gpus 2 --overlap 0 --bricks-per-gpu 1 ";
  const Ran measured = run("asterism-fdtd", options + "--trace trace", TWO_KINDS);
  ASSERT_EQ(measured.status, 0) << measured.errors;
  const nlohmann::json weights = measured.record["pieces"]["gpu_weights"];
  ASSERT_EQ(weights.size(), 2U);
  EXPECT_NEAR(weights[0].get<double>() / weights[1].get<double>(), 3, 0.05);
  const double best = measured.record["seconds"];
  EXPECT_LT(best, 0.6 * seconds("asterism-fdtd", options + "--gpu-weights 1,1", TWO_KINDS));
  EXPECT_LT(best, 1.001 * seconds("asterism-fdtd", options + "--gpu-weights 150,50", TWO_KINDS));
  for (const char* other : {"160,40", "140,60"})
    EXPECT_LT(best, seconds("asterism-fdtd", options + "--gpu-weights " + other, TWO_KINDS)) << other;

  std::ifstream file(folder_ / "trace" / "trace.json");
  const nlohmann::json trace = nlohmann::json::parse(file);
  std::vector<std::string> kinds;
  for (const nlohmann::json& kind : trace.at("kinds")) kinds.push_back(kind.at("name"));
  EXPECT_EQ(kinds, (std::vector<std::string>{"CUDA (quick)", "CUDA (lame)"}));
  EXPECT_FALSE(trace.at("bounds").empty());
  for (const nlohmann::json& bound : trace.at("bounds"))
    EXPECT_LE(bound.at("seconds").get<double>(), trace.at("makespan").get<double>()) << bound.dump();

  for (const char* wrong :
       {"--gpu-weights 1,1,1", "--gpu-weights 1", "--gpu-weights 1,0", "--boxes 2x1x1 --gpu-weights 1,1"})
    EXPECT_EQ(run("asterism-fdtd", options + wrong, TWO_KINDS).status, 2) << wrong;
}

/// 48 bytes of a cell over links of 10 and 4 GB/s to the GPUs and 5 GB/s back.
TEST_F(SimulatedProgram, FiniteDifferencesWithTransfers) {
  const auto transfers = [&](const std::string& options) {
    const Ran ran = run("asterism-fdtd", "--size 256x64x64 --steps 20 --cpus 0 --overlap 0 " + options);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    const double load = ran.record["transfers"]["load_seconds"], unload = ran.record["transfers"]["unload_seconds"];
    EXPECT_NEAR(ran.record["seconds_with_transfers"].get<double>(), load + ran.record["seconds"].get<double>() + unload,
                1e-12);
    return std::pair{load, unload};
  };
  // and as many more as the arrays have for rows of whole cache lines and the planes of neighbours
  const double bytes = 48.0 * 256 * 64 * 64, padding = 1.4;
  const auto near = [&](const std::pair<double, double>& found, double load, double unload) {
    EXPECT_NEAR(found.first / found.second, load / unload, 0.02 * load / unload);
    EXPECT_GT(found.first, load);
    EXPECT_LT(found.first, padding * load);
  };
  near(transfers("--gpus 1 --transfers in-turn"), bytes / 1e10, bytes / 5e9);
  near(transfers("--gpus 2 --transfers in-turn"), bytes / 2 / 1e10 + bytes / 2 / 4e9, bytes / 5e9);
  near(transfers("--gpus 2 --transfers at-once"), bytes / 2 / 4e9, bytes / 2 / 5e9);
  // domains of a farm pass the link, too: 30 of 8.7 MB
  const std::string farm = "farm --size 56 --domains 30 --steps 10 --gpus 1 --cpus 0 --window 1";
  const double more = seconds("asterism-fdtd", farm + " --transfers") - seconds("asterism-fdtd", farm);
  const double alone = 30 * 48.0 * 56 * 56 * 56 * (1 / 1e10 + 1 / 5e9);
  EXPECT_GT(more, alone);
  EXPECT_LT(more, padding * alone);
}

/// Where there is no room for the arrays that several steps in one pass need, steps are taken one by one.
TEST_F(SimulatedProgram, FiniteDifferencesThatFillTheMemoryOfAGpu) {
  const std::string options = "--size 128 --steps 20 --cpus 0 --gpus 1";  // 101 MB of fields, as much beside them
  const double all = seconds("asterism-fdtd", options);
  setenv("STARPU_LIMIT_CUDA_MEM", "150", 1);
  EXPECT_GE(seconds("asterism-fdtd", options), 0.999 * all);
  unsetenv("STARPU_LIMIT_CUDA_MEM");
}

/// What neighbours wait for is behind the other cells, or not.
TEST_F(SimulatedProgram, FiniteDifferencesExchangeAfterTheUpdate) {
  const std::string options = "--size 256x128x128 --steps 20 --cpus 0 --gpus 2 --overlap 0 --bricks-per-gpu 1 ";
  setenv("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT", "0", 1);
  const double hidden = seconds("asterism-fdtd", options),
               after = seconds("asterism-fdtd", options + "--exchange after-update");
  unsetenv("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT");
  // two components of a plane to the GPU with the slow link at least
  const double plane = 2 * 8.0 * 128 * 128;
  EXPECT_GT(after - hidden, 20 * plane / 4e9);
}

TEST_F(SimulatedProgram, BoundaryElements) {
  expect_the_same_twice("asterism-tdbem", "--unknowns 300 --steps 80 --balance-groups 3");
  expect_the_same_twice("asterism-tdbem", "--unknowns 300 --steps 30 --gpus 0 --observer 3,0,0");
  // with StarPU's own reductions nothing moved any more on some numbers of units
  for (const char* units : {"--gpus 1 --cpus 8", "--gpus 2 --cpus 1", "--gpus 2 --cpus 8", "--gpus 4 --cpus 8"})
    for (const char* scheduler : {"dmdas", "eager"})
      expect_the_same_twice(
          "asterism-tdbem",
          std::string("--unknowns 300 --steps 30 --sharing scheduler --scheduler ") + scheduler + " " + units);
}

/// Between a K40c and a GTX 760, whose bus takes far longer for a block of slices than they do.
TEST_F(SimulatedProgram, IntervalsOfBlocksSettleSinceMovesDoNotCount) {
  const Ran ran = run("asterism-tdbem", "--body ellipsoid --unknowns 1000 --cluster 64 --steps 240 --sharing gpus",
                      MACHINES "/system2-k40c.toml");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const nlohmann::json& measured = ran.record["balancing"];
  ASSERT_GE(measured.size(), 3U);
  const auto longest = [](const nlohmann::json& m) {
    const std::vector<double> seconds = m["seconds"];
    return *std::max_element(seconds.begin(), seconds.end());
  };
  double best = 1;
  for (const nlohmann::json& m : measured) best = std::min(best, longest(m));
  // equal ones at first, then at most a block beside the best
  for (std::size_t i = 1; i < measured.size(); ++i) EXPECT_LT(longest(measured[i]), 1.1 * best) << measured[i];
}

TEST_F(SimulatedProgram, GpusWhoseMemoryIsTooSmallForTheMatrices) {
  // 0.26 GB of slices; StarPU's limits are in MiB. Whatever the limit, it is refused or there is an end.
  const std::string options = "--unknowns 2562 --precision single --cluster 32 --gpus 1 --sharing gpus --steps 80";
  const double all = seconds("asterism-tdbem", options);
  double smallest = 0;
  for (const int limit : {1, 30, 42, 44, 70}) {
    setenv("STARPU_LIMIT_CUDA_MEM", std::to_string(limit).c_str(), 1);
    const Ran ran = run("asterism-tdbem", options);
    if (ran.status == 0) {
      if (smallest == 0) smallest = ran.record["seconds"].get<double>();
      continue;
    }
    EXPECT_EQ(ran.status, 2) << limit << ": " << ran.errors;
    EXPECT_NE(ran.errors.find("memory of a GPU"), std::string::npos) << ran.errors;
    EXPECT_EQ(smallest, 0) << limit << " is too little, less is not";
  }
  unsetenv("STARPU_LIMIT_CUDA_MEM");
  EXPECT_GT(smallest, 1.5 * all);  // blocks come again in each group of steps
}

TEST_F(SimulatedProgram, IsRecorded) {
  const Ran ran = run("asterism-cg", "--stencil 11pts-32 --iterations 10 --gpus 2 --cpus 0 --trace trace");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  std::ifstream file(folder_ / "trace" / "trace.json");
  const nlohmann::json trace = nlohmann::json::parse(file);
  EXPECT_GT(trace.at("makespan").get<double>(), 0);
  EXPECT_GT(trace.at("tasks").get<int>(), 50);
  EXPECT_TRUE(fs::exists(folder_ / "trace" / "trace.html"));
  EXPECT_TRUE(fs::exists(folder_ / "trace" / "tasks.rec"));
}

TEST_F(SimulatedProgram, ResultsAreRefused) {
  expect_refused("asterism-cg", "--stencil 7pts-8 --verify", "--verify");
  expect_refused("asterism-cg", "--stencil 7pts-8 --solution x.mtx", "--solution");
  expect_refused("asterism-fmm", "--particles 1000 --output x.csv", "--output");
  expect_refused("asterism-lbm", "--size 16 --png x.png", "--png");
  expect_refused("asterism-fdtd", "--size 16 --checkpoint x.h5", "--checkpoint");
  expect_refused("asterism-tdbem", "--unknowns 100 --solver mumps", "--solver mumps");
}

TEST_F(SimulatedProgram, BadPlatformsAreRefused) {
  expect_refused("asterism-cg", "--stencil 7pts-8", "there is no such platform", "no-such-machine");
  expect_refused("asterism-fmm", "--particles 100", "no such file", "no-such-machine.toml");
  const fs::path file = folder_ / "bad.toml";
  std::ofstream(file) << "description = \"bad\"\n[cpu]\ncores = 2\nrates = { flops = 1, bytes = 1 }\n";
  expect_refused("asterism-lbm", "--size 16", "cpu.rates.seconds", file.string());
  // names of codelets of any method, but no others
  std::ofstream(file) << "description = \"bad\"\n[cpu]\ncores = 2\nrates = { flops = 1, bytes = 1, seconds = 1 }\n"
                         "[codelets.fmm_m2l]\ncpu = { flops = 1 }\n[codelets.lbm_advanced]\ncpu = { flops = 1 }\n";
  expect_refused("asterism-lbm", "--size 16", "found \"lbm_advanced\"; expected a codelet, such as lbm_advance",
                 file.string());
}

/// Performance models of the tasks in a recording.
std::set<std::string> models_in(const fs::path& folder) {
  std::set<std::string> models;
  std::ifstream file(folder / "tasks.rec");
  constexpr std::string_view key = "Model: ";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) models.insert(line.substr(key.size()));
  return models;
}

TEST_F(SimulatedProgram, RunsNoCodeletWhosePriceCannotBeGiven) {
  std::set<std::string> models;
  int runs = 0;
  const auto record = [&](const std::string& program, const std::string& options) {
    const fs::path folder = folder_ / std::to_string(runs++);
    const Ran ran = run(program, options + " --trace '" + folder.string() + "'");
    EXPECT_EQ(ran.status, 0) << program << " " << options << ": " << ran.errors;
    models.merge(models_in(folder));
  };
  for (const char* flow : {"naive", "refined", "fused", "pipelined"})
    record("asterism-cg", std::string("--stencil 7pts-16 --iterations 3 --gpus 2 --cpus 0 --flow ") + flow);
  record("asterism-cg", "--stencil 7pts-16 --iterations 3 --preconditioner jacobi");
  record("asterism-fmm", "--particles 20000");
  for (const char* precision : {"single", "double"}) {
    record("asterism-lbm", std::string("--size 32 --steps 4 --subdomains 1x2x1 --precision ") + precision);
    record("asterism-fdtd", std::string("--size 32 --steps 4 --precision ") + precision);
    record("asterism-tdbem", std::string("--unknowns 300 --steps 30 --observer 3,0,0 --precision ") + precision);
  }
  EXPECT_GT(models.size(), 30U);
  models.erase("starpu_data_cpy");  // StarPU's own
  for (const std::string& model : models) EXPECT_TRUE(is_own_codelet(model)) << model;
}

TEST_F(SimulatedProgram, GpusExchangeByWayOfMainMemoryWhenToldTo) {
  const std::string options = "--stencil 11pts-64 --iterations 20 --gpus 2 --cpus 0 --transfer full";
  const auto with = [&](const char* direct) {
    setenv("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT", direct, 1);
    const double time = seconds("asterism-cg", options);
    unsetenv("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT");
    return time;
  };
  const double direct = seconds("asterism-cg", options);
  EXPECT_EQ(with("1"), direct);
  EXPECT_GT(with("0"), 1.1 * direct);
}

TEST_F(SimulatedProgram, NothingIsLeftBehind) {
  const fs::path own = folder_ / "temporary";  // other tests run beside this one
  fs::create_directory(own);
  EXPECT_EQ(run("asterism-cg", "--stencil 7pts-8 --iterations 2", BOX, "TMPDIR='" + own.string() + "'").status, 0);
  EXPECT_TRUE(fs::is_empty(own));
}

}  // namespace
