// SPDX-License-Identifier: Apache-2.0
// Bytes and floating-point operations of the kernels (kernels.hpp), for programs, bounds, benchmarks and docs alike.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

// Assembly. A pair of quadrature points: 8 operations for r^2, 7 for g, q, th and their products, 19 for the sums, one
// root and one division among them; 80 bytes of its rule's table, which stays in the first-level cache.
inline constexpr double flops_of_point_pair = 34;
inline constexpr double bytes_of_point_pair = 80;

// Summation stage.

/// What a tile holds.
struct SliceCounts {
  std::int64_t values = 0;   ///< of the row-vectors
  std::int64_t stored = 0;   ///< with those that pad panels
  std::int64_t extents = 0;  ///< first lags, as many lengths
  std::int64_t starts = 0;   ///< of panels
  constexpr SliceCounts& operator+=(const SliceCounts& o) {
    values += o.values;
    stored += o.stored;
    extents += o.extents;
    starts += o.starts;
    return *this;
  }
};
/// Counts a tile in main memory.
template <class T>
constexpr SliceCounts count(const Tile<T>& tile) {
  const std::int64_t panels = static_cast<std::int64_t>(tile.panels()) * tile.slices;
  SliceCounts c{0, static_cast<std::int64_t>(tile.start[panels]) * panel_rows, panels * panel_rows, panels + 1};
  for (std::int64_t x = 0; x < c.extents; ++x) c.values += tile.length[x];
  return c;
}

/// Memory of tiles; `element` is the size of a value.
constexpr double stored_bytes(const SliceCounts& c, int element) {
  return static_cast<double>(c.stored * element + c.extents * (2 + 1) + c.starts * 4);
}
/// What one product reads of the tiles: all but the lengths. Windows and sums stay in caches.
constexpr double product_bytes(const SliceCounts& c, int element) {
  return static_cast<double>(c.stored * element + c.extents * 2 + c.starts * 4);
}
/// A product of `values` matrix entries for `group` summation vectors: a multiplication and an addition each, as the
/// paper counts (2 d n_g for a row-vector of d values, section 3.3).
constexpr double product_flops(double values, int group, int waves = 1) {
  return 2.0 * values * group * waves;
}
constexpr double product_flops(const SliceCounts& c, int group, int waves = 1) {
  return product_flops(static_cast<double>(c.values), group, waves);
}
/// Operations that are done, zeros that pad panels included.
constexpr double padded_product_flops(const SliceCounts& c, int group, int waves = 1) {
  return product_flops(static_cast<double>(c.stored), group, waves);
}
/// What sparse products, one for each lag k, read of `entries` matrix entries of `element` bytes in compressed rows.
constexpr double k_order_bytes(std::size_t entries, std::size_t row_starts, std::size_t element) {
  return static_cast<double>(entries * (element + 4) + row_starts * 4);
}

/// Adding `partials` partial sums to `elements` totals.
constexpr double combine_flops(std::int64_t elements, std::int32_t partials) {
  return static_cast<double>(elements) * partials;
}

// Solution with M^0: per iteration of conjugate gradients. A non-zero reads sizeof(T) + 4 bytes, a row about
// 10 sizeof(T).
inline constexpr double solve_flops_per_value = 2;
inline constexpr double solve_flops_per_row = 13;

/// Radiation stage: multiplications and additions of `pairs` when the values at all lags up to `lags` are used.
constexpr double radiation_flops(std::int64_t pairs, std::int32_t lags) {
  return 2.0 * static_cast<double>(pairs) * lags;
}

// Waves.

/// Evaluations of the pulse f, of about 40 operations each, for a row and `count` steps: of `triangles` around a
/// vertex, about 6.
constexpr double illumination_evaluations(double triangles, std::int32_t points, std::int32_t count) {
  return triangles * points * (count + 1);
}

/// Pressure at observers, per weight and step; a weight is sizeof(T) bytes, past values come mostly from caches.
inline constexpr double observe_flops_per_weight = 2;

}  // namespace asterism::tdbem
