// The program asterism-compare from outside, on StarPU programs: asterism-cg and one that knows nothing of Asterism.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/apps/run_program.hpp"

namespace {

namespace fs = std::filesystem;
using asterism::tests::Arguments;
using asterism::tests::contains;
using asterism::tests::contents;
using asterism::tests::lines_of;
using asterism::tests::Ran;
using nlohmann::json;

constexpr int limit_seconds = 240;  ///< of one comparison

/// Rows of a CSV file by column name.
std::vector<std::map<std::string, std::string>> read_csv(const fs::path& path) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> result(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        result.emplace_back();
      else
        result.back() += c;
    }
    return result;
  };
  const std::vector<std::string> lines = lines_of(contents(path));
  std::vector<std::map<std::string, std::string>> rows;
  if (lines.empty()) return rows;
  const std::vector<std::string> names = cells(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> values = cells(lines[i]);
    EXPECT_EQ(values.size(), names.size()) << lines[i];
    std::map<std::string, std::string> row;
    for (std::size_t c = 0; c < std::min(names.size(), values.size()); ++c) row[names[c]] = values[c];
    rows.push_back(std::move(row));
  }
  return rows;
}

class AsterismCompare : public testing::Test {
 protected:
  AsterismCompare() : folder_(fs::temp_directory_path() / ("asterism_compare_test_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "home");
  }
  ~AsterismCompare() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// Starts the program in folder_, with two CPU workers.
  pid_t start(const Arguments& arguments, const std::map<std::string, std::string>& environment = {}) const {
    Arguments copy = arguments;
    copy.insert(copy.begin(), ASTERISM_COMPARE);
    std::vector<char*> argv;
    for (std::string& argument : copy) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    for (const auto& [name, target] : {std::pair{"stdout", STDOUT_FILENO}, std::pair{"stderr", STDERR_FILENO}}) {
      const int file = open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      if (file < 0 || dup2(file, target) < 0) _exit(126);
    }
    if (chdir(folder_.c_str()) != 0) _exit(126);
    for (const char* name : {"STARPU_SCHED", "STARPU_CALIBRATE", "STARPU_SCHED_LIB", "STARPU_PERF_MODEL_DIR"})
      unsetenv(name);
    setenv("STARPU_NCPU", "2", 1);
    setenv("STARPU_NCUDA", "0", 1);
    setenv("STARPU_WORKERS_NOBIND", "1", 1);
    setenv("STARPU_HOME", (folder_ / "home").c_str(), 1);
    setenv("OMP_WAIT_POLICY", "passive", 1);
    for (const auto& [name, value] : environment)
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    execv(argv[0], argv.data());
    _exit(127);
  }

  Ran finish(pid_t child) const {
    Ran ran;
    int status = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(limit_seconds);
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) kill(child, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ran.out = contents(folder_ / "stdout");
    ran.err = contents(folder_ / "stderr");
    return ran;
  }

  Ran run(const Arguments& arguments, const std::map<std::string, std::string>& environment = {}) const {
    return finish(start(arguments, environment));
  }

  /// Options, then the command after --.
  static Arguments with(Arguments options, const Arguments& command) {
    options.emplace_back("--");
    options.insert(options.end(), command.begin(), command.end());
    return options;
  }

  json result(const std::string& work = "w") const { return json::parse(contents(folder_ / work / "compare.json")); }
  std::vector<std::string> journal(const std::string& work = "w") const {
    return lines_of(contents(folder_ / work / "runs.jsonl"));
  }
  /// Waits until so many runs are recorded.
  bool wait_for_runs(std::size_t count) const {
    for (int i = 0; i < 12000; ++i) {
      if (journal().size() > count) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  void expect_bad_input(const Arguments& arguments, const std::vector<std::string>& words,
                        const std::map<std::string, std::string>& environment = {}) const {
    const Ran ran = run(arguments, environment);
    EXPECT_EQ(ran.status, 2) << ran.err;
    EXPECT_EQ(lines_of(ran.err).size(), 1U) << ran.err;
    EXPECT_TRUE(ran.err.starts_with("asterism-compare: error: ")) << ran.err;
    for (const std::string& word : words) EXPECT_TRUE(contains(ran.err, word)) << word << " is not in: " << ran.err;
    EXPECT_TRUE(ran.out.empty()) << ran.out;
  }

  const fs::path folder_;
};

TEST_F(AsterismCompare, HelpTeaches) {
  const Ran ran = run({"--help"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(ran.err.empty()) << ran.err;
  for (const char* word : {"--schedulers", "--repeat", "--time-from", "--timeout", "--work", "--untraced", "--traced",
                           "--calibration-runs", "asterism-compare --schedulers", "STARPU_SCHED", "Exit status"})
    EXPECT_TRUE(contains(ran.out, word)) << word;
  EXPECT_EQ(run({"--version"}).status, 0);
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

  // one line per scheduler and repetition; in every repetition another order
  const auto rows = read_csv(folder_ / "w/compare.csv");
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

  const json record = result();
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
    EXPECT_TRUE(fs::exists(folder_ / "w/runs" / shown / "tasks.rec.gz"));
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
  std::size_t kept = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "w/runs")) {
    if (entry.path().filename() == "tasks.rec.gz") ++kept;
    EXPECT_FALSE(entry.path().filename().string().starts_with("prof_file"));
  }
  EXPECT_EQ(kept, 4U);
  const std::string page = contents(folder_ / "w/compare.html");
  EXPECT_GT(page.size(), 20000U);
  EXPECT_TRUE(contains(page, "critical path"));

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
