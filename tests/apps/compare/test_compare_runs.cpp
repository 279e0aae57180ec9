// SPDX-License-Identifier: Apache-2.0
// asterism-compare's journal, child processes and times, without running a comparison.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "apps/common/process.hpp"
#include "apps/compare/lower_bounds.hpp"
#include "apps/compare/plan.hpp"
#include "apps/compare/state.hpp"
#include "apps/compare/statistics.hpp"
#include "apps/compare/time_source.hpp"
#include "base/error.hpp"
#include "tests/apps/compare/folder.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::apps;
using namespace asterism::apps::compare;
using asterism::Error;
using asterism::tests::contents;
using asterism::tests::Folder;
using asterism::tests::run_of;
using OneRun = asterism::apps::compare::Run;  // not testing::Test::Run
using Runs = std::vector<OneRun>;

// ---- journal

TEST(CompareJournal, KeepsRunsAndRefusesAnotherComparison) {
  const Folder folder;
  const nlohmann::json identity = {{"command", "a b"}, {"STARPU_NCPU", "2"}};
  OneRun run = run_of({Phase::measured, "lws", 3, 2, true});
  run.folder = "00007-measured-3-lws";
  run.wall = 0.1 + 0.2;
  run.analysis.emplace();
  run.analysis->makespan = 1.0 / 3;
  run.analysis->kinds["CPU"].state = {0.5, 0.25, 0, 0, 0.25};
  run.analysis->units["CPU"] = 2;
  {
    Journal journal(folder / "work", identity);
    EXPECT_THROW(Journal(folder / "work", identity), Error) << "two at once";
    journal.add(run);
    OneRun failed = run_of({Phase::measured, "eager", 3, 1, true}, "exit status 3");
    failed.message = "what \xff is \"this\"?\nno";
    journal.add(failed);
    EXPECT_EQ(journal.next_number(), 8);
  }
  {
    Journal journal(folder / "work", identity);
    ASSERT_EQ(journal.runs().size(), 2U);
    const OneRun& back = journal.runs().front();
    EXPECT_EQ(back.wall, run.wall);
    EXPECT_EQ(back.step.repetition, 3);
    EXPECT_EQ(back.step.phase, Phase::measured);
    ASSERT_TRUE(back.analysis);
    EXPECT_EQ(back.analysis->makespan, run.analysis->makespan);
    EXPECT_EQ(back.analysis->kinds.at("CPU").state, run.analysis->kinds["CPU"].state);
    EXPECT_EQ(back.time(TimeSource::Kind::trace), run.analysis->makespan);
    EXPECT_EQ(journal.runs()[1].status, "exit status 3");
  }
  // a line that the machine did not finish is no run
  std::ofstream(folder / "work/runs.jsonl", std::ios::app) << R"({"phase":"measured","sche)";
  {
    Journal journal(folder / "work", identity);
    EXPECT_EQ(journal.runs().size(), 2U);
    journal.add(run_of({Phase::measured, "cyclic", 3, 1, true}));
  }
  {
    Journal journal(folder / "work", identity);
    EXPECT_EQ(journal.runs().size(), 3U);
    journal.forget_failed();
    journal.add(run_of({Phase::measured, "dmda", 3, 1, true}));
  }
  EXPECT_EQ(read_journal(folder / "work").size(), 3U);
  EXPECT_TRUE(read_journal(folder / "nothing").empty());

  // somebody else's journal names no folder outside of runs/
  for (const char* folder_of_others : {"/somewhere/else", "../../others", "..", "a/b"}) {
    const fs::path work = folder / "borrowed";
    fs::create_directories(work / "runs");
    OneRun theirs = run_of({Phase::measured, "eager", 1, 1, true}, "exit status 3");
    theirs.folder = folder_of_others;
    std::ofstream(work / "runs.jsonl") << nlohmann::json{{"identity", identity}}.dump() << "\n"
                                       << nlohmann::json(theirs).dump() << "\n";
    EXPECT_THROW(Journal(work, identity), Error) << folder_of_others;
    fs::remove_all(work);
  }
  fs::create_directories(folder / "elsewhere/precious");
  fs::create_directories(folder / "linked");
  fs::create_directory_symlink(folder / "elsewhere", folder / "linked/runs");
  EXPECT_THROW(Journal(folder / "linked", identity), Error) << "runs/ is a link";

  const auto complaint = [&](const nlohmann::json& other) {
    try {
      const Journal journal(folder / "work", other);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), 2);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(complaint({{"command", "a c"}, {"STARPU_NCPU", "2"}}).find("command was a b, is now a c"),
            std::string::npos);
  EXPECT_NE(complaint({{"command", "a b"}}).find("STARPU_NCPU was 2, is now not set"), std::string::npos);
  EXPECT_NE(complaint({{"command", "a b"}, {"STARPU_NCPU", "2"}, {"OMP_X", "1"}}).find("OMP_X was not set, is now 1"),
            std::string::npos);
  EXPECT_EQ(complaint(identity), "");
}

// ---- processes

Process shell(const Folder& folder, const std::string& script) {
  Process process;
  process.command = {"sh", "-c", script};
  process.output = folder / "stdout";
  process.errors = folder / "stderr";
  return process;
}

TEST(CompareProcess, StatusOutputAndEnvironment) {
  const Folder folder;
  setenv("COMPARE_REMOVED", "here", 1);
  setenv("COMPARE_KEPT", "kept", 1);
  Process process =
      shell(folder, "echo \"$COMPARE_SET-$COMPARE_REMOVED-$COMPARE_KEPT\"; echo oops >&2; cat; sleep 0.2; exit 3");
  process.environment = {{"COMPARE_SET", "a=b c"}, {"COMPARE_REMOVED", std::nullopt}};
  int ticks = 0;
  const Outcome outcome = run_process(process, [&](double) { ++ticks; });
  EXPECT_EQ(outcome.end, Outcome::End::exited);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_FALSE(outcome.good());
  EXPECT_GE(outcome.wall, 0.2);
  EXPECT_LT(outcome.wall, 2);
  EXPECT_GT(ticks, 0);
  EXPECT_GT(outcome.memory, 100000U);
  EXPECT_EQ(contents(folder / "stdout"), "a=b c--kept\n");
  EXPECT_EQ(contents(folder / "stderr"), "oops\n");
  EXPECT_TRUE(run_process(shell(folder, "true"), [](double) {}).good());
  const Outcome crashed = run_process(shell(folder, "kill -SEGV $$"), [](double) {});
  EXPECT_EQ(crashed.end, Outcome::End::signalled);
  EXPECT_EQ(crashed.code, SIGSEGV);
}

TEST(CompareProcess, TimeoutEndsTheWholeGroup) {
  const Folder folder;
  // what it started does not listen to SIGTERM
  Process process = shell(folder, "(trap '' TERM; exec sleep 60) & echo $!; wait");
  process.timeout = 0.3;
  const Outcome outcome = run_process(process, [](double) {});
  EXPECT_EQ(outcome.end, Outcome::End::timed_out);
  EXPECT_LT(outcome.wall, 4);
  const pid_t grandchild = std::stoi(contents(folder / "stdout"));
  const auto gone = [&] {
    // a zombie of a process that nobody waits for counts as gone
    const std::string status = contents("/proc/" + std::to_string(grandchild) + "/stat");
    return status.empty() || status.find(") Z ") != std::string::npos;
  };
  for (int i = 0; i < 200 && !gone(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(gone());
}

TEST(CompareProcess, WhatCannotBeStarted) {
  const Folder folder;
  Process process = shell(folder, "");
  process.command = {"no-such-program-anywhere"};
  EXPECT_THROW(run_process(process, [](double) {}), Error);
  process.command = {folder.write("text", "no program").string()};
  fs::permissions(folder / "text", fs::perms::owner_all);
  EXPECT_THROW(run_process(process, [](double) {}), Error);
  EXPECT_EQ(find_program("sh").filename(), "sh");
  EXPECT_TRUE(find_program(folder / "nothing").empty());
}

TEST(CompareProcess, LastLines) {
  const Folder folder;
  EXPECT_EQ(last_lines(folder.write("a", "one\ntwo\n[starpu] remark\n\nthree\n"), 2), "two\nthree");
  EXPECT_EQ(last_lines(folder.write("b", "[starpu] first\n[starpu] second\n"), 1), "[starpu] second");
  EXPECT_EQ(last_lines(folder.write("c", ""), 5), "");
  EXPECT_EQ(last_lines(folder.write("d", std::string(200000, 'x') + "\nend"), 1), "end");
}

// ---- the program's own time

TEST(CompareTimeSource, NumbersThatProgramsTell) {
  const Folder folder;
  const fs::path out = folder.write("out", "time: 3.5 s\nother\ntime: 0.25 s\n{\"a\": {\"b\": [1, 2.5]}}\n{broken\n");
  const fs::path err = folder.write("err", "spent 7e-3\n");
  const auto told = [&](const std::string& text) { return TimeSource::parse(text).told(out, err, std::nullopt); };
  EXPECT_DOUBLE_EQ(told("regex:time: ([0-9.]+) s"), 0.25);
  EXPECT_DOUBLE_EQ(told("regex:spent ([-+0-9.e]+)"), 7e-3);
  EXPECT_DOUBLE_EQ(told("json:a.b.1"), 2.5);
  EXPECT_THROW(told("regex:nothing ([0-9]+)"), Error);
  EXPECT_THROW(told("json:a.c"), Error);
  EXPECT_THROW(told("json:a.b"), Error);
  EXPECT_THROW(told("json:a.b.2"), Error);
  const fs::path file = folder.write("file.json", "{\n\"t\": 4\n}\n");
  const TimeSource from_file = TimeSource::parse("json:" + file.string() + ":t");
  EXPECT_DOUBLE_EQ(from_file.told(out, err, std::nullopt), 4);
  EXPECT_THROW((void)from_file.told(out, err, from_file.written()), Error) << "of an earlier run";
  folder.write("file.json", "{\"t\": -4}");
  EXPECT_THROW((void)from_file.told(out, err, std::nullopt), Error);
  const fs::path long_line = folder.write("long", std::string(400000, 'x') + "time: 2 s\ntime: 5 s\n");
  EXPECT_DOUBLE_EQ(TimeSource::parse("regex:time: ([0-9.]+) s").told(long_line, err, std::nullopt), 5);
  EXPECT_DOUBLE_EQ(TimeSource::parse("regex:x*time: ([0-9.]+) s").told(long_line, err, std::nullopt), 5);
  const fs::path slow = folder.write("slow", std::string(64, 'a') + "\ntime: 6 s\n");
  EXPECT_DOUBLE_EQ(TimeSource::parse("regex:(?:(?:a+)+b|time: ([0-9]+))").told(slow, err, std::nullopt), 6);
  EXPECT_THROW(TimeSource::parse("regex:(a)\\1"), Error) << "needs more than linear time";
  for (const char* bad : {"", "clock", "json:", "json:file:", "regex:(", "regex:[0-9]+"})
    EXPECT_THROW(TimeSource::parse(bad), Error) << bad;
}

// ---- bounds

}  // namespace
