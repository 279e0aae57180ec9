// SPDX-License-Identifier: Apache-2.0
// The program asterism-compare from outside, on StarPU programs: asterism-cg and one that knows nothing of Asterism.
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

TEST_F(AsterismCompare, HelpTeaches) {
  const Ran ran = run({"--help-all"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(ran.err.empty()) << ran.err;
  for (const char* word : {"--schedulers", "--repeat", "--time-from", "--timeout", "--work", "--untraced", "--traced",
                           "--calibration-runs", "asterism-compare --schedulers", "STARPU_SCHED", "Exit status"})
    EXPECT_TRUE(contains(ran.out, word)) << word;
  EXPECT_EQ(run({"--version"}).status, 0);
}

using Rows = std::vector<std::map<std::string, std::string>>;

/// The table of three repetitions with four schedulers, and the bounds in it.
void expect_whole_table(const Rows& rows) {
  // one line per scheduler and repetition; in every repetition another order
  ASSERT_EQ(rows.size(), 12U);
  std::set<std::pair<std::string, std::string>> seen;
  std::map<std::string, std::set<std::string>> places;
  const auto number = [](const auto& row, const char* name) { return std::stod(row.at(name)); };
  for (const auto& row : rows) {
    EXPECT_TRUE(seen.emplace(row.at("scheduler"), row.at("repetition")).second);
    places[row.at("scheduler")].insert(row.at("place"));
    EXPECT_EQ(row.at("status"), "ok");
    EXPECT_EQ(row.at("recorded"), "1");
    EXPECT_EQ(row.at("tasks"), "96");  // 12 rounds of 4 products and 4 sums
    EXPECT_GT(number(row, "time_s"), 0);
    EXPECT_EQ(row.at("time_s"), row.at("makespan_s"));
    EXPECT_LT(number(row, "makespan_s"), number(row, "wall_s"));
    double sum = 0;
    for (const char* state : {"computing", "waiting", "scheduling", "runtime", "idle"}) {
      EXPECT_NEAR(number(row, state), number(row, (std::string(state) + "_CPU").c_str()), 1e-12);
      sum += number(row, state);
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    // bounds hold for every run, and 48 sums follow each other
    EXPECT_GE(number(row, "makespan_over_lp"), 1);
    EXPECT_GE(number(row, "makespan_over_critical_path"), 1);
    EXPECT_NEAR(number(row, "makespan_over_lp"), number(row, "makespan_s") / number(row, "lp_s"), 1e-9);
    EXPECT_GE(number(row, "makespan_over_lp_fit"), 1);
    EXPECT_GE(number(row, "lp_fit_s"), number(row, "lp_s"));
    EXPECT_NEAR(number(row, "makespan_over_lp_fit"), number(row, "makespan_s") / number(row, "lp_fit_s"), 1e-9);
  }
  for (const auto& [scheduler, set] : places) EXPECT_EQ(set.size(), 3U) << scheduler;
  EXPECT_EQ(places.size(), 4U);
  // one LP for all: same tasks, same units
  for (const auto& row : rows) EXPECT_NEAR(number(row, "lp_s"), number(rows[0], "lp_s"), 1e-12);
}

/// What the record says about each scheduler is what the table gives; `runs` holds the recordings shown.
void expect_medians(const json& record, const Rows& rows, const fs::path& runs) {
  EXPECT_EQ(record["complete"], true);
  ASSERT_EQ(record["schedulers"].size(), 4U);
  double least = 1e300;
  for (const json& entry : record["schedulers"]) {
    std::vector<double> times = entry["times"];
    ASSERT_EQ(times.size(), 3U);
    std::sort(times.begin(), times.end());
    EXPECT_EQ(entry["seconds"]["median"], times[1]);
    EXPECT_EQ(entry["seconds"]["low"], times[0]);
    EXPECT_EQ(entry["seconds"]["high"], times[2]);
    EXPECT_EQ(entry["seconds"]["confidence"], 0.75);
    EXPECT_EQ(entry["told_apart_from_best"], false) << "three repetitions tell nothing apart with 95 %";
    if (times[1] < least) {
      least = times[1];
      EXPECT_NE(record["best"], json());
    }
    if (entry["scheduler"] == record["best"]) {
      EXPECT_EQ(entry["to_best"]["median"], 1.0);
    }
    // the page shows the median run, whose recording is kept
    const std::string shown = entry["shown"]["run"];
    EXPECT_TRUE(fs::exists(runs / shown / "tasks.rec.gz"));
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) {
      return contains(shown, "measured-" + r.at("repetition") + "-" + r.at("scheduler"));
    });
    ASSERT_NE(row, rows.end());
    EXPECT_NEAR(std::stod(row->at("time_s")), times[1], 1e-15);
  }
  for (const json& entry : record["schedulers"])
    if (entry["scheduler"] == record["best"]) {
      EXPECT_EQ(entry["seconds"]["median"], least);
    }
}

TEST_F(AsterismCompare, AnyStarPUProgram) {
  const Arguments command = {STARPU_SAMPLE, "12"};
  const Arguments options = {"--schedulers", "dmda,lws,eager,cyclic", "--repeat", "3", "--work", "w"};
  const Ran plan =
      run(with({"--schedulers", "dmda,lws,eager,cyclic", "--repeat", "3", "--work", "w", "--dry-run"}, command));
  EXPECT_EQ(plan.status, 0) << plan.err;
  EXPECT_FALSE(fs::exists(folder_ / "w"));
  EXPECT_TRUE(contains(plan.out, "18 to do")) << plan.out;

  const Ran ran = run(with(options, command), {{"STARPU_HOME", ""}});
  ASSERT_EQ(ran.status, 0) << ran.err << ran.out;
  EXPECT_TRUE(ran.err.empty()) << ran.err;
  EXPECT_TRUE(fs::exists(folder_ / "w/starpu/.starpu")) << "performance models are the comparison's own";
  for (const char* word : {"best", "x LP", "x LP fit", "x path", "idle", "75.0 % confidence", "3 repetitions"})
    EXPECT_TRUE(contains(ran.out, word)) << word << " is not in:\n" << ran.out;

  // calibration before all, warm-ups before what is measured
  std::string phases;
  for (const std::string& line : journal())
    if (const json record = json::parse(line); record.contains("phase"))
      phases += record["phase"].get<std::string>().front();
  EXPECT_EQ(phases.find_first_not_of('c'), 2U) << phases;
  EXPECT_EQ(phases.find_first_not_of("cw"), phases.size() - 12) << phases;
  EXPECT_GE(phases.size(), 18U);
  EXPECT_EQ(phases.substr(phases.size() - 12), std::string(12, 'm'));

  const auto rows = read_csv(folder_ / "w/compare.csv");
  expect_whole_table(rows);
  expect_medians(result(), rows, folder_ / "w/runs");
  std::size_t kept = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "w/runs")) {
    if (entry.path().filename() == "tasks.rec.gz") ++kept;
    EXPECT_FALSE(entry.path().filename().string().starts_with("prof_file"));
  }
  EXPECT_EQ(kept, 4U);
  const std::string page = contents(folder_ / "w/compare.html");
  EXPECT_GT(page.size(), 20000U);
  EXPECT_TRUE(contains(page, "critical path"));
  // medians and the verdict of the terminal, for each of four schedulers
  for (const char* const fact : {"\"Median: makespan of the recording\"", "\"Against the best\""}) {
    std::size_t count = 0;
    for (std::size_t at = page.find(fact); at != std::string::npos; at = page.find(fact, at + 1)) ++count;
    EXPECT_EQ(count, 4U) << fact;
  }

  // all is done; one repetition more is four runs more, and those before stay as they were
  const std::string before = contents(folder_ / "w/runs.jsonl");
  const Ran again = run(with(options, command), {{"STARPU_HOME", ""}});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(contents(folder_ / "w/runs.jsonl"), before);
  EXPECT_EQ(again.out, ran.out);
  Arguments more = options;
  more[3] = "4";
  ASSERT_EQ(run(with(more, command), {{"STARPU_HOME", ""}}).status, 0);
  const std::string after = contents(folder_ / "w/runs.jsonl");
  EXPECT_TRUE(after.starts_with(before));
  EXPECT_EQ(lines_of(after).size(), lines_of(before).size() + 4);
  EXPECT_EQ(read_csv(folder_ / "w/compare.csv").size(), 16U);

  // another comparison does not belong here
  const std::map<std::string, std::string> same = {{"STARPU_HOME", ""}};
  expect_bad_input(with(options, {STARPU_SAMPLE, "13"}), {"w holds another", "command", "12", "13"}, same);
  Arguments fewer = options;
  fewer[1] = "dmda,lws";
  expect_bad_input(with(fewer, command), {"--schedulers", "dmda,lws,eager,cyclic"}, same);
  expect_bad_input(with(options, command), {"STARPU_NCPU was 2, is now 1"},
                   {{"STARPU_HOME", ""}, {"STARPU_NCPU", "1"}});
  EXPECT_EQ(contents(folder_ / "w/runs.jsonl"), after);
}

TEST_F(AsterismCompare, ConjugateGradientTellsItsTime) {
  const Ran ran = run(with({"--schedulers", "cyclic,lws", "--repeat", "2", "--work", "w", "--time-from",
                            "json:cg.json:ms_per_iteration", "--csv", "all.csv"},
                           {ASTERISM_CG, "--stencil", "11pts-12", "--iterations", "10", "--json", "cg.json"}));
  ASSERT_EQ(ran.status, 0) << ran.err << ran.out;
  const auto rows = read_csv(folder_ / "all.csv");
  ASSERT_EQ(rows.size(), 6U);  // 4 measured, 2 recorded
  std::size_t recorded = 0;
  for (const auto& row : rows) {
    EXPECT_EQ(row.at("time_s"), row.at("program_s"));
    EXPECT_GT(std::stod(row.at("time_s")), 0);
    if (row.at("recorded") == "1") ++recorded;
    EXPECT_EQ(row.at("recorded") == "1", row.at("phase") == "extra");
    EXPECT_EQ(row.at("recorded") == "1", !row.at("makespan_s").empty());
  }
  EXPECT_EQ(recorded, 2U);
  EXPECT_EQ(result()["schedulers"][0]["times"].size(), 2U);
  EXPECT_GT(contents(folder_ / "w/compare.html").size(), 20000U);
}

TEST_F(AsterismCompare, OtherTimes) {
  const auto times = [&](const std::string& from, const std::string& behaviour) {
    fs::remove_all(folder_ / "w");
    const Ran ran =
        run(with({"--schedulers", "lws,eager", "--repeat", "1", "--work", "w", "--time-from", from, "--traced", "0"},
                 {STARPU_SAMPLE, "4", behaviour}));
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_FALSE(fs::exists(folder_ / "w/compare.html"));
    return read_csv(folder_ / "w/compare.csv");
  };
  for (const auto& [from, behaviour] :
       {std::pair{"regex:elapsed = ([0-9.]+)", "run"}, std::pair{"json:time.seconds", "run"},
        std::pair{"json:out.json:steps.0.seconds", "file:out.json"}, std::pair{"wall", "run"}}) {
    SCOPED_TRACE(from);
    const auto rows = times(from, behaviour);
    ASSERT_EQ(rows.size(), 2U);
    for (const auto& row : rows) {
      EXPECT_GT(std::stod(row.at("time_s")), 0);
      EXPECT_LE(std::stod(row.at("time_s")), std::stod(row.at("wall_s")));
      EXPECT_EQ(row.at("recorded"), "0");
      EXPECT_EQ(std::string(from) == "wall", row.at("program_s").empty());
    }
  }
  fs::remove_all(folder_ / "w");
  const Ran silent = run(
      with({"--schedulers", "lws,eager", "--work", "w", "--time-from", "regex:speed ([0-9]+)"}, {STARPU_SAMPLE, "4"}));
  EXPECT_EQ(silent.status, 1);
  EXPECT_EQ(lines_of(silent.err).size(), 1U) << silent.err;
  EXPECT_TRUE(contains(silent.err, "speed")) << silent.err;
}

}  // namespace
