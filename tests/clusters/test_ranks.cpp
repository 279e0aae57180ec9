// The runtime between processes: run by mpirun with one to five ranks, each of which checks what it gets.
#include <gtest/gtest.h>
#include <starpu.h>

#include <numeric>
#include <span>
#include <vector>

#include "taskflows/runtime/all_gather.hpp"
#include "taskflows/runtime/cluster.hpp"
#include "taskflows/runtime/session.hpp"

namespace asterism {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

TEST(Cluster, GathersTheValuesOfAllRanksInTheirOrder) {
  const std::vector<int> all = cluster().all_gather(10 * cluster().rank() + 3);
  ASSERT_EQ(all.size(), at(cluster().ranks()));
  for (int rank = 0; rank < cluster().ranks(); ++rank) EXPECT_EQ(all[at(rank)], 10 * rank + 3);
}

TEST(Cluster, GathersVectorsOfAnyLength) {
  const std::vector<int> mine(at(3 * cluster().rank()), cluster().rank() + 7);
  const std::vector<std::vector<int>> all = cluster().all_gather(std::span<const int>(mine));
  ASSERT_EQ(all.size(), at(cluster().ranks()));
  for (int rank = 0; rank < cluster().ranks(); ++rank)
    EXPECT_EQ(all[at(rank)], std::vector<int>(at(3 * rank), rank + 7));
}

TEST(Cluster, BroadcastsWhatRankZeroHas) {
  double value = 2.5 + cluster().rank();
  cluster().broadcast(value);
  EXPECT_EQ(value, 2.5);
}

TEST(Cluster, ExchangesVectorsOfAnyLength) {
  const int ranks = cluster().ranks();
  const int me = cluster().rank();
  std::vector<std::vector<int>> to(at(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    to[at(rank)].assign(at(rank == me + 1 ? 0 : 1000 * rank + me), 7 * me + rank);
  const std::vector<std::vector<int>> from = cluster().exchange(to);
  ASSERT_EQ(from.size(), at(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    EXPECT_EQ(from[at(rank)], std::vector<int>(at(me == rank + 1 ? 0 : 1000 * me + rank), 7 * rank + me)) << rank;
}

TEST(Cluster, CollectsOnRankZero) {
  const std::vector<int> mine(at(cluster().rank() + 2), cluster().rank());
  const std::vector<int> all = cluster().collect(std::span<const int>(mine));
  std::vector<int> expected;
  for (int rank = 0; rank < (cluster().speaks() ? cluster().ranks() : 0); ++rank)
    expected.insert(expected.end(), at(rank + 2), rank);
  EXPECT_EQ(all, expected);
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
  const int ranks = cluster().ranks();
  const int me = cluster().rank();
  std::vector<int> begin;
  for (int rank = 0; rank <= ranks; ++rank) begin.push_back(rank == ranks ? 2 * rank + 1 : 2 * rank);
  AllGather gather("items", 3 * sizeof(float), begin);
  std::vector<float> values;
  for (int item = begin[at(me)]; item < begin[at(me) + 1]; ++item)
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
  for (const std::int64_t of_rank : cluster().all_gather(submitted().bytes - before)) sent += of_rank;
  EXPECT_EQ(sent, std::int64_t{12} * begin.back() * (ranks - 1));
  starpu_task_wait_for_all();
  cluster().barrier();
}

TEST_F(Tasks, BringUnequalContributionsTogether) {
  const Session session(options());
  const int ranks = cluster().ranks();
  const int me = cluster().rank();
  std::vector<int> begin(at(ranks + 1));  // 2, 3, 1, 2, 3, ... items
  for (int rank = 0; rank < ranks; ++rank) begin[at(rank) + 1] = begin[at(rank)] + (rank + 1) % 3 + 1;
  AllGather gather("values", sizeof(double), begin);
  ASSERT_EQ(gather.items(), at(begin.back()));
  // two vectors, the first of one item
  const int own = begin[at(me) + 1] - begin[at(me)];
  std::vector<double> values(at(own));
  std::vector<Handle> handles;
  handles.push_back(Handle::vector(values.data(), 1, sizeof(double), "first"));
  if (own > 1) handles.push_back(Handle::vector(values.data() + 1, at(own - 1), sizeof(double), "others"));
  std::vector<Access> mine;
  for (const Handle& handle : handles) mine.push_back({handle, STARPU_R});
  for (int round = 0; round < 4; ++round) {
    for (const Handle& handle : handles) {
      const Acquired writing(handle, STARPU_W);
      auto* const to = reinterpret_cast<double*>(starpu_vector_get_local_ptr(handle));
      const int first = begin[at(me)] + static_cast<int>(to - values.data());
      for (int k = 0; k < static_cast<int>(starpu_vector_get_nx(handle)); ++k) to[k] = value(first + k, round);
    }
    gather.submit(mine);
    const Acquired reading(gather.all(), STARPU_R);
    const auto* const all = reinterpret_cast<const double*>(starpu_vector_get_local_ptr(gather.all()));
    for (int item = 0; item < begin.back(); ++item) EXPECT_EQ(all[item], value(item, round)) << "round " << round;
  }
  starpu_task_wait_for_all();
  cluster().barrier();
}

}  // namespace
}  // namespace asterism
