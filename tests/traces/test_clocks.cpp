// SPDX-License-Identifier: Apache-2.0
// Clocks of ranks, aligned by the messages between them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/traces/recording_builder.hpp"
#include "traces/clocks.hpp"

namespace asterism::traces {
namespace {

using testing::Builder;

TEST(Clocks, MiddleOfWhatTheMessagesLeave) {
  // from 0 to 1 seemingly 3 s before it was sent, back in 5 s: clock 1 is behind by 3 to 5 s
  const auto shifts = shifts_of({INFINITY, -3, 5, INFINITY}, 2);
  ASSERT_TRUE(shifts.has_value());
  EXPECT_DOUBLE_EQ((*shifts)[0], 0);
  EXPECT_DOUBLE_EQ((*shifts)[1], 4);
  EXPECT_DOUBLE_EQ(uncertainty({INFINITY, 1, 1, INFINITY}, 2), 1);  // what is left once it is moved by 4 s
}

TEST(Clocks, MessagesThatNoShiftSuits) {
  EXPECT_FALSE(shifts_of({INFINITY, -3, 2, INFINITY}, 2).has_value());
  EXPECT_TRUE(shifts_of({INFINITY, -3, 3, INFINITY}, 2).has_value());
}

TEST(Clocks, OneWayOnlyShiftsAsLittleAsNeeded) {
  const auto shifts = shifts_of({INFINITY, -3, INFINITY, INFINITY}, 2);
  ASSERT_TRUE(shifts.has_value());
  EXPECT_DOUBLE_EQ((*shifts)[0], -3);
  EXPECT_DOUBLE_EQ((*shifts)[1], 0);
  EXPECT_TRUE(std::isinf(uncertainty({INFINITY, 0, INFINITY, INFINITY}, 2)));
}

TEST(Clocks, RanksThatDoNotSpeakAreBoundThroughOthers) {
  // 0 <-> 1 <-> 2: o_1 - o_0 in [2, 4], o_2 - o_1 in [-1, 7], so that o_2 - o_0 lies in [1, 11]
  std::vector<double> delay(9, INFINITY);
  delay[0 * 3 + 1] = -2;
  delay[1 * 3 + 0] = 4;
  delay[1 * 3 + 2] = 1;
  delay[2 * 3 + 1] = 7;
  const auto shifts = shifts_of(delay, 3);
  ASSERT_TRUE(shifts.has_value());
  EXPECT_DOUBLE_EQ((*shifts)[1], 3);
  EXPECT_DOUBLE_EQ((*shifts)[2], 6);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_LE((*shifts)[static_cast<std::size_t>(i)] - (*shifts)[static_cast<std::size_t>(j)],
                delay[static_cast<std::size_t>(3 * i + j)]);
  // once they are moved: 0 <-> 1 within 1 s, 1 <-> 2 within 4, 0 <-> 2 within 5
  delay[0 * 3 + 1] += 3;
  delay[1 * 3 + 0] -= 3;
  delay[1 * 3 + 2] += 3;
  delay[2 * 3 + 1] -= 3;
  EXPECT_DOUBLE_EQ(uncertainty(delay, 3), 5);
}

TEST(Clocks, RateCountsBetweenTheBarriers) {
  RankClock clock(10, 20, 1.5);
  clock.shift(100);
  EXPECT_DOUBLE_EQ(clock(5), 105);
  EXPECT_DOUBLE_EQ(clock(12), 113);
  EXPECT_DOUBLE_EQ(clock(20), 125);
  EXPECT_DOUBLE_EQ(clock(21), 126);
}

/// Two ranks; StarPU's converter took rank 1's 12 s between its barriers for 10.
Recording stretched() {
  Builder b;
  b.units("CPU", 1, 0).units("CPU", 1, 1);
  b.task("a", 0, 0, 10);
  b.task("a", 1, 0, 10);
  Recording r = b.finish();
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    for (const double time : {0.0, 10.0})
      r.markers.push_back({time, "end of MPI_Barrier, rank " + std::to_string(rank), rank});
  return r;
}

Message between(std::uint32_t from, std::uint32_t to, double start, double end) {
  Message m;
  m.from = from;
  m.to = to;
  m.start = start;
  m.end = end;
  return m;
}

TEST(Clocks, BarriersStandWhileNoMessageContradicts) {
  Recording r = stretched();
  r.messages = {between(0, 1, 1, 1.5), between(1, 0, 2, 2.25)};
  const Alignment a = align(r, {10.0, 12.0});
  EXPECT_EQ(a.clocks.alignment, Clocks::Alignment::barriers);
  EXPECT_EQ(a.clocks.early, 0U);
  EXPECT_DOUBLE_EQ(a.clocks.error, 0.5);
  EXPECT_DOUBLE_EQ(a.of_rank[1](5), 5);
}

TEST(Clocks, EqualRatesWhereTheBarriersStretchedThem) {
  Recording r = stretched();
  // on equal clocks: 0 -> 1 takes 4 x 1.2 - 4.5 = 0.3 s, then 9.6 - 9 s; 1 -> 0 2.6 - 2.4 = 0.2 s
  r.messages = {between(1, 0, 2, 2.6), between(0, 1, 4.5, 4), between(0, 1, 9, 8)};
  const Alignment a = align(r, {10.0, 12.0});
  EXPECT_EQ(a.clocks.alignment, Clocks::Alignment::equal_rates);
  EXPECT_EQ(a.clocks.early, 2U);
  EXPECT_DOUBLE_EQ(a.clocks.earliest, 1);
  EXPECT_EQ(a.clocks.still_early, 0U);
  EXPECT_NEAR(a.clocks.error, 0.25, 1e-12);
  EXPECT_NEAR(a.clocks.shift[1], -0.05, 1e-12);  // between -0.3 and 0.2
  EXPECT_NEAR(a.of_rank[1](4), 4.8 - 0.05, 1e-12);
  // without the barriers' own times: no shift is right at 4 and at 8 s, but one that suits all there is
  const Alignment shifted = align(r, {});
  EXPECT_EQ(shifted.clocks.alignment, Clocks::Alignment::contradictory);
  EXPECT_EQ(shifted.clocks.still_early, 2U);
  EXPECT_DOUBLE_EQ(shifted.of_rank[1](4), 4);
}

TEST(Clocks, ShiftedWhereNothingIsKnownOfTheRates) {
  Recording r = stretched();
  r.messages = {between(0, 1, 3, 2), between(1, 0, 5, 7)};
  const Alignment a = align(r, {10.0, std::nullopt});
  EXPECT_EQ(a.clocks.alignment, Clocks::Alignment::messages);
  EXPECT_DOUBLE_EQ(a.clocks.shift[1], 1.5);
  EXPECT_DOUBLE_EQ(a.of_rank[1](2), 3.5);
  EXPECT_DOUBLE_EQ(a.clocks.error, 0.5);
}

}  // namespace
}  // namespace asterism::traces
