// SPDX-License-Identifier: Apache-2.0
// Who gets what: strips by speed, boxes side by side, rates that are kept, cuts that move.
#include <gtest/gtest.h>

#include "taskflows/fdtd/balance.hpp"
#include "tests/io/files_fixture.hpp"
#include "tests/taskflows/fdtd/problems.hpp"

namespace asterism::fdtd {
namespace {

class FdtdBalance : public FileTests {};

TEST_F(FdtdBalance, RatesAreKeptAndUsedAgain) {
  const Session& session = Runtime::session();
  Problem p = problem_of(boundaries[0], {40, 40, 40});
  KnownRates known(folder_ / "rates.json", rated_machine());
  const Rates first = rates_of(p, session, known);
  EXPECT_EQ(first.cpus > 0, session.cpus() > 0);
  EXPECT_EQ(first.gpus > 0, session.devices() > 0);
  const std::size_t kept = known.all().size();
  EXPECT_GT(kept, 0U);
  KnownRates again(folder_ / "rates.json", rated_machine());
  const Rates second = rates_of(p, session, again);  // not measured: the same to the last bit
  EXPECT_EQ(first.cpus, second.cpus);
  EXPECT_EQ(first.gpus, second.gpus);
  p.precision = Precision::single_precision;
  (void)rates_of(p, session, known);
  EXPECT_EQ(known.all().size(), 2 * kept);
}

TEST_F(FdtdBalance, StripsForTheCores) {
  const Session& session = Runtime::session();
  if (session.cpus() == 0) GTEST_SKIP() << "no CPUs";
  const Problem p = problem_of(boundaries[0], {40, 4, 4});
  const Division d = strips(p, session, 0, 1);
  EXPECT_EQ(d.bricks.size(), static_cast<std::size_t>(std::min(session.cpus(), 40)));
  for (std::size_t b = 0; b < d.bricks.size(); ++b) {
    EXPECT_EQ(starpu_worker_get_type(d.placement[b]), STARPU_CPU_WORKER);
    EXPECT_NEAR(d.bricks[b].size(0), 40.0 / static_cast<double>(d.bricks.size()), 1);
  }
  EXPECT_EQ(strips(problem_of(boundaries[0], {1, 4, 4}), session, 0, 1).bricks.size(), 1U);
  if (session.devices() > 0) return;
  expect_bad_input([&] { (void)strips(p, session, 0.5, 1); }, {"GPUs", "none"});
  expect_bad_input([&] { (void)strips(p, session, -1, 1); }, {"-1", "0 to 1"});
}

TEST_F(FdtdBalance, StripsForGpusComeFirst) {
  const Session& session = Runtime::session();
  if (session.devices() == 0 || session.cpus() == 0) GTEST_SKIP() << "no GPU";
  const Problem p = problem_of(boundaries[0], {400, 4, 4});
  const Division d = strips(p, session, 0.75, 2);
  int planes = 0;
  const auto strips_of_gpus = static_cast<std::size_t>(2 * session.devices());
  for (std::size_t b = 0; b < d.bricks.size(); ++b) {
    EXPECT_EQ(starpu_worker_get_type(d.placement[b]) == STARPU_CUDA_WORKER, b < strips_of_gpus);
    if (b < strips_of_gpus) planes += d.bricks[b].size(0);
  }
  EXPECT_NEAR(planes, 300, 2);
}

/// Of three ranks: two cores; a GPU and a core; four cores, each half as fast as one of the first. Two strips of each
/// unit; placed are those of this rank, the first.
TEST_F(FdtdBalance, StripsOverRanksFollowTheirSpeed) {
  const Session& session = Runtime::session();
  if (session.cpus() < 2) GTEST_SKIP() << "one core";
  const Problem p = problem_of(boundaries[0], {200, 4, 4});
  const std::vector<RankShare> ranks{{0, 2, 0, 0.2}, {1, 1, 0.5, 0.1}, {0, 4, 0, 0.2}};
  const Division d = strips(p, session, ranks, 2);
  std::vector<int> sizes;
  std::vector<int> of_rank;
  for (const BrickPlace& brick : d.bricks) {
    sizes.push_back(brick.size(0));
    of_rank.push_back(brick.rank.value());
  }
  EXPECT_EQ(sizes, (std::vector<int>{10, 10, 10, 10, 50, 50, 10, 10, 5, 5, 5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(of_rank, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_DOUBLE_EQ(d.gpu_share, 0.5);
  EXPECT_EQ(d.placement[0], d.placement[1]);
  EXPECT_NE(d.placement[1], d.placement[2]);
  EXPECT_EQ(d.placement[2], d.placement[3]);
  for (std::size_t b = 0; b < d.bricks.size(); ++b) EXPECT_EQ(d.placement[b] == worker_elsewhere, b >= 4) << b;
  // as many cores as the rank is said to have, if the session has more
  const Division one = strips(p, session, {{0, 1, 0, 0.5}, {0, 1, 0, 0.5}}, 1);
  EXPECT_EQ(one.placement[0], one.placement[1]);
  expect_bad_input([&] { (void)strips(problem_of(boundaries[0], {2, 4, 4}), session, ranks, 1); }, {"2 planes", "3"});
  expect_bad_input([&] { (void)strips(p, session, {{0, 1, 0, 1}, {0, 1, 0, 0}}, 1); }, {"rank 1", "nothing"});
}

/// Two strips each of two GPUs, the first twice as fast.
TEST_F(FdtdBalance, GpusThatDifferGetWhatTheyWeigh) {
  const Session& session = Runtime::session();
  const Problem p = problem_of(boundaries[0], {200, 4, 4});
  const Division d = strips(p, session, {{0, 1, 0, 0.2}, {2, 1, 0.6, 0.2, {2, 1}}}, 2);
  std::vector<int> sizes;
  for (const BrickPlace& brick : d.bricks) sizes.push_back(brick.size(0));
  EXPECT_EQ(sizes, (std::vector<int>{20, 20, 40, 40, 20, 20, 20, 20}));
  expect_bad_input(
      [&] {
        (void)strips(p, session, {{0, 1, 0, 0.2}, {2, 1, 0.6, 0.2, {2, 1, 1}}}, 2);
      },
      {"3 weights", "2"});
  KnownRates known({}, rated_machine());
  EXPECT_TRUE(gpu_weights_of(p, session, known).empty()) << "alike";
  EXPECT_TRUE(known.all().empty());
}

/// GPUs of several ranks overlap only where their strips are so thick that the exchange hides behind another strip.
TEST_F(FdtdBalance, StripsOverRanksOverlapWhereThatCanBeHidden) {
  for (const auto& [planes, of_ranks, overlaps] :
       {std::tuple{800, false, true}, std::tuple{800, true, false}, std::tuple{1600, true, true}}) {
    SCOPED_TRACE(planes);
    const Problem p = problem_of(boundaries[0], {planes, 4, 4});
    Division d;
    d.bricks = decompose(p, {{4, 1, 1}, {}});
    d.gpu_share = 1;
    for (std::size_t b = 0; of_ranks && b < 4; ++b) d.bricks[b].rank = static_cast<int>(b / 2);
    EXPECT_EQ(best_overlap(p, d) > 0, overlaps);
  }
}

TEST_F(FdtdBalance, BoxesOverRanksFollowTheirSpeed) {
  const Session& session = Runtime::session();
  const Problem p = problem_of(boundaries[0], {8, 8, 8});
  const Division d = boxes(p, session, {{0, 1, 0, 0.25}, {0, 3, 0, 0.75}}, {2, 2, 2});
  for (std::size_t b = 0; b < d.bricks.size(); ++b) {
    EXPECT_EQ(d.bricks[b].rank, b < 2 ? 0 : 1) << b;
    EXPECT_EQ(d.placement[b] == worker_elsewhere, b >= 2) << b;
  }
  expect_bad_input([&] { (void)boxes(p, session, {{0, 1, 0, 0.5}, {0, 1, 0, 0.5}}, {1, 1, 1}); }, {"1 boxes", "2"});
}

TEST_F(FdtdBalance, OneRankGetsEverything) {
  const Session& session = Runtime::session();
  const Problem p = problem_of(boundaries[0], {40, 4, 4});
  KnownRates known({}, rated_machine());
  for (const Pieces pieces : {Pieces::strips, Pieces::boxes, Pieces::domains}) {
    const RankShares shares = rank_shares(p, session, pieces, std::nullopt, known);
    ASSERT_EQ(shares.ranks.size(), 1U);
    EXPECT_EQ(shares.ranks[0].cores, session.cpus());
    EXPECT_DOUBLE_EQ(shares.ranks[0].of_gpus + shares.ranks[0].of_cores, 1);
    EXPECT_EQ(shares.ranks[0].of_cores, session.devices() > 0 ? shares.ranks[0].of_cores : 1);
  }
  if (session.devices() > 0) return;
  EXPECT_TRUE(known.all().empty());  // cores alone need not be measured
  expect_bad_input([&] { (void)rank_shares(p, session, Pieces::strips, 0.5, known); }, {"GPUs", "no rank"});
  expect_bad_input([&] { (void)rank_shares(p, session, Pieces::strips, 1.5, known); }, {"1.5", "0 to 1"});
}

/// The two neighbouring boxes of each unit.
TEST_F(FdtdBalance, BoxesOfAUnitAreNeighbours) {
  const Session& session = Runtime::session();
  const Problem p = problem_of(boundaries[0], {40, 8, 8});
  const int units = session.devices() > 0 ? session.devices() : session.cpus();
  const Division d = boxes(p, session, {2 * units, 1, 1});
  for (std::size_t b = 0; b + 1 < d.bricks.size(); b += 2)
    EXPECT_EQ(starpu_worker_get_memory_node(static_cast<unsigned>(d.placement[b])),
              starpu_worker_get_memory_node(static_cast<unsigned>(d.placement[b + 1])));
  if (session.devices() == 0 && units > 1) {
    EXPECT_EQ(d.placement[0], d.placement[1]);
    EXPECT_NE(d.placement[1], d.placement[2]);
  }
}

TEST_F(FdtdBalance, TheCutMovesWhereThatHelps) {
  const Problem p = problem_of(boundaries[0], {100, 4, 4});
  // both kinds as fast as they were thought: stays
  EXPECT_FALSE(better_share(p, 0.75, {1e8, 3e8}, 4e8, 3e8));
  // the GPUs turn out to be slower: they get less
  EXPECT_EQ(better_share(p, 0.75, {1e8, 1e8}, 1.4e8, 1e8), 0.5);
  // GPUs alone would be faster than both together are
  EXPECT_EQ(better_share(p, 0.75, {1e8, 3e8}, 2e8, 3e8), 1);
  // less than a plane is no reason
  EXPECT_FALSE(better_share(p, 0.75, {1e8, 3.05e8}, 4e8, 3e8));
}

}  // namespace
}  // namespace asterism::fdtd
