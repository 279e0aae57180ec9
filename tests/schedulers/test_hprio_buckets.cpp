// SPDX-License-Identifier: Apache-2.0
// The termination rule of "hprio", one bucket by itself, and which half of the tasks is large.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "schedulers/hprio/buckets.hpp"
#include "tests/schedulers/hprio_tasks.hpp"

namespace asterism::schedulers::hprio {
namespace {

// ---- the termination rule

TEST(HprioTermination, ThePapersExample) {
  // "a CPU computes 1 task per second, whereas a GPU computes 30 tasks per second": s = 30
  EXPECT_FALSE(may_pop(Kind::cpu, entry(0, {12, 1}, 30), 29));
  EXPECT_TRUE(may_pop(Kind::cpu, entry(0, {12, 1}, 30), 30));
  EXPECT_FALSE(may_pop(Kind::cpu, entry(0, {12, 3}, 30), 89));  // s x #GPUs
  EXPECT_TRUE(may_pop(Kind::cpu, entry(0, {12, 3}, 30), 90));
  EXPECT_TRUE(may_pop(Kind::gpu, entry(0, {12, 1}, 30), 1));
}

TEST(HprioTermination, TheSlowerKindIsHeldBackWhicheverItIs) {
  EXPECT_FALSE(may_pop(Kind::gpu, entry(0, {3, 1}, 0.25), 11));  // 4 x 3 CPUs
  EXPECT_TRUE(may_pop(Kind::gpu, entry(0, {3, 1}, 0.25), 12));
  EXPECT_TRUE(may_pop(Kind::cpu, entry(0, {3, 1}, 0.25), 1));
  EXPECT_TRUE(may_pop(Kind::cpu, entry(0, {3, 4}, 1), 0));  // as fast
  EXPECT_TRUE(may_pop(Kind::gpu, entry(0, {3, 4}, 1), 0));
}

TEST(HprioTermination, PassesWhatIsUnknownOrWhatNobodyElseTakes) {
  EXPECT_TRUE(may_pop(Kind::cpu, entry(0, {1, 1}, 0), 1));
  EXPECT_TRUE(may_pop(Kind::cpu, entry(0, {1, 0}, 30), 1));
  EXPECT_TRUE(may_pop(Kind::gpu, entry(0, {0, 1}, 0.01), 1));
}

TEST(HprioTermination, ByBacklogTheOthersNeedAtLeastAsLong) {
  EXPECT_EQ(least_backlog(Kind::cpu, Kind::gpu, timed(0, 30, 1, {12, 1})), 30'000);
  EXPECT_EQ(least_backlog(Kind::cpu, Kind::gpu, timed(0, 30, 1, {12, 3})),
            90'000);  // three GPUs do three times as much meanwhile
  EXPECT_EQ(least_backlog(Kind::cpu, Kind::gpu, timed(0, 30, 29, {12, 3})), 90'000);  // however little faster they are
  EXPECT_EQ(least_backlog(Kind::cpu, Kind::gpu, timed(0, 0.0125, 0.001, {12, 4})), 52);
  EXPECT_EQ(least_backlog(Kind::gpu, Kind::cpu, timed(0, 1, 4, {3, 1})), 12'000);
  EXPECT_EQ(least_backlog(Kind::gpu, Kind::cpu, timed(0, 30, 1, {12, 3})), 0);  // the faster kind
  EXPECT_EQ(least_backlog(Kind::cpu, Kind::gpu, timed(0, 2, 2, {12, 3})), 0);   // as fast
  EXPECT_EQ(least_backlog(Kind::cpu, Kind::gpu, timed(0, 30, 1, {12, 0})), 0);  // nobody else
  EXPECT_EQ(least_backlog(Kind::cpu, Kind::gpu, timed(0, 1e300, 1, {1, 256})), 256'000'000'000'000'000);
  for (const auto& [on_cpu, on_gpu] : {std::pair(0., 1.), std::pair(30., 0.), std::pair(0., 0.)}) {
    EXPECT_EQ(least_backlog(Kind::cpu, Kind::gpu, timed(0, on_cpu, on_gpu)), std::nullopt);
    EXPECT_EQ(least_backlog(Kind::gpu, Kind::cpu, timed(0, on_cpu, on_gpu)), std::nullopt);
  }
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

// ---- GPUs with memories of their own

/// In the memories of these GPUs.
Entry near(std::uintptr_t number, std::initializer_list<Unit> units, Entry entry) {
  entry.task = task(number);
  for (const Unit unit : units) entry.near.set(unit.number);
  return entry;
}
Entry near(std::uintptr_t number, std::initializer_list<Unit> units) {
  return near(number, units, entry(0, {2, 2}));
}

TEST(HprioBucket, AGpuTakesWhatItHoldsThenWhatNobodyHoldsThenTheLastOfOthers) {
  Bucket bucket("b", Within::fifo, {});
  const auto fill = [&] {
    bucket.push(near(0, {gpu2}));
    bucket.push(near(1, {gpu2}));
    bucket.push(near(2, {}));
    bucket.push(near(3, {}));
    bucket.push(near(4, {gpu3, gpu2}));
    bucket.push(near(5, {gpu3}));
  };
  fill();
  for (const int expected : {4, 5, 2, 3, 1, 0, -1}) EXPECT_EQ(number(bucket.pop(gpu3, true)), expected);
  fill();
  for (const int expected : {4, 5, 2, 3, -1}) EXPECT_EQ(number(bucket.pop(gpu3, true, false)), expected);
  EXPECT_TRUE(bucket.offers(gpu3, true));
  for (const int expected : {0, 1, -1}) EXPECT_EQ(number(bucket.pop(cpu0, true)), expected);  // cores have one memory
}

TEST(HprioBucket, AGpuLooksAtTheFirstOnesOnly) {
  Bucket bucket("b", Within::fifo, {});
  for (unsigned i = 0; i < Bucket::window; ++i) bucket.push(near(i, {gpu2}));
  bucket.push(near(1000, {gpu3}));
  EXPECT_EQ(number(bucket.pop(gpu3, true)), Bucket::window - 1);
  EXPECT_EQ(number(bucket.pop(gpu3, true)), 1000);
}

TEST(HprioBucket, NearOrNotAHigherPriorityComesFirst) {
  Bucket bucket("b", Within::sub_buckets, {});
  bucket.push(near(0, {gpu3}, entry(0, {1, 2}, 0, 1)));
  bucket.push(near(1, {gpu2}, entry(0, {1, 2}, 0, 7)));
  EXPECT_EQ(number(bucket.pop(gpu3, true)), 1);
  bucket.push(near(1, {gpu2}, entry(0, {1, 2}, 0, 7)));
  EXPECT_EQ(number(bucket.pop(gpu3, true, false)), 0);
}

TEST(HprioBucket, TheTerminationRuleHoldsForNearTasksToo) {
  Bucket bucket("b", Within::fifo, {});
  bucket.push(near(0, {gpu2}, entry(0, {2, 2}, 1)));     // GPUs are as fast
  bucket.push(near(1, {gpu3}, entry(0, {2, 2}, 0.01)));  // slower: 2 tasks are less than 100 x 2 CPUs
  EXPECT_EQ(number(bucket.pop(gpu3, true)), 0);
  EXPECT_EQ(number(bucket.pop(gpu3, true)), -1);
  bucket.look_again();
  EXPECT_EQ(number(bucket.pop(gpu3, false)), 1);
}

// ---- large and small

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

}  // namespace
}  // namespace asterism::schedulers::hprio
