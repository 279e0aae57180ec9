// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/csr_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace asterism::cg {
namespace {

/// Entry (row, column), or nullptr where none is stored.
const double* find_entry(const CsrMatrix& matrix, std::int64_t row, std::int64_t column) {
  const std::int32_t* first = matrix.column.data() + matrix.begin_of(row);
  const std::int32_t* last = matrix.column.data() + matrix.begin_of(row + 1);
  const std::int32_t* found = std::lower_bound(first, last, column);
  return found != last && *found == column ? matrix.value.data() + (found - matrix.column.data()) : nullptr;
}

/// What is wrong with the first offending entry of a row; empty when nothing is.
std::string problem_of_row(const CsrMatrix& matrix, std::int64_t row, double tolerance) {
  constexpr const char* positive = "a symmetric positive definite matrix has a positive diagonal";
  const auto missing_diagonal = [&] {
    return fmt::format("diagonal entry of row {} is missing; {}", row + 1, positive);
  };
  bool past_diagonal = false;
  for (std::int64_t k = matrix.begin_of(row); k < matrix.begin_of(row + 1); ++k) {
    const std::int64_t column = matrix.column[k];
    const double value = matrix.value[k];
    if (column > row && !past_diagonal) return missing_diagonal();
    past_diagonal = column >= row;
    if (!std::isfinite(value)) {
      return fmt::format("entry ({},{}) is {}; every entry must be finite", row + 1, column + 1, value);
    }
    if (column == row) {
      if (value <= 0) return fmt::format("diagonal entry of row {} is {}; {}", row + 1, value, positive);
      continue;
    }
    if (column < matrix.first_row || column >= matrix.first_row + matrix.rows()) continue;
    if (std::string why = why_not_symmetric(matrix, row, column, value, tolerance); !why.empty()) return why;
  }
  return past_diagonal ? std::string() : missing_diagonal();
}

}  // namespace

CsrMatrix room_for_rows(std::int64_t n, const std::string& name, std::int64_t first, std::int64_t last,
                        std::int64_t entries) {
  CsrMatrix rows;
  rows.n = n;
  rows.first_row = first;
  rows.name = name;
  rows.row_begin = Array<std::int64_t>(static_cast<std::size_t>(last - first + 1));
  rows.row_begin[0] = 0;
  rows.column = Array<std::int32_t>(static_cast<std::size_t>(entries));
  rows.value = Array<double>(static_cast<std::size_t>(entries));
  return rows;
}

Array<std::int64_t> sum_repeats(const Array<std::int64_t>& begin, Array<RowEntry>& entries) {
  Array<std::int64_t> summed(begin.size());
  summed[0] = 0;
#pragma omp parallel for schedule(dynamic, 256)
  for (std::size_t row = 0; row < begin.size() - 1; ++row) {
    RowEntry* const first = entries.data() + begin[row];
    RowEntry* const last = entries.data() + begin[row + 1];
    std::sort(first, last);
    RowEntry* kept = first;
    for (const RowEntry* entry = first; entry != last; ++entry) {
      if (kept != first && kept[-1].column == entry->column) {
        kept[-1].value += entry->value;
      } else {
        *kept++ = *entry;
      }
    }
    summed[row + 1] = kept - first;
  }
  std::inclusive_scan(summed.begin(), summed.end(), summed.begin());
  return summed;
}

CsrMatrix matrix_of_rows(const std::string& name, const Array<std::int64_t>& begin, const Array<RowEntry>& entries,
                         Array<std::int64_t> summed) {
  CsrMatrix matrix;
  matrix.n = static_cast<std::int64_t>(begin.size()) - 1;
  matrix.name = name;
  matrix.row_begin = std::move(summed);
  matrix.column = Array<std::int32_t>(static_cast<std::size_t>(matrix.nnz()));
  matrix.value = Array<double>(static_cast<std::size_t>(matrix.nnz()));
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < matrix.n; ++row) {
    const RowEntry* entry = entries.data() + begin[row];
    for (std::int64_t k = matrix.row_begin[row]; k < matrix.row_begin[row + 1]; ++k, ++entry) {
      matrix.column[k] = entry->column;
      matrix.value[k] = entry->value;
    }
  }
  return matrix;
}

CsrMatrix rows_of(const CsrMatrix& matrix, std::int64_t first, std::int64_t last) {
  const std::int64_t begin = matrix.begin_of(first);
  const std::int64_t entries = matrix.begin_of(last) - begin;
  CsrMatrix part = room_for_rows(matrix.n, matrix.name, first, last, entries);
  for (std::int64_t row = first; row <= last; ++row)
    part.row_begin[static_cast<std::size_t>(row - first)] = matrix.begin_of(row) - begin;
  std::copy_n(matrix.column.data() + begin, entries, part.column.data());
  std::copy_n(matrix.value.data() + begin, entries, part.value.data());
  return part;
}

std::string why_not_symmetric(const CsrMatrix& matrix, std::int64_t row, std::int64_t column, double value,
                              double tolerance) {
  // An absent mirror counts as zero. One that is not finite passes here: it is the offender, in its own row.
  const double* mirror = find_entry(matrix, column, row);
  const double other = mirror == nullptr ? 0.0 : *mirror;
  if (!(std::abs(value - other) > tolerance * std::max(std::abs(value), std::abs(other)))) return {};
  return fmt::format("not symmetric: entry ({},{}) is {} but entry ({},{}) is {}", row + 1, column + 1, value,
                     column + 1, row + 1, mirror == nullptr ? "missing" : fmt::format("{}", other));
}

void require_symmetric_positive_diagonal(const CsrMatrix& matrix, double tolerance) {
  const std::int64_t last = matrix.first_row + matrix.rows();
  std::int64_t first_bad_row = last;
#pragma omp parallel for schedule(dynamic, 1024) reduction(min : first_bad_row)
  for (std::int64_t row = matrix.first_row; row < last; ++row) {
    if (row < first_bad_row && !problem_of_row(matrix, row, tolerance).empty()) first_bad_row = row;
  }
  if (first_bad_row < last) bad_input("{}: {}", matrix.name, problem_of_row(matrix, first_bad_row, tolerance));
}

}  // namespace asterism::cg
