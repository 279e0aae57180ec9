// SPDX-License-Identifier: Apache-2.0
// Schedulers on simulated machines, whose times are the same to the last digit: how far HeteroPrio is from the bound,
// what its rules are worth, where the cyclic mapper puts block-rows, and that all of them repeat themselves.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "io/text_words.hpp"
#include "tests/simulated/simulated_runs.hpp"

namespace {

namespace fs = std::filesystem;
using asterism::words_of;
using asterism::tests::SimulatedRun;
using Fields = std::map<std::string, std::string>;

/// "Name: value" lines with empty lines between the records, as StarPU writes tasks.rec and data.rec.
std::vector<Fields> records_in(const fs::path& path) {
  std::vector<Fields> records(1);
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.empty())
      records.emplace_back();
    else if (colon != std::string::npos)
      records.back()[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return records;
}

class SimulatedSchedulers : public asterism::tests::SimulatedRuns {
 protected:
  /// Seconds, and the greatest lower bound that --calibrate knows, which runs every class of tasks on every kind of
  /// unit.
  std::pair<double, double> time_and_bound(const std::string& options, const std::string& platform) const {
    const SimulatedRun ran = run("asterism-fmm", options + " --trace trace", platform);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    if (ran.status != 0) return {0, 0};
    std::ifstream file(folder_ / "trace" / "trace.json");
    const nlohmann::json trace = nlohmann::json::parse(file);
    double bound = 0;
    for (const nlohmann::json& one : trace.at("bounds"))
      if (one.at("name") == "LP") bound = one.at("seconds").get<double>();
    EXPECT_GT(bound, 0);
    return {trace.at("makespan").get<double>(), bound};
  }

  /// Runs conjugate gradient under "cyclic", recorded, and compares where StarPU executed every task with the rule: the
  /// block-row is the first coordinate of the first datum that the task writes and that has some, else of the first
  /// that it reads; it belongs to unit (block-row) mod `units`. `first_worker`: StarPU's number of unit 0.
  void expect_cyclic(const std::string& options, int units, int first_worker, int block_rows) const {
    SCOPED_TRACE(options);
    fs::remove_all(folder_ / "trace");
    const SimulatedRun ran = run("asterism-cg", options + " --scheduler cyclic --trace trace");
    ASSERT_EQ(ran.status, 0) << ran.errors;
    std::map<std::string, int> row_of;  // by handle
    for (const Fields& datum : records_in(folder_ / "trace" / "data.rec"))
      if (datum.contains("Coordinates") && datum.contains("Handle"))
        row_of[datum.at("Handle")] = std::stoi(datum.at("Coordinates"));
    std::set<int> rows;
    int tasks = 0;
    for (const Fields& task : records_in(folder_ / "trace" / "tasks.rec")) {
      if (!task.contains("WorkerId") || !task.contains("Handles")) continue;
      const std::vector<std::string> handles = words_of(task.at("Handles"));
      const std::vector<std::string> modes = words_of(task.at("Modes"));
      ASSERT_EQ(handles.size(), modes.size());
      std::optional<int> row;
      for (const bool written : {true, false})
        for (std::size_t i = 0; i < handles.size() && !row; ++i)
          if ((modes[i].find('W') != std::string::npos) == written && row_of.contains(handles[i]))
            row = row_of.at(handles[i]);
      EXPECT_EQ(std::stoi(task.at("WorkerId")), first_worker + row.value_or(0) % units)
          << task.at("Name") << " of block-row " << row.value_or(-1);
      if (row) rows.insert(*row);
      ++tasks;
    }
    EXPECT_GT(tasks, 10 * block_rows);
    EXPECT_EQ(static_cast<int>(rows.size()), block_rows);
  }
};

/// The FMM paper's machine and setting (order 5, nine cores beside three GPUs), with as many groups on a smaller tree.
const std::string papers_machine = "nehalem-m2070";
const std::string papers_setting = "--cpus 9 --gpus 3 --order 5 --epsilon 1e-5 --quiet ";
const std::string cube = papers_setting + "--distribution cube --particles 500000 --height 5 --group-size 16";
const std::string ellipsoid =
    papers_setting + "--distribution ellipsoid --particles 1000000 --height 8 --group-size 250";

TEST_F(SimulatedSchedulers, HeteroPrioComesCloseToTheBound) {
  for (const auto& [options, share] : {std::pair{cube, 0.97}, std::pair{ellipsoid, 0.93}}) {
    SCOPED_TRACE(options);
    const auto [time, bound] = time_and_bound(options + " --scheduler hprio", papers_machine);
    EXPECT_GE(bound, share * time);
    EXPECT_LE(bound, time);
    // unrecorded, with the main program's waiting for the end
    EXPECT_NEAR(seconds("asterism-fmm", options + " --scheduler hprio", papers_machine), time, 3e-2 * time);
    for (const char* other : {"eager", "lws", "dmdas"})
      EXPECT_GT(seconds("asterism-fmm", options + " --scheduler " + other, papers_machine), 1.02 * time) << other;
  }
}

TEST_F(SimulatedSchedulers, TheTerminationRuleKeepsCoresFromLongTasks) {
  const auto with = [&](const std::string& options, const std::string& rules) {
    return seconds("asterism-fmm", options, papers_machine, "ASTERISM_HPRIO_RULES=" + rules);
  };
  // a near field of the ellipsoid's tips takes a core several times as long as all units together need for everything
  EXPECT_GT(with(ellipsoid, "-termination"), 4 * with(ellipsoid, ""));
  EXPECT_GT(with(cube, "-termination"), 1.05 * with(cube, ""));
  // the paper's rule, which knows speedups only
  EXPECT_GT(with(ellipsoid, "-termination"), 3 * with(ellipsoid, "-backlog"));
}

TEST_F(SimulatedSchedulers, LookingAtAllThatWaitsForTheGpusIsNoLoss) {
  const auto with = [&](const std::string& options, const std::string& rules) {
    return seconds("asterism-fmm", options, papers_machine, "ASTERISM_HPRIO_RULES=" + rules);
  };
  EXPECT_GT(with(ellipsoid, "-backlog"), 1.15 * with(ellipsoid, ""));
  EXPECT_GT(with(cube, "-backlog"), 0.985 * with(cube, ""));
}

TEST_F(SimulatedSchedulers, GpusThatPreferWhatTheyHoldFetchLess) {
  const auto moved = [&](const std::string& rules) {
    const SimulatedRun ran = run(
        "asterism-fmm",
        "--particles 3000000 --distribution ellipsoid --accuracy 5 --quiet --repeat 3 --scheduler-places --trace trace",
        "h200x4", "ASTERISM_HPRIO_RULES=" + rules);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    const nlohmann::json trace = nlohmann::json::parse(std::ifstream(folder_ / "trace" / "trace.json"));
    return std::pair(ran.record["seconds"].get<double>(), trace.at("bytes_moved").get<double>());
  };
  const auto [seconds, bytes] = moved("");
  const auto [seconds_anywhere, bytes_anywhere] = moved("-locality");
  EXPECT_LT(bytes, 0.9 * bytes_anywhere);
  EXPECT_LT(seconds, seconds_anywhere);
}

/// The operations of every dot product of a refined flow, which bounds and simulated durations are made from.
TEST_F(SimulatedSchedulers, TasksOfPiecesSayTheirOperations) {
  const SimulatedRun ran = run("asterism-cg",
                               "--stencil 7pts-24 --blocks 3 --gpus 3 --cpus 0 --flow refined --transfer full "
                               "--iterations 4 --trace trace");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  int dots = 0;
  for (const Fields& task : records_in(folder_ / "trace" / "tasks.rec")) {
    if (!task.contains("Name") || task.at("Name") != "cg_dot") continue;
    EXPECT_NEAR(std::stod(task.at("GFlop")), 2e-9 * 24 * 24 * 24 / 3, 2e-6);
    ++dots;
  }
  EXPECT_GE(dots, 12);
}

TEST_F(SimulatedSchedulers, OrderSuitsTheOperatorsThatGpusRun) {
  const auto order_on = [&](const std::string& platform) {
    return run("asterism-fmm", "--particles 5000 --height 4", platform).record["options"]["gpu_order"];
  };
  EXPECT_EQ(order_on(papers_machine), "own-first");  // P2P and M2L, as in the paper
  EXPECT_EQ(order_on("h200x4"), "far-first");
  // cores that begin with P2P have everything wait for them
  EXPECT_GT(seconds("asterism-fmm", cube + " --gpu-order far-first", papers_machine),
            1.15 * seconds("asterism-fmm", cube, papers_machine));
}

TEST_F(SimulatedSchedulers, CyclicDealsBlockRowsInTurn) {
  expect_cyclic("--stencil 7pts-24 --blocks 7 --gpus 3 --cpus 0 --iterations 4", 3, 0, 7);
  expect_cyclic("--stencil 7pts-20 --blocks 8 --gpus 3 --cpus 2 --iterations 3 --flow naive --decomposition 2d", 3, 0,
                8);
  expect_cyclic("--stencil 11pts-16 --blocks 11 --gpus 0 --cpus 4 --iterations 3 --flow refined", 4, 0, 11);
  expect_cyclic("--stencil 7pts-24 --blocks 9 --gpus 3 --cpus 2 --units all --iterations 3", 5, 0, 9);
}

TEST_F(SimulatedSchedulers, RepeatThemselvesToTheLastDigit) {
  const std::string smaller = papers_setting + "--distribution ellipsoid --particles 20000 --height 6 --group-size 125";
  for (const char* scheduler :
       {"hprio", "er-ls", "multiprio", "heteroprio", "dmdas", "dmda", "lws", "eager", "calibrate", "cyclic"}) {
    expect_the_same_twice("asterism-fmm", smaller + " --scheduler " + scheduler, papers_machine);
    expect_the_same_twice("asterism-cg",
                          std::string("--stencil 7pts-24 --iterations 5 --blocks 9 --scheduler ") + scheduler);
  }
  for (const char* scheduler : {"hprio", "dmdas", "eager"}) {
    const std::string with = std::string(" --scheduler ") + scheduler;
    expect_the_same_twice("asterism-lbm", "--size 48x32x40 --steps 20" + with);
    expect_the_same_twice("asterism-fdtd", "--size 48x32x40 --steps 20" + with);
    expect_the_same_twice("asterism-tdbem", "--unknowns 300 --steps 20 --gpus 1 --sharing scheduler" + with);
  }
  for (const char* scheduler : {"greedy", "assignment"})
    expect_the_same_twice("asterism-fdtd",
                          std::string("farm --size 20 --domains 30 --steps 10 --scheduler ") + scheduler);
}

TEST_F(SimulatedSchedulers, SeedsMakeOtherParticlesAndTheSameOnesAgain) {
  const std::string options = papers_setting + "--distribution cube --particles 20000 --height 4 --group-size 16";
  expect_the_same_twice("asterism-fmm", options + " --seed 7", papers_machine);
  EXPECT_NE(seconds("asterism-fmm", options + " --seed 7", papers_machine),
            seconds("asterism-fmm", options + " --seed 8", papers_machine));
}

}  // namespace
