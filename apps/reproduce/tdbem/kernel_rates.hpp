// SPDX-License-Identifier: Apache-2.0
// Rates of the kernels of the summation stage on dense blocks, as Tables 2 and 3 of the TD-BEM paper have them: "420
// slices composed of 6400 rows and bc columns and ng = 8". The zeros that real row-vectors leave in such blocks count
// as values there, and so they do here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codelets/tdbem/kernels/product/full_blocking.hpp"
#include "codelets/tdbem/kernels/product/product.hpp"

namespace asterism::apps::reproduce {

struct DenseSlices {
  std::int32_t rows = 6400;
  std::int32_t slices = 420;
  std::int32_t repetitions = 5;  ///< of which the fastest counts

  static constexpr std::int32_t group = 8;
  /// Kmax of section 7.3.2: row-vectors begin at lags up to it.
  static constexpr std::int32_t largest_lag = 756;
  /// Where the row-vector of row i begins in slice j: later the further the two are apart, as if the unknowns lay in a
  /// row.
  [[nodiscard]] std::int32_t first_lag(std::int32_t i, std::int32_t j) const;
  /// A multiplication and an addition for each value and summation vector.
  [[nodiscard]] double flops(std::int32_t columns) const {
    return 2.0 * group * static_cast<double>(rows) * slices * columns;
  }
};

/// Past values and sums for products with such slices.
template <class T>
struct Vectors {
  Vectors(const DenseSlices& slices, std::int32_t columns);

  std::vector<T> past, sums;
  tdbem::Windows<T> windows;
};

/// Blocks that fill the slices without gaps.
template <class T>
tdbem::FullBlocks<T> dense_full_blocks(const DenseSlices& slices, const tdbem::BlockShape& shape);
/// All rows of all slices, every row-vector of `columns` values.
template <class T>
struct DenseTile {
  DenseTile(const DenseSlices& slices, std::int32_t columns);

  std::vector<std::uint32_t> start;
  std::vector<std::uint16_t> first;
  std::vector<std::uint8_t> length;
  std::vector<T> values;
  tdbem::Tile<T> tile;
};

/// On one core, flop/s.
template <class T>
double full_blocking_rate(const DenseSlices& slices, const tdbem::BlockShape& shape);
template <class T>
double contiguous_blocking_rate(const DenseSlices& slices, std::int32_t columns);
/// Multiply-adds in registers, flop/s of one core.
template <class T>
double peak_rate();

/// On the first GPU, flop/s; none where there is no GPU.
template <class T>
std::optional<double> full_blocking_rate_of_gpu(const DenseSlices& slices, const tdbem::BlockShape& shape);
template <class T>
std::optional<double> contiguous_blocking_rate_of_gpu(const DenseSlices& slices, std::int32_t columns);

}  // namespace asterism::apps::reproduce
