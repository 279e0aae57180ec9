// SPDX-License-Identifier: Apache-2.0
// A block of the matrix in the layout that the kernels read, made from the rows of the whole matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/cg/kernels/block_layout.hpp"
#include "taskflows/cg/decomposition.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

/// Which entries a block takes and how it numbers its columns.
struct BlockRange {
  std::int64_t first_row;
  std::int64_t last_row;  ///< rows [first_row, last_row)
  std::int64_t first_column;
  std::int64_t last_column;  ///< entries in columns [first_column, last_column)
  /// Packed numbering: columns of [local_first, local_last) first, then the needed ones in ascending
  /// order counted from needed_base. Null: column - first_column.
  const NeededColumns* needed = nullptr;
  std::int64_t local_first = 0;
  std::int64_t local_last = 0;
  std::int64_t needed_base = 0;
  /// Leave out rows without entries (SELL): for a block that is always added to what others have written.
  bool drop_empty_rows = false;
  /// Store slices of rows with the same few diagonals as these (SELL): a third fewer bytes for grid stencils.
  /// CUDA kernels read them as CPUs do.
  bool diagonals = false;
};

/// Two steps, so that the memory can be obtained in between: plan() counts, fill() writes.
class MatrixBlock {
  /// The diagonals of a slice in ascending order, and by what the block's numbering shifts each.
  struct Diagonals {
    static constexpr int most = 64;
    int count = 0;  ///< 0: the slice has none worth storing
    std::int64_t diagonal[most];
    std::int32_t offset[most];
  };

 public:
  /// Counts entries and decides the layout: SELL rows are sorted by length within windows when padding
  /// would exceed a tenth. Throws Error (bad_input) when a CSR block has 2^31 entries or more.
  MatrixBlock(const CsrMatrix& a, const BlockRange& range, Format format);

  [[nodiscard]] const BlockLayout& layout() const noexcept { return layout_; }
  enum class Threads {
    caller,  ///< the thread that calls
    all,     ///< all threads of OpenMP
  };
  /// Writes the block to layout().bytes bytes at `memory`.
  void fill(void* memory, Threads threads) const;
  /// Frees what only fill() needs.
  void forget();

 private:
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> entries_of(std::int64_t row) const;
  [[nodiscard]] std::int32_t renumber(std::int64_t column) const;
  [[nodiscard]] Diagonals diagonals_of(std::int64_t slice) const;
  void fill_diagonals(std::int64_t slice, double* value, std::int32_t* offset) const;
  void plan_csr();
  void plan_sell();
  void keep_rows_with_entries();
  void plan_diagonals();
  void fill_csr(void* memory, bool parallel) const;
  void fill_sell(void* memory, bool parallel) const;

  const CsrMatrix& a_;
  BlockRange range_;
  BlockLayout layout_;
  std::vector<std::int32_t> length_;  ///< of each row
  std::vector<std::int32_t> row_;     ///< of each lane, when sorted
  std::vector<std::int64_t> slice_begin_;
  std::vector<std::int64_t> slice_columns_;  ///< when there are slices of diagonals, see SellView
};

}  // namespace asterism::cg
