// SPDX-License-Identifier: Apache-2.0
// What blocks of the matrix hold, in every format and numbering: against what is said of each entry. StarPU is never
// started.
#include "base/as_size.hpp"
#include "taskflows/cg/matrix/matrix_block.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "codelets/cg/kernels/kernels.hpp"
#include "taskflows/cg/decomposition.hpp"
#include "taskflows/cg/matrix/stencil.hpp"
#include "tests/taskflows/cg/matrices.hpp"

namespace asterism::cg {
namespace {

using Row = std::vector<std::pair<std::int32_t, double>>;  ///< (column in the block's numbering, value)

/// A block unpacked, and what its layout says about it.
struct Unpacked {
  std::vector<Row> rows;
  std::vector<std::int32_t> order;  ///< rows in the order of the lanes
};

Unpacked unpack_csr(const BlockLayout& layout, const void* memory) {
  const CsrView view = layout.csr(memory);
  Unpacked u;
  u.rows.resize(as_size(layout.rows));
  EXPECT_EQ(view.row_begin[0], 0);
  EXPECT_EQ(view.row_begin[layout.rows], layout.nonzeros);
  for (std::int64_t i = 0; i < layout.rows; ++i)
    for (std::int32_t k = view.row_begin[i]; k < view.row_begin[i + 1]; ++k)
      u.rows[as_size(i)].emplace_back(view.column[k], view.value[k]);
  return u;
}

/// Checks the padding on the way: value 0 in a column that the row reads anyway (0 for an empty row).
Unpacked unpack_sell(const BlockLayout& layout, const void* memory, const std::vector<Row>& expected) {
  const SellView view = layout.sell(memory);
  Unpacked u;
  u.rows.resize(as_size(layout.rows));
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
      const std::size_t length = row < 0 ? 0 : expected[as_size(row)].size();
      longest = std::max(longest, length);
      std::set<std::int32_t> read{0};
      if (length > 0) read.clear();
      for (std::int64_t w = 0; w < width; ++w) {
        const std::int64_t k = view.slice_begin[s] + w * slice_height + l;
        if (as_size(w) < length) {
          u.rows[as_size(row)].emplace_back(view.column[k], view.value[k]);
          read.insert(view.column[k]);
        } else {
          EXPECT_EQ(view.value[k], 0);
          EXPECT_EQ(read.count(view.column[k]), 1U) << "padding reads column " << view.column[k];
        }
      }
    }
    EXPECT_EQ(static_cast<std::size_t>(width), longest) << "slice " << s << " is wider than its longest row";
  }
  EXPECT_EQ(seen.size(), as_size(layout.rows));
  return u;
}

/// Fills the block serially and in parallel, unpacks it and compares with `number` applied to the entries.
BlockLayout check_block(const CsrMatrix& a, const BlockRange& range, Format format, std::int64_t columns,
                        const std::function<std::int64_t(std::int64_t)>& number) {
  SCOPED_TRACE(fmt::format("rows [{}, {}), columns [{}, {}), {}", range.first_row, range.last_row, range.first_column,
                           range.last_column, name_of(format)));
  std::vector<Row> expected(as_size(range.last_row - range.first_row));
  std::int64_t nonzeros = 0;
  for (std::int64_t i = range.first_row; i < range.last_row; ++i)
    for (std::int64_t k = a.row_begin[as_size(i)]; k < a.row_begin[as_size(i + 1)]; ++k) {
      const std::int64_t column = a.column[as_size(k)];
      if (column < range.first_column || column >= range.last_column) continue;
      expected[as_size(i - range.first_row)].emplace_back(static_cast<std::int32_t>(number(column)),
                                                          a.value[as_size(k)]);
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
  block.fill(serial.data(), MatrixBlock::Threads::caller);
  block.fill(parallel.data(), MatrixBlock::Threads::all);
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
      EXPECT_TRUE(expected[as_size(before)].size() > expected[as_size(now)].size() ||
                  (expected[as_size(before)].size() == expected[as_size(now)].size() && before < now))
          << "lane " << lane;
      if (testing::Test::HasFailure()) break;
    }
  return layout;
}

/// Every block of the matrix in each of the four numberings that System uses.
void check_all_numberings(const CsrMatrix& a, int parts) {
  const Partition p = partition_rows(a, std::vector<double>(as_size(parts), 1.0), Balance::bytes);
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
    rows[as_size(i)].insert(i);
    if (i % 32 == 17)
      for (std::int32_t k = 0; k < 8; ++k) rows[as_size(i)].insert((i + 3 + 5 * k) % 64);
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
  for (std::int32_t i = 0; i < 100; ++i) rows[as_size(i)].insert(i);
  const CsrMatrix a = matrix_of(rows);
  for (const Format format : {Format::csr, Format::sell})
    EXPECT_EQ(check_block(a, {0, 50, 50, 100}, format, 50, [](std::int64_t c) { return c - 50; }).entries, 0);
}

// ---- slices of diagonals

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
    plain.fill(plain_memory.data(), MatrixBlock::Threads::caller);
    block.fill(memory.data(), MatrixBlock::Threads::all);
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
