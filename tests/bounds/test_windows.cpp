// SPDX-License-Identifier: Apache-2.0
// The window bound: cases by hand, and never above the optimum that exhaustive search finds.
#include "bounds/windows.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "base/error.hpp"
#include "bounds/bounds.hpp"
#include "bounds/fitting.hpp"
#include "tests/bounds/compute_bounds.hpp"
#include "tests/bounds/small_graphs.hpp"

namespace {

using namespace asterism::bounds;
using namespace asterism::bounds::testing;
using asterism::traces::none;
using asterism::traces::testing::Builder;

WindowBound bound_of(const SmallGraph& g, const WindowOptions& options = {}) {
  const asterism::traces::Recording r = recording_of(g);
  const std::vector<std::uint32_t> of_task(g.of_task.begin(), g.of_task.end());
  const AreaProblem problem = problem_of(g);
  std::vector<std::vector<double>> least;
  for (const TaskClass& c : problem.classes) least.push_back(c.seconds);
  return window_bound({&r, &of_task, &problem, least}, options);
}

double area_and_path(const SmallGraph& g) {
  double longest = 0;
  std::vector<double> end(g.of_task.size(), 0);
  const AreaProblem problem = problem_of(g);
  for (std::size_t t = 0; t < end.size(); ++t) {
    const std::vector<double>& seconds = problem.classes[g.of_task[t]].seconds;
    for (const std::uint32_t p : g.before[t]) end[t] = std::max(end[t], end[p]);
    longest = std::max(longest, end[t] += *std::min_element(seconds.begin(), seconds.end()));
  }
  return std::max(longest, solve_fitting(problem, solve_area(problem)));
}

TEST(Windows, WorkBetweenTwoTasks) {
  // one task, eight in parallel on two units, one task: neither 10 / 2 nor the path of 3
  SmallGraph g{{2}, {{1}}, std::vector<std::size_t>(10, 0), {{}}};
  for (int i = 0; i < 8; ++i) g.before.push_back({0});
  g.before.push_back({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_DOUBLE_EQ(area_and_path(g), 5);
  const WindowBound bound = bound_of(g, {.raise = false});
  EXPECT_DOUBLE_EQ(bound.seconds, 6);
  EXPECT_DOUBLE_EQ(bound.after, 1);
  EXPECT_DOUBLE_EQ(bound.before, 1);
  EXPECT_EQ(bound.tasks, 8U);
  EXPECT_DOUBLE_EQ(bound.path, 3);
  EXPECT_DOUBLE_EQ(bound_of(g).path, 6);
}

TEST(Windows, OneAfterTheOther) {
  // five times: four tasks on three units, then one task: each takes 4/3 + 1
  SmallGraph g{{3}, {{1}}, {}, {}};
  std::uint32_t last = none;
  for (int stage = 0; stage < 5; ++stage) {
    const auto first = static_cast<std::uint32_t>(g.before.size());
    for (int i = 0; i < 4; ++i) g.before.push_back(last == none ? std::vector<std::uint32_t>() : std::vector{last});
    last = first + 4;
    g.before.push_back({first, first + 1, first + 2, first + 3});
  }
  g.of_task.assign(g.before.size(), 0);
  EXPECT_DOUBLE_EQ(area_and_path(g), 10);
  EXPECT_DOUBLE_EQ(bound_of(g).seconds, 5 * (4.0 / 3 + 1));
}

TEST(Windows, KindsOfUnits) {
  // a is ten times as fast on B; 6 of them between two b that only A runs: 6 / (2 + 10) * 10 s, or 5 where they fit
  SmallGraph g{
      {2, 1}, {{10, 1}, {3, 0}}, {1, 0, 0, 0, 0, 0, 0, 1}, {{}, {0}, {0}, {0}, {0}, {0}, {0}, {1, 2, 3, 4, 5, 6}}};
  EXPECT_DOUBLE_EQ(bound_of(g).seconds, 3 + 6 + 3);
  EXPECT_DOUBLE_EQ(bound_of(g).path, 3 + 5 + 3);
}

TEST(Windows, TasksOfTheRunThatWereFasterThanTheirClass) {
  // the tasks between barriers took 1 s, those before them 3 s: this run's makespan is the bound's limit
  Builder b;
  b.units("CPU", 2);
  const auto first = b.task("a", 0, 0, 3);
  b.task("a", 1, 0, 3);
  const auto barrier = b.task("barrier", none, 3, 3, {first, 1});
  std::vector<std::uint32_t> inner;
  for (std::uint32_t i = 0; i < 4; ++i) inner.push_back(b.task("a", i % 2, 3 + i / 2, 4 + i / 2, {barrier}));
  b.task("end", 0, 5, 6, inner);
  const Bounds bounds = bounds_of(b.finish());
  ASSERT_TRUE(bounds.windows);
  EXPECT_LE(bounds.windows->seconds, 6);
  EXPECT_GE(bounds.windows->seconds, 1 + 2 + 1);
  EXPECT_TRUE(bounds.inconsistencies.empty());
}

TEST(Windows, Cycle) {
  const SmallGraph g{{1}, {{1}}, {0, 0}, {{1}, {0}}};
  EXPECT_THROW(bound_of(g), asterism::Error);
}

TEST(Windows, NothingExecuted) {
  const SmallGraph g{{1}, {{1}}, {0}, {{}}};
  const asterism::traces::Recording r = recording_of(g);
  const std::vector<std::uint32_t> of_task{none};
  const AreaProblem problem = problem_of(g);
  EXPECT_EQ(window_bound({&r, &of_task, &problem, {{1}}}).seconds, 0);
}

TEST(Windows, NeverAboveTheOptimum) {
  std::mt19937 random(17);
  int above_both = 0;
  int optimal = 0;
  int optimal_before = 0;
  constexpr int graphs = 10000;
  for (int i = 0; i < graphs; ++i) {
    const SmallGraph g = random_graph(random, 7, 3);
    const int optimum = ExhaustiveSearch(g).makespan();
    const double both = area_and_path(g);
    const WindowBound bound = bound_of(g);
    ASSERT_LE(bound.seconds, optimum * (1 + 1e-9)) << "graph " << i;
    ASSERT_GE(bound.seconds, solve_area(problem_of(g)).seconds * (1 - 1e-9)) << "graph " << i;
    above_both += bound.seconds > both * (1 + 1e-9) ? 1 : 0;
    optimal += std::max(bound.seconds, both) > optimum * (1 - 1e-9) ? 1 : 0;
    optimal_before += both > optimum * (1 - 1e-9) ? 1 : 0;
  }
  std::printf("above max(LP where tasks fit, critical path) on %d of %d graphs; optimal on %d, those on %d\n",
              above_both, graphs, optimal, optimal_before);
  EXPECT_GT(above_both, graphs / 100);
}

TEST(Windows, SecondsForHundredThousandTasks) {
  std::mt19937 random(4);
  SmallGraph g{{56, 4}, {{50, 2}, {7, 7}, {12, 1}}, {}, {}};
  for (std::uint32_t t = 0; t < 100000; ++t) {
    g.of_task.push_back(random() % 3);
    std::vector<std::uint32_t>& before = g.before.emplace_back();
    for (int i = 0; t >= 2000 && i < 3; ++i) before.push_back(t - 1 - static_cast<std::uint32_t>(random() % 2000));
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_GE(bound_of(g).seconds, area_and_path(g) * (1 - 1e-9));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("100000 tasks: %.1f s\n", seconds);
}

}  // namespace
