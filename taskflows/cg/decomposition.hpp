// SPDX-License-Identifier: Apache-2.0
// The decomposition: block-rows, where the matrix and the vectors are cut, which rank owns them, and which elements of
// p each of them needs. The shares of units are given by the caller (apps/cg/measure.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/options.hpp"

namespace asterism::cg {

/// A matrix of fewer entries is laid out by one thread: several meet in every loop.
inline constexpr std::int64_t small_system = 1'000'000;

/// Rows [begin[i], begin[i+1]) form block-row i; block-rows [rank_begin[r], rank_begin[r+1]) belong to rank r of the
/// cluster.
struct Partition {
  std::vector<std::int64_t> begin;
  std::vector<int> rank_begin;  ///< empty: there is one rank

  [[nodiscard]] int blocks() const { return static_cast<int>(begin.size()) - 1; }
  [[nodiscard]] std::int64_t rows(int i) const {
    return begin[static_cast<std::size_t>(i) + 1] - begin[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::int64_t first(int i) const { return begin[static_cast<std::size_t>(i)]; }
  [[nodiscard]] int first_block(int rank) const {
    return rank_begin.empty() ? rank * blocks() : rank_begin[static_cast<std::size_t>(rank)];
  }
  /// Rank that a block-row belongs to.
  [[nodiscard]] int owner(int i) const;
};

/// Cuts the rows into as many parts as `shares`, part i carrying shares[i] / sum(shares) of the work (the
/// non-zeros, or the bytes of an iteration). Cuts fall on multiples of `unit` rows, and of 32 rows where
/// the parts are large. Throws Error (bad_input) when the matrix has too few rows.
Partition partition_rows(const RowCounts& a, std::span<const double> shares, Balance balance, int unit = 1);
Partition partition_rows(const CsrMatrix& a, std::span<const double> shares, Balance balance, int unit = 1);

/// Gives each rank as many block-rows, to one. Throws Error (bad_input) when there are fewer block-rows than ranks.
void deal(Partition& partition, int ranks);

/// The columns outside of rows [first, last) in which these rows have entries, as a set with ranks.
class NeededColumns {
 public:
  NeededColumns(const CsrMatrix& a, std::int64_t first, std::int64_t last);
  /// The set of these columns, in any order.
  explicit NeededColumns(std::span<const std::int32_t> columns);

  [[nodiscard]] bool contains(std::int64_t column) const {
    const std::int64_t word = column / 64 - first_word_;
    return word >= 0 && word < static_cast<std::int64_t>(words_.size()) &&
           (words_[static_cast<std::size_t>(word)] >> (column % 64) & 1) != 0;
  }
  /// How many needed columns are smaller than `column`.
  [[nodiscard]] std::int64_t rank(std::int64_t column) const;
  [[nodiscard]] std::int64_t size() const { return rank_.back(); }
  /// The needed columns in [first, last), relative to `first`, ascending.
  [[nodiscard]] std::vector<std::int32_t> list(std::int64_t first, std::int64_t last) const;

 private:
  std::int64_t first_word_ = 0;  ///< of the words that would hold all columns, those between the first and last needed
  std::vector<std::uint64_t> words_;
  std::vector<std::int64_t> rank_;  ///< needed columns before each word, and their number
};

}  // namespace asterism::cg
