// SPDX-License-Identifier: Apache-2.0
// What the five programs promise of their files (docs/reliability.md): the same tests for each of them.
// RELIABILITY_FAULTS: how often a longer run of each is killed, and how often the disk is full, at system calls spread
// over it (scripts/faults); RELIABILITY_BITS: how many flipped bits of each dataset of a checkpoint are tried.
#include <algorithm>
#include <array>
#include <fstream>
#include <random>

#include "tests/reliability/methods.hpp"

namespace {

using namespace asterism::tests;

class Programs : public ProgramTest, public testing::WithParamInterface<Method> {
 protected:
  Programs() : ProgramTest(std::string("asterism-") + GetParam().name, GetParam().variable, GetParam().program, {}) {}

  [[nodiscard]] Arguments to(long steps, const Arguments& more = {}) const { return GetParam().to(steps, more); }
  [[nodiscard]] Arguments with_results(Arguments more) const {
    more.insert(more.end(), GetParam().results.begin(), GetParam().results.end());
    return more;
  }
  [[nodiscard]] std::size_t named(const std::string& part) const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(output(""))) count += contains(entry.path().filename(), part);
    return count;
  }
  struct Region {
    std::string name;
    std::size_t begin, end;
  };
  /// The parts of a checkpoint as its table of checksums has them, the table itself last.
  static std::vector<Region> regions_of(const std::string& text) {
    std::vector<Region> regions;
    const std::size_t table = text.rfind("asterism checksums 1\n");
    if (table == std::string::npos) return regions;
    for (const std::string& line : lines_of(text.substr(table)))
      if (line.size() > 51)
        regions.push_back({line.substr(51), std::stoul(line.substr(0, 16), nullptr, 16),
                           std::stoul(line.substr(17, 16), nullptr, 16)});
    regions.push_back({"table of checksums", table, text.size()});
    return regions;
  }
  [[nodiscard]] std::vector<std::string> values(const std::string& name) const { return values_of(output(name)); }
};

TEST_P(Programs, RefuseFlippedBitsOfACheckpoint) {
  const Ran made = run(to(20, with_checkpoint("k.h5", {"--keep", "2"})));
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_TRUE(fs::exists(output("k.h5.1"))) << "the one before";
  const std::string whole = contents(output("k.h5"));
  const char* const wanted = std::getenv("RELIABILITY_BITS");
  const int bits = wanted == nullptr ? 2 : std::atoi(wanted);
  std::mt19937 random(5);
  const std::vector<Region> regions = regions_of(whole);
  ASSERT_GE(regions.size(), 3U) << "between the datasets, a dataset, the table";
  for (const Region& region : regions) {
    for (int trial = 0; trial < bits; ++trial) {
      std::string damaged = whole;
      // of the first eight bytes HDF5 knows its files
      const std::size_t begin = std::max<std::size_t>(8, region.begin);
      const std::size_t byte = begin + random() % (region.end - begin);
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << random() % 8));
      std::ofstream(output("k.h5"), std::ios::binary) << damaged;
      const Ran ran = run(to(25, {"--restart", "k.h5"}));
      EXPECT_EQ(ran.status, 2) << region.name << ", byte " << byte;
      expect_one_line(ran.err, {"k.h5", "--restart k.h5.1"});
    }
    RecordProperty("bits of " + region.name, bits);
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
        const std::string program = GetParam().path();
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
/// resumed from, with the same bits; also when the newest checkpoint is torn afterwards, from the one before.
TEST_P(Programs, GoOnAfterAnyFault) {
  const char* const wanted = std::getenv("RELIABILITY_FAULTS");
  const long faults = wanted == nullptr ? 3 : std::atol(wanted);
  const long steps = wanted == nullptr ? 20 : 83;
  const Arguments more = with_results(with_checkpoint("k.h5", {"--json", "run.json", "--keep", "2"}));
  const Arguments all = to(steps, more);
  const auto faulty = [&](long at, const char* kind) {
    fs::remove_all(output(""));
    fs::create_directories(output(""));
    return run(all, [] { return false; }, SIGTERM,
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
  std::mt19937 random(7);
  int kills = 0;
  int full = 0;
  int torn = 0;
  RecordProperty("calls", static_cast<int>(calls));
  for (const char* const kind : {"kill", "enospc"})
    for (long fault = 0; fault < faults; ++fault) {
      // one in each part of the run
      const long begin = 1 + fault * calls / faults;
      const long at = begin + static_cast<long>(random() % static_cast<unsigned long>(std::max(1L, calls / faults)));
      SCOPED_TRACE(testing::Message() << kind << " at call " << at << " of " << calls);
      const Ran ran = faulty(at, kind);
      const bool killed = std::string(kind) == "kill";
      ++(killed ? kills : full);
      EXPECT_TRUE(killed ? ran.status == 128 + SIGKILL : ran.status <= 1) << ran.status << ran.err;
      if (!killed) {
        EXPECT_EQ(lines_of(ran.err).size(), static_cast<std::size_t>(ran.status)) << ran.err;
        EXPECT_EQ(named(".part") + named(".lock"), 0U);
      }
      std::string newest = "k.h5";
      if (fault % 2 == 0 && fs::exists(output("k.h5.1")) && fs::exists(output("k.h5"))) {
        const std::string bytes = contents(output("k.h5"));
        fs::remove(output("k.h5"));  // a kill may leave both names to one file
        std::ofstream(output("k.h5"), std::ios::binary) << bytes.substr(0, random() % bytes.size());
        const Ran refused = run(to(steps, {"--restart", "k.h5"}));
        EXPECT_EQ(refused.status, 2);
        expect_one_line(refused.err, {"k.h5", "--restart k.h5.1"});
        newest = "k.h5.1";
        ++torn;
      }
      Arguments on = all;
      if (fs::exists(output(newest))) on.insert(on.end(), {"--restart", newest});
      const Ran resumed = run(on);
      ASSERT_EQ(resumed.status, 0) << resumed.err;
      EXPECT_TRUE(cg ? contents(output("x.mtx")) == solution : values("k.h5") == expected);
      EXPECT_EQ(named(".part") + named(".lock"), 0U);
    }
  EXPECT_GT(torn, 0);
  for (const auto& [name, count] : {std::pair{"kills", kills}, {"disk_full", full}, {"torn", torn}})
    RecordProperty(name, count);
}

/// Four at the same time, which find no rates, models and operators and all make them: each has the bits of one that
/// ran alone and of one that finds what they left.
TEST_P(Programs, ShareCachesAndModels) {
  const std::string environment = "ASTERISM_CACHE=" + (folder_ / "cache").string() +
                                  " STARPU_HOME=" + (folder_ / "models").string() +
                                  " STARPU_NCPU=2 STARPU_NCUDA=0 STARPU_WORKERS_NOBIND=1 OMP_NUM_THREADS=1";
  fs::create_directories(folder_ / "models");
  const auto command = [&](const std::string& name) {
    std::string text = environment + " " + GetParam().path();
    for (const std::string& word :
         to(20, {"--scheduler", "dmdas", "--checkpoint", name + ".h5", "--json", name + ".json"}))
      text += " " + word;
    return "{ " + text + " > " + name + ".out 2> " + name + ".err; echo $? > " + name + ".status; }";
  };
  const std::string enter = "cd " + output("").string() + "; ";
  ASSERT_EQ(std::system((enter + command("one") + " & " + command("two") + " & " + command("three") + " & " +
                         command("four") + "; wait")
                            .c_str()),
            0);
  ASSERT_EQ(std::system((enter + command("after")).c_str()), 0);
  ASSERT_EQ(run(to(20, {"--scheduler", "dmdas", "--checkpoint", "alone.h5"})).status, 0);
  for (const std::string name : {"one", "two", "three", "four", "after"}) {
    EXPECT_EQ(contents(output(name + ".status")), "0\n") << contents(output(name + ".err"));
    EXPECT_EQ(values(name + ".h5"), values("alone.h5")) << name;
  }
  EXPECT_EQ(named(".part") + named(".lock"), 0U);
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
