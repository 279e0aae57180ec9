// SPDX-License-Identifier: Apache-2.0
// What ranks wait for messages.
#include <gtest/gtest.h>

#include <string>

#include "tests/traces/recording_builder.hpp"
#include "traces/metrics.hpp"
#include "traces/readers/read.hpp"

namespace asterism::traces {
namespace {

using testing::Builder;

/// a on rank 0 until 2 s; its data arrive at rank 1 at 3.5 s, where unit 2 is idle from 0 to 4, but for the runtime's
/// work in [3, 3.25), and unit 3 runs d in [1, 3). c's data travel in [7, 7.5) to rank 0, whose unit 1 is idle from 6.
Recording two_ranks() {
  Builder b;
  b.units("CPU", 2, 0).units("CPU", 2, 1);
  const auto a = b.task("a", 0, 0, 2);
  b.task("b", 1, 0, 6);
  const auto there = b.message(1, 2, 3.5, 4096, a, none, 7);
  const auto c = b.task("c", 2, 4, 7, {there});
  b.task("d", 3, 1, 3);
  b.task("e", 3, 4, 5, {b.node(1, {there})});  // through a further node: idle in [3, 4), the message until 3.5
  const auto back = b.message(0, 7, 7.5, 100, c);
  b.task("f", 1, 8, 10, {back});
  b.message(0, 7.1, 7.4, 50, c);  // nobody waits for it
  b.state(2, State::runtime, 3, 3.25);
  return b.finish();
}

TEST(RankMetrics, ByHand) {
  const Metrics m = measure(two_ranks());
  ASSERT_EQ(m.rank.size(), 2U);
  EXPECT_EQ(m.rank[0].units, 2U);
  EXPECT_EQ(m.rank[0].tasks, 3U);
  EXPECT_EQ(m.rank[1].tasks, 3U);
  EXPECT_NEAR(m.rank[0].shares[State::computing], 0.5, 1e-12);  // 2 + 8 of 20 s
  EXPECT_NEAR(m.rank[1].shares[State::computing], 0.3, 1e-12);
  EXPECT_NEAR(m.rank[1].shares[State::runtime], 0.25 / 20, 1e-12);
  EXPECT_EQ(m.rank[0].messages_sent, 1U);
  EXPECT_EQ(m.rank[0].messages_received, 2U);
  EXPECT_EQ(m.rank[0].bytes_sent, 4096U);
  EXPECT_EQ(m.rank[0].bytes_received, 150U);
  EXPECT_EQ(m.rank[1].bytes_sent, 150U);
  EXPECT_EQ(m.bytes_sent, 4246U);
  EXPECT_NEAR(m.rank[0].idle_for_messages, 0.5, 1e-12);
  EXPECT_NEAR(m.rank[1].idle_for_messages, (1.5 - 0.25) + 0.5, 1e-12);
  ASSERT_EQ(m.pairs.size(), 2U);
  EXPECT_EQ(m.pairs[1].from, 1U);
  EXPECT_EQ(m.pairs[1].messages, 2U);
  EXPECT_NEAR(m.pairs[1].shortest, 0.3, 1e-12);
  EXPECT_NEAR(m.pairs[1].median, 0.4, 1e-12);
  EXPECT_NEAR(m.pairs[1].busy, 0.5, 1e-12);
  EXPECT_NEAR(m.pairs[1].bandwidth, 300, 1e-9);
  EXPECT_NEAR(m.critical_path.length, 2 + 3 + 2, 1e-12);
}

TEST(RankMetrics, OnlyTheIdleTimeBeforeTheTaskItselfCounts) {
  Builder b;
  b.units("CPU", 1, 0).units("CPU", 1, 1);
  const auto a = b.task("a", 0, 0, 0.5);
  const auto there = b.message(1, 0.5, 2.5, 8, a);
  b.task("b", 1, 1, 2);  // idle before it, while the message is under way that c needs
  b.task("c", 1, 3, 4, {there});
  EXPECT_NEAR(measure(b.finish()).rank[1].idle_for_messages, 0.5, 1e-12);
}

/// What rank 1 sends on without a task of its own is another message: rank 0's b waits for that, not for the first.
TEST(RankMetrics, DataSentOnAreAnotherMessage) {
  Builder b;
  b.units("CPU", 2, 0).units("CPU", 1, 1);
  const auto a = b.task("a", 0, 0, 1);
  b.task("a", 2, 0, 1);
  const auto there = b.message(1, 1, 3, 8, a);
  const auto back = b.message(0, 4, 5, 8, there);
  b.task("b", 1, 6, 7, {back});
  const Metrics m = measure(b.finish());
  EXPECT_NEAR(m.rank[0].idle_for_messages, 1, 1e-12);
  EXPECT_NEAR(m.rank[1].idle_for_messages, 0, 1e-12);
  EXPECT_NEAR(m.critical_path.length, 2, 1e-12);
}

TEST(RankMetrics, OneRankHasNone) {
  Builder b;
  b.units("CPU", 1);
  b.task("a", 0, 0, 1);
  const Metrics m = measure(b.finish());
  EXPECT_TRUE(m.rank.empty());
  EXPECT_TRUE(m.pairs.empty());
}

TEST(RankMetrics, WindowsKeepMessagesThatWereSentAndArrivedInside) {
  Window window{Window::Part::interval, 1.5, 7.2};
  const Recording r = restrict_to(two_ranks(), window);
  ASSERT_EQ(r.messages.size(), 1U);
  EXPECT_EQ(r.messages[0].tag, 7);
  EXPECT_EQ(r.tasks[r.messages[0].releases].rank, 1U);
  const auto before = r.predecessors(r.messages[0].releases);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before[0], r.messages[0].sent_after);
}

TEST(RankMetrics, TheProgramsWindowIsFromTheFirstRankToTheLast) {
  Recording r = two_ranks();
  r.markers = {{0, "begin x", 0}, {0.5, "begin x", 1}, {1, "end x", 0}, {1, "end x", 1},
               {2, "begin y", 1}, {4, "begin y", 0},   {6, "end y", 1}, {8, "end y", 0}};
  const Recording part = restrict_to(r, Window{});
  EXPECT_DOUBLE_EQ(part.begin, 2);
  EXPECT_DOUBLE_EQ(part.end, 8);
}

}  // namespace
}  // namespace asterism::traces
