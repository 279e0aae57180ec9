// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/matrices/assembly_order.hpp"

#include <algorithm>
#include <limits>

namespace asterism::tdbem {
namespace {

/// So many blocks for each core, and cores find work in any order.
constexpr std::size_t plenty_per_core = 8;
/// Choosing takes time with the fourth power of the number of blocks: some hundredths of a second with so many.
constexpr std::size_t most_ordered_blocks = 96;

constexpr std::size_t no_pair = std::numeric_limits<std::size_t>::max();

}  // namespace

std::vector<BlockPair> pairs_in_rounds(std::size_t blocks) {
  std::vector<BlockPair> pairs;
  for (std::size_t b = 0; b < blocks; ++b) pairs.emplace_back(b, b);
  const std::size_t players = blocks + blocks % 2;  // with one that sits out
  for (std::size_t round = 0; round + 1 < players; ++round)
    for (std::size_t k = 0; k < players / 2; ++k) {
      const auto at = [&](std::size_t seat) { return seat == 0 ? 0 : 1 + (seat - 1 + round) % (players - 1); };
      const std::size_t a = at(k), b = at(players - 1 - k);
      if (a < blocks && b < blocks) pairs.emplace_back(std::min(a, b), std::max(a, b));
    }
  return pairs;
}

std::vector<BlockPair> pairs_by_cost(std::size_t blocks, std::size_t cores,
                                     const std::function<double(std::size_t, std::size_t)>& cost) {
  std::vector<BlockPair> todo = pairs_in_rounds(blocks);
  if (cores < 2 || blocks > most_ordered_blocks || blocks >= plenty_per_core * cores) return todo;
  std::vector<double> left(blocks, 0.), block_free(blocks, 0.), core_free(cores, 0.);
  for (const auto& [i, j] : todo) {
    left[i] += cost(i, j);
    if (i != j) left[j] += cost(i, j);
  }
  std::vector<BlockPair> order;
  while (!todo.empty()) {
    const auto core = std::min_element(core_free.begin(), core_free.end());
    std::size_t best = no_pair;
    double most = -1, next = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < todo.size(); ++p) {
      const auto [i, j] = todo[p];
      const double free = std::max(block_free[i], block_free[j]);
      if (free > *core) {
        next = std::min(next, free);
        continue;
      }
      // a block that has more left than others ends last, whatever the other one has
      if (const double of_both = std::max(left[i], left[j]) + 1e-3 * std::min(left[i], left[j]); of_both > most)
        best = p, most = of_both;
    }
    if (best == no_pair) {  // the core waits for a block
      *core = next;
      continue;
    }
    const auto [i, j] = todo[best];
    const double seconds = cost(i, j);
    *core = block_free[i] = block_free[j] = *core + seconds;
    left[i] -= seconds;
    if (i != j) left[j] -= seconds;
    order.push_back(todo[best]);
    todo.erase(todo.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return order;
}

}  // namespace asterism::tdbem
