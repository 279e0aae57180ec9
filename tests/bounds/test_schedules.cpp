// SPDX-License-Identifier: Apache-2.0
// Schedules made before the run: feasible by the validator, never shorter than the optimum, and what the validator
// refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "base/error.hpp"
#include "bounds/schedules/builder.hpp"
#include "bounds/schedules/optimum.hpp"
#include "tests/bounds/small_graphs.hpp"

namespace {

using namespace asterism::bounds;
using namespace asterism::bounds::testing;
using asterism::traces::Access;
using asterism::traces::Mode;
using asterism::traces::none;

/// Kind 0 computes in main memory; every unit of another kind has a memory of its own.
Workload workload(const SmallGraph& g) {
  Workload work = workload_of(recording_of(g));
  work.kinds = g.units.size();
  for (std::uint32_t k = 0; k < g.units.size(); ++k)
    for (int u = 0; u < g.units[k]; ++u)
      work.units.push_back({k, k == 0 ? 0 : static_cast<std::uint32_t>(work.memories++)});
  for (const std::size_t c : g.of_task)
    for (const int t : g.seconds[c]) work.seconds.push_back(t == 0 ? impossible : t);
  for (std::size_t t = 0; t < g.of_task.size(); ++t) work.accesses.close();
  return work;
}

void connect(Workload& work, double latency, double bandwidth, bool peers) {
  work.connections.assign(work.memories * work.memories, {});
  for (std::uint32_t from = 0; from < work.memories; ++from)
    for (std::uint32_t to = 0; to < work.memories; ++to)
      if (from != to && (from == 0 || to == 0 || peers))
        work.connections[from * work.memories + to] = {latency, bandwidth, true,
                                                       from * static_cast<std::uint32_t>(work.memories) + to};
}

/// Every task writes a datum, and reads those of the tasks it waits for.
void give_data(Workload& work, std::mt19937& random) {
  work.accesses = {};
  for (std::uint32_t t = 0; t < work.tasks(); ++t) {
    work.bytes.push_back(static_cast<double>(random() % 8));
    for (const auto* b = work.before.begin(t); b != work.before.end(t); ++b)
      work.accesses.item.push_back({*b, Mode::read});
    work.accesses.item.push_back({t, random() % 2 == 0 ? Mode::write : Mode::read_write});
    work.accesses.close();
  }
}

std::string first(const std::vector<std::string>& lines) {
  return lines.empty() ? "" : lines.front();
}

TEST(Schedules, NeverBelowTheOptimum) {
  std::mt19937 random(5);
  int optimal = 0;
  int heft_optimal = 0;
  constexpr int graphs = 2000;
  for (int i = 0; i < graphs; ++i) {
    const SmallGraph g = random_graph(random, 7, 3);
    Workload work = workload(g);
    connect(work, 0, impossible, true);
    const double optimum = ExhaustiveSearch(g).makespan();
    const std::vector<Schedule> made = offline_schedules(work, {.placements = 500});
    for (const Schedule& s : made) {
      ASSERT_EQ(first(violations(work, s)), "") << s.made_by << ", graph " << i;
      ASSERT_GE(s.makespan, optimum * (1 - 1e-12)) << s.made_by << ", graph " << i;
      ASSERT_GE(s.makespan, made.front().makespan);
      heft_optimal += s.made_by == "HEFT" && s.makespan <= optimum ? 1 : 0;
    }
    optimal += made.front().makespan <= optimum ? 1 : 0;
  }
  std::printf("optimal on %d of %d graphs\n", optimal, graphs);
  EXPECT_GT(optimal, graphs * 95 / 100);
}

TEST(Schedules, WithCopiesFeasible) {
  std::mt19937 random(6);
  std::size_t copies = 0;
  for (int i = 0; i < 500; ++i) {
    Workload work = workload(random_graph(random, 20, 3));
    give_data(work, random);
    connect(work, 0.25, 2, i % 2 == 0);
    for (const Schedule& s : offline_schedules(work, {.placements = 500})) {
      ASSERT_EQ(first(violations(work, s)), "") << s.made_by << ", graph " << i;
      copies += s.copies.size();
    }
  }
  EXPECT_GT(copies, 1000U);
}

/// The best of all orders and units that the builder makes: with copies, at least the optimum.
double best_of_all(const Workload& work) {
  double best = impossible;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> placed;
  std::vector<bool> known(work.tasks(), false);
  const auto place = [&](auto&& self) -> void {
    if (placed.size() == work.tasks()) {
      ScheduleBuilder builder(work);
      for (const auto& [task, unit] : placed) builder.add(task, unit);
      best = std::min(best, std::move(builder).finish("").makespan);
      return;
    }
    for (std::uint32_t t = 0; t < work.tasks(); ++t) {
      if (known[t] || std::any_of(work.before.begin(t), work.before.end(t), [&](auto b) { return !known[b]; }))
        continue;
      known[t] = true;
      for (std::uint32_t u = 0; u < work.units.size(); ++u) {
        if (std::isinf(work.on(t, work.units[u].kind))) continue;
        placed.emplace_back(t, u);
        self(self);
        placed.pop_back();
      }
      known[t] = false;
    }
  };
  place(place);
  return best;
}

TEST(Schedules, LowerBoundWithoutKindsThatAShorterScheduleCannotUse) {
  // five times three tasks, each after the three before: 1 s on the one unit of B, 10 s on one of the four of A. Cut at
  // will they take 3 / (1 + 4 / 10) s; whole, a schedule of 15 s cannot run any of them on A.
  SmallGraph g{{4, 1}, {{10, 1}}, std::vector<std::size_t>(15, 0), {}};
  for (std::uint32_t t = 0; t < 15; ++t)
    g.before.push_back(t < 3 ? std::vector<std::uint32_t>() : std::vector{t / 3 * 3 - 3, t / 3 * 3 - 2, t / 3 * 3 - 1});
  Workload work = workload(g);
  connect(work, 0, impossible, true);
  EXPECT_NEAR(lower_bound(work, 1000).seconds, 15, 0.02);
  EXPECT_DOUBLE_EQ(lower_bound(work, 15).seconds, 15);
  const Optimum found = optimum(recording_of(g), work);
  EXPECT_DOUBLE_EQ(found.lower.seconds, 15);
  EXPECT_DOUBLE_EQ(found.schedules.front().makespan, 15);
}

TEST(Schedules, LowerBoundBelowTheOptimumWhateverTheScheduleKnown) {
  std::mt19937 random(7);
  for (int i = 0; i < 150; ++i) {
    const SmallGraph g = random_graph(random, 7, 3);
    Workload work = workload(g);
    connect(work, 0, impossible, true);
    const double optimum = ExhaustiveSearch(g).makespan();
    for (const double known : {1.01, 1.1, 1.5})
      ASSERT_LE(lower_bound(work, known * optimum).seconds, optimum * (1 + 1e-9))
          << "graph " << i << ", known " << known;
  }
}

TEST(Schedules, LowerBoundBelowTheOptimumWithCopies) {
  std::mt19937 random(8);
  int above = 0;
  for (int i = 0; i < 300; ++i) {
    SmallGraph g = random_graph(random, 4, 2);
    for (int& units : g.units) units = std::min(units, 2);
    Workload work = workload(g);
    // data that no task wrote, some of them shared
    for (std::uint32_t t = 0; t < work.tasks(); ++t) work.bytes.push_back(static_cast<double>(random() % 16));
    work.accesses = {};
    for (std::uint32_t t = 0; t < work.tasks(); ++t) {
      work.accesses.item.push_back({static_cast<std::uint32_t>(random() % work.tasks()), Mode::read});
      work.accesses.close();
    }
    connect(work, 0.25, 2, i % 2 == 0);
    const double best = best_of_all(work);
    const double bound = lower_bound(work, 1.2 * best).seconds;
    ASSERT_LE(bound, best * (1 + 1e-9)) << "graph " << i;
    for (double& bytes : work.bytes) bytes = 0;
    connect(work, 0, impossible, true);
    above += bound > lower_bound(work, 1.2 * best).seconds * (1 + 1e-9) ? 1 : 0;
  }
  EXPECT_GT(above, 20);
}

TEST(Schedules, CopiesTakeTime) {
  // two tasks, the second on the other unit's memory: 2 + (1 + 6 / 3) + 4
  SmallGraph g{{1, 1}, {{2, 0}, {0, 4}}, {0, 1}, {{}, {0}}};
  Workload work = workload(g);
  work.bytes = {6};
  work.accesses = {{0, 1, 2}, {{0, Mode::write}, {0, Mode::read}}};
  connect(work, 1, 3, false);
  EXPECT_DOUBLE_EQ(offline_schedules(work).front().makespan, 9);
}

TEST(Schedules, LinksThatShareARate) {
  // two units elsewhere fetch 12 bytes each, alone 6 s; together the links carry 3 bytes/s: 8 s for both at once
  SmallGraph g{{1, 2}, {{0, 1}}, {0, 0}, {{}, {}}};
  Workload work = workload(g);
  work.bytes = {12, 12};
  work.accesses = {{0, 1, 2}, {{0, Mode::read}, {1, Mode::read}}};
  connect(work, 0, 2, false);
  for (Connection& c : work.connections) c.resource = 0;
  EXPECT_DOUBLE_EQ(offline_schedules(work).front().makespan, 13);  // one after the other
  work.shared_rate = 3;
  const Schedule both = offline_schedules(work).front();
  EXPECT_DOUBLE_EQ(both.makespan, 9);
  EXPECT_EQ(first(violations(work, both)), "");
  work.shared_rate = 2.5;
  EXPECT_EQ(first(violations(work, both)).substr(0, 2), "at");  // the rates add up to 3
  work.shared_rate = 4;
  EXPECT_DOUBLE_EQ(offline_schedules(work).front().makespan, 7);
}

TEST(Schedules, SpoliationRestartsATask) {
  // the core begins the second task, which takes 100 there; the other unit takes it over
  SmallGraph g{{1, 1}, {{100, 1}}, {0, 0}, {{}, {}}};
  Workload work = workload(g);
  connect(work, 0, impossible, true);
  EXPECT_DOUBLE_EQ(heteroprio(work, upward_ranks(work, RankFrom::least)).makespan, 2);
}

TEST(Schedules, LocalSearchImproves) {
  // 5 4 3 3 3 on two units: HEFT's list gives 10, the best is 9
  SmallGraph g{{2}, {{5}, {4}, {3}}, {0, 1, 2, 2, 2}, {{}, {}, {}, {}, {}}};
  Workload work = workload(g);
  connect(work, 0, impossible, true);
  const Schedule list = heft(work, upward_ranks(work, RankFrom::mean));
  EXPECT_DOUBLE_EQ(list.makespan, 10);
  EXPECT_DOUBLE_EQ(local_search(work, list).makespan, 9);
}

TEST(Schedules, TaskThatRunsNowhere) {
  SmallGraph g{{1}, {{1}}, {0}, {{}}};
  Workload work = workload(g);
  work.seconds[0] = impossible;
  connect(work, 0, impossible, true);
  EXPECT_THROW(offline_schedules(work), asterism::Error);
}

class Refused : public ::testing::Test {
 protected:
  /// a writes a datum in main memory, b reads it in another one
  Refused() : work_(workload({{1, 1}, {{2, 2}, {3, 3}}, {0, 1}, {{}, {0}}})) {
    work_.bytes = {4};
    work_.accesses = {{0, 1, 2}, {{0, Mode::write}, {0, Mode::read}}};
    connect(work_, 1, 4, false);
    right_.tasks = {{0, 0, 2}, {1, 4, 7}};
    right_.copies = {{0, 0, 1, 2, 4}};
    right_.makespan = 7;
  }
  [[nodiscard]] std::string without(const Schedule& s) const { return first(violations(work_, s)); }
  Workload work_;
  Schedule right_;
};

TEST_F(Refused, NotTheRightOne) {
  EXPECT_EQ(without(right_), "");
}

TEST_F(Refused, TooEarly) {
  right_.tasks[1] = {0, 1, 4};
  right_.makespan = 4;
  EXPECT_EQ(without(right_), "task 1 starts at 1 s, before task 0 ends at 2 s");
}

TEST_F(Refused, WrongDuration) {
  right_.tasks[1].end = right_.makespan = 6;
  EXPECT_EQ(without(right_), "task 1 lasts 2 s, expected 3 s");
}

TEST_F(Refused, WithoutItsData) {
  right_.copies.clear();
  EXPECT_EQ(without(right_), "task 1 starts at 4 s without datum 0 in memory 1");
}

TEST_F(Refused, CopiedTooEarly) {
  right_.copies[0] = {0, 0, 1, 0.5, 2.5};
  EXPECT_NE(without(right_), "");
}

TEST_F(Refused, CopiedTooFast) {
  right_.copies[0].end = 3;
  EXPECT_EQ(without(right_), "the copy of datum 0 lasts 1 s, expected 2 s");
}

TEST_F(Refused, TwoAtOnce) {
  work_.before = {{0, 0, 0}, {}};
  work_.accesses = {{0, 0, 0}, {}};
  right_.copies.clear();
  right_.tasks = {{0, 0, 2}, {0, 1, 4}};
  right_.makespan = 4;
  EXPECT_EQ(without(right_), "unit 0 does two things at 1 s");
}

TEST_F(Refused, WrongMakespan) {
  right_.makespan = 6.5;
  EXPECT_EQ(without(right_), "the last task ends at 7 s, the makespan is 6.5 s");
}

}  // namespace
