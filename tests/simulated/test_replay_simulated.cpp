// SPDX-License-Identifier: Apache-2.0
// asterism-replay: recordings of Asterism's programs and of one that it never saw, on simulated machines.
#include <sys/resource.h>

#include <cmath>
#include <limits>
#include <map>

#include "tests/simulated/simulated_runs.hpp"

namespace asterism::tests {
namespace {

class Replay : public SimulatedRuns {
 protected:
  /// Runs a command in folder_; its status.
  [[nodiscard]] int shell(const std::string& command) const {
    const int status = std::system(("cd '" + folder_.string() + "' && STARPU_SILENT=1 " + command).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }
  /// The tile Cholesky factorisation, recorded by StarPU on two cores of this machine: prof_file__0.
  void record_cholesky(int tiles, int rows) const {
    const std::string command =
        "STARPU_NCPU=2 STARPU_NCUDA=0 STARPU_CALIBRATE=1 STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX=\"$PWD/\" "
        "STARPU_PERF_MODEL_DIR=\"$PWD/models\" '" TILE_CHOLESKY "' " +
        std::to_string(tiles) + " " + std::to_string(rows) + " >/dev/null";
    ASSERT_EQ(shell(command), 0);
    ASSERT_TRUE(std::filesystem::exists(folder_ / "prof_file__0"));
  }
  /// Seconds of a replay.
  [[nodiscard]] double replayed(const std::string& options, const std::string& platform = BOX) const {
    return seconds("asterism-replay", options, platform);
  }
  [[nodiscard]] nlohmann::json trace(const std::string& folder = "replayed") const {
    return nlohmann::json::parse(std::ifstream(folder_ / folder / "trace.json"));
  }
  void expect_bad_input(const std::string& options, const std::string& words, const std::string& platform = BOX) const {
    const SimulatedRun ran = run("asterism-replay", options, platform);
    EXPECT_EQ(ran.status, 2) << options;
    EXPECT_NE(ran.errors.find(words), std::string::npos) << ran.errors;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
  }
};

/// A recording on its own machine under its own scheduler: static mapping by coordinates, scalars that stay in main
/// memory, two kinds of units that share the work.
TEST_F(Replay, GivesTheMakespanOfTheRecordingBack) {
  struct Case {
    std::string program, options, scheduler, machine;
  };
  for (const Case& c :
       {Case{"asterism-cg", "--stencil 11pts-64 --iterations 30 --quiet", "cyclic", MACHINES "/h200x4.toml"},
        Case{"asterism-cg", "--stencil 11pts-64 --iterations 30 --quiet --flow refined", "cyclic",
             MACHINES "/nehalem-m2070.toml"},
        Case{"asterism-fmm", "--particles 300000 --accuracy 5 --quiet", "hprio", MACHINES "/nehalem-m2070.toml"},
        Case{"asterism-fmm", "--particles 300000 --distribution ellipsoid --accuracy 5 --quiet", "dmdas",
             MACHINES "/nehalem-m2070.toml"}}) {
    const SimulatedRun ran = run(c.program, c.options + " --scheduler " + c.scheduler + " --trace recorded", c.machine);
    ASSERT_EQ(ran.status, 0) << ran.errors;
    const SimulatedRun again = run("asterism-replay", "recorded --quiet --scheduler " + c.scheduler, c.machine);
    ASSERT_EQ(again.status, 0) << again.errors;
    const double recorded = again.record["recording"]["seconds"];
    EXPECT_NEAR(again.record["seconds"].get<double>() / recorded, 1, 0.05) << c.program << " " << c.options;
    std::filesystem::remove_all(folder_ / "recorded");
  }
}

/// A program that Asterism never saw, on two machines that it never ran on.
TEST_F(Replay, RunsAGraphThatIsNotOurs) {
  record_cholesky(12, 48);
  for (const char* machine : {MACHINES "/nehalem-m2070.toml", MACHINES "/h200x4.toml"}) {
    double best = std::numeric_limits<double>::infinity(), worst = 0;
    for (const char* scheduler : {"hprio", "dmdas", "dmda", "lws", "eager", "prio", "dm", "modular-heft"}) {
      const SimulatedRun ran = run(
          "asterism-replay", "prof_file__0 --quiet --trace replayed --scheduler " + std::string(scheduler), machine);
      ASSERT_EQ(ran.status, 0) << scheduler << ": " << ran.errors;
      EXPECT_EQ(ran.record["recording"]["tasks"], 12 * 13 * 14 / 6);
      const double time = ran.record["seconds"];
      best = std::min(best, time);
      worst = std::max(worst, time);
      ASSERT_GE(trace()["bounds"].size(), 3U);
      const nlohmann::json bounds = trace()["bounds"];
      for (const nlohmann::json& bound : bounds)
        EXPECT_LE(bound.at("seconds").get<double>(), time * (1 + 1e-9)) << scheduler << " " << bound;
      std::filesystem::remove_all(folder_ / "replayed");
    }
    EXPECT_GT(worst, 1.02 * best);  // schedulers decide here
  }
}

/// Two tasks, one after the other, and one beside them; durations of a platform's file.
TEST_F(Replay, TakesDurationsFromTheSourcesInOrder) {
  record_cholesky(2, 32);  // potrf, trsm, syrk, potrf in a chain
  const auto machine = [&](const std::string& codelets) {
    std::ifstream in(BOX);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    std::ofstream(folder_ / "known.toml") << text << codelets;
    return (folder_ / "known.toml").string();
  };
  const std::string all = machine(
      "[codelets.tile_potrf]\ncpu = { seconds = 1e-3 }\ngpu = \"none\"\n"
      "[codelets.tile_trsm]\ncpu = { seconds = 2e-3 }\ngpu = \"none\"\n"
      "[codelets.tile_syrk]\ncpu = { seconds = 4e-3 }\ngpu = \"none\"\n");
  EXPECT_NEAR(replayed("prof_file__0 --quiet", all), 8e-3, 2e-4);
  EXPECT_LT(replayed("prof_file__0 --quiet --order recording", all), 4e-3);
  EXPECT_LT(replayed("prof_file__0 --quiet --order rates,recording", BOX), 4e-3);
  const std::string some = machine("[codelets.tile_trsm]\ncpu = \"none\"\ngpu = \"none\"\n");
  expect_bad_input("prof_file__0 --quiet", "tile_trsm", some);
  record_cholesky(6, 32);  // StarPU's models keep no class of one task
  const SimulatedRun ran = run("asterism-replay", "prof_file__0 --quiet --models models --order models");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  std::uint64_t from_models = 0;
  for (const auto& line : ran.record["durations"]) from_models += line["models"].get<std::uint64_t>();
  EXPECT_EQ(from_models, 6 * 7 * 8 / 6);
}

/// The same factors for the same seed, unknown to the scheduler; the mean stays.
TEST_F(Replay, Noise) {
  record_cholesky(10, 32);
  const std::string options = "prof_file__0 --quiet --scheduler dmdas --cpus 1 --gpus 0 --order recording";
  const double exact = replayed(options);
  double sum = 0;
  constexpr int seeds = 8;
  for (int seed = 1; seed <= seeds; ++seed) {
    const std::string noisy = options + " --noise 0.3 --seed " + std::to_string(seed);
    const double time = replayed(noisy);
    EXPECT_EQ(replayed(noisy), time);
    EXPECT_NE(time, exact);
    sum += time;
  }
  // the mean of 8 x 220 factors of deviation 0.3, weighted
  EXPECT_NEAR(sum / seeds / exact, 1, 0.05);
}

/// asterism-compare bounds a replay by the durations that were replayed, not by the platform's rates, which are higher.
TEST_F(Replay, IsBoundedByTheDurationsReplayed) {
  record_cholesky(8, 96);
  std::ifstream box(BOX);
  std::string text{std::istreambuf_iterator<char>(box), {}};
  text.replace(text.find("flops = 1e9"), 11, "flops = 1e13");
  std::ofstream(folder_ / "fast.toml") << text;
  const std::string program =
      "'" ORDINARY_PROGRAMS "/asterism-replay' prof_file__0 --quiet --cpus 1 --gpus 0 --order recording";
  ASSERT_EQ(shell("'" ORDINARY_PROGRAMS
                  "/asterism-compare' --schedulers eager,lws --simulate ./fast.toml --work compared -- " +
                  program + " >/dev/null 2>errors"),
            0);
  const nlohmann::json compared = nlohmann::json::parse(std::ifstream(folder_ / "compared" / "compare.json"));
  ASSERT_EQ(compared["schedulers"].size(), 2U);
  for (const auto& scheduler : compared["schedulers"]) {
    EXPECT_GE(scheduler["makespan_over_lp"].get<double>(), 1 - 1e-9);
    EXPECT_LT(scheduler["makespan_over_lp"].get<double>(), 1.2);
  }
}

/// A written graph is replayed as its recording: data that stay where they are, durations and coordinates are in it.
TEST_F(Replay, WritesTheGraph) {
  const std::string machine = MACHINES "/h200x4.toml";
  ASSERT_EQ(run("asterism-cg", "--stencil 11pts-64 --iterations 10 --quiet --trace recorded", machine).status, 0);
  ASSERT_EQ(shell("'" ORDINARY_PROGRAMS "/asterism-replay' recorded --quiet --write-graph graph"), 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "graph" / "paje.trace"));
  for (const std::string scheduler : {"cyclic", "dmdas"})
    for (const std::string order : {"platform", "models"})
      EXPECT_EQ(replayed("graph --quiet --scheduler " + scheduler + " --order " + order, machine),
                replayed("recorded --quiet --scheduler " + scheduler + " --order " +
                             (order == "models" ? "recording" : order),
                         machine));
}

/// A generated graph, directly and from its files; those of the archive are what the generator makes today.
TEST_F(Replay, GeneratesGraphs) {
  for (const std::string shape : {"layered", "fork-join", "wavefront", "tree"}) {
    const std::string rule = shape + ":600";
    const double time = replayed("--generate " + rule + " --quiet --scheduler dmdas", MACHINES "/nehalem-m2070.toml");
    EXPECT_EQ(time, replayed(GRAPHS "/" + shape + " --quiet --scheduler dmdas", MACHINES "/nehalem-m2070.toml"));
    const SimulatedRun ran =
        run("asterism-replay", "--generate " + rule + ":2 --quiet --scheduler dmdas", MACHINES "/nehalem-m2070.toml");
    ASSERT_EQ(ran.status, 0) << ran.errors;
    EXPECT_NE(ran.record["seconds"].get<double>(), time);
    const nlohmann::json& facts = ran.record["recording"];
    EXPECT_GE(ran.record["seconds"].get<double>(), facts["path_seconds"].get<double>());
    EXPECT_GE(facts["work_seconds"].get<double>(), facts["path_seconds"].get<double>());
  }
  expect_bad_input("--generate bush:5", "bush");
  expect_bad_input("prof_file__0 --generate tree:5", "--generate");
  expect_bad_input("", "recording");
}

/// Joules of a replay are those of its trace, at least what the linear program says for this makespan, and what runs on
/// one kind of unit can be told by hand.
/// 10^5 tasks take no more than twice the processor time for each of 10^4, and no more than 1 GB: the memory of the
/// largest program that the test started.
TEST_F(Replay, LargeGraphs) {
  const auto used = [&](const std::string& graph) {
    rusage before{}, after{};
    getrusage(RUSAGE_CHILDREN, &before);
    EXPECT_GT(replayed("--generate " + graph + " --scheduler hprio --quiet", MACHINES "/nehalem-m2070.toml"), 0);
    getrusage(RUSAGE_CHILDREN, &after);
    EXPECT_LT(after.ru_maxrss, 1000000) << graph;
    return static_cast<double>(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
           1e-6 * static_cast<double>(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
  };
  const double small = used("cholesky:5000");
  EXPECT_LT(used("cholesky:50000"), 20 * small);
}

TEST_F(Replay, Energy) {
  const std::string machine = MACHINES "/nehalem-m2070.toml";  // a core 4 W idle and 16 W busy
  const SimulatedRun ran =
      run("asterism-replay", GRAPHS "/tree --quiet --optimum --trace replayed --scheduler lws", machine);
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const nlohmann::json& energy = ran.record["energy"];
  const double joules = energy["joules"];
  EXPECT_NEAR(trace()["energy"]["joules"].get<double>() / joules, 1, 0.02);
  EXPECT_LE(energy["least_at_this_makespan"].get<double>(), joules);
  EXPECT_LE(energy["front"].back()[1].get<double>(), joules);
  const SimulatedRun cores =
      run("asterism-replay", GRAPHS "/tree --quiet --optimum --scheduler eager --gpus 0 --cpus 4", machine);
  ASSERT_EQ(cores.status, 0) << cores.errors;
  const double work = cores.record["recording"]["seconds"];  // generated: as one core runs it
  EXPECT_NEAR(cores.record["energy"]["joules"].get<double>(),
              4 * 4 * cores.record["seconds"].get<double>() + (16 - 4) * work, 1e-3);
  EXPECT_NEAR(cores.record["energy"]["least_at_this_makespan"].get<double>(),
              cores.record["energy"]["joules"].get<double>(), 1e-3);
  EXPECT_FALSE(run("asterism-replay", GRAPHS "/tree --quiet --scheduler eager").record.contains("energy"));
}

TEST_F(Replay, SaysWhatIsWrong) {
  record_cholesky(2, 8);
  expect_bad_input("nowhere", "nowhere");
  expect_bad_input("prof_file__0 --order recording,wrong", "wrong");
  expect_bad_input("prof_file__0 --order recording,recording", "once");
  expect_bad_input("prof_file__0 --noise -1", "--noise");
  expect_bad_input("prof_file__0 --scheduler nosuch", "nosuch");
  expect_bad_input("prof_file__0 --scheduler heteroprio", "heteroprio");
  expect_bad_input("prof_file__0 --order recording --cpus 0", "tile_potrf");
  std::filesystem::create_directories(folder_ / "circle");
  const auto task = [](int id, int after) {
    const std::string number = std::to_string(id);
    return "Name: a\nModel: a\nJobId: " + number + "\nSubmitOrder: " + number +
           "\nDependsOn: " + std::to_string(after) +
           "\nPriority: 0\nWorkerId: 0\nMemoryNode: 0\nSubmitTime: 0.1\nStartTime: " + number +
           ".0\nEndTime: " + number + ".5\nFootprint: 1\nIteration: -1\n\n";
  };
  std::ofstream(folder_ / "circle" / "tasks.rec") << task(1, 2) << task(2, 1);
  expect_bad_input("circle", "circle");
}

/// 100 MB read and 100 MB written at 10 GB/s on a core, 100 on a GPU that holds them.
TEST_F(Replay, TasksWithoutOperationsTakeTheirBytes) {
  std::filesystem::create_directories(folder_ / "copy");
  std::ofstream(folder_ / "copy" / "tasks.rec")
      << "Name: copy\nModel: copy\nJobId: 1\nHandles: a b\nModes: R W\nSizes: 100000000 100000000\nFootprint: beef\n"
         "Tag: 0\nWorkerId: 0\nMemoryNode: 0\nSubmitTime: 0.0\nStartTime: 0\nEndTime: 3\n\n";
  expect_bad_input("copy --order platform,rates", "copy");
  EXPECT_NEAR(replayed("copy --gpus 0 --order platform,rates,bytes --scheduler eager --quiet"), 20e-3, 1e-4);
  EXPECT_NEAR(replayed("copy --cpus 0 --gpus 1 --order bytes --scheduler eager --quiet"), 12e-3, 1e-3);
  EXPECT_NEAR(replayed("copy --gpus 0 --order recording,bytes --scheduler eager --quiet"), 3e-3, 1e-4);
}

/// Two ranks, one task each; the second reads what the first sent: 100 MB, which pass through main memory. Written by
/// hand as StarPU's converter leaves them; ms.
TEST_F(Replay, RanksAreReplayedAsOneProcess) {
  std::filesystem::create_directories(folder_ / "ranks");
  const std::string datum = "\nSizes: 100000000\nGFlop: 0.2\nFootprint: beef\nTag: 0\nWorkerId: 0\nMemoryNode: 0\n";
  std::ofstream(folder_ / "ranks" / "tasks.rec")
      << "Name: first\nModel: first\nJobId: 0_1\nHandles: a\nModes: W" << datum
      << "SubmitTime: 0.0\nStartTime: 0\nEndTime: 3\nMPIRank: 0\n\n"
      << "JobId: 0_2\nDependsOn: 0_1\nTag: 0\nMPIRank: 0\n\nJobId: 1_1\nTag: 0\nMPIRank: 1\n\n"
      << "Name: second\nModel: second\nJobId: 1_2\nDependsOn: 1_1\nHandles: b\nModes: R" << datum
      << "SubmitTime: 0.0\nStartTime: 5\nEndTime: 7\nMPIRank: 1\n\n";
  std::ofstream(folder_ / "ranks" / "comms.rec")
      << "Src: 0\nDst: 1\nTag: 1\nSendTime: 3\nRecvTime: 4\nSendHandle: a\nRecvHandle: b\nSendJobId: 0_2\n"
         "RecvJobId: 1_1\nSize: 100000000\nPriority: 0\nType: PointToPoint\n\n";
  // 3 and 2 ms on cores, which copy nothing
  EXPECT_NEAR(replayed("ranks --gpus 0 --order recording --scheduler eager --quiet"), 5e-3, 1e-4);
  // 1 ms each on the GPU; 20 ms from it and 10 to it
  const SimulatedRun on_gpu =
      run("asterism-replay", "ranks --cpus 0 --gpus 1 --order rates --scheduler eager --quiet --write-graph graph");
  ASSERT_EQ(on_gpu.status, 0) << on_gpu.errors;
  const double seconds = on_gpu.record["seconds"];
  EXPECT_NEAR(seconds, 32e-3, 1e-3);
  EXPECT_EQ(on_gpu.record["recording"]["ranks"], 2);
  EXPECT_EQ(on_gpu.record["recording"]["tasks"], 2);
  EXPECT_EQ(replayed("graph --cpus 0 --gpus 1 --order rates --scheduler eager --quiet"), seconds);
  expect_bad_input("ranks --order recording --optimum", "2 processes");
  expect_bad_input("ranks --order recording --scheduler static", "2 processes");
}

/// A K40c beside a GTX 760, which is an eighth as fast at products: HeteroPrio that took GPUs for alike needed 1.3
/// times the bound.
TEST_F(Replay, HeteroPrioTellsKindsOfGpusApart) {
  const std::string graph = GRAPHS "/cholesky-16 --order platform,rates --quiet --trace replayed --scheduler hprio";
  const auto computing = [&](const std::string& table) {
    const SimulatedRun ran = run("asterism-replay", graph, MACHINES "/system2-k40c.toml",
                                 table.empty() ? "" : "ASTERISM_HPRIO_ORDER='" + table + "'");
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(ran.errors, "");
    std::map<std::string, double> by_kind;
    const nlohmann::json kinds = trace()["kinds"];
    for (const nlohmann::json& kind : kinds) by_kind[kind.at("name")] = kind.at("computing");
    return std::pair(ran.record["seconds"].get<double>(), by_kind);
  };
  const auto [alone, everywhere] = computing("");
  double greatest = 0;
  const nlohmann::json bounds = trace()["bounds"];
  for (const nlohmann::json& bound : bounds) greatest = std::max(greatest, bound.at("seconds").get<double>());
  EXPECT_LT(alone, 1.1 * greatest);
  const std::string small_one = "CUDA (GeForce GTX 760)";
  ASSERT_EQ(everywhere.count(small_one), 1U);
  EXPECT_GT(everywhere.at(small_one), 0.5);
  const auto [without, not_there] = computing("units CPU *K40c* *760*\nall codelet=* 1 0 -");
  EXPECT_EQ(not_there.at(small_one), 0);
  EXPECT_GT(without, alone);
}

/// Every scheduler's time is in the interval of the optimum or above it; the schedule made before the run is followed,
/// from the program itself and from its file, and the same noise changes its time by less than the noise.
TEST_F(Replay, OptimumAndStaticSchedule) {
  const std::string machine = MACHINES "/nehalem-m2070.toml";
  ASSERT_EQ(run("asterism-fmm", "--particles 50000 --accuracy 5 --quiet --trace recorded", machine).status, 0);
  double upper = 0;
  for (const std::string scheduler : {"static", "hprio"}) {
    const SimulatedRun ran = run("asterism-replay", "recorded --quiet --optimum --scheduler " + scheduler, machine);
    ASSERT_EQ(ran.status, 0) << ran.errors;
    const nlohmann::json& found = ran.record["optimum"];
    EXPECT_GT(std::min(found["lp"].get<double>(), found["path"].get<double>()), 0);
    EXPECT_GE(found["lower"].get<double>() * (1 + 1e-9),
              std::max(found["lp"].get<double>(), found["path"].get<double>()));
    for (const auto& [what, share] : found["busy"].items()) EXPECT_LE(share.get<double>(), 1 + 1e-9) << what;
    EXPECT_LE(found["lower"].get<double>(), found["upper"].get<double>() * (1 + 1e-9));
    EXPECT_LE(found["upper"].get<double>(), ran.record["seconds"].get<double>() * (1 + 1e-9));
    EXPECT_GE(found["schedules"].size(), 6U);
    if (scheduler != "static") continue;
    upper = found["schedules"][0]["seconds"];
    EXPECT_NEAR(ran.record["seconds"].get<double>() / upper, 1, 0.05);
  }
  ASSERT_EQ(run("asterism-replay", "recorded --quiet --scheduler hprio --write-schedule sched.rec", machine).status, 0);
  ASSERT_TRUE(std::filesystem::exists(folder_ / "sched.rec"));
  setenv("ASTERISM_STATIC_SCHEDULE", (folder_ / "sched.rec").c_str(), 1);
  const SimulatedRun followed = run("asterism-replay", "recorded --quiet --scheduler static", machine);
  const SimulatedRun noisy = run("asterism-replay", "recorded --quiet --scheduler static --noise 0.1", machine);
  unsetenv("ASTERISM_STATIC_SCHEDULE");
  EXPECT_FALSE(followed.record.contains("optimum"));
  EXPECT_NEAR(followed.record["seconds"].get<double>() / upper, 1, 0.05);
  EXPECT_NEAR(noisy.record["seconds"].get<double>() / followed.record["seconds"].get<double>(), 1, 0.15);
}

}  // namespace
}  // namespace asterism::tests
