// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/sparse_blocks.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/as_size.hpp"
#include "base/isa.hpp"

namespace asterism::cg {
namespace {

/// Rows that a thread takes at once.
constexpr std::int64_t rows_at_once = 512;

/// Calls call(height, inner, width) with constants for the blocks of scalars and bodies, else with what is given.
template <class Call>
ASTERISM_INLINE void with_sizes(int height, int inner, int width, Call call) {
  using std::integral_constant;
  const int code = 10000 * height + 100 * inner + width;
  if (code == 10101)
    call(integral_constant<int, 1>{}, integral_constant<int, 1>{}, integral_constant<int, 1>{});
  else if (code == 30306)
    call(integral_constant<int, 3>{}, integral_constant<int, 3>{}, integral_constant<int, 6>{});
  else if (code == 60306)
    call(integral_constant<int, 6>{}, integral_constant<int, 3>{}, integral_constant<int, 6>{});
  else if (code == 60606)
    call(integral_constant<int, 6>{}, integral_constant<int, 6>{}, integral_constant<int, 6>{});
  else if (code == 30303)
    call(integral_constant<int, 3>{}, integral_constant<int, 3>{}, integral_constant<int, 3>{});
  else if (code == 30301)
    call(integral_constant<int, 3>{}, integral_constant<int, 3>{}, integral_constant<int, 1>{});
  else if (code == 60601)
    call(integral_constant<int, 6>{}, integral_constant<int, 6>{}, integral_constant<int, 1>{});
  else
    call(height, inner, width);
}

template <class Height, class Inner, class Width>
ASTERISM_INLINE void add_block(Height height, Inner inner, Width width, const double* a, const double* b, double* c) {
  for (int i = 0; i < height; ++i)
    for (int k = 0; k < inner; ++k) {
      const double factor = a[i * inner + k];
      for (int j = 0; j < width; ++j) c[i * width + j] = std::fma(factor, b[k * width + j], c[i * width + j]);
    }
}

/// A matrix of these rows, whose entries are still to be counted.
SparseBlocks with_rows(std::int64_t rows, std::int64_t columns, int height, int width) {
  SparseBlocks a;
  a.height = height;
  a.width = width;
  a.columns = columns;
  a.begin = Array<std::int64_t>(as_size(rows) + 1);
  a.begin[0] = 0;
  return a;
}

/// For the blocks of rows whose beginnings are known.
void make_room(SparseBlocks& a) {
  const std::int64_t blocks = a.begin[as_size(a.rows())];
  a.column = Array<std::int32_t>(as_size(blocks));
  a.value = Array<double>(as_size(blocks * a.size()));
}

/// Calls take(column of blocks, entries of each row) for the blocks of row `node`; entries: first and last of each row.
template <class Take>
void merge_rows(const CsrMatrix& a, std::int64_t node, int size, Take take) {
  std::int64_t at[32];
  for (int i = 0; i < size; ++i) at[i] = a.begin_of(node * size + i);
  while (true) {
    std::int64_t next = a.n;
    for (int i = 0; i < size; ++i)
      if (at[i] < a.begin_of(node * size + i + 1)) next = std::min<std::int64_t>(next, a.column[as_size(at[i])]);
    if (next == a.n) return;
    const std::int64_t column = next / size;
    take(column, at);
    for (int i = 0; i < size; ++i)
      while (at[i] < a.begin_of(node * size + i + 1) && a.column[as_size(at[i])] < (column + 1) * size) ++at[i];
  }
}

}  // namespace

BlockRow::BlockRow(std::int64_t columns, int size) : size_(as_size(size)), place_(as_size(columns), 0) {}

double* BlockRow::add(std::int32_t column) {
  if (count_ == column_.size()) {
    column_.resize(2 * count_ + 64);
    value_.resize(column_.size() * size_);
  }
  place_[as_size(column)] = static_cast<std::int32_t>(count_);
  column_[count_] = column;
  double* const block = value_.data() + count_++ * size_;
  std::fill_n(block, size_, 0.0);
  return block;
}

void BlockRow::sort() {
  if (std::is_sorted(column_.begin(), column_.begin() + static_cast<std::ptrdiff_t>(count_))) return;
  sorted_ = column_;
  moved_.resize(value_.size());
  std::sort(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(count_));
  for (std::size_t k = 0; k < count_; ++k)
    std::copy_n(value_.data() + as_size(place_[as_size(sorted_[k])]) * size_, size_, moved_.data() + k * size_);
  column_.swap(sorted_);
  value_.swap(moved_);
}

SparseBlocks gather_blocks(const CsrMatrix& a, int size) {
  if (size == 1) {  // which no one writes
    SparseBlocks view;
    view.columns = a.n;
    view.begin = Array<std::int64_t>::borrowed(const_cast<std::int64_t*>(a.row_begin.data()), a.row_begin.size());
    view.column = Array<std::int32_t>::borrowed(const_cast<std::int32_t*>(a.column.data()), a.column.size());
    view.value = Array<double>::borrowed(const_cast<double*>(a.value.data()), a.value.size());
    return view;
  }
  const std::int64_t nodes = a.rows() / size;
  SparseBlocks result = with_rows(nodes, a.n / size, size, size);
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < nodes; ++node) {
    std::int64_t count = 0;
    merge_rows(a, node, size, [&](std::int64_t, const std::int64_t*) { ++count; });
    result.begin[as_size(node) + 1] = count;
  }
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  make_room(result);
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < nodes; ++node) {
    std::int64_t k = result.begin[as_size(node)];
    merge_rows(a, node, size, [&](std::int64_t column, const std::int64_t* at) {
      result.column[as_size(k)] = static_cast<std::int32_t>(column);
      double* const block = result.value.data() + k++ * result.size();
      std::fill_n(block, result.size(), 0.0);
      for (int i = 0; i < size; ++i)
        for (std::int64_t e = at[i]; e < a.begin_of(node * size + i + 1) && a.column[as_size(e)] < (column + 1) * size;
             ++e)
          block[i * size + a.column[as_size(e)] - column * size] = a.value[as_size(e)];
    });
  }
  return result;
}

CsrMatrix scatter_blocks(SparseBlocks a) {
  CsrMatrix result;
  result.n = a.columns * a.width;
  if (a.size() == 1) {
    result.row_begin = std::move(a.begin);
    result.column = std::move(a.column);
    result.value = std::move(a.value);
    return result;
  }
  const std::int64_t nodes = a.rows();
  result.row_begin = Array<std::int64_t>(as_size(nodes * a.height) + 1);
  result.row_begin[0] = 0;
  result.column = Array<std::int32_t>(a.value.size());
  result.value = Array<double>(a.value.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < nodes; ++node) {
    const std::int64_t first = a.begin[as_size(node)];
    const std::int64_t count = a.begin[as_size(node) + 1] - first;
    for (std::int64_t i = 0; i < a.height; ++i) {
      std::int64_t to = first * a.size() + i * count * a.width;
      for (std::int64_t k = first; k < first + count; ++k)
        for (std::int64_t j = 0; j < a.width; ++j, ++to) {
          result.column[as_size(to)] = static_cast<std::int32_t>(a.column[as_size(k)] * a.width + j);
          result.value[as_size(to)] = a.block(k)[i * a.width + j];
        }
      result.row_begin[as_size(node * a.height + i) + 1] = to;
    }
  }
  return result;
}

RowParts::RowParts(std::int64_t rows, std::int64_t columns, int height, int width, const SumRow& sum)
    : shape_(with_rows(rows, columns, height, width)), parts_(as_size((rows + rows_at_once - 1) / rows_at_once)) {
  const auto count = static_cast<std::int64_t>(parts_.size());
#pragma omp parallel
  {
    BlockRow row(columns, height * width);
    std::size_t room = 0;  // what the part before took
#pragma omp for schedule(dynamic)
    for (std::int64_t part = 0; part < count; ++part) {
      Part& of = parts_[as_size(part)];
      of.column.reserve(room + room / 8);
      of.value.reserve(of.column.capacity() * as_size(height * width));
      for (std::int64_t i = part * rows_at_once; i < std::min((part + 1) * rows_at_once, rows); ++i) {
        row.clear();
        sum(i, row);
        of.column.insert(of.column.end(), row.column().begin(), row.column().end());
        of.value.insert(of.value.end(), row.value().begin(), row.value().end());
        shape_.begin[as_size(i) + 1] = static_cast<std::int64_t>(row.column().size());
      }
      room = of.column.size();
    }
  }
  std::partial_sum(shape_.begin.begin(), shape_.begin.end(), shape_.begin.begin());
}

RowParts::Row RowParts::row(std::int64_t i) const {
  const std::int64_t first_of_part = shape_.begin[as_size(i / rows_at_once * rows_at_once)];
  const auto first = as_size(shape_.begin[as_size(i)] - first_of_part);
  const Part& part = parts_[as_size(i / rows_at_once)];
  return {part.column.data() + first, part.value.data() + first * as_size(shape_.size()),
          shape_.begin[as_size(i) + 1] - shape_.begin[as_size(i)]};
}

SparseBlocks RowParts::joined() && {
  make_room(shape_);
  const auto count = static_cast<std::int64_t>(parts_.size());
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t part = 0; part < count; ++part) {
    Part& of = parts_[as_size(part)];
    const std::int64_t first = shape_.begin[as_size(part * rows_at_once)];
    std::ranges::copy(of.column, shape_.column.begin() + first);
    std::ranges::copy(of.value, shape_.value.begin() + first * shape_.size());
    of = {};
  }
  return std::move(shape_);
}

ASTERISM_CLONES void add_product(int height, int inner, int width, const double* a, const double* b, double* c) {
  with_sizes(height, inner, width, [&](auto h, auto k, auto w) { add_block(h, k, w, a, b, c); });
}

ASTERISM_CLONES void sum_product_row(const SparseBlocks& a, const SparseBlocks& b, std::int64_t i, BlockRow& sum) {
  with_sizes(a.height, a.width, b.width, [&](auto height, auto inner, auto width) {
    for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k) {
      const std::int64_t j = a.column[as_size(k)];
      for (std::int64_t m = b.begin[as_size(j)]; m < b.begin[as_size(j) + 1]; ++m)
        add_block(height, inner, width, a.value.data() + k * height * inner, b.value.data() + m * inner * width,
                  sum.at(b.column[as_size(m)]));
    }
  });
}

SparseBlocks product(const SparseBlocks& a, const SparseBlocks& b) {
  return RowParts(a.rows(), b.columns, a.height, b.width,
                  [&](std::int64_t i, BlockRow& sum) {
                    sum_product_row(a, b, i, sum);
                    sum.sort();
                  })
      .joined();
}

ASTERISM_CLONES void sum_product_row(const SparseBlocks& r, const RowParts& b, std::int64_t i, BlockRow& sum) {
  with_sizes(r.height, r.width, b.width(), [&](auto height, auto inner, auto width) {
    for (std::int64_t k = r.begin[as_size(i)]; k < r.begin[as_size(i) + 1]; ++k) {
      const RowParts::Row row = b.row(r.column[as_size(k)]);
      for (std::int64_t m = 0; m < row.count; ++m)
        add_block(height, inner, width, r.value.data() + k * height * inner, row.value + m * inner * width,
                  sum.at(row.column[m]));
    }
  });
}

SparseBlocks triple_product(const SparseBlocks& r, const SparseBlocks& a, const SparseBlocks& p) {
  const RowParts ap(a.rows(), p.columns, a.height, p.width,
                    [&](std::int64_t i, BlockRow& sum) { sum_product_row(a, p, i, sum); });
  return RowParts(r.rows(), p.columns, r.height, p.width,
                  [&](std::int64_t i, BlockRow& sum) {
                    sum_product_row(r, ap, i, sum);
                    sum.sort();
                  })
      .joined();
}

SparseBlocks transpose(const SparseBlocks& a) {
  SparseBlocks t = with_rows(a.columns, a.rows(), a.width, a.height);
  std::fill(t.begin.begin(), t.begin.end(), 0);
  // columns that some consecutive rows name: of those of an aggregate nearly all follow each other
  struct Span {
    std::int32_t first, last;
  };
  const std::int64_t parts = (a.rows() + rows_at_once - 1) / rows_at_once;
  std::vector<Span> named(as_size(parts));
  const auto begin_of_part = [&](std::int64_t part) {
    return a.begin[as_size(std::min(part * rows_at_once, a.rows()))];
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t part = 0; part < parts; ++part) {
    Span span{static_cast<std::int32_t>(a.columns), -1};
    for (std::int64_t k = begin_of_part(part); k < begin_of_part(part + 1); ++k) {
      const std::int32_t column = a.column[as_size(k)];
      span = {std::min(span.first, column), std::max(span.last, column)};
#pragma omp atomic
      ++t.begin[as_size(column) + 1];
    }
    named[as_size(part)] = span;
  }
  std::partial_sum(t.begin.begin(), t.begin.end(), t.begin.begin());
  make_room(t);
  std::vector<std::int64_t> next(t.begin.begin(), t.begin.end());
  const std::int64_t shares = omp_get_max_threads();
#pragma omp parallel for schedule(static, 1)
  for (std::int64_t share = 0; share < shares; ++share) {
    const std::int64_t first = share * a.columns / shares;
    const std::int64_t last = (share + 1) * a.columns / shares;
    for (std::int64_t part = 0; part < parts; ++part) {
      if (named[as_size(part)].last < first || named[as_size(part)].first >= last) continue;
      for (std::int64_t i = part * rows_at_once; i < std::min((part + 1) * rows_at_once, a.rows()); ++i)
        for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k) {
          const std::int32_t column = a.column[as_size(k)];
          if (column < first || column >= last) continue;
          const std::int64_t to = next[as_size(column)]++;
          t.column[as_size(to)] = static_cast<std::int32_t>(i);
          const double* const block = a.block(k);
          double* const turned = t.value.data() + to * t.size();
          for (int r = 0; r < a.height; ++r)
            for (int c = 0; c < a.width; ++c) turned[c * a.height + r] = block[r * a.width + c];
        }
    }
  }
  return t;
}

ASTERISM_CLONES void multiply_rows(const SparseBlocks& a, std::int64_t first, std::int64_t last, const double* x,
                                   double* y) {
  with_sizes(a.height, a.width, 1, [&](auto height, auto width, auto one) {
    for (std::int64_t i = first; i < last; ++i) {
      double sum[32] = {};
      for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k)
        add_block(height, width, one, a.value.data() + k * height * width,
                  x + std::int64_t{a.column[as_size(k)]} * width, sum);
      std::copy_n(sum, static_cast<int>(height), y + i * height);
    }
  });
}

void multiply(const SparseBlocks& a, const std::vector<double>& x, std::vector<double>& y) {
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < a.rows(); first += rows_at_once)
    multiply_rows(a, first, std::min(first + rows_at_once, a.rows()), x.data(), y.data());
}

}  // namespace asterism::cg
