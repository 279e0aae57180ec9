// SPDX-License-Identifier: Apache-2.0
// LP where tasks fit: bounds known by hand, its definition and a scan over all durations on random problems, MILP and
// exhaustive search from above.
#include "bounds/fitting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <random>
#include <set>

#include "base/error.hpp"
#include "bounds/milp.hpp"
#include "tests/bounds/problems.hpp"

namespace {

using namespace asterism::bounds;
using namespace asterism::bounds::testing;

constexpr double rounding = 1e-12;

double fitting(const AreaProblem& problem, const AreaOptions& options = {}) {
  return solve_fitting(problem, solve_area(problem, options), options);
}

/// LP's value with the pairs of duration <= longest only; none when a class with tasks has no kind left.
std::optional<double> up_to(AreaProblem p, double longest) {
  std::erase_if(p.classes, [](const TaskClass& c) { return c.tasks == 0; });
  for (TaskClass& c : p.classes) {
    for (double& t : c.seconds)
      if (t > longest) t = impossible;
    if (std::all_of(c.seconds.begin(), c.seconds.end(), [](double t) { return std::isinf(t); })) return std::nullopt;
  }
  return solve_area(p).seconds;
}

/// min over all durations tau of max(LP up to tau, tau).
double by_scan(const AreaProblem& p) {
  double least = impossible;
  for (const TaskClass& c : p.classes)
    for (const double tau : c.seconds)
      if (std::isfinite(tau))
        if (const auto lp = up_to(p, tau)) least = std::min(least, std::max(*lp, tau));
  return least;
}

TEST(Fitting, OneTask) {
  // cut: 10 CPUs do 1/10 per second, the GPU 1
  const AreaProblem p{{{"CPU", 10}, {"GPU", 1}}, {{"a", 1, {100, 1}}}};
  EXPECT_NEAR(solve_area(p).seconds, 1 / 1.1, rounding);
  EXPECT_NEAR(fitting(p), 1, rounding);
}

TEST(Fitting, EqualsLpWhereNothingIsLonger) {
  const AreaProblem p{{{"CPU", 1}, {"GPU", 1}}, {{"a", 8, {3, 1}}}};
  EXPECT_NEAR(solve_area(p).seconds, 6, rounding);
  EXPECT_EQ(fitting(p), solve_area(p).seconds);
  // LP itself is a duration
  const AreaProblem same{{{"CPU", 1}, {"GPU", 1}}, {{"a", 4, {3, 1}}}};
  EXPECT_NEAR(fitting(same), 3, rounding);
}

TEST(Fitting, BetweenTwoDurations) {
  // up to 1: all on the GPU
  const AreaProblem p{{{"CPU", 1}, {"GPU", 1}}, {{"a", 3, {10, 1}}}};
  EXPECT_NEAR(solve_area(p).seconds, 30.0 / 11, rounding);
  EXPECT_NEAR(fitting(p), 3, rounding);
  // up to 2: a on the GPU, b on the CPUs, 3 s; up to 50 a part z of a as well: 12 + 50 z = 4 (4 - z)
  const AreaProblem two{{{"CPU", 4}, {"GPU", 1}}, {{"a", 4, {50, 1}}, {"b", 6, {2, 1}}}};
  EXPECT_NEAR(solve_area(two).seconds, 4 - 4.0 / 54, rounding);
  EXPECT_NEAR(fitting(two), 4, rounding);
}

TEST(Fitting, IsADuration) {
  // up to 1: 6 on the GPU; up to 5: LP = 2, but a task takes 5 on a CPU
  const AreaProblem p{{{"CPU", 10}, {"GPU", 1}}, {{"a", 6, {5, 1}}}};
  EXPECT_NEAR(solve_area(p).seconds, 2, rounding);
  EXPECT_EQ(fitting(p), 5);
}

TEST(Fitting, LpEqualsTheNextDuration) {
  // up to 2, c to f take 8 on two GPUs: LP = 4, which is also the next duration
  EXPECT_NEAR(fitting(figure14()), 4, rounding);
}

TEST(Fitting, ClassesOfOneKind) {
  const AreaProblem p{{{"CPU", 1}, {"GPU", 10}}, {{"a", 3, {2, impossible}}, {"b", 1, {impossible, 7}}}};
  EXPECT_NEAR(solve_area(p).seconds, 6, rounding);
  EXPECT_EQ(fitting(p), 7);
  EXPECT_NEAR(fitting({{{"CPU", 4}}, {{"a", 1, {2}}, {"b", 1, {3}}}}), 3, rounding);
  EXPECT_NEAR(fitting({{{"CPU", 4}}, {{"a", 10, {2}}, {"b", 1, {3}}}}), 23.0 / 4, rounding);
}

TEST(Fitting, NoKindRunsIt) {
  const AreaProblem p{{{"CPU", 1}}, {{"a", 3, {1}}, {"b", 3, {impossible}}}};
  EXPECT_THROW(fitting(p), asterism::Error);
  EXPECT_THROW(solve_fitting(p, {}), asterism::Error);
}

TEST(Fitting, NoTasks) {
  EXPECT_EQ(fitting({{{"CPU", 1}}, {}}), 0);
  EXPECT_EQ(fitting({{{"CPU", 1}}, {{"a", 0, {5}}}}), 0);
  // what no task takes does not count
  EXPECT_NEAR(fitting({{{"CPU", 2}, {"GPU", 1}}, {{"a", 0, {50, 40}}, {"b", 3, {1, impossible}}}}), 1.5, rounding);
  EXPECT_NEAR(fitting({{{"CPU", 10}, {"GPU", 1}}, {{"a", 0, {500, 400}}, {"b", 1, {100, 1}}}}), 1, rounding);
}

TEST(Fitting, ZeroDurations) {
  EXPECT_EQ(fitting({{{"CPU", 1}}, {{"a", 3, {0}}}}), 0);
  EXPECT_NEAR(fitting({{{"CPU", 1}, {"GPU", 1}}, {{"a", 3, {0, 5}}, {"b", 1, {3, 1}}}}), 1, rounding);
}

TEST(Fitting, Links) {
  // up to 1 the link takes 2 s for each a; up to 4 the CPU shares them, LP = 8/3, but one takes 4 there
  const AreaProblem p{{{"CPU", 1}, {"GPU", 1, 5e8}}, {{"a", 2, {4, 1}, 1e9}, {"b", 1, {9, 0.5}, 0}}};
  EXPECT_NEAR(fitting(p), 4, rounding);
  EXPECT_NEAR(*up_to(p, 1), 4, rounding);
}

TEST(Fitting, IsWhatItsDefinitionSays) {
  std::mt19937 random(23);
  int larger = 0;
  int durations = 0;
  int between = 0;
  for (int i = 0; i < 600; ++i) {
    const AreaProblem p = i % 2 == 0 ? random_problem(random, 4, 16, 6, 6) : random_problem(random, 4, 4, 6, 3);
    const double lp = solve_area(p).seconds;
    const double t = fitting(p);
    ASSERT_NEAR(t, by_scan(p), 1e-9 * t) << "case " << i;
    EXPECT_GE(t, lp) << "case " << i;
    const auto at_t = up_to(p, t * (1 + 1e-9));
    ASSERT_TRUE(at_t) << "case " << i;
    EXPECT_LE(*at_t, t * (1 + 1e-9)) << "case " << i;
    if (t > 0) {
      const double below = t * (1 - 1e-6);
      EXPECT_GT(up_to(p, below).value_or(impossible), below) << "case " << i;
    }
    if (t < lp * (1 + 1e-6)) continue;
    ++larger;
    std::set<double> all;
    for (const TaskClass& c : p.classes) all.insert(c.seconds.begin(), c.seconds.end());
    ++(all.contains(t) ? durations : between);
  }
  EXPECT_GT(larger, 100);
  EXPECT_GT(durations, 20);
  EXPECT_GT(between, 20);
}

TEST(Fitting, WithTiesBetweenDurationsAndLoads) {
  // small whole durations: LP often equals one
  std::mt19937 random(29);
  int ties = 0;
  for (int i = 0; i < 600; ++i) {
    AreaProblem p = random_problem(random, 3, 4, 4, 3);
    for (TaskClass& c : p.classes)
      for (double& t : c.seconds) t = std::isfinite(t) ? std::ceil(std::sqrt(t)) : t;
    const double t = fitting(p);
    ASSERT_NEAR(t, by_scan(p), 1e-9 * t) << "case " << i;
    for (double tau = 1; tau < 6; ++tau) {
      const auto lp = up_to(p, tau - 0.5);
      ties += lp && std::abs(*lp - tau) < 1e-9 && std::abs(t - tau) < 1e-9;
    }
  }
  EXPECT_GT(ties, 20);
}

TEST(Fitting, ColumnByColumnGivesTheSame) {
  std::mt19937 random(31);
  AreaOptions by_columns;
  by_columns.most_rows = 0;
  for (int i = 0; i < 300; ++i) {
    AreaProblem p = random_problem(random, 4, 8, 30, 4);
    if (i % 2 == 0) {
      p.kinds.back().receives = 100;
      for (TaskClass& c : p.classes) c.bytes = 10 * c.tasks;
    }
    const double t = fitting(p);
    ASSERT_NEAR(fitting(p, by_columns), t, 1e-9 * t) << "case " << i;
  }
}

TEST(Fitting, IsAtMostTheOptimumOfWholeTasks) {
  std::mt19937 random(37);
  int larger = 0;
  int reached = 0;
  for (int i = 0; i < 1000; ++i) {
    const AreaProblem p = i < 500 ? random_problem(random, 2, 2, 4, 2) : random_problem(random, 3, 2, 4, 2);
    const double lp = solve_area(p).seconds;
    const double t = fitting(p);
    const double whole = exhaustive(p);
    EXPECT_LE(t, whole * (1 + 1e-9)) << "case " << i;
    EXPECT_LE(t, solve_milp(p) * (1 + 1e-7)) << "case " << i;
    EXPECT_GE(t, lp) << "case " << i;
    larger += t > lp * 1.01;
    reached += t > lp * 1.01 && t > whole * (1 - 1e-9);
  }
  EXPECT_GT(larger, 100);
  EXPECT_GT(reached, 50);
}

TEST(Fitting, ManyClasses) {
  AreaProblem p{{{"CPU", 1000}, {"CUDA", 4}, {"HIP", 4}}, {}};
  std::mt19937 random(41);
  std::uniform_real_distribution<double> real(0, 1);
  for (int c = 0; c < 20000; ++c) {
    const double size = std::exp(8 * real(random));
    p.classes.push_back({"c" + std::to_string(c), 1, {}});
    for (const double speed : {1.0, 400.0, 300.0})
      p.classes.back().seconds.push_back(size * (0.5 + real(random)) / speed);
  }
  const AreaSolution area = solve_area(p);
  const auto begin = std::chrono::steady_clock::now();
  const double t = solve_fitting(p, area);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(t, area.seconds);
  EXPECT_LT(seconds.count(), 20);
  std::printf("%zu classes, 3 kinds: LP %.6g, where tasks fit %.6g, %.2f s\n", p.classes.size(), area.seconds, t,
              seconds.count());
}

}  // namespace
