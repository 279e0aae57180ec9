// SPDX-License-Identifier: Apache-2.0
// Buckets of "hprio" with a common backlog: a task may be popped when the other kind of unit has enough to do.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "tests/schedulers/hprio_tasks.hpp"

namespace asterism::schedulers::hprio {
namespace {

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

}  // namespace
}  // namespace asterism::schedulers::hprio
