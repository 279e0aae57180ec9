// SPDX-License-Identifier: Apache-2.0
// Polling orders of "hprio", which bucket a task goes to, reservations, and which idle unit is woken.
#include <gtest/gtest.h>
#include <cmath>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "schedulers/hprio/layout.hpp"
#include "tests/schedulers/hprio_tasks.hpp"

namespace asterism::schedulers::hprio {
namespace {

// ---- polling orders

constexpr PerKind<bool> both{true, true};

TEST(HprioOrders, ThePapersFigure6) {
  const std::vector<Ranks> buckets{{2, 0}, {1, 2}, {0, 1}};
  EXPECT_EQ(polling_order(buckets, Kind::cpu, both), (std::vector<std::size_t>{2, 1, 0}));
  EXPECT_EQ(polling_order(buckets, Kind::gpu, both), (std::vector<std::size_t>{0, 2, 1}));
}

TEST(HprioOrders, NeverMeansNeverUnlessTheOtherKindIsMissing) {
  const std::vector<Ranks> buckets{{std::nullopt, 0}, {4, std::nullopt}, {4, 3}};
  EXPECT_EQ(polling_order(buckets, Kind::cpu, both), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(polling_order(buckets, Kind::gpu, both), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(polling_order(buckets, Kind::cpu, {}), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(polling_order(buckets, Kind::gpu, {}), (std::vector<std::size_t>{0, 2, 1}));
}

TEST(HprioOrders, BySpeedup) {
  const std::vector<Speed> buckets{{{true, true}, {30, 1}}, {{true, false}, {}}, {{true, true}, {1, 2}},
                                   {{true, true}, {3, 1}},  {{true, true}, {}},  {{false, true}, {}}};
  const std::vector<Ranks> ranks = ranks_by_speedup(buckets);
  EXPECT_EQ(polling_order(ranks, Kind::cpu, both), (std::vector<std::size_t>{1, 4, 5, 2, 3, 0}));
  EXPECT_EQ(polling_order(ranks, Kind::gpu, both), (std::vector<std::size_t>{5, 1, 4, 0, 3, 2}));
}

// ---- which bucket

/// A layout and classes, and tasks put through them.
struct World {
  explicit World(const char* table = nullptr, const char* rules = "", unsigned lookahead = 0)
      : rules_(parse_rules(rules).rules),
        pool(rules_.termination, lookahead, {}, rules_.backlog),
        layout(pool, rules_, table == nullptr ? std::nullopt : std::optional(parse_table(table))) {
    for (const Unit unit : {gpu2, gpu3}) pool.set_kind(unit);
  }
  Bucket& push(Class& of, Entry entry, double size = 1) {
    of.came(entry.able);
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
  fast.predicted({300, 10});
  fast.measured(Kind::cpu, 1);  // the model has precedence
  fast.measured(Kind::gpu, 1);
  world.layout.learn(fast);
  EXPECT_DOUBLE_EQ(slow.speed().time[0] / slow.speed().time[1], 3);
  EXPECT_DOUBLE_EQ(fast.speed().time[0] / fast.speed().time[1], 30);
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
  next.set_units({false, true});  // the CPUs leave
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

TEST(HprioPool, AGpuKeepsNoMoreThanItNeedsToHideTransfers) {
  for (const double length : {Pool::enough_ahead, Pool::enough_ahead / 2, Pool::enough_ahead / 3, 0.}) {
    World world("x codelet=x 0 0", "", 3);
    Class x("", "x");
    for (unsigned i = 0; i < 6; ++i) {
      Entry long_one = entry(i, {2, 2});
      long_one.length = {2 * length, length};
      world.push(x, long_one);
    }
    (void)world.pool.reserve(gpu2, [](void*) {});
    const std::size_t kept = length == 0 ? 3 : static_cast<std::size_t>(std::lround(Pool::enough_ahead / length));
    EXPECT_EQ(world.pool.reserved(gpu2.number), kept) << length;
    (void)world.pool.reserve(gpu2, [](void*) {});  // what it kept before counts
    EXPECT_EQ(world.pool.reserved(gpu2.number), kept) << length;
  }
}

TEST(HprioPool, AGpuKeepsOneTaskOfAnotherGpuOnly) {
  World world("x codelet=x 0 0\ny codelet=y 1 1", "", 3);
  Class x("", "x");
  Class y("", "y");
  Entry theirs = entry(0, {2, 2});
  theirs.near.set(gpu3.number);
  for (std::uintptr_t i = 0; i < 3; ++i) {
    theirs.task = task(i);
    world.push(x, theirs);
  }
  (void)world.pool.reserve(gpu2, [](void*) {});
  EXPECT_EQ(world.pool.reserved(gpu2.number), 1U);
  world.push(y, entry(3, {2, 2}));  // nobody's
  (void)world.pool.reserve(gpu2, [](void*) {});
  EXPECT_EQ(world.pool.reserved(gpu2.number), 2U);
  for (const int expected : {2, 3, 1, 0, -1}) EXPECT_EQ(number(world.pool.pop(gpu2)), expected);
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
  world.pool.set_idle(cpu0.number, true);
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
  world.layout.set_units({true, false});
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
  for (const Unit unit : {cpu0, cpu1, gpu2, gpu3}) world.pool.set_idle(unit.number, true);
  world.pool.started(gpu2);                               // pipelines: it asks for more before it is done
  EXPECT_EQ(arrives(entry(0, {2, 2}, 2)), 3U);            // the faster kind, and really idle
  EXPECT_FALSE(world.pool.is_idle(gpu3.number));          // once
  EXPECT_EQ(arrives(entry(1, {2, 2}, 2)), 2U);            // running, but it asked
  EXPECT_EQ(arrives(entry(2, {2, 2}, 2)), std::nullopt);  // CPUs would decline: 3 < 4
  EXPECT_EQ(arrives(entry(3, {2, 2}, 2)), 0U);            // 4 >= 4
  world.pool.set_idle(gpu3.number, true);
  EXPECT_EQ(arrives(entry(4, {2, 2}, 0.5)), 1U);  // the CPU is the faster one
  world.pool.set_idle(cpu1.number, true);
  world.pool.set_idle(gpu3.number, false);
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
  world.pool.set_idle(gpu3.number, true);
  EXPECT_EQ(world.pool.take_idle_for(picky), std::nullopt);
  world.pool.set_idle(cpu0.number, true);
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
    world.pool.set_idle(cpu0.number, true);
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
  world.pool.set_idle(cpu0.number, true);
  Entry much = timed(1, 400, 100);
  world.push(y, much);
  world.layout.place(much, y, {});
  EXPECT_EQ(world.pool.take_idle_for(much), 0U);
  EXPECT_EQ(number(world.pool.pop(cpu0)), 0);
  world.pool.set_idle(cpu1.number, true);  // one that would find nothing is left alone
  EXPECT_EQ(world.pool.take_idle_for(much), std::nullopt);
  EXPECT_TRUE(world.pool.is_idle(cpu1.number));
}

TEST(HprioPool, WakesTheOtherKindForWhatComesFirstOnceATaskIsGone) {
  // the GPU's task stands before one that it is withheld from: after it is gone a CPU must not sleep on
  World world("x codelet=x 0 0");
  Class x("", "x");
  world.push(x, entry(0, {2, 1}, 30));
  world.push(x, entry(1, {2, 1}, 0.1));
  world.pool.set_idle(cpu0.number, true);
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
        if (i % 4096 == 0) world.layout.set_units({true, true});
      }
    });
  for (unsigned u = 0; u < units; ++u)
    threads.emplace_back([&, u] {
      const Unit unit{u, u % 2 == 0 ? Kind::cpu : Kind::gpu};
      while (left.load() > 0) {
        const std::optional<Entry> e = world.pool.pop(unit);
        if (!e) {
          world.pool.set_idle(unit.number, true);
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
}  // namespace asterism::schedulers::hprio
