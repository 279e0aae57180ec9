// SPDX-License-Identifier: Apache-2.0
// Messages between ranks in the HTML report.
#include <random>

#include "tests/traces/page_fixture.hpp"
#include "tests/traces/recording_builder.hpp"

namespace asterism::traces {
namespace {

using testing::Builder;

/// Two ranks of two CPUs each: a on rank 0 sends to c on rank 1, c sends to d on rank 0, b sends to nobody who waits.
Recording two_ranks() {
  Builder b("two ranks");
  b.units("CPU", 2, 0).units("CPU", 2, 1);
  const std::uint32_t x = b.handle("halo", 4096), y = b.handle("sum", 8);
  const auto a = b.task("advance", 0, 0, 2, {}, 1, 1e9);
  b.task("advance", 1, 0, 3, {}, 1, 1e9);
  const auto m0 = b.message(1, 2, 3.5, 4096, a, x, 17);
  const auto c = b.task("advance", 2, 4, 7, {m0}, 1, 1e9);
  const auto m1 = b.message(0, 7, 7.5, 8, c, y, 23);
  b.task("reduce", 1, 8, 10, {m1, a}, 2);
  Recording r = b.finish();
  r.clocks.error = 1e-3;
  return r;
}

/// What the browser sees of messages: one of them is hovered, all are hidden and shown.
json expected_messages(const Recording& r, const Metrics& m, std::size_t message) {
  const Message& chosen = r.messages[message];
  json pairs = json::array();
  for (const PairUse& p : m.pairs)
    pairs.push_back({{"pair", fmt::format("{} {}", p.from, p.to)}, {"messages", p.messages}});
  json idle = json::array();
  for (const RankUse& use : m.rank) idle.push_back(use.idle_for_messages);
  return {{"number", r.messages.size()},
          {"index", message},
          {"from", chosen.from},
          {"to", chosen.to},
          {"bytes", chosen.bytes},
          {"start", chosen.start - r.begin},
          {"end", chosen.end - r.begin},
          {"tag", chosen.tag},
          {"handle", chosen.handle == none ? "" : r.handles[chosen.handle].name},
          {"pairs", pairs},
          {"idle", idle}};
}

void expect_messages(const Page& page, const Recording& r) {
  std::vector<double> start, end, bytes, from, to;
  for (const Message& m : r.messages) {
    start.push_back(m.start - r.begin);
    end.push_back(m.end - r.begin);
    bytes.push_back(static_cast<double>(m.bytes));
    from.push_back(m.from);
    to.push_back(m.to);
  }
  expect_times(page.integers("message.start"), start);
  std::vector<double> arrived = page.integers("message.start");
  const std::vector<double> length = page.integers("message.length");
  ASSERT_EQ(length.size(), arrived.size());
  for (std::size_t i = 0; i < arrived.size(); ++i) arrived[i] += length[i];
  expect_times(arrived, end);
  EXPECT_EQ(page.integers("message.bytes"), bytes);
  EXPECT_EQ(page.integers("message.from"), from);
  EXPECT_EQ(page.integers("message.to"), to);
}

TEST_F(PageTest, MessagesBetweenRanks) {
  const Recording r = two_ranks();
  const Metrics m = measure(r);
  const std::vector<View> views{{&r, &m, {}}};
  const std::string text = write("ranks.html", views, "two ranks");
  json e = expected(views, 4, 100);
  e["messages"] = expected_messages(r, m, 0);
  save(folder() / "ranks.json", e);
  expect_equal(Page(text), r);
  expect_messages(Page(text), r);
  EXPECT_EQ(Page(text).integers("message.tag"), (std::vector<double>{17, 23}));
  EXPECT_EQ(Page(text).view()["metrics"]["rank"].size(), 2U);
}

TEST_F(PageTest, HundredThousandMessages) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> real(0, 1);
  Builder b("eight ranks");
  for (std::uint32_t rank = 0; rank < 8; ++rank) b.units("CPU", 4, rank);
  const std::uint32_t halo = b.handle("halo", 1 << 14);
  std::vector<double> free(32, 0.0);
  for (int step = 0; step < 6250; ++step)
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
      const std::uint32_t unit = 4 * rank + static_cast<std::uint32_t>(step % 4);
      const double end = free[unit] + 1e-4 + 1e-4 * real(random);
      const auto t = b.task("advance", unit, free[unit], end);
      free[unit] = end;
      for (const std::uint32_t to : {(rank + 1) % 8, (rank + 7) % 8})
        b.message(to, end, end + 1e-5 + 1e-3 * real(random) * real(random), 1 << 14, t, halo, 5);
    }
  const Recording r = b.finish();
  ASSERT_EQ(r.messages.size(), 100000U);
  const Metrics m = measure(r);
  const std::vector<View> views{{&r, &m, {}}};
  const std::string text = write("messages.html", views, "100,000 messages");
  json e = expected(views, 0, 100);
  e["messages"] = expected_messages(r, m, 50000);
  save(folder() / "messages.json", e);
  expect_messages(Page(text), r);
  EXPECT_LT(text.size(), 6U << 20);
}

}  // namespace
}  // namespace asterism::traces
