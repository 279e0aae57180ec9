// SPDX-License-Identifier: Apache-2.0
// All bounds together, and those that only they use: sums between cuts, placement, first copies with tails. Cases by
// hand, and never above the best of all schedules of small random graphs.
#include <gtest/gtest.h>

#include <cstdio>

#include "bounds/schedules/builder.hpp"
#include "bounds/schedules/copy_bound.hpp"
#include "bounds/schedules/cuts.hpp"
#include "bounds/schedules/first_datum.hpp"
#include "bounds/schedules/lower_bound.hpp"
#include "bounds/schedules/placement_bound.hpp"
#include "tests/bounds/copies.hpp"

namespace {

using namespace asterism::bounds;
using namespace asterism::bounds::testing;
using asterism::traces::Mode;
namespace traces = asterism::traces;

/// `stages` times `width` tasks of class 0, each of which waits for all of the stage before.
SmallGraph stages_of(std::vector<int> units, std::vector<int> seconds, std::uint32_t stages, std::uint32_t width) {
  SmallGraph g{std::move(units), {std::move(seconds)}, std::vector<std::size_t>(std::size_t{stages} * width, 0), {}};
  for (std::uint32_t t = 0; t < stages * width; ++t) {
    g.before.emplace_back();
    for (std::uint32_t b = 0; t >= width && b < width; ++b) g.before.back().push_back((t / width - 1) * width + b);
  }
  return g;
}

TEST(LowerBounds, CutsBetweenStages) {
  const SmallGraph g = stages_of({1}, {1}, 3, 2);
  const Workload work = copying_workload(g, {}, std::vector<double>(6, 0));
  const std::vector<Cut> cuts = series_cuts(work);
  ASSERT_EQ(cuts.size(), 2U);
  EXPECT_EQ(cuts[0].before, (std::vector<bool>{true, true, false, false, false, false}));
  EXPECT_EQ(cuts[0].after, (std::vector<bool>{false, false, true, true, true, true}));
  EXPECT_EQ(cuts[1].before, (std::vector<bool>{true, true, true, true, false, false}));
  // two chains beside each other have none
  const SmallGraph chains{{1}, {{1}}, {0, 0, 0, 0}, {{}, {}, {0}, {1}}};
  EXPECT_TRUE(series_cuts(copying_workload(chains, {}, std::vector<double>(4, 0))).empty());
}

TEST(LowerBounds, SumsBetweenCuts) {
  // ten times four tasks, 1 s on one of two units of B, 10 s on that of A: 2 s each time, as A would take longer than
  // all; cut at will, over everything, they take 40 / (2 + 1 / 10) s
  const SmallGraph g = stages_of({1, 2}, {10, 1}, 10, 4);
  const Workload work = copying_workload(g, {.bandwidth = impossible}, std::vector<double>(40, 0));
  Cuts cuts(work);
  const CutBound two = cuts.bound(work, [](const Workload& part) { return part.tasks() == 4 ? 2.0 : 0.0; });
  EXPECT_DOUBLE_EQ(two.seconds, 20);
  EXPECT_DOUBLE_EQ(two.head[39], 18);
  EXPECT_DOUBLE_EQ(two.tail[0], 18);
  EXPECT_NEAR(lower_bound(work, 1000).seconds, 20, 20 * 2e-3);
}

TEST(LowerBounds, WholeTasks) {
  // cut at will, five tasks on four units take 6 * 5 / 4 s, thirteen on three 6 * 13 / 3 s; a core takes 50 s for one
  for (const auto& [units, tasks, seconds] : {std::tuple{4, 5U, 12.0}, std::tuple{3, 13U, 30.0}}) {
    const SmallGraph g = stages_of({1, units}, {50, 6}, 1, tasks);
    const Workload work = copying_workload(g, {.bandwidth = impossible}, std::vector<double>(tasks, 0));
    const double bound = lower_bound(work, 48).seconds;
    EXPECT_NEAR(bound, seconds, seconds * 2e-2);
    EXPECT_LE(bound, seconds * (1 + 1e-9));
  }
}

/// A chain of `tasks` that change one datum of `bytes`, which is in main memory at first.
Workload chain(std::vector<int> seconds, std::uint32_t tasks, double bytes, double bandwidth) {
  SmallGraph g = stages_of({1, 1}, std::move(seconds), tasks, 1);
  Workload work = copying_workload(g, {.bandwidth = bandwidth}, {bytes});
  work.accesses = {};
  for (std::uint32_t t = 0; t < tasks; ++t) {
    work.accesses.item.push_back({0, Mode::read_write});
    work.accesses.close();
  }
  return work;
}

TEST(LowerBounds, PlacementOfAChain) {
  // 4 tasks, 10 s in main memory, 1 s elsewhere; the copy takes 50 s. Divided between the two ways by halves or any
  // other share s: 40 s of the core, 50 (1 - s) s of the link
  const Workload work = chain({10, 1}, 4, 100, 2);
  EXPECT_LE(placement_bound(work, 400), 40 * 50 / 90.0 * (1 + 1e-9));
  EXPECT_GT(placement_bound(work, 400), 40 * 50 / 90.0 * 0.98);
  EXPECT_DOUBLE_EQ(lower_bound(work, 40).seconds, 40);  // no schedule is shorter
}

TEST(LowerBounds, PlacementCountsCopiesBack) {
  // the first task runs elsewhere only, the second in main memory only
  const SmallGraph g{{1, 1}, {{0, 1}, {1, 0}}, {0, 1}, {{}, {0}}};
  const Workload work = copying_workload(g, {.bandwidth = 2}, {100, 0});
  EXPECT_GT(placement_bound(work, 400), 50 * 0.98);
  EXPECT_LE(placement_bound(work, 400), 50 * (1 + 1e-9));
}

TEST(LowerBounds, FirstCopiesWithTails) {
  // two tasks elsewhere fetch 4 bytes each over one link, 2 s; after the first one 10 s pass in main memory, after the
  // second none: the copy of the first goes first, 2 + 1 + 10 s; the other way round 15 s
  SmallGraph g{{1, 2}, {{0, 1}, {10, 0}}, {0, 0, 1}, {{}, {}, {0}}};
  Workload work = copying_workload(g, {.bandwidth = 2}, std::vector<double>(2, 4));
  work.accesses = {};
  for (const std::uint32_t datum : {0U, 1U}) {
    work.accesses.item.push_back({datum, Mode::read});
    work.accesses.close();
  }
  work.accesses.close();
  for (Connection& c : work.connections) c.resource = 7;
  EXPECT_DOUBLE_EQ(lower_bound(work, 1000).seconds, 13);
  // 10 s after both: the last copy ends at 4 s
  work.before.item.push_back(1);
  work.before.offset.back() = 2;
  work.after = {{0, 1, 2, 2}, {2, 2}};
  EXPECT_DOUBLE_EQ(lower_bound(work, 1000).seconds, 15);
}

/// Three tasks read one datum whose copy takes 10 s; each of the four others one of its own, 1 s, and computes 2 s. On
/// the only unit of B all take 10 + 3 + 4 s: copies for the four go first, and the three wait. `core`: seconds of one
/// of the three in main memory; 0: it runs there on no unit.
Workload one_datum(int core, const Machine& machine = {.bandwidth = 2, .peers = false}) {
  const SmallGraph g{{1, 1}, {{core, 1}, {0, 2}}, {0, 0, 0, 1, 1, 1, 1}, std::vector<std::vector<std::uint32_t>>(7)};
  Workload work = copying_workload(g, machine, {20, 2, 2, 2, 2});
  work.accesses = {};
  for (const std::uint32_t datum : {0U, 0U, 0U, 1U, 2U, 3U, 4U}) {
    work.accesses.item.push_back({datum, Mode::read});
    work.accesses.close();
  }
  return work;
}

TEST(LowerBounds, FirstDatum) {
  EXPECT_NEAR(first_datum_bound(one_datum(0)), 17, 1e-6);
  EXPECT_NEAR(lower_bound(one_datum(0), 1000).seconds, 17, 17 * 1e-3);
  EXPECT_EQ(first_datum_bound(one_datum(0), 17.1), 0);  // not more than is known
  // the three in main memory, 4 s each, while B computes 8 s and never has the datum
  EXPECT_NEAR(first_datum_bound(one_datum(4)), 12, 1e-6);
  // copies may come over other connections, or at the same time
  Workload peers = one_datum(0);
  peers.memories = 3;
  peers.connections.assign(9, {0, 2, true, 1});
  EXPECT_EQ(first_datum_bound(peers), 0);
  Workload shared = one_datum(0);
  shared.shared_rate = 4;
  EXPECT_EQ(first_datum_bound(shared), 0);
  Workload together = one_datum(0);
  together.units.push_back(together.units.back());
  EXPECT_EQ(first_datum_bound(together), 0);
}

TEST(LowerBounds, FirstDatumBehindOneThatWaits) {
  // the fourth task reads what a reader of the datum wrote: where it starts before the datum is there, that was copied
  Workload work = one_datum(0);
  work.before = {{0, 0, 0, 0, 1, 1, 1, 1}, {0}};
  work.after = {{0, 1, 1, 1, 1, 1, 1, 1}, {3}};
  work.accesses = {{0, 2, 3, 4, 5, 6, 7, 8},
                   {{0, Mode::read},
                    {1, Mode::write},
                    {0, Mode::read},
                    {0, Mode::read},
                    {1, Mode::read},
                    {2, Mode::read},
                    {3, Mode::read},
                    {4, Mode::read}}};
  EXPECT_NEAR(first_datum_bound(work), 17, 1e-6);
  work.bytes[1] = 100;  // it starts after the datum
  EXPECT_NEAR(first_datum_bound(work), 18, 1e-6);
}

/// The best of all orders and units; the builder places copies, so that it may be longer than the optimum.
class BestBuilt {
 public:
  explicit BestBuilt(const Workload& work) : work_(work), known_(work.tasks(), false) {}
  double makespan() {
    place();
    return best_;
  }

 private:
  void place() {
    if (placed_.size() == work_.tasks()) {
      ScheduleBuilder builder(work_);
      for (const auto& [task, unit] : placed_) builder.add(task, unit);
      best_ = std::min(best_, std::move(builder).finish("").makespan);
      return;
    }
    for (std::uint32_t t = 0; t < work_.tasks(); ++t) {
      if (known_[t] || std::any_of(work_.before.begin(t), work_.before.end(t), [&](auto b) { return !known_[b]; }))
        continue;
      known_[t] = true;
      for (std::uint32_t u = 0; u < work_.units.size(); ++u) {
        if (std::isinf(work_.on(t, work_.units[u].kind))) continue;
        placed_.emplace_back(t, u);
        place();
        placed_.pop_back();
      }
      known_[t] = false;
    }
  }

  const Workload& work_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> placed_;
  std::vector<bool> known_;
  double best_ = impossible;
};

TEST(LowerBounds, NeverAboveTheBestOfAllSchedules) {
  // each task reads what those wrote that it waits for, and changes a datum of its own that is in main memory at first
  std::mt19937 random(41);
  int optimal = 0;
  int cut = 0;
  constexpr int graphs = 500;
  for (int i = 0; i < graphs; ++i) {
    SmallGraph g = random_graph(random, 5, 2);
    for (int& units : g.units) units = std::min(units, 2);
    std::vector<double> bytes;
    for (std::size_t t = 0; t < g.of_task.size(); ++t) bytes.push_back(static_cast<double>(random() % 24));
    const Machine machine{.cores = i % 3 != 0, .latency = 0.5 * (i % 4), .bandwidth = 2, .peers = i % 2 == 0};
    Workload work = copying_workload(g, machine, bytes);
    for (asterism::traces::Access& access : work.accesses.item)
      if (access.mode == Mode::write && random() % 2 == 0) access.mode = Mode::read_write;
    if (i % 5 == 0)  // links that share a rate
      for (std::size_t m = 1; m < work.memories; ++m) {
        work.shared_rate = 3;
        work.connections[m].resource = work.connections[m * work.memories].resource = 0;
      }
    double best = BestBuilt(work).makespan();
    work.lanes = static_cast<std::uint32_t>(work.memories) - 1;
    best = std::min(best, BestBuilt(work).makespan());
    const LowerBound bound = lower_bound(work, 1.5 * best);
    ASSERT_LE(bound.seconds, best * (1 + 1e-9)) << "graph " << i << ", " << bound.by;
    ASSERT_LE(placement_bound(work), best * (1 + 1e-9)) << "graph " << i;
    optimal += bound.seconds > best * (1 - 2e-3) ? 1 : 0;
    cut += std::string(bound.by) == "cuts" ? 1 : 0;
  }
  std::printf("optimal on %d of %d graphs; by cuts on %d\n", optimal, graphs, cut);
  EXPECT_GT(optimal, graphs / 2);
  EXPECT_GT(cut, 0);
}

TEST(LowerBounds, FirstDatumNeverAboveTheBestOfAllSchedules) {
  // as above without peers, and half of the tasks read one more datum, as large as the work is long
  std::mt19937 random(43);
  int more = 0;
  int optimal = 0;
  constexpr int graphs = 500;
  for (int i = 0; i < graphs; ++i) {
    SmallGraph g = random_graph(random, 5, 2);
    g.units = {1 + i % 2, 1 + static_cast<int>(random() % 2)};
    for (auto& seconds : g.seconds) {
      seconds.resize(2, 1);
      seconds[1] = std::max(1, seconds[1]);
    }
    std::vector<double> bytes;
    for (std::size_t t = 0; t < g.of_task.size(); ++t) bytes.push_back(static_cast<double>(random() % 8));
    const Machine machine{.latency = 0.5 * (i % 3), .bandwidth = 2, .peers = false};
    Workload work = copying_workload(g, machine, bytes);
    const traces::Lists<traces::Access> own = work.accesses;
    work.accesses = {};
    work.bytes.push_back(static_cast<double>(8 + random() % 16));
    for (std::uint32_t t = 0; t < work.tasks(); ++t) {
      for (const auto* a = own.begin(t); a != own.end(t); ++a) {
        const bool changes = a->mode == Mode::write && random() % 2 == 0;
        work.accesses.item.push_back({a->handle, changes ? Mode::read_write : a->mode});
      }
      if (random() % 2 == 0) work.accesses.item.push_back({static_cast<std::uint32_t>(bytes.size()), Mode::read});
      work.accesses.close();
    }
    const double best = BestBuilt(work).makespan();
    const double bound = first_datum_bound(work);
    ASSERT_LE(bound, best * (1 + 1e-9)) << "graph " << i;
    more += bound > first_copies_bound(work, work.seconds) * (1 + 1e-6) ? 1 : 0;
    optimal += bound > best * (1 - 1e-6) ? 1 : 0;
  }
  std::printf("above LP with links on %d of %d graphs, optimal on %d\n", more, graphs, optimal);
  EXPECT_GT(more, graphs / 20);
  EXPECT_GT(optimal, 0);
}

}  // namespace
