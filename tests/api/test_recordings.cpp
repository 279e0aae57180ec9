// SPDX-License-Identifier: Apache-2.0
// Recordings, bounds and names of schedulers through the library: against what can be computed from their tasks.
#include <algorithm>
#include <asterism/bounds.hpp>
#include <asterism/cg.hpp>
#include <asterism/schedulers.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "tests/api/problems.hpp"

namespace {

using namespace asterism;
using namespace asterism::tests;

const std::string recordings = std::string(ASTERISM_SOURCE_DIR) + "/experiments/records/recordings/";

TEST(LibraryRecordings, TasksUnitsAndCopiesAgree) {
  const traces::Recording recording(recordings + "cg-11pts-128-h200x4-cyclic");
  EXPECT_EQ(recording.name(), "cg-11pts-128-h200x4-cyclic");
  ASSERT_EQ(recording.units().size(), 4u);
  std::vector<double> computing(4, 0.0);
  double first = 1e9, last = 0;
  std::size_t executed = 0, waits = 0;
  for (std::size_t t = 0; t < recording.tasks().size(); ++t) {
    const traces::Task& task = recording.tasks()[t];
    for (const std::uint32_t before : recording.predecessors(t)) {
      const traces::Task& awaited = recording.tasks()[before];
      if (awaited.unit < 0 || task.unit < 0) continue;
      EXPECT_LE(awaited.end, task.start);
      ++waits;
    }
    if (task.unit < 0) continue;
    ++executed;
    EXPECT_FALSE(task.codelet.empty());
    computing.at(static_cast<std::size_t>(task.unit)) += task.end - task.start;
    first = std::min(first, task.start);
    last = std::max(last, task.end);
  }
  EXPECT_EQ(executed, 416u);
  EXPECT_GT(waits, 400u);
  EXPECT_NEAR(first, 0, 1e-12);
  EXPECT_NEAR(last, recording.makespan(), 1e-12);
  for (std::size_t u = 0; u < 4; ++u) {
    const traces::Unit& unit = recording.units()[u];
    EXPECT_EQ(unit.kind, "CUDA");
    EXPECT_NEAR(unit.computing * recording.makespan(), computing[u], 1e-9);
    EXPECT_NEAR(unit.computing + unit.waiting + unit.scheduling + unit.runtime + unit.idle, 1, 1e-9);
  }
  ASSERT_FALSE(recording.transfers().empty());
  for (const traces::Transfer& copy : recording.transfers()) {
    EXPECT_LE(copy.start, copy.end);
    EXPECT_NE(copy.from, copy.to);
  }
}

TEST(LibraryRecordings, BoundsAreThoseOfOneKind) {
  const traces::Recording recording(recordings + "cg-11pts-128-h200x4-cyclic");
  // on units of one kind the LP is the work over their number, and the critical path the longest chain of the fastest
  // times of each class
  double work = 0;
  std::map<std::pair<std::string_view, std::uint32_t>, double> fastest;
  const auto class_of = [](const traces::Task& task) { return std::pair(task.codelet, task.footprint); };
  for (const traces::Task& task : recording.tasks()) {
    if (task.unit < 0) continue;
    work += task.end - task.start;
    const auto [at, is_new] = fastest.try_emplace(class_of(task), task.end - task.start);
    if (!is_new) at->second = std::min(at->second, task.end - task.start);
  }
  std::vector<double> end(recording.tasks().size(), -1.0);
  const std::function<double(std::size_t)> end_of = [&](std::size_t t) {
    if (end[t] >= 0) return end[t];
    double begin = 0;
    for (const std::uint32_t before : recording.predecessors(t)) begin = std::max(begin, end_of(before));
    const traces::Task& task = recording.tasks()[t];
    return end[t] = begin + (task.unit >= 0 ? fastest.at(class_of(task)) : 0);
  };
  for (std::size_t t = 0; t < end.size(); ++t) end_of(t);
  const bounds::Bounds bounds = bounds::compute(recording);
  EXPECT_NEAR(bounds.lp, work / 4, 1e-9 * work);
  ASSERT_TRUE(bounds.critical_path && bounds.windows);
  EXPECT_LE(*bounds.critical_path, *std::max_element(end.begin(), end.end()) * (1 + 1e-9));
  EXPECT_GE(*bounds.critical_path, *std::max_element(end.begin(), end.end()) * 0.5);
  EXPECT_LE(bounds.lp, bounds.best);
  EXPECT_LE(*bounds.critical_path, bounds.best);
  EXPECT_LE(bounds.best, recording.makespan());
  EXPECT_EQ(bounds.makespan, recording.makespan());
  EXPECT_NEAR(bounds::compute(recording, {{"CUDA", 8}}).lp, work / 8, 1e-9 * work);
  expect_bad_input([&] { (void)bounds::compute(recording, {{"CPU", 8}}); }, {"CPU"});
}

TEST(LibraryRecordings, ASessionIsRecorded) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "library-recording";
  std::filesystem::remove_all(folder);
  const Csr a = anisotropic_grid(12, 10, 8);
  const std::vector<double> b = random_values(a.rows(), 1);
  for (const std::int64_t iterations : {3, 5}) {  // the second replaces the first
    SessionOptions recorded;
    recorded.cpus = 1;
    recorded.gpus = 0;
    recorded.trace = folder.string();
    {
      Session session(recorded);
      cg::Options options;
      options.preconditioner = cg::Preconditioner::none;
      options.flow = cg::Flow::naive;  // a task for each operation
      options.max_iterations = iterations;
      cg::Solver solver(
          session, {std::span<const std::int64_t>(a.begin), std::span<const std::int32_t>(a.column), a.value}, options);
      std::vector<double> x(a.rows());
      EXPECT_EQ(solver.solve(b, x).iterations, iterations);
      expect_bad_input([&] { const Session second(recorded); }, {"trace", "running already"});
    }
    const traces::Recording recording(folder.string());
    std::set<std::int32_t> numbers;
    for (const traces::Task& task : recording.tasks())
      if (task.codelet.starts_with("cg_") && task.iteration >= 0) numbers.insert(task.iteration);
    EXPECT_EQ(static_cast<std::int64_t>(numbers.size()), iterations);
    EXPECT_LE(bounds::compute(recording).best, recording.makespan());
  }
  std::filesystem::remove_all(folder);
}

TEST(LibraryRecordings, WrongOnesAreNamed) {
  expect_bad_input([] { const traces::Recording none("nowhere"); }, {"nowhere", "no such file or folder"});
  expect_bad_input([] { const traces::Recording none(std::vector<std::string>{}); }, {"no recording"});
  expect_bad_input([] { const traces::Recording cg(recordings + "cg-11pts-128-h200x4-one", "tuesday"); }, {"tuesday"});
  const std::string text = testing::TempDir() + "no-recording";
  std::ofstream(text) << "hello\n";
  expect_bad_input([&] { const traces::Recording none(text); }, {text});
  traces::Recording recording(recordings + "cg-11pts-128-h200x4-one");
  expect_bad_input([&] { (void)recording.predecessors(1000000); }, {"task 1000000", "below"});
  const traces::Recording moved = std::move(recording);
  expect_bad_input([&] { (void)recording.tasks(); }, {"moved from"});  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved.units().size(), 1u);
}

TEST(LibrarySchedulers, NamesAndTheirFile) {
  const std::vector<std::string> names = schedulers::names();
  for (const char* name : {"hprio", "cyclic", "static", "lws", "dmdas"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  const std::string file = schedulers::plug_in();
  EXPECT_TRUE(std::filesystem::is_regular_file(file)) << file;
  EXPECT_TRUE(file.ends_with("libasterism-schedulers.so")) << file;
}

}  // namespace
