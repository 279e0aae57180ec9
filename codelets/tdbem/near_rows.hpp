// The near part of the matrices, for the radiation stage (section 3.3 of the paper): pairs of unknowns with values at
// lags below `group`, which take part in the sums of a group of time steps while these are being found.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/tdbem/slices.hpp"

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

/// The same with its memory.
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

/// Of rows [row_begin, row_begin + rows) of some tiles, in main memory, that cover them with all slices that are near:
/// pairs with a value at a lag from 1 to group - 1. Rows of other tiles are left out.
template <class T>
NearRows<T> near_rows(const Tile<T>* tiles, std::int32_t count, std::int32_t row_begin, std::int32_t rows,
                      std::int32_t group);

}  // namespace asterism::tdbem
