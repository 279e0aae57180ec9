// SPDX-License-Identifier: Apache-2.0
// Matrices that the tests of conjugate gradient's pieces are made with, from rows and at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "base/as_size.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

/// A matrix from its rows; the value of each entry tells its row and column.
inline CsrMatrix matrix_of(const std::vector<std::set<std::int32_t>>& rows) {
  CsrMatrix a;
  a.n = static_cast<std::int64_t>(rows.size());
  a.name = "made";
  a.row_begin = Array<std::int64_t>(rows.size() + 1);
  a.row_begin[0] = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    a.row_begin[i + 1] = a.row_begin[i] + static_cast<std::int64_t>(rows[i].size());
  a.column = Array<std::int32_t>(as_size(a.nnz()));
  a.value = Array<double>(as_size(a.nnz()));
  std::size_t k = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const std::int32_t j : rows[i]) {
      a.column[k] = j;
      a.value[k++] = static_cast<double>(i + 1) + j * 0x1p-20;
    }
  return a;
}

/// Rows of 1 to `longest` entries, diagonal included, at random places.
inline CsrMatrix random_matrix(std::int64_t n, int longest, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> length(0, longest - 1);
  std::uniform_int_distribution<std::int32_t> column(0, static_cast<std::int32_t>(n - 1));
  std::vector<std::set<std::int32_t>> rows(as_size(n));
  for (std::int64_t i = 0; i < n; ++i) {
    rows[as_size(i)].insert(static_cast<std::int32_t>(i));
    for (int k = length(generator); k > 0; --k) rows[as_size(i)].insert(column(generator));
  }
  return matrix_of(rows);
}

}  // namespace asterism::cg
