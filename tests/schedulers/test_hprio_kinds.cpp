// SPDX-License-Identifier: Apache-2.0
// "hprio" on machines with GPUs of several models: columns of the table, orders, and the termination rule.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "schedulers/hprio/layout.hpp"
#include "tests/schedulers/hprio_tasks.hpp"

namespace asterism::schedulers::hprio {
namespace {

constexpr Unit quick{2, Kind::gpu};
constexpr Unit lame{3, Kind::second_gpu};
constexpr PerKind<bool> all_three{true, true, true};

/// Microseconds on a CPU, on the quick GPU and on the lame one, of which there are 4, 1 and 1.
Entry on_three(std::uintptr_t number, double cpu, double gpu, double second) {
  Entry made = entry(number, {4, 1, 1}, cpu / gpu);
  made.length = {cpu, gpu, second};
  return made;
}

TEST(HprioKinds, ATableMayNameModels) {
  const Table table = parse_table(
      "# comment\n"
      "units CPU *K40c* *760*\n"
      "a codelet=a 2 0 1\n"
      "b codelet=b split large 0 - 0 small 1 0 -");
  ASSERT_EQ(table.error, "");
  EXPECT_EQ(table.models, (std::vector<std::string>{"*K40c*", "*760*"}));
  EXPECT_EQ(table.lines[0].ranks, (Ranks{2, 0, 1}));
  EXPECT_EQ(table.lines[1].ranks, (Ranks{0, std::nullopt, 0}));
  EXPECT_EQ(table.lines[1].small, (Ranks{1, 0, std::nullopt}));
  // by the order in which the machine has them; a model that no pattern fits takes the first column
  EXPECT_EQ(ranks_of_kinds({2, 0, 1}, table.models, {"GeForce GTX 760", "Tesla K40c", "Tesla M2070"}),
            (Ranks{2, 1, 0, 0}));
  EXPECT_EQ(ranks_of_kinds({2, 0}, {}, {"GeForce GTX 760", "Tesla K40c"}), (Ranks{2, 0, 0, 0}));
  EXPECT_EQ(parse_table("units codelet=u 0 1").lines[0].name, "units");  // a bucket may still be called so
}

TEST(HprioKinds, WrongColumns) {
  for (const auto& [text, error] :
       {std::pair{"units CPU\n", "line 1: expected a pattern of a GPU's model, found the end of the line"},
        std::pair{"units GPU x\n", "line 1: expected 'CPU', found 'GPU'"},
        std::pair{"units CPU a b c d\n", "line 1: expected at most 3 models, found 'd'"},
        std::pair{"a codelet=a 0 0\nunits CPU x\n", "line 2: expected 'units' once, before the buckets"},
        std::pair{"units CPU x y\na codelet=a 0 0\n",
                  "line 2: expected the y priority (0, 1, 2, ... or -), found the end of the line"}})
    EXPECT_EQ(parse_table(text).error, error);
}

TEST(HprioKinds, EachModelPollsItsColumn) {
  Pool pool(true, 0, {});
  Layout layout(pool, {}, parse_table("units CPU *K40c* *760*\na codelet=a - 0 1\nb codelet=b 0 - 0"));
  layout.set_units(all_three, {"NVIDIA Tesla K40c", "NVIDIA GeForce GTX 760"});
  Class a("", "a");
  Class b("", "b");
  for (std::uintptr_t number = 0; number < 6; ++number) {
    Entry made = entry(number, {4, 1, 1});
    layout.place(made, number < 3 ? a : b, [] { return 1.; });
    made.bucket->push(made);
  }
  EXPECT_EQ(number(pool.pop(lame)), 3);
  EXPECT_EQ(number(pool.pop(quick)), 0);
  EXPECT_EQ(number(pool.pop(cpu0)), 4);
  EXPECT_EQ(number(pool.pop(cpu0)), 5);
  EXPECT_EQ(number(pool.pop(cpu0)), -1);
  EXPECT_EQ(number(pool.pop(lame)), 1);
}

TEST(HprioKinds, OrdersBySpeedAgainstAllOthers) {
  // the quick GPU is 30, 2 and 8 times as fast as a CPU; the lame one 10, 2 and 0.5 times
  const std::vector<Speed> buckets{{all_three, {30, 1, 3}}, {all_three, {2, 1, 1}}, {all_three, {8, 1, 16}}};
  const std::vector<Ranks> ranks = ranks_by_speedup(buckets);
  EXPECT_EQ(polling_order(ranks, Kind::cpu, all_three), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(polling_order(ranks, Kind::gpu, all_three), (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_EQ(polling_order(ranks, Kind::second_gpu, all_three), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(HprioKinds, WhatFasterKindsDoMeanwhileAddsUp) {
  const Entry one = on_three(0, 30, 1, 3);
  EXPECT_FALSE(may_pop(Kind::cpu, one, 39));  // 30 by the quick GPU, 10 by the lame one
  EXPECT_TRUE(may_pop(Kind::cpu, one, 40));
  EXPECT_FALSE(may_pop(Kind::second_gpu, one, 2));
  EXPECT_TRUE(may_pop(Kind::second_gpu, one, 3));
  EXPECT_TRUE(may_pop(Kind::gpu, one, 1));
  EXPECT_TRUE(may_pop(Kind::cpu, one, 30, {true, true, false}));  // the lame one does not take from this bucket
}

TEST(HprioKinds, BacklogsOfTwoKindsOfGpus) {
  Pool pool(true, 0, {}, true);
  Bucket& bucket = pool.add("b", Bucket::Within::fifo);
  pool.set_orders({std::vector{&bucket}, {&bucket}, {&bucket}});
  // alone, the quick GPU needs 1 us for each and the lame one 3: together they do 40 in the 30 us of a CPU
  for (std::uintptr_t number = 0; number < 39; ++number) bucket.push(on_three(number, 30, 1, 3));
  EXPECT_EQ(number(pool.pop(cpu0)), -1);
  bucket.push(on_three(39, 30, 1, 3));
  EXPECT_EQ(number(pool.pop(cpu0)), 0);
  EXPECT_EQ(number(pool.pop(cpu0)), -1);
  // the lame one leaves the last three to the quick one, which is done with them by then
  for (int left = 39; left > 2; --left) EXPECT_NE(number(pool.pop(lame)), -1) << left;
  EXPECT_EQ(number(pool.pop(lame)), -1);
  EXPECT_EQ(number(pool.pop(quick)), 38);
}

TEST(HprioKinds, TheFastestIdleUnitIsWoken) {
  Pool pool(false, 0, {});
  Bucket& bucket = pool.add("b", Bucket::Within::fifo);
  pool.set_orders({std::vector{&bucket}, {&bucket}, {&bucket}});
  for (const Unit unit : {cpu0, quick, lame}) {
    pool.set_kind(unit);
    pool.set_idle(unit.number, true);
  }
  bucket.push(on_three(0, 30, 5, 3));
  Entry pushed = on_three(0, 30, 5, 3);
  pushed.bucket = &bucket;
  for (const unsigned expected : {lame.number, quick.number, cpu0.number})
    EXPECT_EQ(pool.take_idle_for(pushed), expected);
}

}  // namespace
}  // namespace asterism::schedulers::hprio
