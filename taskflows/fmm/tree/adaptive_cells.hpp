// SPDX-License-Identifier: Apache-2.0
// The cells of an adaptive octree. Between its leaves and cells there are the lists of Carrier, Greengard and Rokhlin
// (SIAM J. Sci. Stat. Comput. 9, 1988): U, adjacent leaves of any level; V, children of the neighbours of a cell's
// parent that are not adjacent to it, for M2L; W, cells below the neighbours of a leaf that are not adjacent to it, but
// whose parents are; X, the leaves in whose W a cell is.
//
// U, W and X are summed directly here: together, they are all pairs of a leaf with what is below its neighbours on its
// own level. An expansion evaluated at particles (M2P, P2L) would take order^3 kernel values per particle, which is
// more than a leaf in W has particles. Where there are many below the neighbours of a leaf, the leaf is divided,
// however few particles it has, so that the pairs become pairs of V, which M2L does at a cost that no number of
// particles enters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taskflows/fmm/tree/leaves.hpp"
#include "taskflows/fmm/tree/neighbours.hpp"

namespace asterism::fmm {

/// The cells of one level: those with children first, then the leaves, both in Morton order. Numbers of cells are
/// places in this order.
struct AdaptiveLevel {
  std::vector<std::uint64_t> key;        ///< Morton indices
  std::int32_t inner = 0;                ///< cells with children
  std::vector<std::int64_t> begin, end;  ///< particles of each cell, in Morton order
  std::vector<std::int64_t> sources;     ///< of the particles of each cell; empty: all are sources and targets
  Neighbours neighbours;                 ///< cells of the level that are adjacent
  std::vector<std::int32_t> children;    ///< as children_by_octant(): on the next level
  [[nodiscard]] std::int32_t cells() const { return static_cast<std::int32_t>(key.size()); }
  [[nodiscard]] std::int64_t particles(std::int32_t cell) const {
    return end[static_cast<std::size_t>(cell)] - begin[static_cast<std::size_t>(cell)];
  }
  [[nodiscard]] std::int64_t sources_of(std::int32_t cell) const { return sources[static_cast<std::size_t>(cell)]; }
  [[nodiscard]] std::int64_t targets_of(std::int32_t cell) const { return particles(cell) - sources_of(cell); }
};

/// Level at which adaptive trees look at the places of particles: those in one cell of it count as coincident.
inline constexpr int finest_level = 20;

/// The levels of the tree, at most `height`, of particles in these cells of `finest_level`. Down to level 2, every cell
/// is divided. Below, a cell is a leaf when it has at most `leaf_size` particles, or they are in one finest cell, and
/// its pairs with the particles of its neighbours on its level are at most 27 leaf_size^2, the most of a leaf between
/// equal ones. With `sources`, those of the particles of each finest cell that act, the others are acted on: pairs are
/// then of its targets with sources around it, or of its sources with targets, and a quarter as many at most, as of
/// leaves with half of each. The first `periodic` of x, y, z are periodic: neighbours continue across the faces.
std::vector<AdaptiveLevel> adaptive_levels(std::span<const LeafCount> finest, int height, int leaf_size,
                                           std::span<const std::int64_t> sources = {}, int periodic = 0);

/// Calls take(leaf's level, leaf) for every leaf at or below a cell.
template <class Take>
void for_leaves_below(const std::vector<AdaptiveLevel>& levels, std::size_t level, std::int32_t cell,
                      const Take& take) {
  if (cell >= levels[level].inner) return take(level, cell);
  for (std::size_t o = 0; o < 8; ++o)
    if (const std::int32_t child = levels[level].children[static_cast<std::size_t>(cell) * 8 + o]; child >= 0)
      for_leaves_below(levels, level + 1, child, take);
}

}  // namespace asterism::fmm
