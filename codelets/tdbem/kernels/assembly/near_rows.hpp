// SPDX-License-Identifier: Apache-2.0
// The near part of the matrices, for the radiation stage (section 3.3 of the paper): pairs of unknowns with values at
// lags below `group`, which take part in the sums of a group of time steps while these are being found.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/tdbem/kernels/product/slices.hpp"

namespace asterism::tdbem {

/// Rows [row_begin, row_begin + rows) in panels of 32, the pairs of a row in the order of their first lags. The pairs
/// of a panel lie beside each other, so that a lane finds its p-th pair beside those of the others.
///
///   begin[panel]                                       the panel's first place for pairs; begin[panel + 1] is behind
///   reached[panel * lags + k - 1]                      places whose pair has first lag <= k in some row
///   column[place * panel_rows + row]                   j; any column with values of zero where a row has fewer pairs
///   values[(place * lags + k - 1) * panel_rows + row]  M^k(i, j), 0 outside of the row-vector
template <class T>
struct NearRowsView {
  std::int32_t row_begin = 0;
  std::int32_t rows = 0;
  std::int32_t lags = 0;  ///< group - 1
  const std::int64_t* begin = nullptr;
  const std::int32_t* reached = nullptr;
  const std::int32_t* column = nullptr;
  const T* values = nullptr;
};

/// NearRowsView with its memory.
template <class T>
struct NearRows {
  std::int32_t row_begin = 0;
  std::int32_t rows = 0;
  std::int32_t lags = 0;
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> reached;
  std::vector<std::int32_t> column;
  std::vector<T> values;
  std::int64_t pairs = 0;  ///< of all rows

  [[nodiscard]] NearRowsView<T> view() const {
    return {row_begin, rows, lags, begin.data(), reached.data(), column.data(), values.data()};
  }
};

/// Pairs of unknowns with a value at a lag from 1 to `lags`, in any order.
template <class T>
struct NearPairs {
  struct Pair {
    std::int32_t row, column;
    std::int32_t first;  ///< lag with a value, at least 1
  };
  std::int32_t lags = 0;  ///< group - 1
  std::vector<Pair> pairs;
  std::vector<T> values;  ///< values[p * lags + k - 1]: M^k of pair p, 0 outside of its row-vector
};

/// Adds the near pairs of a tile in main memory.
template <class T>
void add_near_pairs(const Tile<T>& tile, NearPairs<T>& pairs);

/// Near pairs of rows [row_begin, row_begin + rows), all of which are given; others are left out. Of pairs of a row
/// with the same first lag, the one given first comes first.
template <class T>
NearRows<T> near_rows(const NearPairs<T>& pairs, std::int32_t row_begin, std::int32_t rows);

}  // namespace asterism::tdbem
