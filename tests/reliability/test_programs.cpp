// SPDX-License-Identifier: Apache-2.0
// What the five programs promise of their files (docs/reliability.md): the same tests for each of them. With
// RELIABILITY_ALL=1 every system call of a run is a place to be killed at, else a few are.
#include <algorithm>
#include <array>
#include <fstream>
#include <random>

#include "tests/apps/run_program.hpp"

namespace {

using namespace asterism::tests;

struct Method {
  const char* name;
  const char* variable;  ///< of the environment, which may name the program elsewhere
  const char* program;
  Arguments problem;
  const char* steps;       ///< the option with their number
  Arguments results = {};  ///< files besides the checkpoint
};

std::ostream& operator<<(std::ostream& out, const Method& method) {
  return out << method.name;
}

const std::array<Method, 5> methods{
    Method{"cg",
           "ASTERISM_CG",
           ASTERISM_CG,
           {"--stencil", "7pts-16", "--flow", "fused"},
           "--iterations",
           {"--solution", "x.mtx"}},
    Method{"fmm",
           "ASTERISM_FMM",
           ASTERISM_FMM,
           {"--particles", "60", "--accuracy", "3", "--height", "3", "--group-size", "8"},
           "--steps"},
    Method{"lbm", "ASTERISM_LBM", ASTERISM_LBM, {"--size", "14x11x9", "--re", "30"}, "--steps", {"--output", "o.h5"}},
    Method{"fdtd", "ASTERISM_FDTD", ASTERISM_FDTD, {"--size", "14x11x9"}, "--steps", {"--output", "o.h5"}},
    Method{"tdbem",
           "ASTERISM_TDBEM",
           ASTERISM_TDBEM,
           {"--unknowns", "42", "--group", "7"},
           "--steps",
           {"--output", "o.h5"}}};

class Programs : public ProgramTest, public testing::WithParamInterface<Method> {
 protected:
  Programs() : ProgramTest(std::string("asterism-") + GetParam().name, GetParam().variable, GetParam().program, {}) {}

  [[nodiscard]] Arguments to(long steps, const Arguments& more = {}) const {
    Arguments all = GetParam().problem;
    all.insert(all.end(), {GetParam().steps, std::to_string(steps), "--quiet"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// With a checkpoint of every seventh step.
  [[nodiscard]] Arguments with_checkpoint(const std::string& name, Arguments more = {}) const {
    more.insert(more.end(), {"--checkpoint", name, "--checkpoint-every", "7"});
    return more;
  }
  [[nodiscard]] Arguments with_results(Arguments more) const {
    more.insert(more.end(), GetParam().results.begin(), GetParam().results.end());
    return more;
  }
  [[nodiscard]] std::size_t named(const std::string& part) const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(output(""))) count += contains(entry.path().filename(), part);
    return count;
  }
  /// Checksums of the values of a checkpoint, by dataset.
  [[nodiscard]] std::vector<std::string> values(const std::string& name) const {
    std::vector<std::string> sums;
    const std::string text = contents(output(name));
    const std::size_t table = text.rfind("asterism checksums 1\n");
    if (table == std::string::npos) return sums;
    for (const std::string& line : lines_of(text.substr(table)))
      if (line.size() > 51 && !contains(line, "structure")) sums.push_back(line.substr(34));
    return sums;
  }
};

TEST_P(Programs, RefuseFlippedBitsOfACheckpoint) {
  const Ran made = run(to(20, with_checkpoint("k.h5", {"--keep", "2"})));
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_TRUE(fs::exists(output("k.h5.1"))) << "the one before";
  const std::string whole = contents(output("k.h5"));
  std::mt19937 random(5);
  for (int trial = 0; trial < 4; ++trial) {
    std::string damaged = whole;
    const std::size_t bit = 64 + random() % (8 * whole.size() - 64);
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    std::ofstream(output("k.h5"), std::ios::binary) << damaged;
    const Ran ran = run(to(25, {"--restart", "k.h5"}));
    EXPECT_EQ(ran.status, 2) << "bit " << bit;
    expect_one_line(ran.err, {"k.h5", "--restart k.h5.1"});
  }
  const Ran older = run(to(25, {"--restart", "k.h5.1"}));
  EXPECT_EQ(older.status, 0) << older.err;
}

TEST_P(Programs, RestartBeforeAtAndBehindTheEnd) {
  const bool cg = std::string(GetParam().name) == "cg";
  const Ran made = run(to(14, with_results(with_checkpoint("k.h5"))));
  ASSERT_EQ(made.status, 0) << made.err;
  const Ran at = run(to(14, with_results({"--restart", "k.h5", "--json", "at.json"})));
  EXPECT_EQ(at.status, 0) << at.err;
  const Ran behind = run(to(7, {"--restart", "k.h5"}));
  EXPECT_EQ(behind.status, 2);
  expect_one_line(behind.err, {"--restart k.h5", "14", "beyond"});
  const Ran before = run(to(28, with_results({"--restart", "k.h5", "--checkpoint", "resumed.h5"})));
  ASSERT_EQ(before.status, 0) << before.err;
  const std::string resumed = cg ? contents(output("x.mtx")) : "";
  ASSERT_EQ(run(to(28, with_results({"--checkpoint", "whole.h5"}))).status, 0);
  if (cg)
    EXPECT_TRUE(contents(output("x.mtx")) == resumed);
  else
    EXPECT_EQ(values("resumed.h5"), values("whole.h5"));
}

TEST_P(Programs, FinishTheirStepAtASignal) {
  const Ran ran = run(
      to(100000000, with_checkpoint("k.h5")), [&] { return fs::exists(output("k.h5")); }, SIGTERM);
  EXPECT_EQ(ran.status, 128 + SIGTERM);
  EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
  EXPECT_TRUE(contains(ran.err, "stopped by SIGTERM after ")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "resume with --restart k.h5")) << ran.err;
  EXPECT_EQ(named(".part") + named(".lock"), 0U);
  // its last checkpoint is of the step in which it stopped
  const std::size_t after = ran.err.find("after ");
  const std::string place = ran.err.substr(after, ran.err.find(';') - after);
  const long step = std::atol(place.substr(place.rfind(' ') + 1).c_str());
  EXPECT_GT(step, 0) << ran.err;
  const Ran behind = run(to(1, {"--restart", "k.h5"}));
  EXPECT_TRUE(contains(behind.err, std::to_string(step) + ", beyond")) << behind.err << ran.err;
  const Ran resumed = run(to(step + 3, {"--restart", "k.h5"}));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
}

TEST_P(Programs, RefuseASecondWriterAndFilesThatAreNotTheirs) {
  const Ran first = run(
      to(100000000, with_checkpoint("k.h5")),
      [&] {
        if (!fs::exists(output("k.h5"))) return false;
        const std::string program = std::string(GetParam().program);
        std::string command = "cd " + output("").string() + " && " + program;
        for (const std::string& argument : to(5, {"--checkpoint", "k.h5"})) command += " " + argument;
        const int status = std::system((command + " 2> ../second").c_str());
        EXPECT_EQ(WEXITSTATUS(status), 2);
        EXPECT_TRUE(contains(contents(folder_ / "second"), "another program")) << contents(folder_ / "second");
        return true;
      },
      SIGINT);
  EXPECT_EQ(first.status, 128 + SIGINT) << first.err;
  EXPECT_EQ(named(".lock"), 0U);

  ASSERT_EQ(mkfifo(output("pipe").c_str(), 0600), 0);
  const Ran pipe = run(to(5, {"--json", "pipe"}));
  EXPECT_EQ(pipe.status, 2);
  expect_one_line(pipe.err, {"--json pipe"});
  EXPECT_TRUE(fs::is_fifo(output("pipe")));
  const Ran same = run(to(5, {"--json", "same", "--checkpoint", "./same"}));
  EXPECT_EQ(same.status, 2);
  expect_one_line(same.err, {"same file"});
  std::ofstream(output("run.toml")) << (GetParam().steps + 2) << "s = 3\n";
  const Ran unknown = run(to(5, {"--config", "run.toml"}));
  EXPECT_EQ(unknown.status, 2);
  expect_one_line(unknown.err, {"run.toml", "there is no such option", GetParam().steps});
  const std::string before = contents(output("run.toml"));
  const Ran over = run(to(5, {"--config", "run.toml", "--json", "run.toml"}));
  EXPECT_EQ(over.status, 2);
  EXPECT_EQ(contents(output("run.toml")), before);
  const Ran endless = run(to(5, {"--config", "/dev/zero"}));
  EXPECT_EQ(endless.status, 2);
  expect_one_line(endless.err, {"/dev/zero"});
}

/// Killed, or without room on the disk, at any system call by which a run changes its files: what it leaves can be
/// resumed from, with the same bits.
TEST_P(Programs, GoOnAfterAnyFault) {
  const Arguments all = with_results(with_checkpoint("k.h5", {"--json", "run.json"}));
  const auto faulty = [&](long at, const char* kind) {
    fs::remove_all(output(""));
    fs::create_directories(output(""));
    return run(to(20, all), [] { return false; }, SIGTERM,
               {{"LD_PRELOAD", FAULT_INJECTION},
                {"FAULT_FOLDER", output("").string()},
                {"FAULT_AT", std::to_string(at)},
                {"FAULT_KIND", kind},
                {"FAULT_COUNT", (folder_ / "count").string()}});
  };
  const Ran whole = faulty(0, "kill");
  ASSERT_EQ(whole.status, 0) << whole.err;
  const long calls = std::atol(contents(folder_ / "count").c_str());
  ASSERT_GT(calls, 10);
  const bool cg = std::string(GetParam().name) == "cg";
  const std::string solution = contents(output("x.mtx"));
  const std::vector<std::string> expected = values("k.h5");
  const bool every = std::getenv("RELIABILITY_ALL") != nullptr;
  RecordProperty("calls", static_cast<int>(calls));
  int faults = 0;
  for (const char* const kind : {"kill", "enospc"})
    for (long at = every ? 1 : calls / 3; at <= calls; at += every ? 1 : calls / 3) {
      SCOPED_TRACE(testing::Message() << kind << " at call " << at << " of " << calls);
      const Ran ran = faulty(at, kind);
      RecordProperty("faults", ++faults);
      const bool killed = std::string(kind) == "kill";
      EXPECT_TRUE(killed ? ran.status == 128 + SIGKILL : ran.status <= 1) << ran.status << ran.err;
      if (!killed) {
        EXPECT_EQ(lines_of(ran.err).size(), static_cast<std::size_t>(ran.status)) << ran.err;
        EXPECT_EQ(named(".part") + named(".lock"), 0U);
      }
      Arguments on = to(20, all);
      if (fs::exists(output("k.h5"))) on.insert(on.end(), {"--restart", "k.h5"});
      const Ran resumed = run(on);
      ASSERT_EQ(resumed.status, 0) << resumed.err;
      EXPECT_TRUE(cg ? contents(output("x.mtx")) == solution : values("k.h5") == expected);
      EXPECT_EQ(named(".part") + named(".lock"), 0U);
    }
}

#ifdef GPU_FAULT_INJECTION
/// A kernel that fails and a GPU that falls out, at any kernel of a run: one line, and what it leaves can be resumed
/// from.
TEST_P(Programs, EndInOneLineWhenTheGpuFails) {
  if (!fs::exists("/dev/nvidia0")) GTEST_SKIP() << "no GPU";
  const char* const library = std::getenv("ASTERISM_GPU_FAULT_INJECTION");
  const bool tdbem = std::string(GetParam().name) == "tdbem";
  const Arguments all = to(20, with_checkpoint("k.h5", {"--gpus", "1", "--cpus", tdbem ? "1" : "0"}));
  const auto faulty = [&](std::vector<std::pair<std::string, std::string>> environment) {
    fs::remove_all(output(""));
    fs::create_directories(output(""));
    environment.insert(environment.end(), {{"LD_PRELOAD", library == nullptr ? GPU_FAULT_INJECTION : library},
                                           {"STARPU_NCUDA", "1"},
                                           {"GPU_FAULT_COUNT", (folder_ / "kernels").string()}});
    return run(
        all, [] { return false; }, SIGTERM, environment);
  };
  const Ran whole = faulty({});
  ASSERT_EQ(whole.status, 0) << whole.err;
  const std::vector<std::string> expected = values("k.h5");
  const long kernels = std::atol(contents(folder_ / "kernels").c_str());
  ASSERT_GT(kernels, 3);
  for (const char* const kind : {"kernel", "lost"})
    for (const long at : {1L, kernels / 2, kernels - 1}) {
      SCOPED_TRACE(testing::Message() << kind << " at kernel " << at << " of " << kernels);
      const Ran ran = faulty({{"GPU_FAULT_AT", std::to_string(at)}, {"GPU_FAULT_KIND", kind}});
      EXPECT_EQ(ran.status, 1) << ran.err;
      EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
      EXPECT_EQ(named(".part") + named(".lock"), 0U);
      Arguments on = all;
      if (fs::exists(output("k.h5"))) on.insert(on.end(), {"--restart", "k.h5"});
      const Ran resumed = run(on, [] { return false; }, SIGTERM, {{"STARPU_NCUDA", "1"}});
      ASSERT_EQ(resumed.status, 0) << resumed.err;
      EXPECT_EQ(values("k.h5"), expected);
    }
  for (const long mebibytes : {1, 4, 64}) {
    SCOPED_TRACE(testing::Message() << mebibytes << " MiB");
    const Ran ran = faulty({{"GPU_FAULT_MEMORY", std::to_string(mebibytes << 20)}});
    EXPECT_TRUE(ran.status <= 2) << ran.status << ran.err;
    EXPECT_EQ(lines_of(ran.err).size(), ran.status == 0 ? 0U : 1U) << ran.err;
    EXPECT_TRUE(ran.status != 0 || values("k.h5") == expected);
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(Methods, Programs, testing::ValuesIn(methods),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
