// The decisions of the scheduler "hprio", on tasks and units that do not exist: the text of orders, buckets, the
// termination rule, polling orders, reservations.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "schedulers/heteroprio_layout.hpp"

namespace {

using namespace asterism::schedulers::heteroprio;
using Within = Bucket::Within;
using Able = std::array<unsigned, 2>;

constexpr Unit cpu0{0, Kind::cpu};
constexpr Unit cpu1{1, Kind::cpu};
constexpr Unit gpu2{2, Kind::gpu};
constexpr Unit gpu3{3, Kind::gpu};

void* task(std::uintptr_t number) {
  return reinterpret_cast<void*>(number);
}
int number(const std::optional<Entry>& entry) {
  return entry ? static_cast<int>(reinterpret_cast<std::uintptr_t>(entry->task)) : -1;
}
Entry entry(std::uintptr_t number, Able able = {1, 1}, double speedup = 0, int priority = 0) {
  Entry entry;
  entry.task = task(number);
  entry.able = able;
  entry.speedup = speedup;
  entry.priority = priority;
  return entry;
}

// ---- the text of an order

TEST(HprioTable, TheFastMultipoleMethodOfThePaper) {
  const Table table = parse_table(
      "# name match CPU GPU   (Table 3)\n"
      "p2m codelet=fmm_p2m 0 -\n"
      "\n"
      "m2l codelet=fmm_m2l* per-priority 3 2 # one per level\n"
      "  p2p\tcodelet=fmm_p2p priority=-2..5 split large 7 0 small 4 1\n"
      "odd priority=-3 - 9");
  ASSERT_EQ(table.error, "");
  ASSERT_EQ(table.lines.size(), 4U);
  EXPECT_EQ(table.lines[0].name, "p2m");
  EXPECT_EQ(table.lines[0].codelet, "fmm_p2m");
  EXPECT_EQ(table.lines[0].ranks, (Ranks{0, std::nullopt}));
  EXPECT_FALSE(table.lines[0].per_priority);
  EXPECT_FALSE(table.lines[0].small);
  EXPECT_TRUE(table.lines[1].per_priority);
  EXPECT_EQ(table.lines[1].ranks, (Ranks{3, 2}));
  EXPECT_EQ(table.lines[2].ranks, (Ranks{7, 0}));
  EXPECT_EQ(table.lines[2].small, (Ranks{4, 1}));
  EXPECT_TRUE(table.lines[2].covers(-2) && table.lines[2].covers(5));
  EXPECT_FALSE(table.lines[2].covers(-3) || table.lines[2].covers(6));
  EXPECT_EQ(table.lines[3].codelet, "*");
  EXPECT_EQ(table.lines[3].ranks, (Ranks{std::nullopt, 9}));
  EXPECT_TRUE(table.lines[3].covers(-3));
  EXPECT_FALSE(table.lines[3].covers(-2));
}

TEST(HprioTable, PatternsMatchTheModelOrTheName) {
  const Line line = parse_table("m2l codelet=m2l_?_* 0 0").lines.at(0);
  EXPECT_TRUE(line.names("m2l_d_7", ""));
  EXPECT_TRUE(line.names("other", "m2l_s_"));
  EXPECT_FALSE(line.names("m2l_7", "xm2l_d_7"));
  EXPECT_FALSE(line.names("", ""));
  EXPECT_TRUE(parse_table("all codelet=* 0 0").lines.at(0).names("", ""));
}

TEST(HprioTable, EveryMistakeIsNamedWithItsLine) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "line 1: expected a bucket, found none"},
      {"# nothing\n\n", "line 1: expected a bucket, found none"},
      {"codelet=a 0 0", "line 1: expected a bucket's name before 'codelet=a', found 'codelet=a'"},
      {"a codelet=a 0 0\na codelet=b 1 1", "line 2: expected a name of its own for every bucket, found 'a' again"},
      {"\n\na 0 0", "line 3: expected codelet=NAME or priority=N or priority=LOWEST..HIGHEST, found '0'"},
      {"a", "line 1: expected codelet=NAME or priority=N or priority=LOWEST..HIGHEST, found the end of the line"},
      {"a per-priority 0 0", "line 1: expected codelet=NAME or priority=N or priority=LOWEST..HIGHEST, found '0'"},
      {"a codelet= 0 0", "line 1: expected a name or pattern after codelet=, found nothing"},
      {"a codelet=x codelet=y 0 0", "line 1: expected codelet= once, found 'codelet=y'"},
      {"a priority=1 priority=2 0 0", "line 1: expected priority= once, found 'priority=2'"},
      {"a priority=x 0 0",
       "line 1: expected priority=N or priority=LOWEST..HIGHEST with whole numbers, found 'priority=x'"},
      {"a priority=2..1 0 0",
       "line 1: expected priority=N or priority=LOWEST..HIGHEST with whole numbers, found 'priority=2..1'"},
      {"a priority=1.. 0 0",
       "line 1: expected priority=N or priority=LOWEST..HIGHEST with whole numbers, found 'priority=1..'"},
      {"a codelet=x", "line 1: expected the CPU priority (0, 1, 2, ... or -), found the end of the line"},
      {"a codelet=x 0", "line 1: expected the GPU priority (0, 1, 2, ... or -), found the end of the line"},
      {"a codelet=x 0 high", "line 1: expected the GPU priority (0, 1, 2, ... or -), found 'high'"},
      {"a codelet=x -1 0", "line 1: expected the CPU priority (0, 1, 2, ... or -), found '-1'"},
      {"a codelet=x 1.5 0", "line 1: expected the CPU priority (0, 1, 2, ... or -), found '1.5'"},
      {"a codelet=x - -", "line 1: expected a priority for one kind of unit at least, found '- -'"},
      {"a codelet=x 0 0 0", "line 1: expected the end of the line, found '0'"},
      {"a codelet=x per-priority split large 0 0 small 0 0",
       "line 1: expected split or per-priority, not both, found 'split' after 'per-priority'"},
      {"a codelet=x split small 0 0 large 0 0", "line 1: expected 'large', found 'small'"},
      {"a codelet=x split large 0 0", "line 1: expected 'small', found the end of the line"},
      {"a codelet=x split large 0 0 small 1",
       "line 1: expected the GPU priority (0, 1, 2, ... or -), found the end of the line"},
  };
  for (const auto& [text, error] : wrong) {
    const Table table = parse_table(text);
    EXPECT_EQ(table.error, error) << text;
    EXPECT_TRUE(table.lines.empty()) << text;
  }
}

TEST(HprioTable, AFileOrTheTextItself) {
  EXPECT_EQ(text_or_file("a codelet=b 0 0").text, "a codelet=b 0 0");
  EXPECT_EQ(text_or_file("a\n").text, "a\n");
  const std::string file = testing::TempDir() + "hprio-order.txt";
  std::ofstream(file) << "x priority=1 2 3\n";
  EXPECT_EQ(text_or_file(file).text, "x priority=1 2 3\n");
  std::remove(file.c_str());
  EXPECT_EQ(text_or_file(file).error, file + ": expected a file that can be read, or the table itself");
}

TEST(HprioRules, EachIsSwitchedOffByItsOwnWord) {
  const auto on = [](const char* text) {
    const Rules r = parse_rules(text).rules;
    return std::array{r.termination, r.backlog, r.split, r.priorities, r.prefetch, r.speedup};
  };
  EXPECT_EQ(on(""), (std::array{true, true, true, true, true, true}));
  EXPECT_EQ(on("-termination"), (std::array{false, true, true, true, true, true}));
  EXPECT_EQ(on("-backlog"), (std::array{true, false, true, true, true, true}));
  EXPECT_EQ(on("-split"), (std::array{true, true, false, true, true, true}));
  EXPECT_EQ(on("-priorities"), (std::array{true, true, true, false, true, true}));
  EXPECT_EQ(on("-prefetch"), (std::array{true, true, true, true, false, true}));
  EXPECT_EQ(on("-speedup"), (std::array{true, true, true, true, true, false}));
  EXPECT_EQ(on(" -split , -prefetch,"), (std::array{true, true, false, true, false, true}));
  EXPECT_EQ(parse_rules("-split").error, "");
  for (const std::string word : {"split", "+split", "-spilt", "--split", "-"}) {
    const ParsedRules parsed = parse_rules("-termination," + word + ",-prefetch");
    EXPECT_EQ(parsed.error,
              "expected -termination, -backlog, -split, -priorities, -prefetch or -speedup, separated by commas; found "
              "'" +
                  word + "'");
    EXPECT_FALSE(parsed.rules.termination || parsed.rules.prefetch);
    EXPECT_TRUE(parsed.rules.split);
  }
}

// ---- the termination rule

TEST(HprioTermination, ThePapersExample) {
  // "a CPU computes 1 task per second, whereas a GPU computes 30 tasks per second": s = 30
  EXPECT_FALSE(may_pop(Kind::cpu, 30, 29, {12, 1}));
  EXPECT_TRUE(may_pop(Kind::cpu, 30, 30, {12, 1}));
  EXPECT_FALSE(may_pop(Kind::cpu, 30, 89, {12, 3}));  // s x #GPUs
  EXPECT_TRUE(may_pop(Kind::cpu, 30, 90, {12, 3}));
  EXPECT_TRUE(may_pop(Kind::gpu, 30, 1, {12, 1}));
}

TEST(HprioTermination, TheSlowerKindIsHeldBackWhicheverItIs) {
  EXPECT_FALSE(may_pop(Kind::gpu, 0.25, 11, {3, 1}));  // 4 x 3 CPUs
  EXPECT_TRUE(may_pop(Kind::gpu, 0.25, 12, {3, 1}));
  EXPECT_TRUE(may_pop(Kind::cpu, 0.25, 1, {3, 1}));
  EXPECT_TRUE(may_pop(Kind::cpu, 1, 0, {3, 4}));  // as fast
  EXPECT_TRUE(may_pop(Kind::gpu, 1, 0, {3, 4}));
}

TEST(HprioTermination, PassesWhatIsUnknownOrWhatNobodyElseTakes) {
  EXPECT_TRUE(may_pop(Kind::cpu, 0, 1, {1, 1}));
  EXPECT_TRUE(may_pop(Kind::cpu, 30, 1, {1, 0}));
  EXPECT_TRUE(may_pop(Kind::gpu, 0.01, 1, {0, 1}));
}

/// With durations in microseconds on a unit of each kind.
Entry timed(std::uintptr_t number, double on_cpu, double on_gpu, Able able = {2, 1}, int priority = 0) {
  Entry timed = entry(number, able, on_cpu > 0 && on_gpu > 0 ? on_cpu / on_gpu : 0, priority);
  timed.length = {on_cpu, on_gpu};
  return timed;
}

TEST(HprioTermination, ByBacklogTheOthersNeedAtLeastAsLong) {
  EXPECT_EQ(least_backlog(Kind::cpu, timed(0, 30, 1, {12, 1})), 30'000);
  EXPECT_EQ(least_backlog(Kind::cpu, timed(0, 30, 1, {12, 3})), 90'000);  // three GPUs do three times as much meanwhile
  EXPECT_EQ(least_backlog(Kind::cpu, timed(0, 30, 29, {12, 3})), 90'000);  // however little faster they are
  EXPECT_EQ(least_backlog(Kind::cpu, timed(0, 0.0125, 0.001, {12, 4})), 52);
  EXPECT_EQ(least_backlog(Kind::gpu, timed(0, 1, 4, {3, 1})), 12'000);
  EXPECT_EQ(least_backlog(Kind::gpu, timed(0, 30, 1, {12, 3})), 0);  // the faster kind
  EXPECT_EQ(least_backlog(Kind::cpu, timed(0, 2, 2, {12, 3})), 0);   // as fast
  EXPECT_EQ(least_backlog(Kind::cpu, timed(0, 30, 1, {12, 0})), 0);  // nobody else
  EXPECT_EQ(least_backlog(Kind::cpu, timed(0, 1e300, 1, {1, 256})), 256'000'000'000'000'000);
  for (const Kind kind : kinds)
    for (const auto& [on_cpu, on_gpu] : {std::pair(0., 1.), std::pair(30., 0.), std::pair(0., 0.)})
      EXPECT_EQ(least_backlog(kind, timed(0, on_cpu, on_gpu)), std::nullopt);
}

// ---- one bucket

TEST(HprioBucket, FirstInFirstOut) {
  Bucket bucket("b", Within::fifo, {});
  for (int i = 0; i < 5; ++i) bucket.push(entry(static_cast<unsigned>(i), {1, 1}, 0, i));  // priorities do not count
  EXPECT_EQ(bucket.tasks(Kind::cpu), 5U);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(number(bucket.pop(i % 2 == 0 ? cpu0 : gpu2, true)), i);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  EXPECT_EQ(bucket.tasks(Kind::cpu), 0U);
}

TEST(HprioBucket, FirstInFirstOutAmongWhatTheKindCanRun) {
  Bucket bucket("b", Within::fifo, {});
  bucket.push(entry(0, {0, 1}));
  bucket.push(entry(1, {1, 1}));
  bucket.push(entry(2, {1, 0}));
  bucket.push(entry(3, {1, 1}));
  bucket.push(entry(4, {0, 1}));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 1);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 2);
  EXPECT_EQ(number(bucket.pop(gpu2, true)), 0);
  EXPECT_EQ(number(bucket.pop(gpu2, true)), 3);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  EXPECT_EQ(number(bucket.pop(gpu2, true)), 4);
}

TEST(HprioBucket, HigherPriorityFirstThenOrderOfArrival) {
  for (const Within within : {Within::priority, Within::sub_buckets}) {
    Bucket bucket("b", within, {});
    const std::vector<int> priorities{0, 5, -3, 5, 0, 900};
    for (std::size_t i = 0; i < priorities.size(); ++i) bucket.push(entry(i, {1, 1}, 0, priorities[i]));
    for (const int expected : {5, 1, 3, 0, 4, 2, -1}) EXPECT_EQ(number(bucket.pop(cpu0, true)), expected);
  }
}

TEST(HprioBucket, PickyTasksGoToTheirUnits) {
  Bucket bucket("b", Within::fifo, {});
  Entry picky = entry(0, {1, 1});
  picky.picky = true;
  picky.units.set(1).set(3);
  bucket.push(picky);
  bucket.push(entry(1));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 1);
  EXPECT_EQ(number(bucket.pop(gpu2, true)), -1);
  EXPECT_EQ(number(bucket.pop(gpu3, true)), 0);
}

TEST(HprioBucket, TerminationRuleCountsTheTasksThatTheFasterKindCanRun) {
  Bucket bucket("b", Within::fifo, {});
  for (unsigned i = 0; i < 5; ++i) bucket.push(entry(i, {2, 1}, 4));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 0);  // 5 >= 4
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 1);  // 4 >= 4
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  bucket.push(entry(9, {2, 0}));  // a GPU cannot help with this one: not counted, and never withheld
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 9);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  EXPECT_EQ(number(bucket.pop(gpu2, true)), 2);
  EXPECT_EQ(number(bucket.pop(cpu0, false)), 3);  // switched off
  for (unsigned i = 5; i < 8; ++i) bucket.push(entry(i, {2, 1}, 4));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 4);  // looks again after a push
}

TEST(HprioBucket, ReservedTasksCount) {
  Bucket bucket("b", Within::fifo, {});
  for (unsigned i = 0; i < 4; ++i) bucket.push(entry(i, {2, 1}, 3));
  const Entry kept = *bucket.pop(gpu2, true);
  bucket.reserved(kept);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 1);  // 3 waiting + 1 reserved
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 2);  // 2 + 1
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  EXPECT_FALSE(bucket.may_take(Kind::cpu, kept));
  EXPECT_TRUE(bucket.may_take(Kind::gpu, kept));
  bucket.unreserved(kept);
  EXPECT_EQ(number(bucket.pop(gpu2, true)), 3);
}

TEST(HprioBucket, SubBucketsAreCountedEachByItself) {
  Bucket bucket("b", Within::sub_buckets, {});
  for (unsigned i = 0; i < 3; ++i) bucket.push(entry(i, {2, 1}, 3, 1));
  for (unsigned i = 3; i < 5; ++i) bucket.push(entry(i, {2, 1}, 3, 7));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 0);  // two of priority 7 are withheld, three of priority 1 are not
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  EXPECT_EQ(number(bucket.pop(gpu2, true)), 3);
  EXPECT_EQ(number(bucket.pop(gpu2, true)), 4);
  EXPECT_EQ(number(bucket.pop(gpu2, true)), 1);
}

TEST(HprioBucket, NothingIsWithheldForAKindThatDoesNotPoll) {
  Bucket bucket("b", Within::fifo, {});
  bucket.push(entry(0, {2, 1}, 30));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  bucket.set_polled(Kind::gpu, false);
  bucket.look_again();
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 0);
}

// ---- buckets with a common backlog

using Times = std::array<std::int64_t, 2>;
Times times(const Backlog& backlog) {
  return {backlog.time[0].load(), backlog.time[1].load()};
}

TEST(HprioBacklog, ACpuPassesExactlyAtTheThreshold) {
  Backlog backlog;
  Bucket bucket("b", Within::fifo, {}, &backlog);
  for (unsigned i = 0; i < 9; ++i) bucket.push(timed(i, 40, 5));
  EXPECT_EQ(times(backlog), (Times{360'000, 45'000}));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 0);  // 45 >= 40
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 1);  // 40 >= 40
  EXPECT_FALSE(bucket.offers(cpu0, true));       // 35 < 40
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  EXPECT_EQ(number(bucket.pop(gpu2, true)), 2);
  EXPECT_EQ(number(bucket.pop(cpu0, false)), 3);  // switched off
  EXPECT_EQ(times(backlog), (Times{200'000, 25'000}));
}

TEST(HprioBacklog, SeveralGpusNeedMore) {
  Backlog backlog;
  Bucket bucket("b", Within::fifo, {}, &backlog);
  for (unsigned i = 0; i < 15; ++i) bucket.push(timed(i, 40, 5, {2, 2}));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);  // 75 < 2 x 40
  bucket.push(timed(15, 40, 5, {2, 2}));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 0);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);

  Bucket one("o", Within::fifo, {}, &backlog);
  Bucket another("a", Within::fifo, {}, &backlog);
  while (bucket.pop(gpu2, true)) {
  }
  one.push(timed(0, 40, 5, {2, 2}));
  EXPECT_EQ(number(one.pop(cpu0, true)), -1);
  another.push(timed(1, 0, 75, {0, 2}));
  EXPECT_EQ(number(one.pop(cpu0, true)), 0);  // 80 of the GPUs, whatever waits for CPUs
}

TEST(HprioBacklog, WorkOfAnotherBucketLetsACpuPassWhileItWaits) {
  Backlog backlog;
  Bucket bucket("b", Within::fifo, {}, &backlog);
  Bucket another("a", Within::fifo, {}, &backlog);
  for (unsigned i = 0; i < 3; ++i) bucket.push(timed(i, 40, 5));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);  // remembered, and nothing comes to this bucket
  another.push(timed(10, 0, 24, {0, 1}));         // one that GPUs alone run keeps them busy as well
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);  // 15 + 24
  another.push(timed(11, 200, 1));
  EXPECT_TRUE(bucket.offers(cpu0, true));  // 40
  EXPECT_EQ(number(another.pop(gpu2, true)), 10);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);  // 16
  another.push(timed(12, 0, 100, {0, 1}));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 0);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 1);
  EXPECT_EQ(number(another.pop(gpu2, true)), 11);
  EXPECT_EQ(number(another.pop(gpu2, true)), 12);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  another.push(timed(13, 1000, 0, {2, 0}));  // the work of CPUs does not count
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  EXPECT_EQ(number(bucket.pop(gpu2, true)), 2);
}

TEST(HprioBacklog, GpusAreHeldBackFromWhatCpusRunFaster) {
  Backlog backlog;
  Bucket bucket("b", Within::fifo, {}, &backlog);
  Bucket another("a", Within::fifo, {}, &backlog);
  bucket.push(timed(0, 5, 40));
  another.push(timed(1, 0, 500, {0, 1}));
  another.push(timed(2, 74, 0, {2, 0}));
  EXPECT_EQ(number(bucket.pop(gpu2, true)), -1);  // 79 < 2 x 40
  another.push(timed(3, 1, 0, {2, 0}));
  EXPECT_EQ(number(bucket.pop(gpu2, true)), 0);
}

TEST(HprioBacklog, ReservedTasksCount) {
  Backlog backlog;
  Bucket bucket("b", Within::fifo, {}, &backlog);
  Bucket another("a", Within::fifo, {}, &backlog);
  bucket.push(timed(0, 40, 5));
  another.push(timed(1, 80, 35));
  const Entry kept = *another.pop(gpu2, true);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  another.reserved(kept);
  EXPECT_FALSE(another.may_take(Kind::cpu, kept));  // 40 < 80
  EXPECT_TRUE(another.may_take(Kind::gpu, kept));
  EXPECT_TRUE(bucket.offers(cpu0, true));
  another.unreserved(kept);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
}

TEST(HprioBacklog, UnknownDurationsLeaveThePapersRule) {
  Backlog backlog;
  Bucket bucket("b", Within::fifo, {}, &backlog);
  Bucket another("a", Within::fifo, {}, &backlog);
  another.push(timed(9, 0, 1e6, {0, 1}));
  for (unsigned i = 0; i < 3; ++i) bucket.push(entry(i, {2, 1}, 4));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);  // 3 < 4
  bucket.push(entry(3, {2, 1}, 4));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 0);
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  EXPECT_EQ(number(another.pop(gpu2, true)), 9);
  EXPECT_EQ(times(backlog), Times{});
}

TEST(HprioBacklog, OnlyWhatAKindPollsWaitsForIt) {
  Backlog backlog;
  Bucket bucket("b", Within::fifo, {}, &backlog);
  Bucket another("a", Within::fifo, {}, &backlog);
  another.set_polled(Kind::gpu, false);
  bucket.push(timed(0, 40, 5));
  another.push(timed(1, 1000, 1000));
  EXPECT_EQ(times(backlog), (Times{1'040'000, 5'000}));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);  // GPUs will not do the other one
  another.set_polled(Kind::gpu, true);
  another.set_polled(Kind::gpu, true);
  EXPECT_EQ(times(backlog), (Times{1'040'000, 1'005'000}));
  EXPECT_TRUE(bucket.offers(cpu0, true));
  another.set_polled(Kind::gpu, false);
  EXPECT_EQ(number(another.pop(cpu0, true)), 1);
  EXPECT_EQ(times(backlog), (Times{40'000, 5'000}));
  EXPECT_EQ(number(bucket.pop(cpu0, true)), -1);
  bucket.set_polled(Kind::gpu, false);
  bucket.look_again();
  EXPECT_EQ(number(bucket.pop(cpu0, true)), 0);
  EXPECT_EQ(times(backlog), Times{});
}

TEST(HprioBacklog, IsTheSumOfWhatWaitsWhateverHappens) {
  std::mt19937 random(5);
  const auto below = [&](std::size_t n) { return static_cast<unsigned>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    Backlog backlog;
    std::array<std::unique_ptr<Bucket>, 3> buckets;
    for (std::size_t b = 0; b < 3; ++b)
      buckets[b] = std::make_unique<Bucket>("b", std::array{Within::fifo, Within::priority, Within::sub_buckets}[b],
                                            Waiting{}, &backlog);
    std::vector<Entry> waiting;
    std::vector<Entry> kept;
    std::array<std::array<bool, 2>, 3> polled{{{true, true}, {true, true}, {true, true}}};
    std::uintptr_t next = 0;
    const auto check = [&] {
      Times sum{};
      for (const std::vector<Entry>* entries : {&waiting, &kept})
        for (const Entry& e : *entries)
          for (const Kind kind : kinds)
            for (std::size_t b = 0; b < 3; ++b)
              if (e.bucket == buckets[b].get() && polled[b][at(kind)] && e.able[at(kind)] > 0)
                sum[at(kind)] += std::llround(e.length[at(kind)] * 1e3);
      ASSERT_EQ(times(backlog), sum) << "round " << round;
    };
    const auto pop = [&](bool termination) {
      const Unit unit = below(2) == 0 ? cpu0 : gpu2;
      const std::optional<Entry> e = buckets[below(3)]->pop(unit, termination);
      if (e) std::erase_if(waiting, [&](const Entry& w) { return w.task == e->task; });
      return e;
    };
    for (int step = 0; step < 100; ++step) {
      const unsigned what = below(8);
      if (what < 3) {
        Entry e = timed(++next, below(4) * 10.0004, below(4) * 3.33333,
                        std::array{Able{2, 1}, Able{2, 0}, Able{0, 1}}[below(3)], static_cast<int>(below(3)));
        if (below(5) == 0) e.picky = true, e.units.set(0).set(2);
        e.bucket = buckets[below(3)].get();
        e.bucket->push(e);
        waiting.push_back(e);
      } else if (what < 5) {
        (void)pop(true);
      } else if (what == 5) {
        if (const std::optional<Entry> e = pop(false)) {
          e->bucket->reserved(*e);
          kept.push_back(*e);
        }
      } else if (what == 6 && !kept.empty()) {
        const std::size_t k = below(kept.size());
        kept[k].bucket->unreserved(kept[k]);
        if (below(2) == 0) {  // given back; else taken back
          kept[k].bucket->push(kept[k]);
          waiting.push_back(kept[k]);
        }
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
      } else if (what == 7) {
        const unsigned b = below(3);
        const Kind kind = kinds[below(2)];
        polled[b][at(kind)] = below(3) > 0;
        buckets[b]->set_polled(kind, polled[b][at(kind)]);
        buckets[b]->look_again();
      }
      check();
    }
    for (const Entry& e : kept) e.bucket->unreserved(e);
    for (const auto& bucket : buckets) bucket->look_again();
    for (const auto& bucket : buckets)
      for (const Unit unit : {cpu0, gpu2})
        while (bucket->pop(unit, false)) {
        }
    EXPECT_EQ(times(backlog), Times{});
  }
}

TEST(HprioHalves, HalfIsLargeWhateverTheSizes) {
  Halves equal;
  int large = 0;
  for (int i = 0; i < 100; ++i) large += equal.is_large(7) ? 1 : 0;
  EXPECT_EQ(large, 50);

  Halves varied;  // 1 2 .. 7 in a mixed order, again and again
  std::array<int, 8> larger{};
  for (unsigned i = 0; i < 700; ++i) {
    const unsigned size = 1 + i * 5 % 7;
    larger[size] += varied.is_large(size) ? 1 : 0;
  }
  for (unsigned size = 1; size <= 3; ++size) EXPECT_LE(larger[size], 2) << size;
  for (unsigned size = 5; size <= 7; ++size) EXPECT_GE(larger[size], 98) << size;
  EXPECT_NEAR(larger[4], 50, 5);

  Halves ordered;  // decreasing: every one is the smallest so far
  large = 0;
  for (int size = 1000; size > 0; --size) large += ordered.is_large(size) ? 1 : 0;
  EXPECT_LE(large, 10);
}

// ---- polling orders

TEST(HprioOrders, ThePapersFigure6) {
  const std::vector<Ranks> buckets{{2, 0}, {1, 2}, {0, 1}};
  EXPECT_EQ(polling_order(buckets, Kind::cpu, true), (std::vector<std::size_t>{2, 1, 0}));
  EXPECT_EQ(polling_order(buckets, Kind::gpu, true), (std::vector<std::size_t>{0, 2, 1}));
}

TEST(HprioOrders, NeverMeansNeverUnlessTheOtherKindIsMissing) {
  const std::vector<Ranks> buckets{{std::nullopt, 0}, {4, std::nullopt}, {4, 3}};
  EXPECT_EQ(polling_order(buckets, Kind::cpu, true), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(polling_order(buckets, Kind::gpu, true), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(polling_order(buckets, Kind::cpu, false), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(polling_order(buckets, Kind::gpu, false), (std::vector<std::size_t>{0, 2, 1}));
}

TEST(HprioOrders, BySpeedup) {
  const std::vector<Speed> buckets{{{true, true}, 30}, {{true, false}, 0}, {{true, true}, 0.5},
                                   {{true, true}, 3},  {{true, true}, 0},  {{false, true}, 0}};
  const std::vector<Ranks> ranks = ranks_by_speedup(buckets);
  EXPECT_EQ(polling_order(ranks, Kind::cpu, true), (std::vector<std::size_t>{1, 4, 5, 2, 3, 0}));
  EXPECT_EQ(polling_order(ranks, Kind::gpu, true), (std::vector<std::size_t>{5, 1, 4, 0, 3, 2}));
}

// ---- which bucket

/// A layout and classes, and tasks put through them.
struct World {
  explicit World(const char* table = nullptr, const char* rules = "", unsigned lookahead = 0)
      : rules_(parse_rules(rules).rules),
        pool(rules_.termination, lookahead, {}, rules_.backlog),
        layout(pool, rules_, table == nullptr ? std::nullopt : std::optional(parse_table(table))) {}
  Bucket& push(Class& of, Entry entry, double size = 1) {
    of.came(entry.able[0] > 0, entry.able[1] > 0);
    layout.place(entry, of, [&] { return size; });
    entry.bucket->push(entry);
    return *entry.bucket;
  }
  Rules rules_;
  Pool pool;
  Layout layout;
};

TEST(HprioLayout, TheFirstLineThatNamesTheTask) {
  World world(
      "urgent codelet=b* priority=5..9 0 0\n"
      "any codelet=b* 1 1\n"
      "cpu codelet=c 2 -\n"
      "parts codelet=p split large 4 3 small 3 4");
  Class a("", "a");
  Class b("b_model", "x");
  Class c("", "c");
  Class p("", "p");
  EXPECT_EQ(world.push(b, entry(0, {1, 1}, 0, 5)).name(), "urgent");
  EXPECT_EQ(world.push(b, entry(1, {1, 1}, 0, 4)).name(), "any");
  EXPECT_EQ(world.push(a, entry(2)).name(), "rest");
  EXPECT_EQ(world.push(c, entry(3)).name(), "cpu");
  EXPECT_EQ(world.push(c, entry(4, {0, 1})).name(), "rest");  // its line leaves it to CPUs, and none can run it
  EXPECT_EQ(world.push(p, entry(5), 10).name(), "parts.large");
  EXPECT_EQ(world.push(p, entry(6), 1).name(), "parts.small");
  EXPECT_EQ(world.push(p, entry(7), 20).name(), "parts.large");
  for (const int expected : {0, 1, 3, 6, 5, 7, 2, -1}) EXPECT_EQ(number(world.pool.pop(cpu0)), expected);
  EXPECT_EQ(number(world.pool.pop(gpu2)), 4);
}

TEST(HprioLayout, RulesSwitchedOff) {
  const char* const table = "p codelet=p split large 1 0 small 0 1\nq codelet=q per-priority 2 2";
  Class p("", "p");
  Class q("", "q");
  World whole(table, "-split");
  EXPECT_EQ(whole.push(p, entry(0), 10).name(), "p");
  EXPECT_EQ(whole.push(p, entry(1), 1).name(), "p");
  World one(table, "-priorities");
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(one.push(i % 2 == 0 ? q : p, entry(i, {1, 1}, 0, static_cast<int>(i))).name(), "all");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(number(one.pool.pop(i < 2 ? gpu2 : cpu0)), i);
}

TEST(HprioClass, DurationsGoWithTheFlops) {
  Class c("model", "codelet");
  EXPECT_EQ(c.expected(Kind::cpu, 10), 0);  // never measured
  c.measured(Kind::cpu, 100, 50);
  c.measured(Kind::cpu, 300, 150);
  EXPECT_DOUBLE_EQ(c.expected(Kind::cpu, 10), 20);
  EXPECT_DOUBLE_EQ(c.expected(Kind::cpu, 0), 200);  // size unknown: the mean
  c.measured(Kind::gpu, 7);
  EXPECT_DOUBLE_EQ(c.expected(Kind::gpu, 1e9), 7);  // measured without sizes
}

TEST(HprioLayout, WithoutATableByMeasuredSpeedup) {
  World world;
  Class slow("", "slow");
  Class fast("fast_model", "fast");
  Class host("", "host");
  for (unsigned i = 0; i < 2; ++i) world.push(fast, entry(10 + i));
  for (unsigned i = 0; i < 2; ++i) world.push(slow, entry(20 + i));
  for (unsigned i = 0; i < 2; ++i) world.push(host, entry(30 + i, {1, 0}));
  slow.measured(Kind::cpu, 30);
  slow.measured(Kind::gpu, 10);
  world.layout.learn(slow);
  fast.predicted(300, 10);
  fast.measured(Kind::cpu, 1);  // the model has precedence
  fast.measured(Kind::gpu, 1);
  world.layout.learn(fast);
  EXPECT_DOUBLE_EQ(slow.speedup(), 3);
  EXPECT_DOUBLE_EQ(fast.speedup(), 30);
  for (const int expected : {30, 31, 20}) EXPECT_EQ(number(world.pool.pop(cpu0)), expected);
  for (const int expected : {10, 11, 21, -1}) EXPECT_EQ(number(world.pool.pop(gpu2)), expected);
}

TEST(HprioLayout, ANewOneLeavesNoTaskBehind) {
  World world("a codelet=* 0 0");
  Class a("", "a");
  world.push(a, entry(0));
  Layout next(world.pool, world.rules_, parse_table("b codelet=* 5 -"));
  Entry later = entry(1);
  next.place(later, a, {});
  later.bucket->push(later);
  EXPECT_EQ(later.bucket->name(), "b");
  EXPECT_EQ(number(world.pool.pop(gpu2)), 0);
  EXPECT_EQ(number(world.pool.pop(gpu2)), -1);
  next.set_units(false, true);  // the CPUs leave
  EXPECT_EQ(number(world.pool.pop(gpu2)), 1);
}

// ---- reservations and idle units

TEST(HprioPool, GpusKeepTasksInPollingOrderAndPrefetchThem) {
  World world("x codelet=x 0 1\ny codelet=y 1 0", "", 2);
  Class x("", "x");
  Class y("", "y");
  world.push(x, entry(0));
  world.push(x, entry(1));
  world.push(y, entry(2));
  std::vector<void*> prefetched;
  EXPECT_EQ(number(world.pool.reserve(gpu2, [&](void* t) { prefetched.push_back(t); })), 0);
  EXPECT_EQ(prefetched, (std::vector<void*>{task(2), task(0)}));
  EXPECT_EQ(world.pool.reserved(2), 2U);
  EXPECT_EQ(number(world.pool.pop(gpu2)), 2);  // its own first
  EXPECT_EQ(number(world.pool.pop(gpu2)), 0);
  EXPECT_EQ(number(world.pool.pop(gpu2)), 1);
  EXPECT_EQ(number(world.pool.pop(gpu2)), -1);
}

TEST(HprioPool, WhoFindsNothingTakesBackTheLastOneOfTheBusiest) {
  World world("x codelet=x 0 0", "", 3);
  Class x("", "x");
  const auto keep = [&](Unit unit) { (void)world.pool.reserve(unit, [](void*) {}); };
  for (unsigned i = 0; i < 3; ++i) world.push(x, entry(i, {2, 2}, 2));
  keep(gpu2);
  world.push(x, entry(3, {2, 2}, 2));
  keep(gpu3);
  EXPECT_EQ(number(world.pool.pop(cpu0)), 2);   // 4 >= 2 x 2; the waiting ones of gpu2 are more
  EXPECT_EQ(number(world.pool.pop(cpu1)), -1);  // 3 < 4
  world.push(x, entry(4, {2, 0}));
  EXPECT_EQ(number(world.pool.pop(cpu1)), 4);  // a bucket before what others keep
  EXPECT_EQ(number(world.pool.pop(gpu3)), 3);
  EXPECT_EQ(number(world.pool.pop(gpu3)), 1);
  EXPECT_EQ(number(world.pool.pop(gpu2)), 0);
  EXPECT_EQ(number(world.pool.pop(gpu3)), -1);
}

TEST(HprioPool, NobodyTakesBackWhatItsKindNeverPolls) {
  World world("x codelet=x - 0", "", 3);
  Class x("", "x");
  for (unsigned i = 0; i < 2; ++i) world.push(x, entry(i, {2, 2}));
  const auto kept = world.pool.reserve(gpu2, [](void*) {});
  ASSERT_TRUE(kept);
  EXPECT_EQ(number(world.pool.pop(cpu0)), -1);
  world.pool.set_idle(cpu0, true);
  EXPECT_EQ(world.pool.take_idle_for_kept(*kept), std::nullopt);
  EXPECT_EQ(number(world.pool.pop(gpu3)), 1);
  EXPECT_EQ(number(world.pool.pop(gpu2)), 0);
}

TEST(HprioPool, AUnitThatLeavesGivesBack) {
  World world("x codelet=x 0 0", "", 3);
  Class x("", "x");
  for (unsigned i = 0; i < 2; ++i) world.push(x, entry(i, {1, 1}, 9));
  (void)world.pool.reserve(gpu2, [](void*) {});
  EXPECT_EQ(number(world.pool.pop(cpu0)), -1);
  world.pool.give_back(2);
  world.layout.set_units(true, false);
  EXPECT_EQ(number(world.pool.pop(cpu0)), 0);
  EXPECT_EQ(number(world.pool.pop(cpu0)), 1);
}

TEST(HprioPool, WakesAUnitThatWillTakeTheTask) {
  World world("x codelet=x 0 0");
  Class x("", "x");
  const auto arrives = [&](Entry e) {
    world.layout.place(e, x, {});
    e.bucket->push(e);
    return world.pool.take_idle_for(e);
  };
  EXPECT_FALSE(world.pool.any_idle());
  for (const Unit unit : {cpu0, cpu1, gpu2, gpu3}) world.pool.set_idle(unit, true);
  world.pool.started(gpu2);                               // pipelines: it asks for more before it is done
  EXPECT_EQ(arrives(entry(0, {2, 2}, 2)), 3U);            // the faster kind, and really idle
  EXPECT_FALSE(world.pool.is_idle(gpu3));                 // once
  EXPECT_EQ(arrives(entry(1, {2, 2}, 2)), 2U);            // running, but it asked
  EXPECT_EQ(arrives(entry(2, {2, 2}, 2)), std::nullopt);  // CPUs would decline: 3 < 4
  EXPECT_EQ(arrives(entry(3, {2, 2}, 2)), 0U);            // 4 >= 4
  world.pool.set_idle(gpu3, true);
  EXPECT_EQ(arrives(entry(4, {2, 2}, 0.5)), 1U);  // the CPU is the faster one
  world.pool.set_idle(cpu1, true);
  world.pool.set_idle(gpu3, false);
  EXPECT_EQ(arrives(entry(5, {2, 0})), 1U);
}

TEST(HprioPool, WakesAUnitThatCanRunThisVeryTask) {
  World world("x codelet=x 0 0");
  Class x("", "x");
  Entry picky = entry(6, {1, 1});
  picky.picky = true;
  picky.units.set(0).set(2);
  world.push(x, picky);
  world.layout.place(picky, x, {});
  world.pool.set_idle(gpu3, true);
  EXPECT_EQ(world.pool.take_idle_for(picky), std::nullopt);
  world.pool.set_idle(cpu0, true);
  EXPECT_EQ(world.pool.take_idle_for(picky), 0U);
}

TEST(HprioPool, WakesAUnitThatWasRefusedWhenOthersGetMoreToDo) {
  const char* const table = "x codelet=x 0 1\ny codelet=y - 0\nz codelet=z 1 2";
  for (const char* rules : {"", "-backlog", "-termination"}) {
    World world(table, rules, 1);
    Class x("", "x");
    Class y("", "y");
    Class z("", "z");
    Entry picky = timed(7, 1, 0, {1, 0});  // found by an exact look only
    picky.picky = true;
    picky.units.set(1);
    world.push(z, picky);
    world.push(x, timed(0, 40, 5));
    EXPECT_EQ(number(world.pool.pop(cpu0)), *rules == '-' && rules[1] == 't' ? 0 : -1);
    world.pool.set_idle(cpu0, true);
    Entry much = timed(1, 400, 100);
    EXPECT_EQ(world.push(y, much).name(), "y");
    world.layout.place(much, y, {});
    // no GPU sleeps; a CPU does not poll y, but passes for x now
    EXPECT_EQ(world.pool.take_idle_for(much), *rules == '\0' ? std::optional(0U) : std::nullopt) << rules;
    EXPECT_EQ(world.pool.take_idle_for(much), std::nullopt);
  }
  World world(table, "", 1);  // nor does it sleep on while a GPU keeps the task that passes
  Class x("", "x");
  Class y("", "y");
  world.push(x, timed(0, 40, 5));
  (void)world.pool.reserve(gpu2, [](void*) {});
  EXPECT_EQ(number(world.pool.pop(cpu0)), -1);
  world.pool.set_idle(cpu0, true);
  Entry much = timed(1, 400, 100);
  world.push(y, much);
  world.layout.place(much, y, {});
  EXPECT_EQ(world.pool.take_idle_for(much), 0U);
  EXPECT_EQ(number(world.pool.pop(cpu0)), 0);
  world.pool.set_idle(cpu1, true);  // one that would find nothing is left alone
  EXPECT_EQ(world.pool.take_idle_for(much), std::nullopt);
  EXPECT_TRUE(world.pool.is_idle(cpu1));
}

TEST(HprioPool, WakesTheOtherKindForWhatComesFirstOnceATaskIsGone) {
  // the GPU's task stands before one that it is withheld from: after it is gone a CPU must not sleep on
  World world("x codelet=x 0 0");
  Class x("", "x");
  world.push(x, entry(0, {2, 1}, 30));
  world.push(x, entry(1, {2, 1}, 0.1));
  world.pool.set_idle(cpu0, true);
  const std::optional<Entry> gone = world.pool.pop(gpu2);
  EXPECT_EQ(number(gone), 0);
  EXPECT_EQ(number(world.pool.pop(gpu2)), -1);
  EXPECT_EQ(world.pool.take_idle_for(*gone), 0U);
}

TEST(HprioPool, ManyThreadsLoseNoTaskAndTakeNoneTwice) {
  World world("x codelet=x 0 1\ny codelet=y per-priority 1 0\nz codelet=z split large 3 2 small 2 3", "", 2);
  constexpr unsigned units = 8;  // every other one a GPU
  constexpr unsigned tasks = 20000;
  std::vector<std::atomic<int>> taken(tasks);
  std::atomic<unsigned> left{tasks};
  std::array<std::unique_ptr<Class>, 3> classes{std::make_unique<Class>("", "x"), std::make_unique<Class>("", "y"),
                                                std::make_unique<Class>("", "z")};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = t; i < tasks; i += 2) {
        Entry e = entry(i, {units / 2, units / 2}, i % 5, static_cast<int>(i % 3));
        if (i % 3 > 0) e.length = {static_cast<double>(i % 5), 1};
        if (i % 7 == 0) e.able[i % 2] = 0;
        world.push(*classes[i % 3], e, i % 11);
        if (i % 4096 == 0) world.layout.set_units(true, true);
      }
    });
  for (unsigned u = 0; u < units; ++u)
    threads.emplace_back([&, u] {
      const Unit unit{u, u % 2 == 0 ? Kind::cpu : Kind::gpu};
      while (left.load() > 0) {
        const std::optional<Entry> e = world.pool.pop(unit);
        if (!e) {
          world.pool.set_idle(unit, true);
          std::this_thread::yield();
          continue;
        }
        ++taken[static_cast<std::size_t>(number(e))];
        --left;
        if (unit.kind == Kind::gpu) (void)world.pool.reserve(unit, [](void*) {});
        (void)world.pool.take_idle_for(*e);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (unsigned i = 0; i < tasks; ++i) ASSERT_EQ(taken[i].load(), 1) << i;
}

}  // namespace
