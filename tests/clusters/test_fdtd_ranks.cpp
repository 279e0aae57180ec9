// SPDX-License-Identifier: Apache-2.0
// Simulations over processes: run by mpirun with one to three ranks, each of which compares what it has with a whole
// domain of its own.
#include <gtest/gtest.h>
#include <starpu.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "runtime/ranks/ranks.hpp"
#include "runtime/session.hpp"
#include "taskflows/fdtd/balance.hpp"
#include "taskflows/fdtd/fields/gather.hpp"

namespace asterism::fdtd {
namespace {

SessionOptions options(int cpus) {
  SessionOptions options;
  options.cpus = cpus;
  options.gpus = 0;
  options.ranks = Ranks::any;
  return options;
}

Problem problem(Face along_y, Face along_x = Face::electric) {
  Problem p;
  p.cells = {13, 9, 8};
  p.spacing = {1e-3, 1.3e-3, 0.8e-3};
  p.dt = 0.9 * largest_time_step(p);
  p.face[0] = p.face[1] = along_x;
  p.face[2] = p.face[3] = along_y;
  p.sources.push_back({2, {6, 4, 4}, [dt = p.dt](double t) { return std::cos(0.2 * t / dt); }});
  p.probes = {{Field::electric, 2, {2, 4, 4}}, {Field::magnetic, 0, {11, 3, 5}}};
  p.initial = [](Field field, int c, int i, int j, int k) {
    return std::sin(1.0 + i + 2.1 * j + 0.7 * k + c) * (field == Field::electric ? 1 : 1e-3);
  };
  check(p);
  return p;
}

void expect_part_of(Simulation& whole, const Problem& p, Simulation& dealt) {
  const std::array<int, 3> n = extents(p);
  for (const Field field : {Field::electric, Field::magnetic}) {
    const Array<char> all = gather(whole, p, field);
    const auto* const expected = reinterpret_cast<const double*>(all.data());
    std::int64_t different = 0;
    dealt.get(field, [&](const Box& box, const void* values) {
      const auto* next = static_cast<const double*>(values);
      for (int c = 0; c < 3; ++c)
        for (int i = box.x0; i < box.x1; ++i)
          for (int j = box.y0; j < box.y1; ++j)
            for (int k = box.z0; k < box.z1; ++k)
              if (*next++ != expected[((std::int64_t{c} * n[0] + i) * n[1] + j) * n[2] + k]) ++different;
    });
    EXPECT_EQ(different, 0);
  }
  EXPECT_EQ(dealt.sums(Field::magnetic), whole.sums(Field::magnetic));
  EXPECT_EQ(dealt.energy().electric, whole.energy().electric);
  const std::vector<double>& recorded = dealt.probe_values();
  EXPECT_TRUE(!rank_group().is_root() || recorded == whole.probe_values());
}

class FdtdOverRanks : public testing::Test {};

/// What was received before is of the past, though nothing was sent since.
TEST_F(FdtdOverRanks, StatesMayBeSetBetweenSteps) {
  const Session session(options(1));
  const int ranks = rank_group().ranks();
  for (const auto& [overlap, along_x] :
       {std::pair{0, Face::electric}, {2, Face::electric}, {0, Face::neighbour}, {2, Face::neighbour}}) {
    const Problem p = problem(Face::neighbour, along_x);
    KnownRates known({}, rated_machine());
    Division d = strips(p, session, rank_shares(p, session, Pieces::strips, 0.0, known).ranks, 1);
    // two strips of a core, so that one hides what the other sends
    EXPECT_EQ(d.bricks.size(), static_cast<std::size_t>(ranks > 1 ? 2 * ranks : 1));
    Simulation dealt(p, d.bricks, d.placement, overlap);
    Simulation whole(p, decompose(p, {{1, 1, 1}, {}}), {-1});
    EXPECT_EQ(dealt.dealt(), ranks > 1);
    for (Simulation* const simulation : {&dealt, &whole}) {
      simulation->initialise();
      simulation->advance(5);
    }
    expect_part_of(whole, p, dealt);
    whole.advance(3);
    const State state = gather_state(whole, p);
    for (Simulation* const simulation : {&dealt, &whole}) scatter_state(*simulation, p, state);
    for (Simulation* const simulation : {&dealt, &whole}) simulation->advance(4);
    EXPECT_EQ(dealt.time(), 12);
    expect_part_of(whole, p, dealt);
    starpu_task_wait_for_all();
    rank_group().barrier();
  }
}

/// Every other rank has two cores: as fast as those of the others.
TEST_F(FdtdOverRanks, AlikeUnitsGetAlikeShares) {
  const Session session(options(1 + rank_group().rank() % 2));
  const Problem p = problem(Face::electric);
  int cores = 0;
  for (const int of_rank : rank_group().all_gather(session.cpus())) cores += of_rank;
  for (const Pieces pieces : {Pieces::strips, Pieces::boxes, Pieces::domains}) {
    KnownRates known({}, rated_machine());
    const RankShares shares = rank_shares(p, session, pieces, std::nullopt, known);
    EXPECT_FALSE(shares.rates);
    ASSERT_EQ(shares.ranks.size(), static_cast<std::size_t>(rank_group().ranks()));
    for (int rank = 0; rank < rank_group().ranks(); ++rank) {
      const RankShare& share = shares.ranks[static_cast<std::size_t>(rank)];
      EXPECT_EQ(share.cores, 1 + rank % 2);
      EXPECT_DOUBLE_EQ(share.of_cores, static_cast<double>(1 + rank % 2) / cores);
      EXPECT_EQ(share.of_gpus, 0);
    }
  }
  rank_group().barrier();
}

}  // namespace
}  // namespace asterism::fdtd
