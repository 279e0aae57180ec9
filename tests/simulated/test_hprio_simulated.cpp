// SPDX-License-Identifier: Apache-2.0
// "hprio" on simulated machines of CPUs and GPUs (StarPU over SimGrid, drivers that sleep until they are woken): how
// long its schedules are, and what each rule is worth. And what the rules of "er-ls" and "multiprio" come to there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct Ran {
  double milliseconds = -1;  ///< -1: it did not end well
  int near_on_cpus = -1;
};

/// `graph`: arguments of simulated_graph. `environment`: NAME=VALUE, separated by spaces.
Ran simulate(int cpus, int gpus, const std::string& graph, const std::string& environment = "") {
  const std::string command = "STARPU_SILENT=1 STARPU_HOSTNAME=h200x4 STARPU_PERF_MODEL_DIR='" ASTERISM_PLATFORM
                              "' STARPU_SIMGRID_CUDA_MALLOC_COST=0 STARPU_WORKERS_NOBIND=1 STARPU_SCHED=hprio "
                              "STARPU_SCHED_LIB='" ASTERISM_SCHEDULER_LIB "' STARPU_NCPU=" +
                              std::to_string(cpus) + " STARPU_NCUDA=" + std::to_string(gpus) + " " + environment +
                              " timeout 60 '" SIMULATED_GRAPH "' " + graph + " 2>/dev/null";
  Ran ran;
  FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) return ran;
  const bool read = std::fscanf(output, "%lf %d", &ran.milliseconds, &ran.near_on_cpus) == 2;
  if (pclose(output) != 0 || !read) return {};
  return ran;
}

/// No schedule is shorter: work is divided as one likes, P2P first to the GPUs and M2L first to the CPUs (the area
/// bound; both kinds are busy all the time, so one unknown settles it).
double area(int cpus, int gpus, double p2p, double m2l, double slower = 1) {
  const double host = 2 * slower * m2l / 8;  // P2M and L2P
  // all P2P on GPUs and x M2L: (host + 3 s (m2l - x)) / cpus = (p2p + x) / gpus
  const double x = (gpus * (host + 3 * slower * m2l) - cpus * p2p) / (cpus + 3 * slower * gpus);
  if (x >= 0) return (p2p + x) / gpus;
  // all M2L on CPUs and y P2P: (host + 3 s m2l + 30 s y) / cpus = (p2p - y) / gpus
  const double y = (cpus * p2p - gpus * (host + 3 * slower * m2l)) / (cpus + 30 * slower * gpus);
  return (p2p - y) / gpus;
}

TEST(HprioSimulated, FarFieldDominates) {
  const double bound = area(8, 1, 100, 480);
  const Ran all = simulate(8, 1, "100 480 1000");
  EXPECT_GE(all.milliseconds, bound);
  EXPECT_LE(all.milliseconds, 1.03 * bound);
  EXPECT_EQ(all.near_on_cpus, 0);
  EXPECT_GT(simulate(8, 1, "100 480 1000", "ASTERISM_HPRIO_RULES=-termination").milliseconds, 1.04 * all.milliseconds);
  EXPECT_GT(simulate(8, 1, "100 480 1000", "ASTERISM_HPRIO_RULES=-priorities").milliseconds, 1.2 * all.milliseconds);
}

TEST(HprioSimulated, NearFieldDominates) {
  // the last 30 P2P are left to the GPU: 6.3 ms more than if they could be divided
  const double bound = area(8, 1, 200, 200);
  const Ran all = simulate(8, 1, "200 200 1000");
  EXPECT_GE(all.milliseconds, bound);
  EXPECT_LE(all.milliseconds, bound + 10);
  EXPECT_GT(all.near_on_cpus, 10);
  EXPECT_GT(simulate(8, 1, "200 200 1000", "ASTERISM_HPRIO_RULES=-termination").milliseconds, 1.05 * all.milliseconds);
  EXPECT_GT(simulate(8, 1, "200 200 1000", "ASTERISM_HPRIO_RULES=-priorities").milliseconds, 1.15 * all.milliseconds);
  EXPECT_GT(simulate(8, 1, "50 24 1000", "ASTERISM_HPRIO_RULES=-termination").milliseconds,
            1.25 * simulate(8, 1, "50 24 1000").milliseconds);
}

TEST(HprioSimulated, CoresHelpAGpuThatIsFarFasterAtEverything) {
  // 24 M2L are fewer than their speedup of 30, but the GPU is busy with P2P
  const Ran all = simulate(8, 1, "200 24 1000 1 10");
  const double bound = area(8, 1, 200, 24, 10);
  EXPECT_GE(all.milliseconds, bound);
  EXPECT_LE(all.milliseconds, 1.05 * bound);
  EXPECT_GT(simulate(8, 1, "200 24 1000 1 10", "ASTERISM_HPRIO_RULES=-backlog").milliseconds, 1.07 * all.milliseconds);
}

TEST(HprioSimulated, ATableAndSpeedupsFoundGiveTheSame) {
  const double found = simulate(8, 2, "200 480 1000").milliseconds;
  const double given = simulate(8, 2, "200 480 1000",
                                "ASTERISM_HPRIO_ORDER='\n"
                                "p2m codelet=sim_p2m 0 -\n"
                                "l2p codelet=sim_l2p 1 -\n"
                                "m2l codelet=sim_m2l 2 1\n"
                                "p2p codelet=sim_p2p 3 0'")
                           .milliseconds;
  EXPECT_GT(found, 0);
  EXPECT_NEAR(given, found, 0.03 * found);
  EXPECT_LE(found, 1.05 * area(8, 2, 200, 480));
}

TEST(HprioSimulated, SpeedupsAreMeasuredWhereThereIsNoModel) {
  const Ran measured = simulate(8, 1, "200 200 1000 0");
  EXPECT_GT(measured.milliseconds, 0);
  EXPECT_LE(measured.milliseconds, 1.25 * area(8, 1, 200, 200));
}

TEST(HprioSimulated, DataArriveWhileTheGpuComputes) {
  // 1 ms of transfer for each ms of P2P; without the driver's own pipeline
  const std::string graph = "100 240 40000000";
  const double all = simulate(8, 1, graph, "STARPU_CUDA_PIPELINE=0").milliseconds;
  EXPECT_GT(all, 0);
  EXPECT_GT(simulate(8, 1, graph, "STARPU_CUDA_PIPELINE=0 ASTERISM_HPRIO_RULES=-prefetch").milliseconds, 1.1 * all);
  // with it, less
  EXPECT_GE(simulate(8, 1, graph, "ASTERISM_HPRIO_RULES=-prefetch").milliseconds, simulate(8, 1, graph).milliseconds);
}

TEST(HprioSimulated, EndsOnMachinesOfEveryShape) {
  for (const int cpus : {1, 3, 16})
    for (const int gpus : {0, 1, 4})
      for (const char* rules : {"", "-termination", "-backlog", "-priorities", "-prefetch"})
        EXPECT_GT(simulate(cpus, gpus, "40 80 100000", std::string("ASTERISM_HPRIO_RULES=") + rules).milliseconds, 0)
            << cpus << " " << gpus << " " << rules;
}

// ---- the others; P2P takes 30 ms on a CPU, M2L 3 ms, and 1 ms on a GPU

TEST(ErLsSimulated, TheRuleOfSquareRoots) {
  const auto run = [](int cpus, const char* graph) { return simulate(cpus, 1, graph, "STARPU_SCHED=er-ls"); };
  // P2P goes to CPUs from 30^2 of them on; M2L from 9 on, where CPUs take what the GPU does not end in 3 ms
  EXPECT_EQ(run(16, "100 0 8").near_on_cpus, 0);
  EXPECT_NEAR(run(16, "100 0 8").milliseconds, 100, 5);
  EXPECT_GE(run(8, "0 96 8").milliseconds, 96);
  EXPECT_LE(run(9, "0 96 8").milliseconds, 40);
}

TEST(MultiprioSimulated, CoresTakeOnlyWhatTheGpuIsBusyForLongEnough) {
  const auto run = [](const char* graph) { return simulate(8, 1, graph, "STARPU_SCHED=multiprio"); };
  const Ran few = run("25 0 8");
  EXPECT_EQ(few.near_on_cpus, 0);
  EXPECT_NEAR(few.milliseconds, 25, 3);
  // eight at once, and eight more after 30 ms, when some 60 are left; after 60 ms, fewer than 30
  const Ran many = run("100 0 8");
  EXPECT_EQ(many.near_on_cpus, 16);
  EXPECT_NEAR(many.milliseconds, 84, 4);
}

TEST(OthersSimulated, EndOnMachinesOfEveryShape) {
  for (const int cpus : {1, 16})
    for (const int gpus : {0, 1, 4})
      for (const char* scheduler : {"STARPU_SCHED=er-ls", "STARPU_SCHED=multiprio"})
        for (const char* graph : {"40 80 100000", "40 80 100000 0"})
          EXPECT_GT(simulate(cpus, gpus, graph, scheduler).milliseconds, 0) << cpus << " " << gpus << " " << scheduler;
}

}  // namespace
