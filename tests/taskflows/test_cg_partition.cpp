// Where the matrix is cut, what its blocks hold, and the generated matrices: against naive sets, exhaustive
// searches and a dense construction from the geometry. StarPU is never started.
#include "taskflows/cg/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codelets/cg/kernels.hpp"
#include "taskflows/cg/matrix_block.hpp"
#include "taskflows/cg/stencil.hpp"
#include "taskflows/runtime/error.hpp"

namespace asterism::cg {
namespace {

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// A matrix from its rows; the value of each entry tells its row and column.
CsrMatrix matrix_of(const std::vector<std::set<std::int32_t>>& rows) {
  CsrMatrix a;
  a.n = static_cast<std::int64_t>(rows.size());
  a.name = "made";
  a.row_begin = Array<std::int64_t>(rows.size() + 1);
  a.row_begin[0] = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    a.row_begin[i + 1] = a.row_begin[i] + static_cast<std::int64_t>(rows[i].size());
  a.column = Array<std::int32_t>(at(a.nnz()));
  a.value = Array<double>(at(a.nnz()));
  std::size_t k = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const std::int32_t j : rows[i]) {
      a.column[k] = j;
      a.value[k++] = static_cast<double>(i + 1) + j * 0x1p-20;
    }
  return a;
}

/// Rows of 1 to `longest` entries, diagonal included, at random places.
CsrMatrix random_matrix(std::int64_t n, int longest, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> length(0, longest - 1);
  std::uniform_int_distribution<std::int32_t> column(0, static_cast<std::int32_t>(n - 1));
  std::vector<std::set<std::int32_t>> rows(at(n));
  for (std::int64_t i = 0; i < n; ++i) {
    rows[at(i)].insert(static_cast<std::int32_t>(i));
    for (int k = length(generator); k > 0; --k) rows[at(i)].insert(column(generator));
  }
  return matrix_of(rows);
}

void expect_bad_input(const std::function<void()>& call, const std::vector<std::string>& words) {
  try {
    call();
    ADD_FAILURE() << "no error; expected one naming " << words.front();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    for (const std::string& word : words) EXPECT_NE(what.find(word), std::string::npos) << what;
  }
}

// ---- the cuts

double work_before(const CsrMatrix& a, Balance balance, std::int64_t row) {
  const auto nnz = static_cast<double>(a.row_begin[at(row)]);
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
    share += shares[at(i - 1)];
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
      const std::vector<double> equal(at(parts), 1.0);
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
    rows[at(i)].insert(i);
    if (i >= 4096)
      for (std::int32_t k = 1; k < 16; ++k) rows[at(i)].insert(i - k);
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
    const double nnz = static_cast<double>(a.row_begin[at(p.first(i) + p.rows(i))]) - before;
    before += nnz;
    EXPECT_NEAR(nnz / static_cast<double>(a.nnz()), shares[at(i)] / 6.6e12, 32.0 * 7 / static_cast<double>(a.nnz()));
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
  expect_bad_input([&] { partition_rows(a, std::vector<double>(2, 1.0), Balance::bytes, 3); }, {"7 rows", "3 rows"});
  const CsrMatrix six = random_matrix(6, 3, 5);
  EXPECT_EQ(partition_rows(six, std::vector<double>(2, 1.0), Balance::bytes, 3).first(1), 3);
  expect_bad_input([&] { partition_rows(six, std::vector<double>(3, 1.0), Balance::bytes, 3); },
                   {"--blocks 3", "6 rows", "blocks of 3"});
}

// ---- the columns that a block-row needs

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

void expect_same_rows(const CsrMatrix& part, const CsrMatrix& whole, std::int64_t first, std::int64_t last) {
  SCOPED_TRACE(std::to_string(first) + " to " + std::to_string(last));
  ASSERT_EQ(part.n, whole.n);
  ASSERT_EQ(part.first_row, first);
  ASSERT_EQ(part.rows(), last - first);
  ASSERT_EQ(part.nnz(), whole.row_begin[at(last)] - whole.row_begin[at(first)]);
  for (std::int64_t row = first; row <= last; ++row)
    ASSERT_EQ(part.begin_of(row), whole.row_begin[at(row)] - whole.row_begin[at(first)]);
  for (std::int64_t k = 0; k < part.nnz(); ++k) {
    ASSERT_EQ(part.column[at(k)], whole.column[at(whole.row_begin[at(first)] + k)]);
    ASSERT_EQ(part.value[at(k)], whole.value[at(whole.row_begin[at(first)] + k)]);
  }
}

TEST(Stencil, AnyRowsAreThoseOfTheWholeMatrix) {
  for (const char* name : {"5pts-7x5", "7pts-5x4x3", "11pts-4x3x5", "7pts-1x1x9", "11pts-6x1x2"}) {
    SCOPED_TRACE(name);
    const Stencil stencil = parse_stencil(name);
    const CsrMatrix whole = assemble_stencil(stencil);
    const RowCounts counts = row_counts(stencil);
    EXPECT_EQ(counts.n, whole.n);
    EXPECT_EQ(counts.name, whole.name);
    for (std::int64_t row = 0; row <= whole.n; ++row)
      ASSERT_EQ(counts.entries_before(row), whole.row_begin[at(row)]) << row;
    for (std::int64_t first = 0; first <= whole.n; ++first)
      for (const std::int64_t last : {first, first + 1, first + 5, whole.n})
        if (last <= whole.n) {
          expect_same_rows(assemble_stencil(stencil, first, last), whole, first, last);
          expect_same_rows(rows_of(whole, first, last), whole, first, last);
        }
  }
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
        for (std::int64_t k = a.row_begin[at(i)]; k < a.row_begin[at(i + 1)]; ++k)
          if (a.column[at(k)] < first || a.column[at(k)] >= last) naive.insert(a.column[at(k)]);
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

// ---- blocks

using Row = std::vector<std::pair<std::int32_t, double>>;  ///< (column in the block's numbering, value)

/// A block unpacked, and what its layout says about it.
struct Unpacked {
  std::vector<Row> rows;
  std::vector<std::int32_t> order;  ///< rows in the order of the lanes
};

Unpacked unpack_csr(const BlockLayout& layout, const void* memory) {
  const CsrView view = layout.csr(memory);
  Unpacked u;
  u.rows.resize(at(layout.rows));
  EXPECT_EQ(view.row_begin[0], 0);
  EXPECT_EQ(view.row_begin[layout.rows], layout.nonzeros);
  for (std::int64_t i = 0; i < layout.rows; ++i)
    for (std::int32_t k = view.row_begin[i]; k < view.row_begin[i + 1]; ++k)
      u.rows[at(i)].emplace_back(view.column[k], view.value[k]);
  return u;
}

/// Checks the padding on the way: value 0 in a column that the row reads anyway (0 for an empty row).
Unpacked unpack_sell(const BlockLayout& layout, const void* memory, const std::vector<Row>& expected) {
  const SellView view = layout.sell(memory);
  Unpacked u;
  u.rows.resize(at(layout.rows));
  EXPECT_EQ(view.slice_begin[0], 0);
  EXPECT_EQ(view.slice_begin[view.slices], layout.entries);
  std::set<std::int32_t> seen;
  for (std::int64_t s = 0; s < view.slices; ++s) {
    const std::int64_t width = (view.slice_begin[s + 1] - view.slice_begin[s]) / slice_height;
    EXPECT_EQ((view.slice_begin[s + 1] - view.slice_begin[s]) % slice_height, 0);
    std::size_t longest = 0;
    for (std::int64_t l = 0; l < slice_height; ++l) {
      const std::int64_t lane = s * slice_height + l;
      const std::int64_t row = view.row != nullptr ? view.row[lane] : lane < layout.rows ? lane : -1;
      if (row >= 0) {
        EXPECT_LT(row, layout.rows);
        EXPECT_TRUE(seen.insert(static_cast<std::int32_t>(row)).second) << "row " << row << " twice";
        u.order.push_back(static_cast<std::int32_t>(row));
      }
      const std::size_t length = row < 0 ? 0 : expected[at(row)].size();
      longest = std::max(longest, length);
      std::set<std::int32_t> read{0};
      if (length > 0) read.clear();
      for (std::int64_t w = 0; w < width; ++w) {
        const std::int64_t k = view.slice_begin[s] + w * slice_height + l;
        if (at(w) < length) {
          u.rows[at(row)].emplace_back(view.column[k], view.value[k]);
          read.insert(view.column[k]);
        } else {
          EXPECT_EQ(view.value[k], 0);
          EXPECT_EQ(read.count(view.column[k]), 1U) << "padding reads column " << view.column[k];
        }
      }
    }
    EXPECT_EQ(static_cast<std::size_t>(width), longest) << "slice " << s << " is wider than its longest row";
  }
  EXPECT_EQ(seen.size(), at(layout.rows));
  return u;
}

/// Fills the block serially and in parallel, unpacks it and compares with `number` applied to the entries.
BlockLayout check_block(const CsrMatrix& a, const BlockRange& range, Format format, std::int64_t columns,
                        const std::function<std::int64_t(std::int64_t)>& number) {
  SCOPED_TRACE(fmt::format("rows [{}, {}), columns [{}, {}), {}", range.first_row, range.last_row, range.first_column,
                           range.last_column, name_of(format)));
  std::vector<Row> expected(at(range.last_row - range.first_row));
  std::int64_t nonzeros = 0;
  for (std::int64_t i = range.first_row; i < range.last_row; ++i)
    for (std::int64_t k = a.row_begin[at(i)]; k < a.row_begin[at(i + 1)]; ++k) {
      const std::int64_t column = a.column[at(k)];
      if (column < range.first_column || column >= range.last_column) continue;
      expected[at(i - range.first_row)].emplace_back(static_cast<std::int32_t>(number(column)), a.value[at(k)]);
      ++nonzeros;
    }
  MatrixBlock block(a, range, format);
  const BlockLayout layout = block.layout();
  EXPECT_EQ(layout.format, format);
  EXPECT_EQ(layout.rows, range.last_row - range.first_row);
  EXPECT_EQ(layout.columns, columns);
  EXPECT_EQ(layout.nonzeros, nonzeros);
  EXPECT_GE(layout.entries, nonzeros);
  for (const std::size_t offset : {layout.index_at, layout.row_at, layout.column_at, layout.value_at, layout.bytes})
    EXPECT_EQ(offset % BlockLayout::alignment, 0U);

  constexpr std::size_t guard = 256;
  const std::vector<char> blank(layout.bytes + guard, '\x5a');
  std::vector<char> serial = blank;
  std::vector<char> parallel = blank;
  block.fill(serial.data(), false);
  block.fill(parallel.data(), true);
  EXPECT_TRUE(serial == parallel) << "parallel and serial fill differ";
  EXPECT_TRUE(std::equal(serial.end() - guard, serial.end(), blank.begin())) << "written past the end";

  const Unpacked u =
      format == Format::csr ? unpack_csr(layout, serial.data()) : unpack_sell(layout, serial.data(), expected);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(u.rows[i] == expected[i]) << "row " << i;
    for (const auto& [column, value] : u.rows[i]) EXPECT_TRUE(column >= 0 && column < columns) << column;
    if (testing::Test::HasFailure()) break;
  }
  if (format == Format::csr) {
    EXPECT_EQ(layout.entries, nonzeros);
    EXPECT_FALSE(layout.permuted);
  }
  if (layout.permuted)  // within each window of 4096 rows: longest first, equals in the order of the matrix
    for (std::size_t lane = 1; lane < u.order.size(); ++lane) {
      if (lane % 4096 == 0) continue;
      const auto before = u.order[lane - 1];
      const auto now = u.order[lane];
      EXPECT_EQ(before / 4096, now / 4096);
      EXPECT_TRUE(expected[at(before)].size() > expected[at(now)].size() ||
                  (expected[at(before)].size() == expected[at(now)].size() && before < now))
          << "lane " << lane;
      if (testing::Test::HasFailure()) break;
    }
  return layout;
}

/// Every block of the matrix in each of the four numberings that System uses.
void check_all_numberings(const CsrMatrix& a, int parts) {
  const Partition p = partition_rows(a, std::vector<double>(at(parts), 1.0), Balance::bytes);
  for (const Format format : {Format::csr, Format::sell})
    for (int i = 0; i < parts; ++i) {
      const std::int64_t first = p.first(i);
      const std::int64_t last = p.first(i) + p.rows(i);
      const NeededColumns needed(a, first, last);
      std::set<std::int64_t> others;
      for (std::int64_t c = 0; c < a.n; ++c)
        if (needed.contains(c)) others.insert(c);
      const auto rank = [&](std::int64_t c) { return std::distance(others.begin(), others.lower_bound(c)); };
      {  // 1D
        SCOPED_TRACE("full");
        check_block(a, {first, last, 0, a.n}, format, a.n, [](std::int64_t c) { return c; });
      }
      {  // own columns first, then the needed ones
        SCOPED_TRACE("packed 1D");
        check_block(a, {first, last, 0, a.n, &needed, first, last, 0}, format,
                    last - first + static_cast<std::int64_t>(others.size()),
                    [&](std::int64_t c) { return c >= first && c < last ? c - first : last - first + rank(c); });
      }
      for (int j = 0; j < parts; ++j) {
        const std::int64_t left = p.first(j);
        const std::int64_t right = p.first(j) + p.rows(j);
        {
          SCOPED_TRACE("2D");
          check_block(a, {first, last, left, right}, format, right - left, [&](std::int64_t c) { return c - left; });
        }
        if (i == j) continue;
        SCOPED_TRACE("packed 2D");
        check_block(a, {first, last, left, right, &needed, 0, 0, needed.rank(left)}, format, rank(right) - rank(left),
                    [&](std::int64_t c) { return rank(c) - rank(left); });
      }
    }
}

TEST(MatrixBlock, HoldsEveryEntryOfItsRange) {
  check_all_numberings(assemble_stencil(parse_stencil("11pts-9x8x7")), 3);
  check_all_numberings(random_matrix(97, 6, 6), 4);     // not a multiple of the slice
  check_all_numberings(random_matrix(9001, 20, 7), 2);  // two sorting windows in a block of 2 x 4500 rows
  check_all_numberings(random_matrix(5, 2, 8), 5);      // one row a block
}

TEST(MatrixBlock, SortsRowsWhenPaddingIsLarge) {
  const CsrMatrix a = random_matrix(9001, 24, 9);
  const BlockLayout layout = check_block(a, {0, a.n, 0, a.n}, Format::sell, a.n, [](std::int64_t c) { return c; });
  EXPECT_TRUE(layout.permuted);
  // lengths 1 to 24 in windows of 4096 rows: hardly a slice with two lengths that differ by more than one
  EXPECT_LT(static_cast<double>(layout.entries), 1.02 * static_cast<double>(layout.nonzeros));
}

TEST(MatrixBlock, LeavesRegularRowsInOrder) {
  const CsrMatrix a = assemble_stencil(parse_stencil("11pts-40x30x20"));
  const BlockLayout layout = check_block(a, {0, a.n, 0, a.n}, Format::sell, a.n, [](std::int64_t c) { return c; });
  EXPECT_FALSE(layout.permuted);
  EXPECT_LE(static_cast<double>(layout.entries), 1.1 * static_cast<double>(layout.nonzeros));
}

TEST(MatrixBlock, DoesNotSortInVain) {
  // within every slice one row of 9 entries, the others of 1: sorting 64 rows brings both long ones together; 32
  // rows cannot be improved
  std::vector<std::set<std::int32_t>> rows(64);
  for (std::int32_t i = 0; i < 64; ++i) {
    rows[at(i)].insert(i);
    if (i % 32 == 17)
      for (std::int32_t k = 0; k < 8; ++k) rows[at(i)].insert((i + 3 + 5 * k) % 64);
  }
  const CsrMatrix a = matrix_of(rows);
  const auto same = [](std::int64_t c) { return c; };
  const BlockLayout two = check_block(a, {0, 64, 0, 64}, Format::sell, 64, same);
  EXPECT_TRUE(two.permuted);
  EXPECT_EQ(two.entries, 32 * 9 + 32);
  const BlockLayout one = check_block(a, {0, 32, 0, 64}, Format::sell, 64, same);
  EXPECT_FALSE(one.permuted);
  EXPECT_EQ(one.entries, 32 * 9);
}

TEST(MatrixBlock, EmptyBlock) {
  // a diagonal matrix has no entries outside of its diagonal blocks
  std::vector<std::set<std::int32_t>> rows(100);
  for (std::int32_t i = 0; i < 100; ++i) rows[at(i)].insert(i);
  const CsrMatrix a = matrix_of(rows);
  for (const Format format : {Format::csr, Format::sell})
    EXPECT_EQ(check_block(a, {0, 50, 50, 100}, format, 50, [](std::int64_t c) { return c - 50; }).entries, 0);
}

// ---- stencils

using Dense = std::map<std::pair<std::int64_t, std::int64_t>, double>;

/// From the geometry: every pair of points, their distance along each axis, the value that belongs to it.
Dense dense_stencil(StencilKind kind, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  const std::int64_t n = nx * ny * nz;
  Dense dense;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const auto dx = std::abs(i % nx - j % nx);
      const auto dy = std::abs(i / nx % ny - j / nx % ny);
      const auto dz = std::abs(i / (nx * ny) - j / (nx * ny));
      double value = 0;
      if (kind == StencilKind::points11) {
        // in sixths: [-1 -4 -1; -4 20 -4; -1 -4 -1] in the plane, 6 [-1 2 -1] along z
        const int plane[2][2] = {{20, -4}, {-4, -1}};
        int sixths = 0;
        if (dz == 0 && dx <= 1 && dy <= 1) sixths += plane[dx][dy];
        if (dx == 0 && dy == 0 && dz <= 1) sixths += dz == 0 ? 12 : -6;
        value = sixths / 6.0;
      } else {
        const auto distance = dx + dy + dz;
        value = distance == 0 ? (kind == StencilKind::points5 ? 4 : 6) : distance == 1 ? -1 : 0;
      }
      if (value != 0) dense[{i, j}] = value;
    }
  return dense;
}

Dense dense_of(const CsrMatrix& a) {
  Dense dense;
  for (std::int64_t i = 0; i < a.n; ++i)
    for (std::int64_t k = a.row_begin[at(i)]; k < a.row_begin[at(i + 1)]; ++k) {
      if (k > a.row_begin[at(i)]) {
        EXPECT_LT(a.column[at(k - 1)], a.column[at(k)]) << "row " << i;
      }
      dense[{i, a.column[at(k)]}] = a.value[at(k)];
    }
  return dense;
}

TEST(Stencil, AgreesWithTheGeometry) {
  const auto check = [](const std::string& text, StencilKind kind, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    SCOPED_TRACE(text);
    const CsrMatrix a = assemble_stencil(parse_stencil(text));
    EXPECT_EQ(a.n, nx * ny * nz);
    EXPECT_TRUE(dense_of(a) == dense_stencil(kind, nx, ny, nz));
  };
  check("11pts-5x7x3", StencilKind::points11, 5, 7, 3);
  check("7pts-5x7x3", StencilKind::points7, 5, 7, 3);
  check("5pts-5x7", StencilKind::points5, 5, 7, 1);
  check("11pts-4", StencilKind::points11, 4, 4, 4);
  check("7pts-4", StencilKind::points7, 4, 4, 4);
  check("5pts-6", StencilKind::points5, 6, 6, 1);
  // lines, planes and a point: neighbours missing on both sides
  check("11pts-1x7x1", StencilKind::points11, 1, 7, 1);
  check("11pts-9x1x1", StencilKind::points11, 9, 1, 1);
  check("11pts-1x1x6", StencilKind::points11, 1, 1, 6);
  check("7pts-1x5x4", StencilKind::points7, 1, 5, 4);
  check("5pts-1", StencilKind::points5, 1, 1, 1);
  check("11pts-1", StencilKind::points11, 1, 1, 1);
}

TEST(Stencil, CountsOfTheCube) {
  for (const std::int64_t n : {1, 2, 3, 8, 16, 33})
    EXPECT_EQ(assemble_stencil({StencilKind::points11, n, n, n}).nnz(), 11 * n * n * n - 14 * n * n + 4 * n) << n;
  EXPECT_EQ(assemble_stencil({StencilKind::points7, 6, 6, 6}).nnz(), 7 * 216 - 6 * 36);
  EXPECT_EQ(assemble_stencil({StencilKind::points5, 9, 9, 1}).nnz(), 5 * 81 - 4 * 9);
}

TEST(Stencil, SymmetricWithZeroRowSumsInside) {
  for (const char* text : {"11pts-6x5x4", "7pts-6x5x4", "5pts-6x5"}) {
    SCOPED_TRACE(text);
    const Stencil s = parse_stencil(text);
    const CsrMatrix a = assemble_stencil(s);
    const Dense dense = dense_of(a);
    std::vector<double> sum(at(a.n));
    for (const auto& [place, value] : dense) {
      const auto mirror = dense.find({place.second, place.first});
      ASSERT_TRUE(mirror != dense.end());
      EXPECT_EQ(mirror->second, value);
      sum[at(place.first)] += value;
    }
    for (std::int64_t i = 0; i < a.n; ++i) {
      const std::int64_t x = i % s.nx;
      const std::int64_t y = i / s.nx % s.ny;
      const std::int64_t z = i / (s.nx * s.ny);
      const bool inside = x > 0 && x + 1 < s.nx && y > 0 && y + 1 < s.ny && (s.nz == 1 || (z > 0 && z + 1 < s.nz));
      if (inside) {
        EXPECT_NEAR(sum[at(i)], 0, 4e-15) << i;
      } else {
        EXPECT_GT(sum[at(i)], 0.1) << i;
      }
    }
  }
}

TEST(Stencil, Parse) {
  const Stencil box = parse_stencil("11pts-64x48x32");
  EXPECT_TRUE(box.kind == StencilKind::points11 && box.nx == 64 && box.ny == 48 && box.nz == 32);
  const Stencil cube = parse_stencil("7pts-64");
  EXPECT_TRUE(cube.kind == StencilKind::points7 && cube.nx == 64 && cube.ny == 64 && cube.nz == 64);
  const Stencil square = parse_stencil("5pts-1000");
  EXPECT_TRUE(square.kind == StencilKind::points5 && square.nx == 1000 && square.ny == 1000 && square.nz == 1);
  const Stencil rectangle = parse_stencil("5pts-300x200");
  EXPECT_TRUE(rectangle.nx == 300 && rectangle.ny == 200 && rectangle.nz == 1);
  for (const char* text : {"",
                           "11pts",
                           "11pts-",
                           "9pts-10",
                           "11pts-0",
                           "11pts--3",
                           "11pts-10x10",
                           "11pts-10x10x10x10",
                           "11pts-10x",
                           "11pts-10x10x",
                           "11pts-10y10y10",
                           "11pts-10 ",
                           "11pts- 10",
                           "11pts-1e3",
                           "11pts-10.5",
                           "5pts-10x10x10",
                           "5pts-x10",
                           "7pts-99999999999999999999",
                           "11PTS-10",
                           "-10",
                           "11pts-+3",
                           "7pts-3x0x3"})
    expect_bad_input([&] { parse_stencil(text); }, {fmt::format("--stencil {}", text), "11pts-64x48x32"});
}

TEST(Stencil, RefusesTooManyPoints) {
  for (const char* text : {"11pts-1291", "5pts-46341", "7pts-2000x2000x2000", "5pts-3000000000x1",
                           "7pts-4000000000x4000000000x4000000000"})
    expect_bad_input([&] { assemble_stencil(parse_stencil(text)); }, {"--stencil", "2^31"});
}

// ---- slices of diagonals ------------------------------------------------------------------------------

/// Every entry of a block with slices of diagonals, as (row, column) -> value, padding left out.
std::map<std::pair<std::int64_t, std::int64_t>, double> unpack_diagonals(const BlockLayout& layout,
                                                                         const void* memory) {
  const SellView view = layout.sell(memory);
  std::map<std::pair<std::int64_t, std::int64_t>, double> entries;
  for (std::int64_t s = 0; s < view.slices; ++s) {
    const std::int64_t columns = view.slice_columns[s];
    for (std::int64_t k = view.slice_begin[s]; k < view.slice_begin[s + 1]; ++k) {
      const std::int64_t place = k - view.slice_begin[s];
      const std::int64_t row = s * slice_height + place % slice_height;
      const std::int64_t column =
          columns < 0 ? row + view.column[~columns + place / slice_height] : view.column[columns + place];
      if (view.value[k] == 0) continue;
      EXPECT_TRUE(entries.emplace(std::pair(row, column), view.value[k]).second) << row << ' ' << column;
    }
  }
  return entries;
}

TEST(Diagonals, HoldTheMatrixAndGiveTheSameBits) {
  const CsrMatrix a = assemble_stencil(parse_stencil("11pts-70x9x11"));  // lines that slices do not divide
  const std::int64_t cut = 32 * 100;
  for (const bool lower : {false, true}) {
    BlockRange range{lower ? cut : 0, lower ? a.n : cut, 0, a.n};
    const MatrixBlock plain(a, range, Format::sell);
    range.diagonals = true;
    const MatrixBlock block(a, range, Format::sell);
    ASSERT_FALSE(plain.layout().diagonals);
    ASSERT_TRUE(block.layout().diagonals);
    EXPECT_LT(block.layout().bytes, plain.layout().bytes * 4 / 5);
    std::vector<double> plain_memory(plain.layout().bytes / 8);
    std::vector<double> memory(block.layout().bytes / 8, -1.0);
    plain.fill(plain_memory.data(), false);
    block.fill(memory.data(), true);
    const auto entries = unpack_diagonals(block.layout(), memory.data());
    std::int64_t expected = 0;
    for (std::int64_t row = range.first_row; row < range.last_row; ++row)
      for (std::int64_t k = a.row_begin[static_cast<std::size_t>(row)];
           k < a.row_begin[static_cast<std::size_t>(row) + 1]; ++k, ++expected) {
        const auto found = entries.find({row - range.first_row, a.column[static_cast<std::size_t>(k)]});
        ASSERT_NE(found, entries.end()) << row;
        EXPECT_EQ(found->second, a.value[static_cast<std::size_t>(k)]);
      }
    EXPECT_EQ(static_cast<std::int64_t>(entries.size()), expected);

    std::vector<double> x(static_cast<std::size_t>(a.n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i) * 0.7) / 3;
    const auto rows = static_cast<std::size_t>(block.layout().rows);
    std::vector<double> y(rows, -1.0);
    std::vector<double> z(rows, -2.0);
    const double* p = x.data() + range.first_row;
    const Sum sum = cpu::spmv_dot(plain.layout().sell(plain_memory.data()), x.data(), y.data(), false, p);
    const Sum same = cpu::spmv_dot(block.layout().sell(memory.data()), x.data(), z.data(), false, p);
    EXPECT_EQ(std::memcmp(y.data(), z.data(), rows * sizeof(double)), 0);
    EXPECT_EQ(value(sum), value(same));
    cpu::spmv(plain.layout().sell(plain_memory.data()), x.data(), y.data(), true);
    cpu::spmv(block.layout().sell(memory.data()), x.data(), z.data(), true);
    EXPECT_EQ(std::memcmp(y.data(), z.data(), rows * sizeof(double)), 0);
  }
}

TEST(Diagonals, AreLeftOutWhereRowsDoNotShareThem) {
  // 40 rows with a diagonal and one entry each at an irregular distance
  constexpr std::int64_t n = 64;
  CsrMatrix a;
  a.n = n;
  a.name = "irregular";
  a.row_begin = Array<std::int64_t>(n + 1);
  a.column = Array<std::int32_t>(2 * n);
  a.value = Array<double>(2 * n, 1.0);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto other = static_cast<std::int32_t>((i * i * 7 + 3) % n == i ? (i + 1) % n : (i * i * 7 + 3) % n);
    const auto row = static_cast<std::int32_t>(i);
    a.row_begin[static_cast<std::size_t>(i)] = 2 * i;
    a.column[static_cast<std::size_t>(2 * i)] = std::min(row, other);
    a.column[static_cast<std::size_t>(2 * i + 1)] = std::max(row, other);
  }
  a.row_begin[n] = 2 * n;
  BlockRange range{0, n, 0, n};
  range.diagonals = true;
  EXPECT_FALSE(MatrixBlock(a, range, Format::sell).layout().diagonals);
}

}  // namespace
}  // namespace asterism::cg
