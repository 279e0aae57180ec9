// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/row_parts.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/as_size.hpp"
#include "base/isa.hpp"
#include "taskflows/cg/preconditioner/small_blocks.hpp"

namespace asterism::cg {
namespace {

/// A part has so many rows, which a thread takes at once.
constexpr std::int64_t rows_of_part = 512;
/// A chunk of memory for parts: from this size on an Array has huge pages.
constexpr std::size_t chunk_bytes = std::size_t{8} << 20;

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
  const auto count = static_cast<std::ptrdiff_t>(count_);
  if (std::is_sorted(column_.begin(), column_.begin() + count)) return;
  sorted_.assign(column_.begin(), column_.begin() + count);
  sorted_.resize(column_.size());
  moved_.resize(value_.size());
  std::sort(sorted_.begin(), sorted_.begin() + count);
  for (std::size_t k = 0; k < count_; ++k)
    std::copy_n(value_.data() + as_size(place_[as_size(sorted_[k])]) * size_, size_, moved_.data() + k * size_);
  column_.swap(sorted_);
  value_.swap(moved_);
}

/// Where a thread puts its parts, one after the other.
class RowParts::Room {
 public:
  Room(RowParts& of, std::size_t least) : of_(of), least_(least), size_(as_size(of.shape_.size())) {}
  void begin() {
    first_ += count_;
    count_ = 0;
  }
  void add(const BlockRow& row) {
    const std::size_t more = row.column().size();
    if (first_ + count_ + more > capacity_) enlarge(count_ + more);
    std::ranges::copy(row.column(), column_ + first_ + count_);
    std::ranges::copy(row.value(), value_ + (first_ + count_) * size_);
    count_ += more;
  }
  [[nodiscard]] Part part() const { return {column_ + first_, value_ + first_ * size_, 0}; }

 private:
  /// The part so far moves to another chunk.
  void enlarge(std::size_t blocks) {
    capacity_ = std::max(2 * blocks, least_);
    Array<double> chunk(capacity_ * size_ + (capacity_ + 1) / 2);
    double* const value = chunk.data();
    auto* const column = reinterpret_cast<std::int32_t*>(value + capacity_ * size_);
    std::copy_n(column_ + first_, count_, column);
    std::copy_n(value_ + first_ * size_, count_ * size_, value);
    column_ = column;
    value_ = value;
    first_ = 0;
#pragma omp critical(asterism_row_parts)
    of_.memory_.push_back(std::move(chunk));
  }

  RowParts& of_;
  std::size_t least_, size_;
  std::size_t capacity_ = 0, first_ = 0, count_ = 0;  ///< blocks: of the chunk, before the part, of the part
  std::int32_t* column_ = nullptr;
  double* value_ = nullptr;
};

RowParts::RowParts(std::int64_t rows, std::int64_t columns, int height, int width, const SumRow& sum)
    : parts_(as_size((rows + rows_of_part - 1) / rows_of_part)) {
  shape_.height = height;
  shape_.width = width;
  shape_.columns = columns;
  shape_.begin = Array<std::int64_t>(as_size(rows) + 1);
  shape_.begin[0] = 0;
  const std::size_t of_block = as_size(shape_.size()) * sizeof(double) + sizeof(std::int32_t);
  const std::size_t chunk = std::min(chunk_bytes / of_block + 1, 16 * as_size(rows));
  const auto count = static_cast<std::int64_t>(parts_.size());
#pragma omp parallel if (count > 1)
  {
    BlockRow row(columns, height * width);
    Room room(*this, chunk);
#pragma omp for schedule(dynamic)
    for (std::int64_t part = 0; part < count; ++part) {
      room.begin();
      for (std::int64_t i = part * rows_of_part; i < std::min((part + 1) * rows_of_part, rows); ++i) {
        row.clear();
        sum(i, row);
        room.add(row);
        shape_.begin[as_size(i) + 1] = static_cast<std::int64_t>(row.column().size());
      }
      parts_[as_size(part)] = room.part();
    }
  }
  std::partial_sum(shape_.begin.begin(), shape_.begin.end(), shape_.begin.begin());
  for (std::int64_t part = 0; part < count; ++part) parts_[as_size(part)].blocks_before = begin(part * rows_of_part);
}

RowParts::Row RowParts::row(std::int64_t i) const {
  const Part& part = parts_[as_size(i / rows_of_part)];
  const std::int64_t first = begin(i) - part.blocks_before;
  return {part.column + first, part.value + first * shape_.size(), begin(i + 1) - begin(i)};
}

BlocksOfColumns by_columns(const SparseBlocks& a) {
  BlocksOfColumns result;
  result.begin = Array<std::int64_t>(as_size(a.columns) + 1, 0);
  const std::int64_t shares = omp_get_max_threads();
  const std::int64_t parts = (a.rows() + rows_of_part - 1) / rows_of_part;
  const auto rows_until = [&](std::int64_t part) { return std::min(part * rows_of_part, a.rows()); };
  // columns of a part: of an aggregate nearly all rows follow each other
  std::vector<std::pair<std::int32_t, std::int32_t>> named(as_size(parts));
#pragma omp parallel for schedule(static) if (parts > 1)
  for (std::int64_t part = 0; part < parts; ++part) {
    std::pair<std::int32_t, std::int32_t> span{static_cast<std::int32_t>(a.columns), -1};
    for (std::int64_t k = a.begin[as_size(rows_until(part))]; k < a.begin[as_size(rows_until(part + 1))]; ++k)
      span = {std::min(span.first, a.column[as_size(k)]), std::max(span.second, a.column[as_size(k)])};
    named[as_size(part)] = span;
  }
  // calls take(column, row, place) for the blocks of the columns of a share, rows ascending
  const auto for_share = [&](std::int64_t share, auto take) {
    const std::int64_t first = share * a.columns / shares;
    const std::int64_t last = (share + 1) * a.columns / shares;
    for (std::int64_t part = 0; part < parts; ++part) {
      if (named[as_size(part)].second < first || named[as_size(part)].first >= last) continue;
      for (std::int64_t i = rows_until(part); i < rows_until(part + 1); ++i)
        for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k)
          if (const std::int32_t column = a.column[as_size(k)]; column >= first && column < last)
            take(as_size(column), static_cast<std::int32_t>(i), static_cast<std::int32_t>(k - a.begin[as_size(i)]));
    }
  };
#pragma omp parallel for schedule(static, 1) if (parts > 1)
  for (std::int64_t share = 0; share < shares; ++share)
    for_share(share, [&](std::size_t column, std::int32_t, std::int32_t) { ++result.begin[column + 1]; });
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  result.entry = Array<BlocksOfColumns::Entry>(as_size(result.begin[as_size(a.columns)]));
  std::vector<std::int64_t> next(result.begin.begin(), result.begin.end());
#pragma omp parallel for schedule(static, 1) if (parts > 1)
  for (std::int64_t share = 0; share < shares; ++share)
    for_share(share, [&](std::size_t column, std::int32_t row, std::int32_t place) {
      result.entry[as_size(next[column]++)] = {row, place};
    });
  return result;
}

SparseBlocks RowParts::joined() && {
  const auto blocks = as_size(begin(rows()));
  shape_.column = Array<std::int32_t>(blocks);
  shape_.value = Array<double>(blocks * as_size(shape_.size()));
  const auto count = static_cast<std::int64_t>(parts_.size());
#pragma omp parallel for schedule(static) if (count > 1)
  for (std::int64_t part = 0; part < count; ++part) {
    const Part& of = parts_[as_size(part)];
    const std::int64_t first = begin(part * rows_of_part);
    const std::int64_t here = begin(std::min((part + 1) * rows_of_part, rows())) - first;
    std::copy_n(of.column, here, shape_.column.begin() + first);
    std::copy_n(of.value, here * shape_.size(), shape_.value.begin() + first * shape_.size());
  }
  return std::move(shape_);
}

/// Row i of A P.
ASTERISM_CLONES void sum_product_row(const SparseBlocks& a, const SparseBlocks& p, std::int64_t i, BlockRow& sum) {
  with_sizes(
      a.height, a.width, p.width, [&](auto height, auto inner, auto width) __attribute__((always_inline)) {
        for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k) {
          const std::int64_t j = a.column[as_size(k)];
          for (std::int64_t m = p.begin[as_size(j)]; m < p.begin[as_size(j) + 1]; ++m)
            add_block(height, inner, width, a.value.data() + k * height * inner, p.value.data() + m * inner * width,
                      sum.at(p.column[as_size(m)]));
        }
      });
}

/// Row i of P^T B.
ASTERISM_CLONES void sum_transposed_row(const SparseBlocks& p, const BlocksOfColumns& columns, const RowParts& b,
                                        std::int64_t i, BlockRow& sum) {
  with_sizes(
      p.width, p.height, b.width(), [&](auto height, auto inner, auto width) __attribute__((always_inline)) {
        double turned[most_rows_of_nodes * most_rows_of_nodes];
        for (std::int64_t k = columns.begin[as_size(i)]; k < columns.begin[as_size(i) + 1]; ++k) {
          const auto [of_p, place] = columns.entry[as_size(k)];
          const double* const block = p.value.data() + (p.begin[as_size(of_p)] + place) * inner * height;
          for (int r = 0; r < inner; ++r)
            for (int c = 0; c < height; ++c) turned[c * inner + r] = block[r * height + c];
          const RowParts::Row row = b.row(of_p);
          for (std::int64_t m = 0; m < row.count; ++m)
            add_block(height, inner, width, turned, row.value + m * inner * width, sum.at(row.column[m]));
        }
      });
}

SparseBlocks triple_product(const SparseBlocks& a, const SparseBlocks& p, const BlocksOfColumns& columns) {
  const RowParts ap(a.rows(), p.columns, a.height, p.width,
                    [&](std::int64_t i, BlockRow& sum) { sum_product_row(a, p, i, sum); });
  return RowParts(p.columns, p.columns, p.width, p.width,
                  [&](std::int64_t i, BlockRow& sum) {
                    sum_transposed_row(p, columns, ap, i, sum);
                    sum.sort();
                  })
      .joined();
}

CsrMatrix scatter_transposed(const SparseBlocks& p, const BlocksOfColumns& columns) {
  CsrMatrix result;
  result.n = p.rows() * p.height;
  result.row_begin = Array<std::int64_t>(as_size(p.columns * p.width) + 1);
  result.row_begin[0] = 0;
  result.column = Array<std::int32_t>(p.value.size());
  result.value = Array<double>(p.value.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t column = 0; column < p.columns; ++column) {
    const std::int64_t first = columns.begin[as_size(column)];
    const std::int64_t count = columns.begin[as_size(column) + 1] - first;
    for (std::int64_t k = 0; k < count; ++k) {
      const auto [row, place] = columns.entry[as_size(first + k)];
      const double* const block = p.block(p.begin[as_size(row)] + place);
      for (std::int64_t j = 0; j < p.width; ++j) {
        const std::int64_t to = first * p.size() + (j * count + k) * p.height;
        for (std::int64_t i = 0; i < p.height; ++i) {
          result.column[as_size(to + i)] = static_cast<std::int32_t>(row * p.height + i);
          result.value[as_size(to + i)] = block[i * p.width + j];
        }
      }
    }
    for (std::int64_t j = 0; j < p.width; ++j)
      result.row_begin[as_size(column * p.width + j) + 1] = first * p.size() + (j + 1) * count * p.height;
  }
  return result;
}

}  // namespace asterism::cg
