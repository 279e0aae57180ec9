// SPDX-License-Identifier: Apache-2.0
// What P2P needs besides its kernels: the number of pairs and the instruction sets of this machine.
#include "codelets/fmm/kernels/near/p2p.hpp"

#include <algorithm>
#include <cmath>

namespace asterism::fmm {
namespace {

/// Pieces that a set is to have: twice what the largest GPUs of today run at once.
constexpr std::int64_t pieces_of_set = 1024;
constexpr std::int32_t warp = 32;

/// Ordered pairs of a leaf's particles with their sources.
std::int64_t ordered_pairs(const P2PSet& set, std::int32_t leaf) {
  std::int64_t sources = 0;
  for (std::int32_t s = set.source_begin[leaf]; s < set.source_begin[leaf + 1]; ++s)
    sources += set.begin[set.source[s] + 1] - set.begin[set.source[s]];
  return sources * (set.begin[leaf + 1] - set.begin[leaf]);
}

}  // namespace

std::vector<P2PItem> p2p_items(const P2PSet& set) {
  std::vector<std::int64_t> pairs(static_cast<std::size_t>(set.leaves));
  std::int64_t all = 0;
  for (std::int32_t leaf = 0; leaf < set.leaves; ++leaf)
    all += pairs[static_cast<std::size_t>(leaf)] = ordered_pairs(set, leaf);
  const std::int64_t most = std::max<std::int64_t>(1, all / pieces_of_set);
  struct Piece {
    P2PItem item;
    double pairs;
  };
  std::vector<Piece> pieces;
  for (std::int32_t leaf = 0; leaf < set.leaves; ++leaf) {
    const std::int32_t end = set.begin[leaf + 1];
    const std::int32_t targets = end - set.begin[leaf];
    const bool only_acts = leaf >= set.own_leaves && set.source_begin[leaf] == set.source_begin[leaf + 1];
    if (targets == 0 || only_acts) continue;
    const std::int64_t of_leaf = pairs[static_cast<std::size_t>(leaf)];
    const std::int64_t wanted = std::max<std::int64_t>(1, (of_leaf + most - 1) / most);
    const auto equal = static_cast<std::int32_t>((targets + wanted - 1) / wanted);
    const std::int32_t each = std::max(p2p_least_targets, (equal + warp - 1) / warp * warp);
    for (std::int32_t first = set.begin[leaf]; first < end; first += each) {
      const std::int32_t behind = std::min(end, first + each);
      pieces.push_back({{leaf, first, behind}, static_cast<double>(of_leaf) * (behind - first) / targets});
    }
  }
  const double mean = static_cast<double>(all) / static_cast<double>(std::max<std::size_t>(1, pieces.size()));
  const auto excess = [&](const Piece& piece) {
    return piece.pairs > 2 * mean ? static_cast<int>(std::log2(piece.pairs / mean)) : 0;
  };
  std::stable_sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) { return excess(a) > excess(b); });
  std::vector<P2PItem> items;
  items.reserve(pieces.size());
  for (const Piece& piece : pieces) items.push_back(piece.item);
  return items;
}

std::int64_t p2p_pairs(const P2PSet& set) {
  std::int64_t pairs = 0;
  for (std::int32_t a = 0; a < set.own_leaves; ++a) {
    const std::int64_t n = set.begin[a + 1] - set.begin[a];
    pairs += n * (n - 1) / 2;
    for (std::int32_t u = set.upper_begin[a]; u < set.upper_begin[a + 1]; ++u)
      pairs += n * (set.begin[set.upper[u] + 1] - set.begin[set.upper[u]]);
  }
  return pairs;
}

std::int64_t p2p_one_way_pairs(const P2PSet& set) {
  std::int64_t pairs = 0;
  for (std::int32_t a = 0; a < set.own_leaves; ++a) pairs += ordered_pairs(set, a);
  return pairs;
}

const char* name(Isa isa) {
  return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable";
}

bool supported(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  if (isa == Isa::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return isa == Isa::portable;
}

Isa best_isa() {
  static const Isa best = supported(Isa::avx512) ? Isa::avx512 : supported(Isa::avx2) ? Isa::avx2 : Isa::portable;
  return best;
}

}  // namespace asterism::fmm
