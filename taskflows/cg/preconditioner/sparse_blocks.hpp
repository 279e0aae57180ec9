// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of small dense blocks, their products and transposes, of which a multigrid hierarchy is made: the
// rows of a node are found and multiplied together. All is parallel over rows, and every number is summed in one order:
// results are the same for any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

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

/// One row of blocks while it is summed.
class BlockRow {
 public:
  /// Rows that have some of `columns` columns of blocks of `size` numbers.
  BlockRow(std::int64_t columns, int size);
  /// The block in this column, zeros when it is new; valid until the next call.
  double* at(std::int32_t column) {
    const auto place = static_cast<std::size_t>(place_[static_cast<std::size_t>(column)]);
    return place < count_ && column_[place] == column ? value_.data() + place * size_ : add(column);
  }
  void sort();
  void clear() { count_ = 0; }
  [[nodiscard]] std::span<const std::int32_t> column() const { return {column_.data(), count_}; }
  [[nodiscard]] std::span<const double> value() const { return {value_.data(), count_ * size_}; }

 private:
  double* add(std::int32_t column);

  std::size_t size_;
  std::size_t count_ = 0;
  std::vector<std::int32_t> place_;  ///< by column: where it is in `column_`, when that names it
  std::vector<std::int32_t> column_, sorted_;
  std::vector<double> value_, moved_;
};

/// `a` by blocks of `size` x `size`, columns ascending; its rows and columns are multiples of it. With size 1 it has
/// the memory of `a`.
SparseBlocks gather_blocks(const CsrMatrix& a, int size);

/// The same numbers by rows; zeros within blocks are entries.
CsrMatrix scatter_blocks(SparseBlocks a);

/// A matrix whose rows are summed one by one, in parts of some rows.
class RowParts {
 public:
  using SumRow = std::function<void(std::int64_t row, BlockRow& sum)>;
  RowParts(std::int64_t rows, std::int64_t columns, int height, int width, const SumRow& sum);

  struct Row {
    const std::int32_t* column;
    const double* value;
    std::int64_t count;
  };
  [[nodiscard]] Row row(std::int64_t i) const;
  [[nodiscard]] int width() const { return shape_.width; }
  /// The parts one after the other.
  [[nodiscard]] SparseBlocks joined() &&;

 private:
  struct Part {
    std::vector<std::int32_t> column;
    std::vector<double> value;
  };
  SparseBlocks shape_;  ///< without its blocks
  std::vector<Part> parts_;
};

/// A B by rows (Gustavson, ACM Trans. Math. Softw. 4 (1978)); columns ascending.
SparseBlocks product(const SparseBlocks& a, const SparseBlocks& b);
/// R A P; columns ascending.
SparseBlocks triple_product(const SparseBlocks& r, const SparseBlocks& a, const SparseBlocks& p);

SparseBlocks transpose(const SparseBlocks& a);

/// c += a b for dense blocks of height x inner and inner x width numbers.
void add_product(int height, int inner, int width, const double* a, const double* b, double* c);

/// y = A x.
void multiply(const SparseBlocks& a, const std::vector<double>& x, std::vector<double>& y);

}  // namespace asterism::cg
