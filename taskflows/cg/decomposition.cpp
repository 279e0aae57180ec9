// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/decomposition.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>

#include "base/error.hpp"
#include "codelets/cg/kernels/costs.hpp"

namespace asterism::cg {

int Partition::owner(int i) const {
  if (rank_begin.empty()) return 0;
  return static_cast<int>(std::upper_bound(rank_begin.begin(), rank_begin.end(), i) - rank_begin.begin()) - 1;
}

void deal(Partition& partition, int ranks) {
  const int blocks = partition.blocks();
  if (blocks < ranks) bad_input("--blocks {}: expected one at least for each of {} processes", blocks, ranks);
  partition.rank_begin.clear();
  for (int rank = 0; rank <= ranks; ++rank)
    partition.rank_begin.push_back(static_cast<int>(std::int64_t{blocks} * rank / ranks));
}

Partition partition_rows(const CsrMatrix& a, std::span<const double> shares, Balance balance, int unit) {
  return partition_rows(RowCounts{a.n, a.name, [&](std::int64_t row) { return a.begin_of(row); }}, shares, balance,
                        unit);
}

Partition partition_rows(const RowCounts& a, std::span<const double> shares, Balance balance, int unit) {
  const auto parts = static_cast<std::int64_t>(shares.size());
  const std::int64_t units = (a.n + unit - 1) / unit;  // the last may have fewer rows
  if (units < parts)
    bad_input("--blocks {}: {} has only {} rows{}", parts, a.name, a.n,
              unit > 1 ? fmt::format(" in diagonal blocks of {}", unit) : "");
  // whole slices of 32 rows, unless this would spoil the balance
  std::int64_t grain = std::lcm<std::int64_t>(unit, slice_height);
  if (a.n < grain * parts * 8) grain = unit;

  const auto work_before = [&](std::int64_t row) {
    const double nnz = static_cast<double>(a.entries_before(row));
    return balance == Balance::nonzeros ? nnz : iteration_bytes(Iteration::fused, nnz, static_cast<double>(row));
  };
  const double total_share = std::accumulate(shares.begin(), shares.end(), 0.0);
  Partition result;
  result.begin.push_back(0);
  double share = 0;
  for (std::int64_t i = 1; i < parts; ++i) {
    share += shares[static_cast<std::size_t>(i - 1)];
    const double target = work_before(a.n) * share / total_share;
    std::int64_t low = 0;  // the last multiple of `grain` at or below the target
    std::int64_t high = a.n / grain;
    while (low < high) {
      const std::int64_t middle = (low + high + 1) / 2;
      if (work_before(middle * grain) <= target)
        low = middle;
      else
        high = middle - 1;
    }
    std::int64_t cut = low * grain;
    const std::int64_t next = std::min(cut + grain, a.n);
    if (work_before(next) - target < target - work_before(cut)) cut = next;
    // every part keeps at least one unit
    cut = std::clamp(cut, result.begin.back() + unit, (units - (parts - i)) * unit);
    result.begin.push_back(cut);
  }
  result.begin.push_back(a.n);
  return result;
}

NeededColumns::NeededColumns(const CsrMatrix& a, std::int64_t first, std::int64_t last) {
  const std::int64_t begin = a.begin_of(first);
  const std::int64_t end = a.begin_of(last);
  std::int64_t low = first;
  std::int64_t high = last - 1;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high) if (end - begin >= small_system)
  for (std::int64_t row = first; row < last; ++row) {
    if (a.begin_of(row) == a.begin_of(row + 1)) continue;
    low = std::min<std::int64_t>(low, a.column[static_cast<std::size_t>(a.begin_of(row))]);
    high = std::max<std::int64_t>(high, a.column[static_cast<std::size_t>(a.begin_of(row + 1) - 1)]);
  }
  first_word_ = low / 64;
  words_.resize(static_cast<std::size_t>(high / 64 + 1 - first_word_));
  rank_.resize(words_.size() + 1);
#pragma omp parallel for schedule(static) if (end - begin >= small_system)
  for (std::int64_t k = begin; k < end; ++k) {
    const std::int64_t column = a.column[static_cast<std::size_t>(k)];
    if (column >= first && column < last) continue;
    const std::uint64_t bit = std::uint64_t{1} << (column % 64);
    std::atomic_ref<std::uint64_t> word(words_[static_cast<std::size_t>(column / 64 - first_word_)]);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }
  for (std::size_t w = 0; w < words_.size(); ++w) rank_[w + 1] = rank_[w] + std::popcount(words_[w]);
}

NeededColumns::NeededColumns(std::span<const std::int32_t> columns) {
  if (!columns.empty()) {
    const auto [low, high] = std::minmax_element(columns.begin(), columns.end());
    first_word_ = *low / 64;
    words_.resize(static_cast<std::size_t>(*high / 64 + 1 - first_word_));
  }
  for (const std::int32_t column : columns)
    words_[static_cast<std::size_t>(column / 64 - first_word_)] |= std::uint64_t{1} << (column % 64);
  rank_.resize(words_.size() + 1);
  for (std::size_t w = 0; w < words_.size(); ++w) rank_[w + 1] = rank_[w] + std::popcount(words_[w]);
}

std::int64_t NeededColumns::rank(std::int64_t column) const {
  if (column / 64 < first_word_) return 0;
  const auto word = static_cast<std::size_t>(column / 64 - first_word_);
  if (word >= words_.size()) return rank_.back();
  if (column % 64 == 0) return rank_[word];
  const std::uint64_t below = (std::uint64_t{1} << (column % 64)) - 1;
  return rank_[word] + std::popcount(words_[word] & below);
}

std::vector<std::int32_t> NeededColumns::list(std::int64_t first, std::int64_t last) const {
  std::vector<std::int32_t> columns;
  columns.reserve(static_cast<std::size_t>(rank(last) - rank(first)));
  const std::int64_t end = first_word_ + static_cast<std::int64_t>(words_.size());
  for (std::int64_t word = std::max(first / 64, first_word_); word < end && word * 64 < last; ++word) {
    std::uint64_t bits = words_[static_cast<std::size_t>(word - first_word_)];
    for (; bits != 0; bits &= bits - 1) {
      const std::int64_t column = word * 64 + std::countr_zero(bits);
      if (column >= first && column < last) columns.push_back(static_cast<std::int32_t>(column - first));
    }
  }
  return columns;
}

}  // namespace asterism::cg
