// SPDX-License-Identifier: Apache-2.0
#include "api/cg_rows.hpp"

#include <algorithm>
#include <utility>

#include "api/agreed.hpp"
#include "base/as_size.hpp"

namespace asterism::v0::cg {
namespace {

using asterism::cg::CsrMatrix;

/// What each rank gets of values in the order of rows, of which those of `row` begin at begin_of(row).
template <class T, class Begin>
std::vector<T> dealt(std::span<const T> values, const RankCuts& from, const RankCuts& to, const Begin& begin_of) {
  const auto me = as_size(rank_group().rank());
  std::vector<std::vector<T>> parts(as_size(rank_group().ranks()));
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    const std::int64_t first = std::max(from[me], to[rank]);
    const std::int64_t last = std::min(from[me + 1], to[rank + 1]);
    if (first < last)
      parts[rank].assign(values.begin() + begin_of(first) - begin_of(from[me]),
                         values.begin() + begin_of(last) - begin_of(from[me]));
  }
  std::vector<T> mine;
  for (const std::vector<T>& part : rank_group().exchange(std::move(parts)))
    mine.insert(mine.end(), part.begin(), part.end());
  return mine;
}

std::vector<std::int64_t> row_lengths(const CsrMatrix& a) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t row = a.first_row; row < a.first_row + a.rows(); ++row)
    lengths.push_back(a.begin_of(row + 1) - a.begin_of(row));
  return lengths;
}

template <class T>
std::vector<T> joined(std::span<const T> mine) {
  std::vector<T> all;
  for (const std::vector<T>& part : rank_group().all_gather(mine)) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// The rows of these lengths from `first` on, with these entries.
CsrMatrix matrix_of_parts(const CsrMatrix& like, std::int64_t first, const std::vector<std::int64_t>& lengths,
                          const std::vector<std::int32_t>& column, const std::vector<double>& value) {
  CsrMatrix rows =
      asterism::cg::room_for_rows(like.n, like.name, first, first + static_cast<std::int64_t>(lengths.size()),
                                  static_cast<std::int64_t>(column.size()));
  for (std::size_t i = 0; i < lengths.size(); ++i) rows.row_begin[i + 1] = rows.row_begin[i] + lengths[i];
  std::ranges::copy(column, rows.column.begin());
  std::ranges::copy(value, rows.value.begin());
  return rows;
}

}  // namespace

RankCuts cuts_of(const CsrMatrix& a) {
  struct Range {
    std::int64_t first, last, order;
  };
  RankCuts cuts{0};
  const std::vector<Range> ranges = rank_group().all_gather(Range{a.first_row, a.first_row + a.rows(), a.n});
  for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
    if (ranges[rank].order != a.n)
      bad_input("order {}, but {} on process {}: expected the same", a.n, ranges[rank].order, rank);
    if (ranges[rank].first != cuts.back())
      bad_input("first_row {} on process {}: expected {}, the row after those of the processes before it",
                ranges[rank].first, rank, cuts.back());
    cuts.push_back(ranges[rank].last);
  }
  if (cuts.back() != a.n) bad_input("{} rows on all processes: expected order {}", cuts.back(), a.n);
  return cuts;
}

RankCuts cuts_of(const asterism::cg::Partition& partition) {
  RankCuts cuts;
  for (int rank = 0; rank <= rank_group().ranks(); ++rank) cuts.push_back(partition.first(partition.first_block(rank)));
  return cuts;
}

void require_symmetric(const CsrMatrix& a, const RankCuts& cuts) {
  agreed([&] { asterism::cg::require_symmetric_positive_diagonal(a); });
  struct Entry {
    std::int64_t row, column;
    double value;
  };
  // to the rank that has the mirror of each entry
  std::vector<std::vector<Entry>> to(as_size(rank_group().ranks()));
  const std::int64_t last = a.first_row + a.rows();
  for (std::int64_t row = a.first_row; row < last; ++row)
    for (std::int64_t k = a.begin_of(row); k < a.begin_of(row + 1); ++k)
      if (const std::int64_t column = a.column[as_size(k)]; column < a.first_row || column >= last)
        to[as_size(std::upper_bound(cuts.begin(), cuts.end(), column) - cuts.begin() - 1)].push_back(
            {row, column, a.value[as_size(k)]});
  const std::vector<std::vector<Entry>> from = rank_group().exchange(std::move(to));
  agreed([&] {
    for (const std::vector<Entry>& entries : from)
      for (const Entry& entry : entries)
        if (const std::string why = why_not_symmetric(a, entry.row, entry.column, entry.value); !why.empty())
          bad_input("{}: {}", a.name, why);
  });
}

asterism::cg::Partition partition_over_ranks(const CsrMatrix& a, std::span<const double> shares,
                                             const asterism::cg::Options& options) {
  const int unit = uncut_rows(options);
  if (!rank_group().distributed()) return asterism::cg::partition_rows(a, shares, options.balance, unit);
  std::vector<std::int64_t> before{0};
  for (const std::int64_t length : joined(std::span<const std::int64_t>(row_lengths(a))))
    before.push_back(before.back() + length);
  const asterism::cg::RowCounts counts{a.n, a.name, [&](std::int64_t row) { return before[as_size(row)]; }};
  asterism::cg::Partition partition = asterism::cg::partition_rows(counts, shares, options.balance, unit);
  deal(partition, rank_group().ranks());
  return partition;
}

std::vector<double> moved(std::span<const double> values, const RankCuts& from, const RankCuts& to) {
  return dealt(values, from, to, [](std::int64_t row) { return row; });
}

CsrMatrix moved(const CsrMatrix& a, const RankCuts& from, const RankCuts& to) {
  const auto begin_of = [&](std::int64_t row) { return a.begin_of(row); };
  const std::vector<std::int64_t> lengths = row_lengths(a);
  return matrix_of_parts(a, to[as_size(rank_group().rank())],
                         dealt(std::span<const std::int64_t>(lengths), from, to, [](std::int64_t row) { return row; }),
                         dealt(std::span<const std::int32_t>(a.column), from, to, begin_of),
                         dealt(std::span<const double>(a.value), from, to, begin_of));
}

CsrMatrix whole(const CsrMatrix& a) {
  const std::vector<std::int64_t> lengths = row_lengths(a);
  return matrix_of_parts(a, 0, joined(std::span<const std::int64_t>(lengths)),
                         joined(std::span<const std::int32_t>(a.column)), joined(std::span<const double>(a.value)));
}

}  // namespace asterism::v0::cg
