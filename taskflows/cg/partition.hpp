// Block-rows: where the matrix and the vectors are cut, and which elements of p each of them needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taskflows/cg/csr_matrix.hpp"
#include "taskflows/cg/options.hpp"

namespace asterism::cg {

/// Rows [begin[i], begin[i+1]) form block-row i.
struct Partition {
  std::vector<std::int64_t> begin;

  [[nodiscard]] int blocks() const { return static_cast<int>(begin.size()) - 1; }
  [[nodiscard]] std::int64_t rows(int i) const {
    return begin[static_cast<std::size_t>(i) + 1] - begin[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::int64_t first(int i) const { return begin[static_cast<std::size_t>(i)]; }
};

/// Cuts the rows into as many parts as `shares`, part i carrying shares[i] / sum(shares) of the work (the
/// non-zeros, or the bytes 12 nnz + 84 rows). Cuts fall on multiples of `unit` rows, and of 32 rows where
/// the parts are large. Throws Error (bad_input) when the matrix has too few rows.
Partition partition_rows(const CsrMatrix& a, std::span<const double> shares, Balance balance, int unit = 1);

/// The columns outside of rows [first, last) in which these rows have entries, as a set with ranks.
class NeededColumns {
 public:
  NeededColumns(const CsrMatrix& a, std::int64_t first, std::int64_t last);

  [[nodiscard]] bool contains(std::int64_t column) const {
    return (words_[static_cast<std::size_t>(column / 64)] >> (column % 64) & 1) != 0;
  }
  /// How many needed columns are smaller than `column`.
  [[nodiscard]] std::int64_t rank(std::int64_t column) const;
  [[nodiscard]] std::int64_t size() const { return rank_.back(); }
  /// The needed columns in [first, last), relative to `first`, ascending.
  [[nodiscard]] std::vector<std::int32_t> list(std::int64_t first, std::int64_t last) const;

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::int64_t> rank_;  ///< needed columns before each word, and their number
};

}  // namespace asterism::cg
