// SPDX-License-Identifier: Apache-2.0
// The runtime between processes: run by mpirun with one to five ranks, each of which checks what it gets.
#include <gtest/gtest.h>
#include <sched.h>
#include <starpu.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "base/as_size.hpp"
#include "runtime/machine/local_units.hpp"
#include "runtime/ranks/all_gather.hpp"
#include "runtime/ranks/ranks.hpp"
#include "runtime/session.hpp"

namespace asterism {
namespace {

TEST(RankGroup, GathersTheValuesOfAllRanksInTheirOrder) {
  const std::vector<int> all = rank_group().all_gather(10 * rank_group().rank() + 3);
  ASSERT_EQ(all.size(), as_size(rank_group().ranks()));
  for (int rank = 0; rank < rank_group().ranks(); ++rank) EXPECT_EQ(all[as_size(rank)], 10 * rank + 3);
}

TEST(RankGroup, GathersVectorsOfAnyLength) {
  const std::vector<int> mine(as_size(3 * rank_group().rank()), rank_group().rank() + 7);
  const std::vector<std::vector<int>> all = rank_group().all_gather(std::span<const int>(mine));
  ASSERT_EQ(all.size(), as_size(rank_group().ranks()));
  for (int rank = 0; rank < rank_group().ranks(); ++rank)
    EXPECT_EQ(all[as_size(rank)], std::vector<int>(as_size(3 * rank), rank + 7));
}

TEST(RankGroup, BroadcastsWhatRankZeroHas) {
  double value = 2.5 + rank_group().rank();
  rank_group().broadcast(value);
  EXPECT_EQ(value, 2.5);
}

TEST(RankGroup, ExchangesVectorsOfAnyLength) {
  const int ranks = rank_group().ranks();
  const int me = rank_group().rank();
  std::vector<std::vector<int>> to(as_size(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    to[as_size(rank)].assign(as_size(rank == me + 1 ? 0 : 1000 * rank + me), 7 * me + rank);
  const std::vector<std::vector<int>> from = rank_group().exchange(to);
  ASSERT_EQ(from.size(), as_size(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    EXPECT_EQ(from[as_size(rank)], std::vector<int>(as_size(me == rank + 1 ? 0 : 1000 * me + rank), 7 * rank + me))
        << rank;
}

TEST(RankGroup, CollectsOnRankZero) {
  const std::vector<int> mine(as_size(rank_group().rank() + 2), rank_group().rank());
  const std::vector<int> all = rank_group().collect(std::span<const int>(mine));
  std::vector<int> expected;
  for (int rank = 0; rank < (rank_group().is_root() ? rank_group().ranks() : 0); ++rank)
    expected.insert(expected.end(), as_size(rank + 2), rank);
  EXPECT_EQ(all, expected);
}

TEST(LocalUnits, AreDealtInConsecutiveParts) {
  EXPECT_EQ(share_of(16, 0, 3), (UnitRange{0, 5}));
  EXPECT_EQ(share_of(16, 1, 3), (UnitRange{5, 5}));
  EXPECT_EQ(share_of(16, 2, 3), (UnitRange{10, 6}));
  for (const int sharers : {1, 2, 3, 5, 8})
    for (int i = 0, next = 0; i < sharers; ++i) {
      const UnitRange range = share_of(8, i, sharers);
      EXPECT_EQ(range.first, next);
      next = range.first + range.count;
      EXPECT_GE(range.count, 8 / sharers);
      EXPECT_LE(range.count, (8 + sharers - 1) / sharers);
      if (i + 1 == sharers) {
        EXPECT_EQ(next, 8);
      }
    }
  // fewer units than sharers: neighbours take the same one
  const int expected[] = {0, 0, 0, 1, 1};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(share_of(2, i, 5), (UnitRange{expected[i], 1}));
  EXPECT_EQ(share_of(0, 1, 2).count, 0);
}

TEST(LocalUnits, SharersAreThoseWhoseUnitsReadTheSame) {
  const int me = rank_group().rank();
  const int ranks = rank_group().ranks();
  const Sharing all = sharing("all");
  EXPECT_EQ(all.index, me);
  EXPECT_EQ(all.sharers, ranks);
  const Sharing parity = sharing(me % 2 == 0 ? "even" : "odd");
  EXPECT_EQ(parity.index, me / 2);
  EXPECT_EQ(parity.sharers, me % 2 == 0 ? (ranks + 1) / 2 : ranks / 2);
}

/// The cores that this thread may run on, by their numbers.
std::vector<int> allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> numbers;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) numbers.push_back(cpu);
  return numbers;
}

TEST(LocalUnits, CoresGivenToAllRanksAreDealt) {
  const std::vector<int> given = allowed();
  Environment environment;
  environment.set("STARPU_WORKERS_NOBIND", std::nullopt);
  {
    const OwnCores own;
    EXPECT_FALSE(own.told());
    const std::vector<int> mine = allowed();
    const std::vector<std::vector<int>> all = rank_group().all_gather(std::span<const int>(mine));
    const std::vector<std::vector<int>> before = rank_group().all_gather(std::span<const int>(given));
    const auto sharers = static_cast<std::size_t>(std::count(before.begin(), before.end(), given));
    EXPECT_TRUE(own.crowded() || sharers <= given.size());
    EXPECT_TRUE(!own.crowded() || 8 * sharers > given.size()) << "a core has some hardware threads, but not eight";
    EXPECT_GE(own.count(), 1);
    EXPECT_LE(static_cast<std::size_t>(own.count()), mine.size());
    std::map<int, int> uses;  // of each core by those who share them
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      if (before[rank] == given)
        for (const int cpu : all[rank]) ++uses[cpu];
    EXPECT_EQ(uses.size(), given.size()) << "every core is somebody's";
    for (const auto& [cpu, count] : uses) EXPECT_EQ(count, own.crowded() ? static_cast<int>(sharers) : 1) << cpu;
  }
  EXPECT_EQ(allowed(), given);
  environment.set("STARPU_WORKERS_NOBIND", "1");
  const OwnCores told;
  EXPECT_TRUE(told.told());
  EXPECT_EQ(allowed(), given);
}

/// As Open MPI starts two processes, unless it is told something else.
TEST(LocalUnits, BindingByDefaultIsUndone) {
  const std::vector<int> given = allowed();
  const auto bind = [](const std::vector<int>& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(cpu, &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
  };
  Environment environment;
  environment.set("OMPI_MCA_orte_bound_at_launch", "1");
  environment.set("OMP_NUM_THREADS", "1");
  for (const char* asked : {"OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_rmaps_base_mapping_policy"}) {
    for (const char* other : {"OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_rmaps_base_mapping_policy"})
      environment.set(other, std::nullopt);
    bind({given.front()});
    EXPECT_EQ(OwnCores().count(), 1);
    environment.set(asked, "core");
    EXPECT_FALSE(undo_default_binding(2));
    environment.set(asked, std::nullopt);
    EXPECT_FALSE(undo_default_binding(3)) << "bound to more than a core";
    EXPECT_EQ(allowed(), std::vector<int>{given.front()});
    EXPECT_TRUE(undo_default_binding(2));
    EXPECT_GE(allowed().size(), given.size());
  }
  environment.set("OMPI_MCA_orte_bound_at_launch", std::nullopt);
  bind(given);
  EXPECT_FALSE(undo_default_binding(2));
}

TEST(LocalUnits, GpusAreDealtOrTakenAsManyAsWanted) {
  const int ranks = rank_group().ranks();
  const std::vector<int> own = own_gpus(4, std::nullopt);
  std::map<int, int> uses;
  for (const std::vector<int>& of_rank : rank_group().all_gather(std::span<const int>(own)))
    for (const int gpu : of_rank) ++uses[gpu];
  if (ranks == 1) {
    EXPECT_TRUE(own.empty()) << "all that it sees";
  } else {
    EXPECT_EQ(uses.size(), 4U);
    for (const auto& [gpu, count] : uses) EXPECT_LE(count, (ranks + 3) / 4) << gpu;
  }
  EXPECT_TRUE(own_gpus(0, 1).empty());
  const std::vector<int> three = own_gpus(4, 3);
  EXPECT_EQ(three.size(), ranks > 1 ? 3U : 0U);
  for (std::size_t i = 1; i < three.size(); ++i) EXPECT_EQ(three[i], (three[i - 1] + 1) % 4);
  Environment environment;
  environment.set("STARPU_WORKERS_CUDAID", "0");
  EXPECT_TRUE(own_gpus(4, std::nullopt).empty());
}

/// value of `item` in `round`, in the memory that StarPU knows.
double value(int item, int round) {
  return 100 * round + item + 0.25;
}

class Tasks : public testing::Test {
 protected:
  static SessionOptions options() {
    SessionOptions options;
    options.cpus = 1;
    options.gpus = 0;
    options.ranks = Ranks::any;
    return options;
  }
};

/// Items of three numbers of four bytes, an odd number of items in all.
TEST_F(Tasks, BringItemsOfAnySizeTogether) {
  const Session session(options());
  const int ranks = rank_group().ranks();
  const int me = rank_group().rank();
  std::vector<int> begin;
  for (int rank = 0; rank <= ranks; ++rank) begin.push_back(rank == ranks ? 2 * rank + 1 : 2 * rank);
  AllGather gather("items", 3 * sizeof(float), begin);
  std::vector<float> values;
  for (int item = begin[as_size(me)]; item < begin[as_size(me) + 1]; ++item)
    for (int part = 0; part < 3; ++part) values.push_back(static_cast<float>(10 * item + part));
  const Handle mine = Handle::vector(values.data(), values.size(), sizeof(float), "mine");
  const std::int64_t before = submitted().bytes;
  gather.submit({{mine, STARPU_R}});
  {
    const Acquired reading(gather.all(), STARPU_R);
    const auto* const all = reinterpret_cast<const float*>(starpu_vector_get_local_ptr(gather.all()));
    for (int item = 0; item < begin.back(); ++item)
      for (int part = 0; part < 3; ++part) EXPECT_EQ(all[3 * item + part], static_cast<float>(10 * item + part));
  }
  // nothing is sent twice: to each rank the items of all others, as a sum over all
  std::int64_t sent = 0;
  for (const std::int64_t of_rank : rank_group().all_gather(submitted().bytes - before)) sent += of_rank;
  EXPECT_EQ(sent, std::int64_t{12} * begin.back() * (ranks - 1));
  starpu_task_wait_for_all();
  rank_group().barrier();
}

TEST_F(Tasks, BringUnequalContributionsTogether) {
  const Session session(options());
  const int ranks = rank_group().ranks();
  const int me = rank_group().rank();
  std::vector<int> begin(as_size(ranks + 1));  // 2, 3, 1, 2, 3, ... items
  for (int rank = 0; rank < ranks; ++rank) begin[as_size(rank) + 1] = begin[as_size(rank)] + (rank + 1) % 3 + 1;
  AllGather gather("values", sizeof(double), begin);
  ASSERT_EQ(gather.items(), as_size(begin.back()));
  // two vectors, the first of one item
  const int own = begin[as_size(me) + 1] - begin[as_size(me)];
  std::vector<double> values(as_size(own));
  std::vector<Handle> handles;
  handles.push_back(Handle::vector(values.data(), 1, sizeof(double), "first"));
  if (own > 1) handles.push_back(Handle::vector(values.data() + 1, as_size(own - 1), sizeof(double), "others"));
  std::vector<Access> mine;
  for (const Handle& handle : handles) mine.push_back({handle, STARPU_R});
  for (int round = 0; round < 4; ++round) {
    for (const Handle& handle : handles) {
      const Acquired writing(handle, STARPU_W);
      auto* const to = reinterpret_cast<double*>(starpu_vector_get_local_ptr(handle));
      const int first = begin[as_size(me)] + static_cast<int>(to - values.data());
      for (int k = 0; k < static_cast<int>(starpu_vector_get_nx(handle)); ++k) to[k] = value(first + k, round);
    }
    gather.submit(mine);
    const Acquired reading(gather.all(), STARPU_R);
    const auto* const all = reinterpret_cast<const double*>(starpu_vector_get_local_ptr(gather.all()));
    for (int item = 0; item < begin.back(); ++item) EXPECT_EQ(all[item], value(item, round)) << "round " << round;
  }
  starpu_task_wait_for_all();
  rank_group().barrier();
}

/// A task whose data come by another way sends nothing, and the next one finds out what it lacks.
TEST_F(Tasks, SendNothingWhereTheirDataComeByAnotherWay) {
  const Session session(options());
  const int ranks = rank_group().ranks();
  const int me = rank_group().rank();
  static Codelet touch({.name = "test_touch", .variant = "", .cpu = [](void**, void*) {}, .cuda = nullptr});
  double number = me;
  const Handle shared = Handle::vector(&number, 1, sizeof number, "number").shared(0, rank_group().allocate_tags(1));
  const auto messages = [&](bool exchange) {
    const std::int64_t before = submitted().messages;
    const std::int64_t tasks = submitted().tasks;
    submit(touch, 0, {{shared, STARPU_RW}}, {.exchange = exchange});
    EXPECT_EQ(submitted().tasks - tasks, ranks > 1 ? 1 : 0);
    return submitted().messages - before;
  };
  EXPECT_EQ(messages(false), 0);
  const std::int64_t before = submitted().messages;
  for (int rank = 1; rank < ranks; ++rank) exchange_data(std::vector<Access>{{shared, STARPU_R}}, rank);
  EXPECT_EQ(submitted().messages - before, me == 0 ? ranks - 1 : 0);
  EXPECT_EQ(messages(false), 0);  // what was sent counts as sent
  for (int rank = 1; rank < ranks; ++rank) exchange_data(std::vector<Access>{{shared, STARPU_R}}, rank);
  EXPECT_EQ(submitted().messages - before, me == 0 ? ranks - 1 : 0);
  starpu_task_wait_for_all();
  rank_group().barrier();
}

}  // namespace
}  // namespace asterism
