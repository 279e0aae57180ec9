// SPDX-License-Identifier: Apache-2.0
// Slices: the convolution matrices M^1..M^Kmax, one dense row-vector per pair of unknowns (i, j), stored by tiles.
//
// Slice_j(i, k) = M^k(i, j) (Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015), section 3.2). For a pair (i, j)
// the values differ from zero for consecutive lags k only, because a wave takes some steps to cross from one unknown's
// triangles to the other's: a row-vector without holes. Contiguous-Blocking (section 5.2) puts the row-vectors of a
// slice below each other, whatever their first lag, and remembers the first lags. Here this is done by panels of 32
// rows, each as wide as its longest row-vector, so that short row-vectors are not padded to the longest of all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.hpp"

namespace asterism::tdbem {

/// Rows of a panel: column after column, so that the lanes of a GPU's warp read consecutive values.
inline constexpr std::int32_t panel_rows = 32;

/// Some rows of some slices: rows [row_begin, row_begin + rows), slices [slice_begin, slice_begin + slices). Panels
/// come one after the other, in each the slices; the last panel is filled up with rows of length zero.
///
///   x = panel * slices + slice            counts the panels of all slices
///   start[x]                              its first value, in units of panel_rows values; start[x + 1] - start[x] is
///                                         its width, the length of its longest row-vector
///   first[x * panel_rows + row]           lag k of the first value of the row-vector, at least 1
///   length[x * panel_rows + row]          its number of values
///   values[(start[x] + c) * panel_rows + row]   M^(first + c)(i, j), 0 for c >= length
template <class T>
struct Tile {
  std::int32_t row_begin = 0;
  std::int32_t rows = 0;
  std::int32_t slice_begin = 0;
  std::int32_t slices = 0;
  const std::uint32_t* start = nullptr;  ///< panels() * slices + 1
  const std::uint16_t* first = nullptr;  ///< panels() * slices * panel_rows
  const std::uint8_t* length = nullptr;  ///< as many
  const T* values = nullptr;             ///< start[panels() * slices] * panel_rows

  [[nodiscard]] ASTERISM_HOST_DEVICE constexpr std::int32_t panels() const {
    return (rows + panel_rows - 1) / panel_rows;
  }
};

/// Longest row-vector that a tile takes.
inline constexpr std::int32_t max_length = 255;
/// Largest lag that a tile takes.
inline constexpr std::int32_t max_lag = 65535 - max_length;

/// Past values of the unknowns of some slices, for `group` summation vectors at once (section 3.3): for slice j,
/// window[j * stride + reach - k + g] = a_j^(n - k + g), where n is the first of the `group` time steps; values of
/// times n and later are zero. `reach` is at least first + width - 1 of every panel, so that what pads a panel reads
/// zeros or older values, never what lies before the window; stride >= reach + group.
///
/// A product adds, for every row i, slice j and g < group:   s[i * group + g] += sum_k M^k(i, j) window_j[reach - k +
/// g]
struct WindowShape {
  std::int32_t reach = 0;
  std::int32_t group = 1;
  std::int64_t stride = 1;
};

}  // namespace asterism::tdbem
