// SPDX-License-Identifier: Apache-2.0
// asterism-compare when it is interrupted, and on programs and options that are wrong.
#include "tests/apps/compare/program.hpp"

namespace {

namespace fs = std::filesystem;
using asterism::tests::Arguments;
using asterism::tests::AsterismCompare;
using asterism::tests::contains;
using asterism::tests::contents;
using asterism::tests::lines_of;
using asterism::tests::Ran;
using asterism::tests::read_csv;
using nlohmann::json;

TEST_F(AsterismCompare, InterruptedAndResumed) {
  const Arguments arguments =
      with({"--schedulers", "lws,eager,cyclic", "--repeat", "5", "--work", "w"}, {STARPU_SAMPLE, "8"});
  std::string before;
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t child = start(arguments);
    ASSERT_TRUE(wait_for_runs(signal == SIGINT ? 5 : 10));
    kill(child, signal);
    const Ran ran = finish(child);
    EXPECT_EQ(ran.status, 128 + signal);
    EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
    EXPECT_TRUE(contains(ran.err, "--work w")) << ran.err;
    EXPECT_TRUE(contains(ran.err, "goes on")) << ran.err;
    EXPECT_TRUE(ran.out.empty()) << ran.out;
    const std::string now = contents(folder_ / "w/runs.jsonl");
    EXPECT_TRUE(now.starts_with(before));
    before = now;
    EXPECT_LT(journal().size(), 19U) << "it was not interrupted";
    EXPECT_FALSE(fs::exists(folder_ / "w/compare.csv"));
  }
  const Ran ran = run(arguments);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(contents(folder_ / "w/runs.jsonl").starts_with(before));
  std::set<std::string> seen;
  for (const std::string& line : journal()) {
    const json record = json::parse(line);
    if (!record.contains("phase")) continue;
    EXPECT_EQ(record["status"], "");
    EXPECT_TRUE(seen.insert(record["phase"].get<std::string>() + record["scheduler"].get<std::string>() +
                            record["repetition"].dump())
                    .second)
        << line << " was done twice";
  }
  EXPECT_EQ(seen.size(), 3 + 15U);
  EXPECT_EQ(read_csv(folder_ / "w/compare.csv").size(), 15U);
  EXPECT_EQ(static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_ / "w/runs"), {})), 18U);
}

TEST_F(AsterismCompare, InterruptEndsTheChild) {
  const pid_t child = start(with({"--schedulers", "lws", "--work", "w", "--time-from", "wall", "--traced", "0"},
                                 {"sh", "-c", "echo $$ > pid; exec sleep 100"}));
  for (int i = 0; i < 4000 && contents(folder_ / "pid").empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const pid_t grandchild = std::stoi(contents(folder_ / "pid"));
  EXPECT_EQ(kill(grandchild, 0), 0);
  kill(child, SIGINT);
  EXPECT_EQ(finish(child).status, 130);
  EXPECT_NE(kill(grandchild, 0), 0);
  EXPECT_EQ(journal().size(), 1U);
}

TEST_F(AsterismCompare, FailuresAreRecordedAndOthersGoOn) {
  struct Case {
    const char* behaviour;
    const char* status;
    const char* message;
  };
  for (const Case& c :
       {Case{"fail-with:eager", "exit status 3", "the sample does not like eager"},
        Case{"crash-with:eager", "signal 6 (Aborted)", ""}, Case{"hang-with:eager", "timeout after 3 s", ""}}) {
    SCOPED_TRACE(c.behaviour);
    fs::remove_all(folder_ / "w");
    const Arguments arguments =
        with({"--schedulers", "eager,lws", "--repeat", "3", "--work", "w", "--timeout", "3", "--give-up", "2"},
             {STARPU_SAMPLE, "6", c.behaviour});
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 1) << ran.err;
    EXPECT_TRUE(contains(ran.out, "failed")) << ran.out;
    EXPECT_TRUE(contains(ran.out, c.status)) << ran.out;
    const json record = result();
    EXPECT_EQ(record["best"], "lws");
    EXPECT_EQ(record["schedulers"][0]["failures"], 2);
    EXPECT_EQ(record["schedulers"][0]["given_up"], true);
    EXPECT_EQ(record["schedulers"][0]["seconds"]["count"], 0);
    EXPECT_EQ(record["schedulers"][1]["failures"], 0);
    EXPECT_EQ(record["schedulers"][1]["seconds"]["count"], 3);
    for (const json& one : record["runs"])
      if (one["scheduler"] == "eager") {
        EXPECT_EQ(one["status"], c.status);
        EXPECT_TRUE(contains(one["message"], c.message));
      }
    const auto rows = read_csv(folder_ / "w/compare.csv");
    ASSERT_EQ(rows.size(), 4U);  // eager's first, then no more
    for (const auto& row : rows) EXPECT_EQ(row.at("status"), row.at("scheduler") == "eager" ? c.status : "ok");
    if (std::string(c.behaviour) != "fail-with:eager") continue;
    // failed runs are done, too; --retry does them again
    const std::size_t before = journal().size();
    EXPECT_EQ(run(arguments).status, 1);
    EXPECT_EQ(journal().size(), before);
    Arguments retry = arguments;
    retry.insert(retry.begin(), "--retry");
    EXPECT_EQ(run(retry).status, 1);
    EXPECT_EQ(journal().size(), before);
    EXPECT_EQ(result()["schedulers"][0]["failures"], 2);
  }
}

TEST_F(AsterismCompare, ProgramsWithoutRecording) {
  const Ran ran = run(with({"--schedulers", "lws,eager", "--work", "w"}, {"true"}));
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
  for (const char* word : {"true", "no recording", "FxT", "--time-from wall"})
    EXPECT_TRUE(contains(ran.err, word)) << ran.err;
  const Ran wall = run(with({"--schedulers", "lws,eager", "--work", "v", "--time-from", "wall", "--traced", "0"},
                            {"sh", "-c", "test $STARPU_SCHED = lws || sleep 0.1"}));
  EXPECT_EQ(wall.status, 0) << wall.err;
  const json record = result("v");
  EXPECT_EQ(record["best"], "lws");
  EXPECT_GT(record["schedulers"][1]["to_best"]["low"], 1.0);
  EXPECT_EQ(record["schedulers"][1]["told_apart_from_best"], true);
  EXPECT_EQ(record["schedulers"][1]["seconds"]["count"], 7);
}

TEST_F(AsterismCompare, BadInput) {
  const Arguments sample = {STARPU_SAMPLE, "4"};
  expect_bad_input({"--schedulers", "lws"}, {"program is missing", "--"});
  expect_bad_input(with({}, sample), {"--schedulers"});
  expect_bad_input(with({"--schedulers", "lws,fastest"}, sample), {"--schedulers fastest", "dmdas", "cyclic"});
  expect_bad_input(with({"--schedulers", "lws,eager,lws"}, sample), {"lws is there twice"});
  expect_bad_input(with({"--schedulers", "lws,,eager"}, sample), {"a name is missing"});
  expect_bad_input(with({"--schedulers", ""}, sample), {"--schedulers"});
  expect_bad_input(with({"--schedulers", "lws", "--repeat", "0"}, sample), {"--repeat"});
  expect_bad_input(with({"--schedulers", "lws", "--repeat", "many"}, sample), {"--repeat", "many"});
  expect_bad_input(with({"--schedulers", "lws", "--timeout", "-1"}, sample), {"--timeout"});
  expect_bad_input(with({"--schedulers", "lws", "--time-from", "clock"}, sample), {"--time-from clock", "wall"});
  expect_bad_input(with({"--schedulers", "lws", "--window", "1"}, sample), {"1"});
  expect_bad_input(with({"--schedulers", "lws", "--csv", "nowhere/at/all.csv"}, sample), {"--csv", "nowhere/at"});
  expect_bad_input(with({"--schedulers", "lws", "--nonsense"}, sample), {"--nonsense"});
  expect_bad_input(with({"--schedulers", "lws"}, {"no-such-program"}), {"no-such-program"});
  expect_bad_input(with({"--schedulers", "lws"}, {ASTERISM_CG, "--scheduler", "eager"}),
                   {"--scheduler", "STARPU_SCHED"});
  expect_bad_input(with({"--schedulers", "lws"}, {ASTERISM_CG, "--scheduler=eager"}), {"--scheduler=eager"});
  expect_bad_input(with({"--schedulers", "lws"}, {"env", "STARPU_SCHED=eager", STARPU_SAMPLE}), {"STARPU_SCHED=eager"});
  expect_bad_input(with({"--schedulers", "lws"}, sample), {"STARPU_CALIBRATE=1", "--calibration-runs"},
                   {{"STARPU_CALIBRATE", "1"}});
  std::ofstream(folder_ / "a-file") << "x";
  expect_bad_input(with({"--schedulers", "lws", "--work", "a-file"}, sample), {"--work a-file"});
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_FALSE(entry.is_directory() && entry.path().filename() != "home") << entry.path() << " was made";
  fs::create_directories(folder_ / "w");
  std::ofstream(folder_ / "w/runs.jsonl") << "hello\n";
  expect_bad_input(with({"--schedulers", "lws", "--work", "w"}, sample), {"runs.jsonl", "line 1"});
}

}  // namespace
