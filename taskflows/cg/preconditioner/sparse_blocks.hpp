// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of small dense blocks, of which a multigrid hierarchy is made (row_parts.hpp): the rows of a node are
// found and multiplied together. All is parallel over rows, and every number is summed in one order: results are the
// same for any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

/// Rows of a node, at most.
inline constexpr int most_rows_of_nodes = 12;

/// Blocks of `height` x `width` numbers, each by rows; row i of blocks has blocks begin[i] .. begin[i+1]-1.
struct SparseBlocks {
  int height = 1;
  int width = 1;
  std::int64_t columns = 0;  ///< of blocks
  Array<std::int64_t> begin;
  Array<std::int32_t> column;
  Array<double> value;

  [[nodiscard]] std::int64_t rows() const noexcept { return static_cast<std::int64_t>(begin.size()) - 1; }
  [[nodiscard]] int size() const noexcept { return height * width; }
  [[nodiscard]] const double* block(std::int64_t k) const noexcept { return value.data() + k * size(); }
};

/// All rows of a node name the same columns, in whole groups of `size`.
bool has_whole_blocks(const CsrMatrix& a, std::int64_t node, int size);

/// `a` by blocks of `size` x `size`, columns ascending; its rows and columns are multiples of it. With size 1 it has
/// the memory of `a`.
SparseBlocks gather_blocks(const CsrMatrix& a, int size);

/// The same numbers by rows; zeros within blocks are entries.
CsrMatrix scatter_blocks(SparseBlocks a);

/// c += a b for dense blocks of height x inner and inner x width numbers.
void add_product(int height, int inner, int width, const double* a, const double* b, double* c);

/// Rows [first, last) of blocks of y = A x, by the calling thread.
void multiply_rows(const SparseBlocks& a, std::int64_t first, std::int64_t last, const double* x, double* y);

}  // namespace asterism::cg
