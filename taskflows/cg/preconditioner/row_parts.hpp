// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of blocks as they are summed, row by row (Gustavson, ACM Trans. Math. Softw. 4 (1978)), in parts of
// some rows: what the set-up of multigrid multiplies without joining it. Parallel over rows; every number is summed in
// one order, the same for any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "taskflows/cg/preconditioner/sparse_blocks.hpp"

namespace asterism::cg {

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
  [[nodiscard]] std::int64_t rows() const { return shape_.rows(); }
  [[nodiscard]] int width() const { return shape_.width; }
  /// The parts one after the other.
  [[nodiscard]] SparseBlocks joined() &&;

 private:
  struct Part {
    std::int32_t* column;
    double* value;
    std::int64_t blocks_before;
  };
  class Room;
  [[nodiscard]] std::int64_t begin(std::int64_t i) const { return shape_.begin[static_cast<std::size_t>(i)]; }

  SparseBlocks shape_;  ///< without its blocks
  std::vector<Part> parts_;
  std::vector<Array<double>> memory_;  ///< of the parts
};

/// Where the blocks of each column are, rows ascending.
struct BlocksOfColumns {
  struct Entry {
    std::int32_t row;
    std::int32_t place;  ///< among the blocks of its row
  };
  Array<std::int64_t> begin;  ///< column i has entries begin[i] .. begin[i+1]-1
  Array<Entry> entry;
};

BlocksOfColumns by_columns(const SparseBlocks& a);

/// P^T A P; `columns`: of P. Columns ascending.
SparseBlocks triple_product(const SparseBlocks& a, const SparseBlocks& p, const BlocksOfColumns& columns);

/// The numbers of P^T by rows.
CsrMatrix scatter_transposed(const SparseBlocks& p, const BlocksOfColumns& columns);

}  // namespace asterism::cg
