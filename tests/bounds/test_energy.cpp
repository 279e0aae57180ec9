// SPDX-License-Identifier: Apache-2.0
// The least energy at a makespan: cases by hand, and never above that of a schedule.
#include <gtest/gtest.h>

#include <cmath>

#include "bounds/schedules/energy.hpp"
#include "tests/bounds/small_graphs.hpp"

namespace {

using namespace asterism::bounds;
using namespace asterism::bounds::testing;
using asterism::traces::UnitPower;

/// Eight tasks: 4 s and 10 W beyond idle on one of two A, 1 s and 100 W on B. A task takes 40 J or 100 J.
AreaProblem two_kinds() {
  return {{{"A", 2}, {"B", 1}}, {{"task", 8, {4, 1}, 0}}};
}
const std::vector<UnitPower> power{{5, 15}, {20, 120}};  // 30 W idle in all

TEST(Energy, LongerMakespansLetTheThriftyKindDoMore) {
  // LP: x on A, 4 x = 2 T, 8 - x = T: T = 16 / 3
  EXPECT_EQ(least_energy(two_kinds(), power, 5.3), impossible);
  const double shortest = 16.0 / 3;
  EXPECT_NEAR(least_energy(two_kinds(), power, shortest), 30 * shortest + 40 * 8.0 / 3 + 100 * 16.0 / 3, 1e-3);
  // 8 s: four on A, four on B
  EXPECT_NEAR(least_energy(two_kinds(), power, 8), 30 * 8 + 40 * 4 + 100 * 4, 1e-6);
  // from 16 s on A does all of it
  EXPECT_NEAR(least_energy(two_kinds(), power, 16), 30 * 16 + 40 * 8, 1e-9);
  EXPECT_NEAR(least_energy(two_kinds(), power, 20), 30 * 20 + 40 * 8, 1e-9);
}

TEST(Energy, Front) {
  // a second longer lets half a task go to A: 30 J saved, 30 W idle: all makespans take the same. With less idle power
  // the longest is best, with more the shortest.
  std::vector<UnitPower> less = power, more = power;
  for (UnitPower& p : less) p = {p.idle / 2, p.busy - p.idle / 2};
  for (UnitPower& p : more) p = {p.idle * 2, p.busy + p.idle};
  const std::vector<EnergyPoint> front = energy_front(two_kinds(), less, 0, 5);
  ASSERT_EQ(front.size(), 5U);
  EXPECT_NEAR(front.front().seconds, 16.0 / 3, 1e-6);
  EXPECT_NEAR(front.back().seconds, 16, 1e-3);
  EXPECT_NEAR(front.back().joules, 15 * 16 + 320, 0.1);
  for (std::size_t i = 1; i < front.size(); ++i) {
    EXPECT_GT(front[i].seconds, front[i - 1].seconds);
    EXPECT_LT(front[i].joules, front[i - 1].joules);
  }
  const std::vector<EnergyPoint> one = energy_front(two_kinds(), more, 0, 5);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_NEAR(one.front().seconds, 16.0 / 3, 1e-6);
  EXPECT_NEAR(energy_front(two_kinds(), less, 10, 5).front().seconds, 10, 1e-12);  // no schedule is shorter
}

TEST(Energy, OneKindHasNoChoice) {
  const AreaProblem problem{{{"A", 4}}, {{"task", 10, {2}, 0}}};
  EXPECT_NEAR(least_energy(problem, {{1, 3}}, 5), 4 * 5 + 2 * 20, 1e-9);
  EXPECT_EQ(energy_front(problem, {{1, 3}}, 7).size(), 1U);
  EXPECT_NEAR(energy_front(problem, {{1, 3}}, 7).front().joules, 4 * 7 + 2 * 20, 1e-9);
}

/// Tasks in their order, each on a kind chosen at random and there on the unit that is free first: energy and makespan
/// of a schedule, counted unit by unit.
TEST(Energy, NeverAboveThatOfASchedule) {
  std::mt19937 random(31);
  int tight = 0;
  constexpr int graphs = 800;
  for (int i = 0; i < graphs; ++i) {
    const SmallGraph g = random_graph(random, 8, 3);
    const AreaProblem problem = problem_of(g);
    std::vector<UnitPower> watts;
    for (std::size_t k = 0; k < g.units.size(); ++k) {
      const double idle = static_cast<double>(random() % 5);
      watts.push_back({idle, idle + static_cast<double>(random() % 20)});
    }
    for (int schedule = 0; schedule < 4; ++schedule) {
      std::vector<std::vector<double>> busy;
      for (const int units : g.units) busy.emplace_back(static_cast<std::size_t>(units), 0.0);
      std::vector<std::vector<double>> free = busy;
      std::vector<double> end;
      double makespan = 0;
      for (std::size_t t = 0; t < g.of_task.size(); ++t) {
        const std::vector<int>& seconds = g.seconds[g.of_task[t]];
        std::size_t kind = random() % g.units.size();
        while (seconds[kind] == 0) kind = (kind + 1) % g.units.size();
        const auto unit = std::min_element(free[kind].begin(), free[kind].end());
        double start = *unit;
        for (const std::uint32_t b : g.before[t]) start = std::max(start, end[b]);
        busy[kind][static_cast<std::size_t>(unit - free[kind].begin())] += seconds[kind];
        end.push_back(*unit = start + seconds[kind]);
        makespan = std::max(makespan, end.back());
      }
      double joules = 0;
      for (std::size_t k = 0; k < busy.size(); ++k)
        for (const double time : busy[k]) joules += watts[k].busy * time + watts[k].idle * (makespan - time);
      const double least = least_energy(problem, watts, makespan);
      ASSERT_LE(least, joules * (1 + 1e-9) + 1e-9) << "graph " << i;
      tight += least > joules * (1 - 1e-6) ? 1 : 0;
      for (const EnergyPoint& point : energy_front(problem, watts, 0, 3))
        ASSERT_LE(least_energy(problem, watts, point.seconds), point.joules * (1 + 1e-9) + 1e-9);
    }
  }
  EXPECT_GT(tight, graphs / 10);  // and it is attained
}

}  // namespace
