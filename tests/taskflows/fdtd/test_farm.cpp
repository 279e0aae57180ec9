// SPDX-License-Identifier: Apache-2.0
// Farms: under every scheduler each domain ends with the bits that it has alone.
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "runtime/machine/this_machine.hpp"
#include "taskflows/fdtd/cases.hpp"
#include "taskflows/fdtd/farm.hpp"
#include "taskflows/fdtd/simulation.hpp"
#include "tests/taskflows/fdtd/problems.hpp"

namespace asterism::fdtd {
namespace {

constexpr long steps = 37;

Problem benchmark(const std::array<int, 3>& cells, bool single = false) {
  CaseOptions options;
  options.cells = cells;
  options.precision = single ? Precision::single_precision : Precision::double_precision;
  Problem p = make_case(options).problem;
  // stronger, so that every step counts in the sum
  p.sources[0].current = [dt = p.dt](double t) { return 1e-9 * std::cos(0.3 * t / dt); };
  return p;
}

/// In single steps, through tasks of another kind.
std::array<double, 3> alone(const Problem& p, long count) {
  Simulation s(p, decompose(p, {{1, 1, 1}, {}}), {-1});
  for (long t = 0; t < count; ++t) s.advance();
  return s.sums(Field::electric);
}

/// Domains of all sizes, some in a row, with sizes of window and tasks that do not divide anything.
TEST(FdtdFarm, EachDomainHasTheBitsThatItHasAlone) {
  for (const bool single : {false, true}) {
    const std::vector<Problem> kinds{benchmark({12, 9, 14}, single), benchmark({5, 21, 8}, single),
                                     benchmark({18, 18, 33}, single)};
    std::vector<std::array<double, 3>> expected;
    for (const Problem& p : kinds) expected.push_back(alone(p, steps));
    EXPECT_NE(expected[0], expected[1]);
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < 41; ++d) order.push_back(d < 9 ? 2 : d * d % 3);
    std::vector<const Problem*> domains;
    for (const std::size_t kind : order) domains.push_back(&kinds[kind]);
    for (const int window : {1, 3, 100})
      for (const int tasks : {1, 5}) {
        const bool transfers = window == 3 || tasks == 5;
        const std::vector<FarmAnswer> answers = run_farm(domains, {steps, tasks, window, transfers});
        ASSERT_EQ(answers.size(), domains.size());
        for (std::size_t d = 0; d < domains.size(); ++d) {
          EXPECT_EQ(answers[d].sums, expected[order[d]]) << d << ", window " << window << ", " << tasks << " tasks";
          EXPECT_NE(answers[d].sums[2], 0);
          EXPECT_EQ(answers[d].workers.size(), static_cast<std::size_t>(tasks));
        }
      }
  }
}

TEST(FdtdFarm, FacesOfEveryKind) {
  for (const Named& kind : boundaries) {
    if (kind.materials) continue;
    Problem p = problem_of(kind, {11, 8, 13});
    p.initial = nullptr;
    p.probes.clear();
    const std::array<double, 3> expected = alone(p, steps);
    for (const FarmAnswer& answer : run_farm({&p, &p, &p}, {steps, 2, 2})) EXPECT_EQ(answer.sums, expected);
  }
}

TEST(FdtdFarm, AllUnitsTakePart) {
  const Problem p = benchmark({40, 40, 40});
  const std::vector<const Problem*> domains(40, &p);
  std::set<int> workers;
  std::vector<std::size_t> ended;
  for (const FarmAnswer& answer :
       run_farm(domains, {steps, 1, 8}, [&](std::size_t number) { ended.push_back(number); }))
    workers.insert(answer.workers.begin(), answer.workers.end());
  // dmdas gives a domain to the unit that ends it first: beside a GPU some cores may get none
  const bool any_may_idle = Runtime::session().scheduler() == "dmdas" && Runtime::session().gpus() > 0;
  EXPECT_GE(workers.size(), any_may_idle ? 2 : Runtime::session().units().size());
  for (const int worker : workers) EXPECT_GE(worker, 0);
  EXPECT_TRUE(std::is_sorted(ended.begin(), ended.end()));
  EXPECT_EQ(ended.back(), 40U);
}

/// Yee_bench, of which the thesis has the sum.
TEST(FdtdFarm, ThePublishedSum) {
  const Case c = make_case({});
  const std::vector<FarmAnswer> answers = run_farm({&c.problem, &c.problem}, {validation_steps, 1, 2});
  for (const FarmAnswer& answer : answers) EXPECT_NEAR(answer.sums[2], -0.0692134169831, 1e-13);
}

TEST(FdtdFarm, SaysWhatCannotBe) {
  const Problem p = benchmark({4, 4, 4});
  const Problem single = benchmark({4, 4, 4}, true);
  Problem initial = p;
  initial.initial = [](Field, int, int, int, int) { return 0.0; };
  Problem probed = p;
  probed.probes = {{Field::electric, 2, {1, 1, 1}}};
  Problem filled = p;
  filled.materials = {{}};
  filled.material.assign(64, 0);
  EXPECT_THROW(run_farm({&p, &single}, {steps, 1, 1}), Error);
  for (const Problem* other : {&initial, &probed, &filled}) EXPECT_THROW(run_farm({&p, other}, {steps, 1, 1}), Error);
  EXPECT_THROW(run_farm({&p}, {4, 5, 1}), Error);
  EXPECT_THROW(run_farm({&p}, {4, 0, 1}), Error);
  EXPECT_THROW(run_farm({&p}, {4, 1, 0}), Error);
  EXPECT_TRUE(run_farm({}, {4, 1, 1}).empty());
}

TEST(FdtdFarm, RanksTakeDomainsAsFastAsTheyAre) {
  const Problem small = benchmark({10, 10, 10});
  const Problem large = benchmark({20, 10, 10});
  EXPECT_EQ(deal_domains({&small, &small, &small, &small, &small}, {1, 1}), (std::vector<int>{0, 1, 0, 1, 0}));
  EXPECT_EQ(deal_domains({&large, &small, &small, &large}, {1, 1}), (std::vector<int>{0, 1, 1, 0}));
  EXPECT_EQ(deal_domains({&small, &small, &small, &small}, {1, 3}), (std::vector<int>{1, 1, 0, 1}));
  EXPECT_EQ(deal_domains({&small, &small}, {1}), (std::vector<int>{0, 0}));
}

TEST(FdtdFarm, TheWindowFitsIntoMemory) {
  const Session& session = Runtime::session();
  const double memory = this_machine().memory_bytes;
  EXPECT_EQ(farm_window(session, 1), 4 * static_cast<int>(session.units().size()));
  EXPECT_EQ(farm_window(session, static_cast<std::size_t>(memory / 6.5)), 3);
  EXPECT_EQ(farm_window(session, static_cast<std::size_t>(2 * memory)), 1);
  EXPECT_GE(field_bytes(benchmark({20, 10, 30})), std::size_t{6 * 8 * 20 * 10 * 30});
}

}  // namespace
}  // namespace asterism::fdtd
