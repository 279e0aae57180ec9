// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/assembly/tile_triangles.hpp"

namespace asterism::tdbem {
namespace {

void add_around(const SurfaceView& surface, Range range, std::vector<std::int32_t>& triangles) {
  for (std::int32_t e = surface.start[range.begin]; e < surface.start[range.end]; ++e)
    triangles.push_back(surface.around[e] / 3);
}

bool touches(const Triangle& t, Range range) {
  return std::any_of(std::begin(t.corner), std::end(t.corner),
                     [&](std::int32_t v) { return range.begin <= v && v < range.end; });
}

}  // namespace

TileTriangles tile_triangles(const SurfaceView& surface, const PairRules& rules, Range rows, Range slices) {
  std::vector<std::int32_t> numbers;
  add_around(surface, rows, numbers);
  if (!(rows == slices)) add_around(surface, slices, numbers);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());

  TileTriangles tile;
  tile.triangles.reserve(numbers.size());
  for (const std::int32_t number : numbers) {
    const auto place = static_cast<std::int32_t>(tile.triangles.size());
    const PairTriangle& t = tile.triangles.emplace_back(pair_triangle(surface, rules, number));
    for (int a = 0; a < 3; ++a)
      tile.longest_edge = std::max(tile.longest_edge, norm(t.corner[(a + 1) % 3] - t.corner[a]));
    tile.in_rows.push_back(touches(t.vertices, rows) ? 1 : 0);
    tile.in_slices.push_back(touches(t.vertices, slices) ? 1 : 0);
    if (tile.in_rows.back() != 0) tile.of_rows.push_back(place);
    if (tile.in_slices.back() != 0) tile.of_slices.push_back(place);
    tile.of_anything.push_back(place);
  }
  return tile;
}

}  // namespace asterism::tdbem
