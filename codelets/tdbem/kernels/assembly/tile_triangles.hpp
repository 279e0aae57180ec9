// SPDX-License-Identifier: Apache-2.0
// The triangles around the unknowns of a tile, and their pairs, each once and in an order that no cut into tiles
// changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codelets/tdbem/kernels/assembly/pair_distances.hpp"
#include "codelets/tdbem/kernels/assembly/surface_view.hpp"

namespace asterism::tdbem {

/// Unknowns [begin, end).
struct Range {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  [[nodiscard]] constexpr std::int32_t size() const { return end - begin; }
  /// Its place in the range; outside of it, at least size().
  [[nodiscard]] constexpr std::uint32_t place(std::int32_t unknown) const {
    return static_cast<std::uint32_t>(unknown) - static_cast<std::uint32_t>(begin);
  }
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

/// Triangles around unknowns of two ranges, by ascending number.
struct TileTriangles {
  std::vector<PairTriangle> triangles;
  std::vector<std::uint8_t> in_rows, in_slices;               ///< whether a corner is in the range
  std::vector<std::int32_t> of_rows, of_slices, of_anything;  ///< their places in `triangles`
  double longest_edge = 0;
};
TileTriangles tile_triangles(const SurfaceView& surface, const PairRules& rules, Range rows, Range slices);

/// Calls visit(t, u, direct, transposed) for pairs of triangles, u not before t, where the rows have a corner of t and
/// the slices one of u (direct), or the rows one of u and the slices one of t (transposed). A pair of unknowns meets
/// its pairs of triangles by ascending t, then ascending u, whatever the ranges.
template <class Visit>
void for_each_pair(const TileTriangles& tile, const Visit& visit) {
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(tile.triangles.size()); ++t) {
    const bool row = tile.in_rows[t] != 0, slice = tile.in_slices[t] != 0;
    const std::vector<std::int32_t>& partners = !row ? tile.of_rows : !slice ? tile.of_slices : tile.of_anything;
    for (auto u = std::lower_bound(partners.begin(), partners.end(), t); u != partners.end(); ++u)
      visit(tile.triangles[t], tile.triangles[*u], row && tile.in_slices[*u] != 0,
            *u != t && slice && tile.in_rows[*u] != 0);
  }
}

}  // namespace asterism::tdbem
