// SPDX-License-Identifier: Apache-2.0
// Where the matrix is cut, who has the parts and which columns they need: against exhaustive searches and naive sets.
// StarPU is never started.
#include "base/as_size.hpp"
#include "taskflows/cg/decomposition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "taskflows/cg/matrix/matrix_block.hpp"
#include "taskflows/cg/matrix/stencil.hpp"
#include "tests/io/files_fixture.hpp"
#include "tests/taskflows/cg/matrices.hpp"

namespace asterism::cg {
namespace {

double work_before(const CsrMatrix& a, Balance balance, std::int64_t row) {
  const auto nnz = static_cast<double>(a.row_begin[as_size(row)]);
  return balance == Balance::nonzeros ? nnz : 12 * nnz + 84 * static_cast<double>(row);
}

/// Every cut is a multiple of `grain` and no other multiple is closer to the share it stands for.
void expect_best_cuts(const CsrMatrix& a, const std::vector<double>& shares, Balance balance, std::int64_t unit,
                      std::int64_t grain) {
  SCOPED_TRACE(fmt::format("{} rows, {} parts, by {}, unit {}", a.n, shares.size(), name_of(balance), unit));
  const Partition p = partition_rows(a, shares, balance, static_cast<int>(unit));
  ASSERT_EQ(p.blocks(), static_cast<int>(shares.size()));
  EXPECT_EQ(p.begin.front(), 0);
  EXPECT_EQ(p.begin.back(), a.n);
  std::int64_t covered = 0;
  for (int i = 0; i < p.blocks(); ++i) {
    EXPECT_EQ(p.first(i), covered);
    EXPECT_GT(p.rows(i), 0);
    covered += p.rows(i);
  }
  EXPECT_EQ(covered, a.n);
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  double share = 0;
  for (int i = 1; i < p.blocks(); ++i) {
    share += shares[as_size(i - 1)];
    const double target = work_before(a, balance, a.n) * share / total;
    EXPECT_EQ(p.first(i) % grain, 0) << "cut " << i << " at row " << p.first(i);
    double least = std::abs(work_before(a, balance, a.n) - target);
    for (std::int64_t row = 0; row <= a.n; row += grain)
      least = std::min(least, std::abs(work_before(a, balance, row) - target));
    const double distance = std::abs(work_before(a, balance, p.first(i)) - target);
    EXPECT_LE(distance, least * (1 + 1e-12)) << "cut " << i << " at row " << p.first(i);
  }
}

TEST(Partition, BalancesWithinHalfAGrain) {
  const CsrMatrix large = random_matrix(9001, 24, 1);
  const CsrMatrix small = random_matrix(504, 9, 2);
  for (const Balance balance : {Balance::nonzeros, Balance::bytes}) {
    for (const int parts : {1, 2, 3, 5, 8}) {
      const std::vector<double> equal(as_size(parts), 1.0);
      expect_best_cuts(large, equal, balance, 1, slice_height);  // 9001 rows: more than 8 slices a part
      expect_best_cuts(small, equal, balance, 1, parts == 1 ? slice_height : 1);
      expect_best_cuts(small, equal, balance, 3, 3);
    }
    expect_best_cuts(large, {1, 2, 3}, balance, 1, slice_height);
    expect_best_cuts(large, {0.5, 0.25, 4}, balance, 1, slice_height);
  }
}

TEST(Partition, WholeDiagonalBlocksAndWholeSlices) {
  const CsrMatrix a = random_matrix(9000, 5, 3);
  expect_best_cuts(a, {1, 1, 1}, Balance::bytes, 3, 96);  // lcm of 3 and 32
  expect_best_cuts(a, {1, 1}, Balance::nonzeros, 8, 32);
  expect_best_cuts(a, std::vector<double>(12, 1.0), Balance::bytes, 9, 9);  // 9000 < 8 * 12 * 288
}

TEST(Partition, BytesAndNonzerosDiffer) {
  // the first half has one entry per row, the second 16
  std::vector<std::set<std::int32_t>> rows(8192);
  for (std::int32_t i = 0; i < 8192; ++i) {
    rows[as_size(i)].insert(i);
    if (i >= 4096)
      for (std::int32_t k = 1; k < 16; ++k) rows[as_size(i)].insert(i - k);
  }
  const CsrMatrix a = matrix_of(rows);
  const std::vector<double> halves{1, 1};
  // nonzeros: 4096 + 16 x = (4096 + 65536) / 2, x = 1920
  EXPECT_EQ(partition_rows(a, halves, Balance::nonzeros).first(1), 6016);
  // bytes: 96 * 4096 + 276 x = (96 + 276) * 4096 / 2, x = 1335.7: row 5431.7, whose nearest multiple of 32 is 5440
  EXPECT_EQ(partition_rows(a, halves, Balance::bytes).first(1), 5440);
}

TEST(Partition, SharesAreProportional) {
  const CsrMatrix a = assemble_stencil(parse_stencil("7pts-30x20x10"));
  const std::vector<double> shares{4.8e12, 1.2e12, 0.6e12};  // bytes per second, say
  const Partition p = partition_rows(a, shares, Balance::nonzeros);
  double before = 0;
  for (int i = 0; i < 3; ++i) {
    const double nnz = static_cast<double>(a.row_begin[as_size(p.first(i) + p.rows(i))]) - before;
    before += nnz;
    EXPECT_NEAR(nnz / static_cast<double>(a.nnz()), shares[as_size(i)] / 6.6e12,
                32.0 * 7 / static_cast<double>(a.nnz()));
  }
}

TEST(Partition, OneRowEachAtMost) {
  const CsrMatrix a = random_matrix(7, 3, 4);
  const Partition p = partition_rows(a, std::vector<double>(7, 1.0), Balance::bytes);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(p.rows(i), 1);
  // a share of nothing still gets its unit
  const Partition lopsided = partition_rows(a, std::vector<double>{1e9, 1, 1e-9, 1}, Balance::bytes);
  for (int i = 0; i < 4; ++i) EXPECT_GE(lopsided.rows(i), 1);
  EXPECT_EQ(lopsided.begin.back(), 7);
}

TEST(Partition, RefusesWhatCannotBeCut) {
  const CsrMatrix a = random_matrix(7, 3, 5);
  expect_bad_input([&] { partition_rows(a, std::vector<double>(8, 1.0), Balance::bytes); }, {"--blocks 8", "7 rows"});
  const Partition rest = partition_rows(a, std::vector<double>(2, 1.0), Balance::bytes, 3);  // the last has one row
  EXPECT_EQ(rest.first(1) % 3, 0);
  EXPECT_EQ(rest.first(2), 7);
  const CsrMatrix six = random_matrix(6, 3, 5);
  EXPECT_EQ(partition_rows(six, std::vector<double>(2, 1.0), Balance::bytes, 3).first(1), 3);
  expect_bad_input([&] { partition_rows(six, std::vector<double>(3, 1.0), Balance::bytes, 3); },
                   {"--blocks 3", "6 rows", "blocks of 3"});
}

TEST(Partition, DealsBlockRowsToRanks) {
  Partition p;
  p.begin = {0, 10, 20, 30, 40, 50, 60, 70};
  EXPECT_EQ(p.owner(6), 0);
  EXPECT_EQ(p.first_block(1), 7);
  deal(p, 3);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(p.owner(i), i < 2 ? 0 : i < 4 ? 1 : 2) << i;
  EXPECT_EQ(p.first_block(2), 4);
  EXPECT_EQ(p.first_block(3), 7);
  expect_bad_input([&] { deal(p, 8); }, {"--blocks 7", "8 processes"});
}

TEST(NeededColumns, AgreesWithANaiveSet) {
  for (const std::int64_t n : {1, 63, 64, 65, 504, 1000}) {
    const CsrMatrix a = random_matrix(n, 4, static_cast<unsigned>(n));
    for (const auto& [first, last] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {0, n}, {0, n / 2}, {n / 2, n}, {n / 3, 2 * n / 3}, {n / 3, n / 3 + 1}, {n / 3, n / 3}}) {
      if (last > n) continue;
      SCOPED_TRACE(fmt::format("{} rows, [{}, {})", n, first, last));
      std::set<std::int64_t> naive;
      for (std::int64_t i = first; i < last; ++i)
        for (std::int64_t k = a.row_begin[as_size(i)]; k < a.row_begin[as_size(i + 1)]; ++k)
          if (a.column[as_size(k)] < first || a.column[as_size(k)] >= last) naive.insert(a.column[as_size(k)]);
      const NeededColumns needed(a, first, last);
      EXPECT_EQ(needed.size(), static_cast<std::int64_t>(naive.size()));
      for (std::int64_t c = 0; c < n; ++c) EXPECT_EQ(needed.contains(c), naive.count(c) == 1) << c;
      for (std::int64_t c = 0; c <= n; ++c)
        EXPECT_EQ(needed.rank(c), std::distance(naive.begin(), naive.lower_bound(c))) << c;
      for (const auto& [from, to] : std::vector<std::pair<std::int64_t, std::int64_t>>{
               {0, n}, {n / 4, n / 2}, {n / 2, n}, {n - 1, n}, {n / 2, n / 2}}) {
        std::vector<std::int32_t> expected;
        for (const std::int64_t c : naive)
          if (c >= from && c < to) expected.push_back(static_cast<std::int32_t>(c - from));
        EXPECT_EQ(needed.list(from, to), expected) << from << " to " << to;
      }
    }
  }
}

}  // namespace
}  // namespace asterism::cg
