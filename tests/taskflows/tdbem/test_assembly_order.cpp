// SPDX-License-Identifier: Apache-2.0
// The order of the tasks that compute the matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "taskflows/tdbem/matrices/assembly_order.hpp"

namespace asterism::tdbem {
namespace {

/// Blocks on a closed line: neighbours cost more, and so do blocks with themselves.
constexpr std::size_t around = 27;
double cost_of_neighbours(std::size_t i, std::size_t j) {
  const std::size_t gap = std::min((j - i) % around, (i + around - j) % around);
  return i == j ? 3 : gap == 1 ? 2.5 : gap == 2 ? 1.2 : 1;
}

/// How long tasks of the given costs take on so many cores when each begins after those before it that have one of its
/// blocks, as StarPU has it for tasks that are submitted in this order, and cores take the first that is ready.
double time_of_order(const std::vector<BlockPair>& pairs, std::size_t cores,
                     const std::function<double(std::size_t, std::size_t)>& cost) {
  std::size_t blocks = 0;
  for (const auto& [i, j] : pairs) blocks = std::max(blocks, j + 1);
  std::vector<double> core_free(cores, 0.), block_free(blocks, 0.);
  std::vector<BlockPair> todo = pairs;
  double end = 0;
  while (!todo.empty()) {
    const auto core = std::min_element(core_free.begin(), core_free.end());
    std::vector<bool> waited_for(blocks, false);  // by tasks before
    double soonest = std::numeric_limits<double>::infinity();
    std::size_t first = todo.size();
    for (std::size_t p = 0; p < todo.size(); ++p) {
      const auto [i, j] = todo[p];
      const bool next = !waited_for[i] && !waited_for[j];
      waited_for[i] = waited_for[j] = true;
      const double ready = std::max({block_free[i], block_free[j], *core});
      if (next && ready < soonest) first = p, soonest = ready;
    }
    const auto [i, j] = todo[first];
    *core = block_free[i] = block_free[j] = soonest + cost(i, j);
    end = std::max(end, *core);
    todo.erase(todo.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return end;
}

double sum_of(std::size_t blocks, double (*cost)(std::size_t, std::size_t)) {
  double sum = 0;
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t j = i; j < blocks; ++j) sum += cost(i, j);
  return sum;
}

TEST(TdbemAssemblyOrder, HasEachPairOnce) {
  for (const std::size_t blocks : {1, 2, 5, 27, 30, 97})
    for (const std::size_t cores : {1, 4, 14}) {
      std::vector<BlockPair> pairs = pairs_by_cost(blocks, cores, cost_of_neighbours);
      std::sort(pairs.begin(), pairs.end());
      std::vector<BlockPair> all;
      for (std::size_t i = 0; i < blocks; ++i)
        for (std::size_t j = i; j < blocks; ++j) all.emplace_back(i, j);
      EXPECT_EQ(pairs, all) << blocks << " blocks, " << cores << " cores";
    }
}

TEST(TdbemAssemblyOrder, TimesByHand) {
  const auto one = [](std::size_t, std::size_t) { return 1.; };
  EXPECT_EQ(time_of_order({{0, 1}, {2, 3}, {0, 2}, {1, 3}}, 2, one), 2);
  EXPECT_EQ(time_of_order({{0, 1}, {0, 2}, {0, 3}}, 3, one), 3) << "one after the other";
  EXPECT_EQ(time_of_order({{0, 1}, {0, 2}, {3, 4}}, 2, one), 2) << "what is ready overtakes";
  EXPECT_EQ(time_of_order({{0, 0}, {1, 1}}, 1, one), 2);
}

TEST(TdbemAssemblyOrder, KeepsCoresAtWork) {
  const double sum = sum_of(around, cost_of_neighbours);
  for (const std::size_t cores : {8, 10, 12}) {
    const double rounds = time_of_order(pairs_in_rounds(around), cores, cost_of_neighbours);
    const double by_cost = time_of_order(pairs_by_cost(around, cores, cost_of_neighbours), cores, cost_of_neighbours);
    EXPECT_LT(by_cost, 1.05 * sum / static_cast<double>(cores)) << cores << " cores";
    EXPECT_LT(by_cost, 0.95 * rounds) << cores << " cores";
  }
}

}  // namespace
}  // namespace asterism::tdbem
