// SPDX-License-Identifier: Apache-2.0
// Which lags the pairs of unknowns of a tile have: the shape of its slices and of its part of M^0, found from the
// distances of the very quadrature points that the values come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codelets/tdbem/kernels/assembly/pair_distances.hpp"
#include "codelets/tdbem/kernels/assembly/tile_triangles.hpp"
#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

struct LagCounts {
  std::int64_t values = 0;         ///< of M^1, M^2, ...: without what pads panels
  std::int64_t padded_values = 0;  ///< with it
  std::int64_t initial = 0;        ///< of M^0
  std::int64_t row_vectors = 0;
  std::int32_t longest = 0;      ///< row-vector, lag 0 not among its values
  std::int32_t largest_lag = 0;  ///< Kmax

  void add(const LagCounts& other);
  [[nodiscard]] double mean_length() const { return static_cast<double>(values) / static_cast<double>(row_vectors); }
};

/// The arrays of a Tile but its values, and the pattern of M^0.
struct TileStructure {
  Range rows, slices;
  std::vector<std::uint32_t> start;
  std::vector<std::uint16_t> first;
  std::vector<std::uint8_t> length;
  std::vector<std::int32_t> initial_start;  ///< rows + 1: where the entries of M^0 of a row begin
  std::vector<std::int32_t> initial_slice;  ///< place among the slices, ascending
  LagCounts counts;

  template <class T>
  [[nodiscard]] Tile<T> view(const T* values) const {
    return {rows.begin, rows.size(), slices.begin, slices.size(), start.data(), first.data(), length.data(), values};
  }
};

/// Why row-vectors cannot be stored.
struct LagFault {
  enum class Kind : std::uint8_t {
    none,
    hole,         ///< a lag without values between others: the step is too short for the spacing of quadrature points
    long_vector,  ///< more than max_length values: the step is too short for the size of the triangles
    late_lag,     ///< beyond max_lag: the step is too short for the size of the body
  };
  Kind kind = Kind::none;
  std::int32_t row = 0, slice = 0;  ///< unknowns
  std::int32_t found = 0;           ///< the lag, the number of values or the lag
  double longest_edge = 0;          ///< of the triangles around them, m
};

/// Row-vectors have no holes where spacing_per_edge times the longest edge is not more than waves go in as many steps
/// as a distance has lags, if rules have 6 points on a triangle and 3 in a variable or more: neighbouring points of a
/// rule, and of two rules side by side, are less than that apart, so the sorted distances of two unknowns leave no
/// larger gaps. Shorter steps need not leave holes; they are looked for.
inline constexpr double spacing_per_edge = 0.6;

/// Memory for the work on a tile, one per thread.
struct TileScratch {
  PairScratch pair;
  std::vector<DistanceRange> ranges;  ///< rows x slices
  std::vector<StepSet> steps;         ///< as many; for steps that may leave holes
  std::vector<std::int32_t> origin;   ///< as many: lag of the first value in the window
  std::vector<Eight> window;          ///< rows x slices x lags, sums in double precision

  explicit TileScratch(const PairRules& rules) : pair(rules) {}
};

/// The structures of tile (rows, slices) and of its mirror image (slices, rows), which has none of its own if both are
/// the same. Throws std::invalid_argument unless the ranges are equal or disjoint and not empty.
struct MirroredStructure {
  TileStructure tile, mirror;
  LagFault fault;                ///< if there is one, the structures are empty
  std::int64_t point_pairs = 0;  ///< that assemble() evaluates for both, of flops_of_point_pair
};
MirroredStructure tile_structure(const SurfaceView& surface, const PairRules& rules, const Discretisation& d,
                                 Range rows, Range slices, TileScratch& scratch);

/// Makes all panels of a tile `width` values wide, as Contiguous-Blocking has them; at least counts.longest.
void widen(TileStructure& tile, std::int32_t width);

/// A tile in one piece of memory: values, start, first, length, each at a multiple of 64 bytes.
struct TileLayout {
  Range rows, slices;
  std::size_t start = 0, first = 0, length = 0;  ///< offsets in bytes; values are at 0
  std::size_t bytes = 0;
};
template <class T>
TileLayout tile_layout(const TileStructure& tile);
/// Copies start, first and length to their places.
void store_structure(const TileStructure& tile, const TileLayout& layout, void* buffer);

/// What lies in a buffer of that layout: the values, for those who fill them, and the whole tile.
template <class T>
T* tile_values_in(void* buffer) {
  return static_cast<T*>(buffer);
}
template <class T>
Tile<T> tile_in(const TileLayout& layout, const void* buffer) {
  const auto* const bytes = static_cast<const std::byte*>(buffer);
  return {layout.rows.begin,
          layout.rows.size(),
          layout.slices.begin,
          layout.slices.size(),
          reinterpret_cast<const std::uint32_t*>(bytes + layout.start),
          reinterpret_cast<const std::uint16_t*>(bytes + layout.first),
          reinterpret_cast<const std::uint8_t*>(bytes + layout.length),
          static_cast<const T*>(buffer)};
}

}  // namespace asterism::tdbem
