// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed sparse rows, the form in which matrices are read, generated and checked.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/array.hpp"

namespace asterism::cg {

/// Square matrix of n rows, or some consecutive rows of one: what a rank of a cluster has. Row first_row + i holds
/// entries row_begin[i] .. row_begin[i+1]-1; columns are 0-based, strictly increasing within a row. Both triangles are
/// stored.
struct CsrMatrix {
  std::int64_t n = 0;
  std::int64_t first_row = 0;
  Array<std::int64_t> row_begin;  ///< rows() + 1 offsets
  Array<std::int32_t> column;     ///< nnz column indices
  Array<double> value;            ///< nnz values
  std::string name;               ///< what to call it in reports: file name or generator

  [[nodiscard]] std::int64_t rows() const noexcept {
    return row_begin.empty() ? 0 : static_cast<std::int64_t>(row_begin.size()) - 1;
  }
  /// Entries of the rows that are here.
  [[nodiscard]] std::int64_t nnz() const noexcept { return row_begin.empty() ? 0 : row_begin[row_begin.size() - 1]; }
  /// First entry of a row of the whole matrix that is here, or of the one after the last.
  [[nodiscard]] std::int64_t begin_of(std::int64_t row) const noexcept {
    return row_begin[static_cast<std::size_t>(row - first_row)];
  }
};

/// What a decomposition depends on: the order of a matrix, what to call it, and how many entries stand before a row.
struct RowCounts {
  std::int64_t n = 0;
  std::string name;
  std::function<std::int64_t(std::int64_t row)> entries_before;
};

/// Room for rows [first, last) of a matrix of n rows and for their entries, which the caller sets, as where rows begin:
/// row_begin[0] alone is set, to 0.
CsrMatrix room_for_rows(std::int64_t n, const std::string& name, std::int64_t first, std::int64_t last,
                        std::int64_t entries);

struct RowEntry {
  std::int32_t column;
  double value;
  bool operator<(const RowEntry& other) const {
    return column != other.column ? column < other.column : value < other.value;
  }
};
/// Sums the entries of each row that have the same column, in increasing order of value, whatever order they come in:
/// row i has entries begin[i] .. begin[i+1]-1, and afterwards as many of the first of them, by column, as the offsets
/// that are returned say.
Array<std::int64_t> sum_repeats(const Array<std::int64_t>& begin, Array<RowEntry>& entries);
/// The matrix of the entries that sum_repeats() left; `summed`: what it returned.
CsrMatrix matrix_of_rows(const std::string& name, const Array<std::int64_t>& begin, const Array<RowEntry>& entries,
                         Array<std::int64_t> summed);

/// Rows [first, last) of a whole matrix.
CsrMatrix rows_of(const CsrMatrix& matrix, std::int64_t first, std::int64_t last);

/// Relative difference up to which two entries count as the same.
inline constexpr double symmetry_tolerance = 1e-12;

/// How entry (row, column) of this value and its mirror in `matrix`, which has row `column`, differ; empty: they do
/// not.
std::string why_not_symmetric(const CsrMatrix& matrix, std::int64_t row, std::int64_t column, double value,
                              double tolerance = symmetry_tolerance);

/// Checks what conjugate gradient needs and can be checked cheaply: every value finite, every diagonal
/// entry present and positive, A equal to its transpose (to `tolerance` relative to the larger of the two). Of some
/// rows of a matrix: entries whose mirrors are in others are not compared. Runs in parallel. Throws Error (bad_input)
/// naming matrix.name, the first offending row and column (1-based, as in Matrix Market), what was found and what was
/// expected.
void require_symmetric_positive_diagonal(const CsrMatrix& matrix, double tolerance = symmetry_tolerance);

}  // namespace asterism::cg
