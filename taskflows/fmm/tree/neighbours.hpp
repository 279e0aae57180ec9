// SPDX-License-Identifier: Apache-2.0
// The neighbours of cells on their level, for the cells of an interval of the Morton curve: found from the neighbours
// of their parents, without a search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace asterism::fmm {

/// Morton indices of the cells of every level, root first, from those of the leaves.
std::vector<std::vector<std::uint64_t>> keys_of_levels(std::vector<std::uint64_t> leaves, int height);

/// Cells or groups [begin, end) of a level.
struct Range {
  std::int32_t begin = 0, end = 0;
  [[nodiscard]] bool empty() const noexcept { return begin >= end; }
  [[nodiscard]] bool holds(std::int32_t i) const noexcept { return begin <= i && i < end; }
  auto operator<=>(const Range&) const = default;
};
/// The smallest that has both.
inline Range hull(const Range& a, const Range& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// Cells above those of `children` in a range.
Range parents_of(const Range& range, std::span<const std::uint64_t> children, std::span<const std::uint64_t> parents);

/// Children of each parent, by octant: 8 per parent, -1 where there is none.
std::vector<std::int32_t> children_by_octant(std::span<const std::uint64_t> parents,
                                             std::span<const std::uint64_t> children);

struct Neighbours {
  Range cells;
  std::vector<std::int32_t> table;
  /// 27 of a cell of the range, itself in the middle, -1 where there is none.
  [[nodiscard]] const std::int32_t* of(std::int32_t cell) const {
    return &table[static_cast<std::size_t>(cell - cells.begin) * 27];
  }
};
/// The neighbours of the root: itself alone; with the first `periodic` directions periodic, its images there.
Neighbours neighbours_of_root(int periodic = 0);
/// The neighbours of the cells of a range, all of whose parents `above` has.
Neighbours neighbours_of(const Range& range, std::span<const std::uint64_t> cells,
                         std::span<const std::uint64_t> parents, const Neighbours& above,
                         const std::vector<std::int32_t>& children);

}  // namespace asterism::fmm
