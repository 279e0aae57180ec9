// SPDX-License-Identifier: Apache-2.0
// The numbering of the unknowns: rows of a slice that follow each other should have their values at the same lags, as
// neighbours on the surface do (Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015), section 7.4.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "codelets/tdbem/kernels/point.hpp"
#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

enum class Ordering : std::uint8_t {
  mesh,     ///< as the mesh has them
  morton,   ///< along Morton's curve
  hilbert,  ///< along Hilbert's curve, whose neighbours are neighbours in space
};
/// "mesh", "morton" or "hilbert". Throws Error (bad_input) for other names.
Ordering ordering_named(std::string_view name);

/// order[i]: the point that comes at place i. Curves go through the smallest cube around the points; points of the same
/// of its 2^63 cells keep their order.
std::vector<std::int32_t> order_of(std::span<const Point> points, Ordering ordering);

/// The inverse: place of each of `points` points. Throws Error (bad_input) if `order` is no permutation of them.
std::vector<std::int32_t> places_of(std::span<const std::int32_t> order, std::size_t points);

/// Lags of the values of a row-vector: [first, first + length).
struct RowExtent {
  std::int32_t first = 0;
  std::int32_t length = 0;
};

/// The paper's score, higher is better: two rows that follow each other in a slice and share q lags count q^2; mean
/// over the rows of a slice, then over the slices. extent(row, slice) is a RowExtent. 0 for less than two rows.
template <class Extent>
double ordering_score(std::int32_t rows, std::int32_t slices, const Extent& extent) {
  if (rows < 2 || slices < 1) return 0;
  double sum = 0;
  for (std::int32_t j = 0; j < slices; ++j) {
    RowExtent above = extent(0, j);
    for (std::int32_t i = 1; i < rows; ++i) {
      const RowExtent row = extent(i, j);
      const double shared =
          std::min(above.first + above.length, row.first + row.length) - std::max(above.first, row.first);
      if (shared > 0) sum += shared * shared;
      above = row;
    }
  }
  return sum / (static_cast<double>(rows - 1) * static_cast<double>(slices));
}

/// The score of the rows and slices of a tile.
template <class T>
double ordering_score(const Tile<T>& tile) {
  return ordering_score(tile.rows, tile.slices, [&](std::int32_t row, std::int32_t slice) {
    const std::int64_t x = static_cast<std::int64_t>(row / panel_rows) * tile.slices + slice;
    const std::int64_t at = x * panel_rows + row % panel_rows;
    return RowExtent{tile.first[at], tile.length[at]};
  });
}

}  // namespace asterism::tdbem
