// SPDX-License-Identifier: Apache-2.0
// Simulated machines take the time that their platform says: by hand, to a millionth.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

constexpr const char* no_overheads = "STARPU_SIMGRID_FETCHING_INPUT_COST=0 STARPU_SIMGRID_CUDA_QUEUE_COST=0 ";

double seconds(const std::string& graph, const std::string& environment = "STARPU_NCUDA=0",
               const std::string& overheads = no_overheads, const std::string& platform = SLOW) {
  const std::string command = environment +
                              " STARPU_SILENT=1 STARPU_SCHED=eager STARPU_SIMGRID_CUDA_MALLOC_COST=0 "
                              "STARPU_SIMGRID_TASK_SUBMIT_COST=0 STARPU_SIMGRID_TASK_PUSH_COST=0 " +
                              overheads + "timeout 60 '" KNOWN_TIMES "' " + graph + " --simulate '" + platform +
                              "' 2>/dev/null";
  FILE* const output = popen(command.c_str(), "r");
  double value = -1;
  if (output == nullptr || std::fscanf(output, "%lf", &value) != 1) value = -1;
  if (output != nullptr && pclose(output) != 0) value = -1;
  return value;
}

void expect_seconds(double found, double expected) {
  EXPECT_NEAR(found, expected, 1e-6 * expected);
}

TEST(KnownTimes, ChainOnACore) {
  expect_seconds(seconds("chain 20 300 0"), 20 * (3 + 3));
  expect_seconds(seconds("chain 1 5000 2", "STARPU_NCUDA=0 STARPU_NCPU=3"), 3 + 50);
}

TEST(KnownTimes, ChainOnAGpu) {
  // after the datum that makes them a chain has come there, a byte
  expect_seconds(seconds("chain 20 30000 0", "STARPU_NCUDA=1 STARPU_NCPU=0"), 2 + 20 * (7 + 30));
}

TEST(KnownTimes, GpusThatDiffer) {
  const auto of = [](const std::string& graph, const std::string& gpus) {
    return seconds(graph, "STARPU_NCPU=0 STARPU_CUDA_PIPELINE=1 STARPU_NCUDA=" + gpus, no_overheads, TWO_KINDS);
  };
  expect_seconds(of("chain 20 30000 0", "2"), 2 + 20 * (7 + 10));
  expect_seconds(of("chain 20 30000 1", "2"), 2 + 20 * (20 + 30));
  expect_seconds(of("free 1 30000", "1"), 17);
  expect_seconds(of("free 2 30000", "1 STARPU_WORKERS_CUDAID=1"), 2 * 50);
  expect_seconds(of("free 4 30000", "2"), 3 * 17);  // the other one ends a second before
  expect_seconds(of("free 9 30000", "2"), 3 * 50);  // which begins its third when the first is at its sixth
}

TEST(KnownTimes, FreeTasksOnSeveralCores) {
  expect_seconds(seconds("free 23 1000", "STARPU_NCUDA=0 STARPU_NCPU=5"), 5 * (3 + 10));
  expect_seconds(seconds("free 8 1000"), 3 + 10);
  expect_seconds(seconds("free 9 1000"), 2 * (3 + 10));
}

/// What cores have together is shared by all that StarPU has, 250 operations a second here.
TEST(KnownTimes, CoresShareALimit) {
  expect_seconds(seconds("crowd 2 1000", "STARPU_NCUDA=0 STARPU_NCPU=2"), 3 + 10);
  expect_seconds(seconds("crowd 5 1000", "STARPU_NCUDA=0 STARPU_NCPU=5"), 3 + 20);
}

TEST(KnownTimes, DataThatAreReadAndWrittenCountTwice) {
  expect_seconds(seconds("roofline 3 50000000 0"), 3 * (3 + 100));
}

TEST(KnownTimes, MeasuredDurations) {
  expect_seconds(seconds("measured 2 100"), 2 * 20);
  expect_seconds(seconds("measured 2 1000"), 2 * 200);
  expect_seconds(seconds("measured 1 100000"), 20000);
  // not on GPUs, which are there
  expect_seconds(seconds("measured 4 1000", "STARPU_NCUDA=4 STARPU_NCPU=1"), 4 * 200);
}

TEST(KnownTimes, Transfers) {
  const std::string gpus = "STARPU_NCUDA=4 STARPU_NCPU=1";
  expect_seconds(seconds("send 0 1 1000000000", gpus), 2 + 100);
  expect_seconds(seconds("send 0 2 1000000000", gpus), 3 + 250);
  expect_seconds(seconds("send 1 0 1000000000", gpus), 5 + 200);
  expect_seconds(seconds("send 1 2 1000000000", gpus), 0.5 + 50);
  expect_seconds(seconds("send 4 3 200000000", gpus), 0.5 + 10);
}

/// What one GPU sends to several, what several send to one, and what passes between others.
TEST(KnownTimes, CopiesAtOnceAndInTurn) {
  const fs::path file = fs::temp_directory_path() / ("known-times-in-turn-" + std::to_string(getpid()) + ".toml");
  {
    std::ifstream slow(SLOW);
    std::string line;
    for (std::ofstream out(file); std::getline(slow, line);)
      out << line << (line == "[bus]" ? "\nin_turn = true\n" : "\n");
  }
  const auto of = [](const std::string& copies, const std::string& platform) {
    return seconds("send " + copies + " 1000000000", "STARPU_NCUDA=4 STARPU_NCPU=1", no_overheads, platform);
  };
  constexpr double one = 0.5 + 50;
  for (const char* const copies : {"1 2 1 3", "2 1 3 1", "1 2 3 4", "1 2 2 1", "1 2 2 3"})
    expect_seconds(of(copies, SLOW), one);
  for (const char* const copies : {"1 2 3 4", "1 2 2 1", "1 2 2 3"}) expect_seconds(of(copies, file.string()), one);
  for (const char* const copies : {"1 2 1 3", "2 1 3 1"}) expect_seconds(of(copies, file.string()), 2 * one);
  expect_seconds(of("1 2 1 3 1 4", file.string()), 3 * one);
  expect_seconds(of("0 1 2 1", file.string()), 2 + 100 + one);        // from main memory, too
  expect_seconds(of("0 1 0 3", file.string()), of("0 1 0 3", SLOW));  // main memory sends at once
  fs::remove(file);
}

TEST(KnownTimes, Overheads) {
  const fs::path file = fs::temp_directory_path() / ("known-times-" + std::to_string(getpid()) + ".toml");
  {
    std::ifstream slow(SLOW);
    std::ofstream(file) << "overheads = false\n" << slow.rdbuf();
  }
  const auto on_core = [](const std::string& overheads, const std::string& platform) {
    return seconds("chain 20 300 0", "STARPU_NCUDA=0", overheads, platform);
  };
  const auto on_gpu = [](const std::string& overheads, const std::string& platform) {
    return seconds("chain 20 30000 0", "STARPU_NCUDA=1 STARPU_NCPU=0", overheads, platform);
  };
  const double core = on_core("", file.string()), gpu = on_gpu("", file.string());
  EXPECT_NEAR(core, on_core(no_overheads, SLOW), 1e-9);
  EXPECT_NEAR(gpu, on_gpu(no_overheads, SLOW), 1e-9);
  // a microsecond for the datum of each task (of the first on a GPU, while it travels), ten for each task and for the
  // copy of the datum; who says so gets them on any platform
  constexpr double data = 20 * 1e-6, queue = (20 + 1) * 1e-5;
  EXPECT_NEAR(on_core("", SLOW) - core, data, 1e-8);
  EXPECT_NEAR(on_gpu("", SLOW) - gpu, data - 1e-6 + queue, 1e-8);
  EXPECT_NEAR(on_core("STARPU_SIMGRID_FETCHING_INPUT_COST=1 ", file.string()) - core, data, 1e-8);
  EXPECT_NEAR(on_gpu("STARPU_SIMGRID_CUDA_QUEUE_COST=1 ", file.string()) - gpu, queue, 1e-8);
  // as long as a platform says; the datum of a GPU's first task travels meanwhile
  {
    std::ifstream slow(SLOW);
    std::ofstream(file) << "overheads = { launch = 3e-6, copy = 2e-5, datum = 4e-7 }\n" << slow.rdbuf();
  }
  EXPECT_NEAR(on_core("", file.string()) - core, 20 * 4e-7, 1e-8);
  EXPECT_NEAR(on_gpu("", file.string()) - gpu, 19 * 4e-7 + 20 * 3e-6 + 2e-5, 1e-8);
  fs::remove(file);
}

TEST(KnownTimes, NothingRunsWithoutAPlatform) {
  EXPECT_EQ(std::system("'" KNOWN_TIMES "' chain 1 1 0 >/dev/null 2>&1") >> 8, 2);
  EXPECT_EQ(std::system("'" KNOWN_TIMES "' chain 1 1 0 --simulate no-such-machine >/dev/null 2>&1") >> 8, 2);
}

}  // namespace
