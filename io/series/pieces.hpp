// SPDX-License-Identifier: Apache-2.0
// Pieces of a whole grid, and one array put together from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/array.hpp"

namespace asterism::output {

/// n values along each axis from `first` on.
struct Region {
  std::array<std::int32_t, 3> first, n;
};

/// Calls row(value of the whole, value of the piece) with the first of every row along x, where the whole and the piece
/// are arrays with x fastest.
template <class Row>
void for_rows(const std::array<std::int32_t, 3>& whole, const Region& piece, const Row& row) {
  const auto index = [](const std::array<std::int32_t, 3>& n, std::int32_t x, std::int32_t y, std::int32_t z) {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(n[0]) *
               (static_cast<std::size_t>(y) + static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(z));
  };
  for (std::int32_t z = 0; z < piece.n[2]; ++z) {
    for (std::int32_t y = 0; y < piece.n[1]; ++y) {
      row(index(whole, piece.first[0], piece.first[1] + y, piece.first[2] + z), index(piece.n, 0, y, z));
    }
  }
}

/// One value per place of a grid, x fastest, put together from pieces in any order and with any memory layout; 0 where
/// nothing was put. T: float or double.
template <class T>
class Assembly {
 public:
  explicit Assembly(const std::array<std::int32_t, 3>& n);

  /// values: of the piece's first place; stride: elements from one place to the next along x, y and z ({1, ...} for
  /// rows along x, {..., 1} for rows along z). By all OpenMP threads. Throws Error (failed) for a piece that reaches
  /// out of the grid, or over another one.
  void put(const Region& piece, const T* values, const std::array<std::int64_t, 3>& stride);
  /// How many values were put.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

  [[nodiscard]] const std::array<std::int32_t, 3>& n() const noexcept { return n_; }
  [[nodiscard]] T* data() noexcept { return values_.data(); }
  [[nodiscard]] std::span<const T> values() const noexcept { return values_; }

 private:
  std::array<std::int32_t, 3> n_;
  Array<T> values_;
  std::vector<Region> pieces_;
  std::int64_t count_ = 0;
};

}  // namespace asterism::output
