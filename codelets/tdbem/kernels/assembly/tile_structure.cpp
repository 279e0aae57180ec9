// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/assembly/tile_structure.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "codelets/tdbem/kernels/product/cache_lines.hpp"

namespace asterism::tdbem {
namespace {

/// First and last lag of a pair of unknowns.
struct Lags {
  std::int32_t first, last;
  [[nodiscard]] std::int32_t stored_first() const { return std::max(first, 1); }
  [[nodiscard]] std::int32_t length() const { return last - stored_first() + 1; }
};

Lags lags_of(const DistanceRange& range, const Discretisation& d) {
  return {whole_steps(range.least, d), whole_steps(range.largest, d) + lags_of_distance(d.boundary) - 1};
}

/// Calls take(place of the row, place of the slice) for the pairs of corners of a pair of triangles that are in a tile.
template <class Take>
void for_corners(const Triangle& row_side, const Triangle& slice_side, Range rows, Range slices, const Take& take) {
  for (const std::int32_t i : row_side.corner) {
    const std::uint32_t r = rows.place(i);
    if (r >= static_cast<std::uint32_t>(rows.size())) continue;
    for (const std::int32_t j : slice_side.corner) {
      const std::uint32_t s = slices.place(j);
      if (s < static_cast<std::uint32_t>(slices.size())) take(r, s);
    }
  }
}
template <class Take>
void for_cells(const PairTriangle& t, const PairTriangle& u, bool direct, bool transposed, Range rows, Range slices,
               const Take& take) {
  if (direct) for_corners(t.vertices, u.vertices, rows, slices, take);
  if (transposed) for_corners(u.vertices, t.vertices, rows, slices, take);
}

/// Adds the steps of a pair of triangles to those of a pair of unknowns.
void merge(const StepSet& from, StepSet& to) {
  const std::int32_t shift = from.first - to.first;
  constexpr std::int32_t words = most_lags / 64;
  for (std::int32_t w = 0; w + shift / 64 < words; ++w) {
    to.bits[w + shift / 64] |= from.bits[w] << (shift % 64);
    if (shift % 64 != 0 && w + shift / 64 + 1 < words) to.bits[w + shift / 64 + 1] |= from.bits[w] >> (64 - shift % 64);
  }
}

/// The first lag after `set.first` that no distance touches though later ones are; -1: none.
std::int32_t hole_in(const StepSet& set, std::int32_t lags_per_distance) {
  std::int32_t before = 0;
  for (std::int32_t q = 1; q < most_lags; ++q) {
    if ((set.bits[q / 64] >> (q % 64) & 1U) == 0) continue;
    if (q - before > lags_per_distance) return set.first + before + lags_per_distance;
    before = q;
  }
  return -1;
}

LagFault find_hole(const TileTriangles& triangles, const PairRules& rules, const Discretisation& d, Range rows,
                   Range slices, TileScratch& scratch) {
  const auto width = static_cast<std::size_t>(slices.size());
  scratch.steps.assign(scratch.ranges.size(), {});
  for (std::size_t x = 0; x < scratch.ranges.size(); ++x)
    scratch.steps[x].first = whole_steps(scratch.ranges[x].least, d);
  for_each_pair(triangles, [&](const PairTriangle& t, const PairTriangle& u, bool direct, bool transposed) {
    const StepSet steps = pair_steps(rules, d, t, u, scratch.pair);
    for_cells(t, u, direct, transposed, rows, slices,
              [&](std::uint32_t r, std::uint32_t s) { merge(steps, scratch.steps[r * width + s]); });
  });
  for (std::size_t x = 0; x < scratch.steps.size(); ++x) {
    const std::int32_t lag = hole_in(scratch.steps[x], lags_of_distance(d.boundary));
    if (lag >= 0)
      return {LagFault::Kind::hole, rows.begin + static_cast<std::int32_t>(x / width),
              slices.begin + static_cast<std::int32_t>(x % width), lag, triangles.longest_edge};
  }
  return {};
}

LagFault find_excess(const std::vector<DistanceRange>& ranges, const Discretisation& d, Range rows, Range slices) {
  const auto width = static_cast<std::size_t>(slices.size());
  for (std::size_t x = 0; x < ranges.size(); ++x) {
    const Lags lags = lags_of(ranges[x], d);
    const bool late = lags.last > max_lag;
    if (late || lags.length() > max_length)
      return {late ? LagFault::Kind::late_lag : LagFault::Kind::long_vector,
              rows.begin + static_cast<std::int32_t>(x / width), slices.begin + static_cast<std::int32_t>(x % width),
              late ? lags.last : lags.length(), 0};
  }
  return {};
}

/// range_of(r, s): of the distances of row r and slice s, both counted from the beginning of their ranges.
template <class RangeOf>
TileStructure structure_of(Range rows, Range slices, const Discretisation& d, const RangeOf& range_of) {
  TileStructure tile;
  tile.rows = rows;
  tile.slices = slices;
  const std::int32_t panels = (rows.size() + panel_rows - 1) / panel_rows;
  const auto row_vectors = static_cast<std::size_t>(panels) * static_cast<std::size_t>(slices.size());
  tile.start.reserve(row_vectors + 1);
  tile.start.push_back(0);
  // rows that fill up the last panel begin at lag 1 and have no values
  tile.first.assign(row_vectors * panel_rows, 1);
  tile.length.assign(row_vectors * panel_rows, 0);
  LagCounts& counts = tile.counts;
  for (std::int32_t panel = 0; panel < panels; ++panel)
    for (std::int32_t s = 0; s < slices.size(); ++s) {
      std::int32_t longest = 0;
      const std::size_t place = (tile.start.size() - 1) * panel_rows;
      for (std::int32_t r = panel * panel_rows; r < std::min(rows.size(), (panel + 1) * panel_rows); ++r) {
        const Lags lags = lags_of(range_of(r, s), d);
        const std::size_t x = place + static_cast<std::size_t>(r % panel_rows);
        tile.first[x] = static_cast<std::uint16_t>(lags.stored_first());
        tile.length[x] = static_cast<std::uint8_t>(lags.length());
        longest = std::max(longest, lags.length());
        counts.values += lags.length();
        counts.largest_lag = std::max(counts.largest_lag, lags.last);
      }
      counts.longest = std::max(counts.longest, longest);
      tile.start.push_back(tile.start.back() + static_cast<std::uint32_t>(longest));
    }
  tile.initial_start.push_back(0);
  for (std::int32_t r = 0; r < rows.size(); ++r) {
    for (std::int32_t s = 0; s < slices.size(); ++s)
      if (lags_of(range_of(r, s), d).first == 0) tile.initial_slice.push_back(s);
    tile.initial_start.push_back(static_cast<std::int32_t>(tile.initial_slice.size()));
  }
  counts.padded_values = static_cast<std::int64_t>(tile.start.back()) * panel_rows;
  counts.initial = tile.initial_start.back();
  counts.row_vectors = static_cast<std::int64_t>(rows.size()) * slices.size();
  return tile;
}

}  // namespace

void LagCounts::add(const LagCounts& other) {
  values += other.values;
  padded_values += other.padded_values;
  initial += other.initial;
  row_vectors += other.row_vectors;
  longest = std::max(longest, other.longest);
  largest_lag = std::max(largest_lag, other.largest_lag);
}

MirroredStructure tile_structure(const SurfaceView& surface, const PairRules& rules, const Discretisation& d,
                                 Range rows, Range slices, TileScratch& scratch) {
  const bool apart = rows.end <= slices.begin || slices.end <= rows.begin;
  if (rows.size() <= 0 || slices.size() <= 0 || !(rows == slices || apart))
    throw std::invalid_argument("tile_structure: rows and slices are the same or have none in common");
  const TileTriangles triangles = tile_triangles(surface, rules, rows, slices);
  const auto width = static_cast<std::size_t>(slices.size());
  auto& ranges = scratch.ranges;
  ranges.assign(static_cast<std::size_t>(rows.size()) * width, {HUGE_VAL, 0});
  std::int64_t points = 0;
  for_each_pair(triangles, [&](const PairTriangle& t, const PairTriangle& u, bool direct, bool transposed) {
    const PairDistances pair = pair_distances(rules, t, u, scratch.pair);
    const DistanceRange squared = pair.squared;
    points += pair.points;
    for_cells(t, u, direct, transposed, rows, slices, [&](std::uint32_t r, std::uint32_t s) {
      DistanceRange& of = ranges[r * width + s];
      of.least = std::min(of.least, squared.least);
      of.largest = std::max(of.largest, squared.largest);
    });
  });

  MirroredStructure out;
  out.fault = find_excess(ranges, d, rows, slices);
  const bool dense =
      std::min(rules.options.far_points, rules.options.near_points) >= 6 && rules.options.touching_points >= 3;
  if (out.fault.kind == LagFault::Kind::none &&
      !(dense && spacing_per_edge * triangles.longest_edge <= lags_of_distance(d.boundary) * d.speed * d.step))
    out.fault = find_hole(triangles, rules, d, rows, slices, scratch);
  if (out.fault.kind != LagFault::Kind::none) return out;

  const auto range_of = [&](std::int32_t r, std::int32_t s) -> const DistanceRange& {
    return ranges[static_cast<std::size_t>(r) * width + static_cast<std::size_t>(s)];
  };
  out.point_pairs = points;
  out.tile = structure_of(rows, slices, d, range_of);
  if (apart) out.mirror = structure_of(slices, rows, d, [&](std::int32_t r, std::int32_t s) { return range_of(s, r); });
  return out;
}

void widen(TileStructure& tile, std::int32_t width) {
  if (width < tile.counts.longest || width > max_length)
    throw std::invalid_argument("widen: panels are as wide as their longest row-vector or wider");
  for (std::size_t x = 0; x < tile.start.size(); ++x)
    tile.start[x] = static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(width);
  tile.counts.padded_values = static_cast<std::int64_t>(tile.start.back()) * panel_rows;
}

template <class T>
TileLayout tile_layout(const TileStructure& tile) {
  TileLayout layout{tile.rows, tile.slices};
  layout.start = aligned(std::size_t{tile.start.back()} * panel_rows * sizeof(T));
  layout.first = layout.start + aligned(tile.start.size() * sizeof(std::uint32_t));
  layout.length = layout.first + aligned(tile.first.size() * sizeof(std::uint16_t));
  layout.bytes = layout.length + aligned(tile.length.size());
  return layout;
}
template TileLayout tile_layout<float>(const TileStructure&);
template TileLayout tile_layout<double>(const TileStructure&);

void store_structure(const TileStructure& tile, const TileLayout& layout, void* buffer) {
  auto* const bytes = static_cast<std::byte*>(buffer);
  // gaps between the arrays as well, so that buffers of the same tile are the same; none follows the values
  static_assert(panel_rows * sizeof(float) % 64 == 0);
  std::memset(bytes + layout.start, 0, layout.bytes - layout.start);
  std::memcpy(bytes + layout.start, tile.start.data(), tile.start.size() * sizeof(std::uint32_t));
  std::memcpy(bytes + layout.first, tile.first.data(), tile.first.size() * sizeof(std::uint16_t));
  std::memcpy(bytes + layout.length, tile.length.data(), tile.length.size());
}

}  // namespace asterism::tdbem
