// SPDX-License-Identifier: Apache-2.0
// Intervals of elements for workers: the heuristic, its rollback, and exact optima that agree with each other.
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "taskflows/tdbem/balance.hpp"

namespace asterism::tdbem {
namespace {

std::int64_t total(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

/// All ways to cut.
double brute_force(const Workload& load, std::size_t worker, std::size_t begin) {
  double time = 0, best = std::numeric_limits<double>::infinity();
  if (worker + 1 == load.factors.size()) {
    for (std::size_t e = begin; e < load.costs.size(); ++e) time += load.costs[e];
    return load.factors[worker] * time;
  }
  for (std::size_t end = begin;; ++end) {
    best = std::min(best, std::max(load.factors[worker] * time, brute_force(load, worker + 1, end)));
    if (end == load.costs.size()) return best;
    time += load.costs[end];
  }
}

Workload random_load(std::mt19937& generator, std::size_t elements, std::size_t workers) {
  Workload load;
  // whole numbers, so that sums are exact; some elements cost nothing
  for (std::size_t e = 0; e < elements; ++e) load.costs.push_back(generator() % 6 * (generator() % 5));
  for (std::size_t w = 0; w < workers; ++w) load.factors.push_back(1 + generator() % 8);
  return load;
}

TEST(TdbemBalance, OptimaAreThoseOfAllCuts) {
  std::mt19937 generator(3);
  for (int n = 0; n < 600; ++n) {
    const Workload load = random_load(generator, generator() % 12, 1 + generator() % 4);
    const Sizes bisected = optimum_by_bisection(load);
    const Sizes programmed = optimum_by_programming(load);
    const double best = brute_force(load, 0, 0);
    EXPECT_EQ(makespan(load, bisected), best);
    EXPECT_EQ(makespan(load, programmed), best);
    for (const Sizes& s : {bisected, programmed}) {
      EXPECT_EQ(s.size(), load.factors.size());
      EXPECT_EQ(total(s), static_cast<std::int64_t>(load.costs.size()));
      for (const std::int64_t size : s) EXPECT_GE(size, 0);
    }
  }
}

TEST(TdbemBalance, OptimaAgreeForManyElements) {
  std::mt19937 generator(4);
  for (int n = 0; n < 20; ++n) {
    const Workload load = random_load(generator, 2000 + generator() % 100, 1 + generator() % 9);
    EXPECT_EQ(makespan(load, optimum_by_bisection(load)), makespan(load, optimum_by_programming(load)));
  }
}

TEST(TdbemBalance, OptimumByHand) {
  // twice as fast: two thirds of equal elements
  EXPECT_EQ(optimum_by_bisection({std::vector<double>(30, 1.0), {1, 2}}), (Sizes{20, 10}));
  EXPECT_EQ(optimum_by_programming({std::vector<double>(30, 1.0), {1, 2}}), (Sizes{20, 10}));
  // the order of workers counts: the slow one comes first and leaves the large element
  EXPECT_EQ(makespan({{5, 1, 1}, {10, 1}}, optimum_by_bisection({{5, 1, 1}, {10, 1}})), 7);
  EXPECT_EQ(makespan({{1, 5, 1}, {3, 1}}, optimum_by_programming({{1, 5, 1}, {3, 1}})), 6);
  EXPECT_EQ(total(optimum_by_bisection({{}, {1, 1}})), 0);
  EXPECT_EQ(total(optimum_by_bisection({{0, 0, 0}, {1, 1}})), 3);
  EXPECT_EQ(total(optimum_by_programming({{0, 0, 0}, {1, 1}})), 3);
}

TEST(TdbemBalance, RefusesNonsense) {
  for (const Workload& load : {Workload{{1}, {}}, Workload{{1}, {0}}, Workload{{-1}, {1}}, Workload{{1}, {-1}}}) {
    EXPECT_THROW(optimum_by_bisection(load), Error);
    EXPECT_THROW(optimum_by_programming(load), Error);
  }
  EXPECT_THROW(rebalanced({1, 2}, {1}, Target::mean), Error);
  EXPECT_THROW(rebalanced({1, 2}, {1, -1}, Target::mean), Error);
  EXPECT_THROW(rebalanced({1, 2}, {1, std::numeric_limits<double>::quiet_NaN()}, Target::mean), Error);
}

TEST(TdbemBalance, TimesAreOfIntervals) {
  const Workload load{{1, 2, 4, 8}, {1, 10, 100}};
  EXPECT_EQ(times(load, {1, 2, 1}), (std::vector<double>{1, 60, 800}));
  EXPECT_EQ(times(load, {4, 0, 0}), (std::vector<double>{15, 0, 0}));
  EXPECT_EQ(makespan(load, {1, 2, 1}), 800);
  EXPECT_EQ(equal_sizes(11, 4), (Sizes{3, 3, 3, 2}));
}

/// The paper's example of two workers, 10 elements in 10 s and 3 in 4 s. Its mean is 7 s, not 8: the first drops 3 and
/// the second gets them. 13 elements / (1 + 3/4) per s: both would take 7.43 s.
TEST(TdbemBalance, ExampleOfThePaper) {
  EXPECT_EQ(rebalanced({10, 3}, {10, 4}, Target::mean), (Sizes{7, 6}));
  EXPECT_EQ(rebalanced({10, 3}, {10, 4}, Target::fixed_point), (Sizes{7, 6}));
  // As many are acquired as dropped. 100 elements of costs 1, 1, 3.75; the mean of (40, 20, 150) is 70: the last drops
  // 80 / 3.75 = 21.33, shared as 30 : 50.
  EXPECT_EQ(rebalanced({40, 20, 40}, {40, 20, 150}, Target::mean), (Sizes{48, 33, 19}));
  // 100 / (1 + 1 + 1 / 3.75) = 44.12, 11.76 elements of the last
  EXPECT_EQ(rebalanced({40, 20, 40}, {40, 20, 150}, Target::fixed_point), (Sizes{44, 44, 12}));
}

TEST(TdbemBalance, ElementsThatCostTheSameAreBalancedAtOnce) {
  const Workload load{std::vector<double>(9000, 1.0), {1, 2, 3, 7, 0.5}};
  const Sizes equal = equal_sizes(9000, 5);
  const double best = makespan(load, optimum_by_bisection(load));
  const double fixed = makespan(load, rebalanced(equal, times(load, equal), Target::fixed_point));
  const double mean = makespan(load, rebalanced(equal, times(load, equal), Target::mean));
  EXPECT_LE(fixed, 1.005 * best);
  EXPECT_GE(mean, 1.3 * best);
}

TEST(TdbemBalance, NoElementIsLost) {
  std::mt19937 generator(5);
  for (int n = 0; n < 500; ++n) {
    const std::size_t workers = 1 + generator() % 7;
    Sizes sizes;
    std::vector<double> took;
    for (std::size_t w = 0; w < workers; ++w) {
      sizes.push_back(generator() % 3 == 0 ? 0 : generator() % 50);
      took.push_back(generator() % 4 == 0 ? 0 : 1e-3 * (generator() % 10000));
    }
    for (const Target target : {Target::mean, Target::fixed_point}) {
      const Sizes next = rebalanced(sizes, took, target);
      EXPECT_EQ(total(next), total(sizes));
      for (const std::int64_t s : next) EXPECT_GE(s, 0);
    }
  }
  EXPECT_EQ(rebalanced({3, 4}, {0, 0}, Target::mean), (Sizes{3, 4}));
  // a worker that has nothing gets something
  EXPECT_GT(rebalanced({10, 0}, {10, 0}, Target::mean)[1], 0);
  EXPECT_EQ(rebalanced({10, 0}, {10, 0}, Target::fixed_point), (Sizes{5, 5}));
  // no time measured: as fast as the fastest
  EXPECT_EQ(rebalanced({10, 10}, {20, 0}, Target::fixed_point), (Sizes{10, 10}));
}

TEST(TdbemBalance, ReturnsToTheBest) {
  std::mt19937 generator(6);
  for (int n = 0; n < 100; ++n) {
    const Workload load = random_load(generator, 300, 6);
    const double start = makespan(load, equal_sizes(300, 6));
    for (const Target target : {Target::mean, Target::fixed_point}) {
      Balance balance(300, 6, 12, target);
      double best = std::numeric_limits<double>::infinity();
      int iterations = 0;
      while (balance.searches()) {
        best = std::min(best, makespan(load, balance.sizes()));
        balance.measured(times(load, balance.sizes()));
        ++iterations;
      }
      EXPECT_LE(iterations, 12);
      EXPECT_TRUE(iterations == 12 || target == Target::fixed_point) << iterations;
      EXPECT_EQ(makespan(load, balance.sizes()), best);
      EXPECT_EQ(balance.best_time(), best);
      EXPECT_LE(best, start);
      EXPECT_GE(best, makespan(load, optimum_by_bisection(load)));
      const Sizes kept = balance.sizes();
      balance.measured({1, 2, 3, 4, 5, 6});
      EXPECT_EQ(balance.sizes(), kept);
    }
  }
}

/// By their times the first worker should have 1.7 elements, and has 2; with 1 all of them end earlier.
TEST(TdbemBalance, MovesSingleElements) {
  const auto time = [](const Sizes& s) {
    return std::vector<double>{0.55 * static_cast<double>(s[0]), 0.5 + 0.0105 * static_cast<double>(s[1])};
  };
  Balance balance(40, 2, 12, Target::fixed_point);
  int measured = 0;
  for (; balance.searches(); ++measured) balance.measured(time(balance.sizes()));
  EXPECT_EQ(balance.sizes(), (Sizes{1, 39}));
  EXPECT_LT(measured, 12) << "nothing else is left to try";
}

TEST(TdbemBalance, FamiliesAreWhatTheyAreCalled) {
  EXPECT_EQ(numbers_of(Family::up, 4), (std::vector<double>{2.125, 4.375, 6.625, 8.875}));
  EXPECT_EQ(numbers_of(Family::up_down, 4), (std::vector<double>{3.25, 7.75, 7.75, 3.25}));
  EXPECT_EQ(numbers_of(Family::up_up, 4), (std::vector<double>{3.25, 7.75, 3.25, 7.75}));
  EXPECT_EQ(numbers_of(Family::stable, 2), (std::vector<double>{1, 1}));
  double sum = 0;
  for (const double x : numbers_of(Family::random, 10000)) {
    EXPECT_GE(x, 1);
    EXPECT_LE(x, 10);
    sum += x;
  }
  EXPECT_NEAR(sum / 10000, 5.5, 0.1);
}

/// Table 1 of the paper: at most 0.2 %.
TEST(TdbemBalance, TableOne) {
  const std::vector<Excess> table = balance_table();
  ASSERT_EQ(table.size(), 25U);
  for (const Excess& e : table) {
    std::printf("%-8s %-8s %7.3f %% %7.3f %%\n", name(e.heterogeneity).c_str(), name(e.distribution).c_str(),
                100 * e.mean, 100 * e.fixed_point);
    EXPECT_GE(e.mean, -1e-12);
    EXPECT_GE(e.fixed_point, -1e-12);
    EXPECT_LE(e.mean, 0.003);
  }
}

}  // namespace
}  // namespace asterism::tdbem
