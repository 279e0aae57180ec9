// SPDX-License-Identifier: Apache-2.0
// Particles sorted by the cells of one level in Morton order, and which of these cells there are: of this rank's
// particles, or of those of all ranks, none of which ever has them all (sample sort: Frazer, McKellar, J. ACM 17,
// 1970).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/session.hpp"
#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/tree/box.hpp"

namespace asterism::fmm {

/// The extent of this rank's particles, or of those of all ranks, which have to call it together.
Extent extent(const Particles& part, Ranks ranks);

/// A particle of this rank and the cell it is in.
struct Keyed {
  std::uint64_t key;
  std::uint32_t index;
  auto operator<=>(const Keyed&) const = default;
};

/// The particles in increasing order of their cells of `level`.
std::vector<Keyed> sort_by_cell(const Box& box, int level, std::span<const double> x, std::span<const double> y,
                                std::span<const double> z);

/// Particles of one cell.
struct LeafCount {
  std::uint64_t key;
  std::int64_t particles;
};
/// Counts sorted particles by cell, without empty cells.
std::vector<LeafCount> count_leaves(std::span<const Keyed> sorted);
/// The particles of each of these cells with an index below `sources`.
std::vector<std::int64_t> count_sources(std::span<const Keyed> sorted, std::size_t sources);
/// Counts the same particles in the cells `levels` levels above.
std::vector<LeafCount> coarser(const std::vector<LeafCount>& runs, int levels);

/// Cells that are not empty.
struct Leaves {
  std::vector<std::uint64_t> key;   ///< Morton index of each, increasing
  std::vector<std::int64_t> begin;  ///< first particle of each in this order, and the end
};
Leaves leaves_of(std::span<const LeafCount> runs);

/// Brings together the cells of all ranks, which have to call this together: each gets an interval of the Morton curve
/// with about as many particles as the others get. `mine`: increasing, at least one.
std::vector<LeafCount> sort_over_ranks(const std::vector<LeafCount>& mine);
/// The intervals of all ranks on each of them.
std::vector<LeafCount> intervals_of_all(const std::vector<LeafCount>& mine);

}  // namespace asterism::fmm
