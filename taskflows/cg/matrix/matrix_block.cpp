// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/matrix_block.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/as_size.hpp"
#include "base/error.hpp"

namespace asterism::cg {
namespace {

constexpr std::int64_t height = slice_height;
/// Rows are sorted by length within windows of so many: close enough for the caches, wide enough to even out.
constexpr std::int64_t sorting_window = sorted_slices * height;
/// Share of padding from which sorting pays.
constexpr double tolerated_padding = 0.1;

}  // namespace

MatrixBlock::MatrixBlock(const CsrMatrix& a, const BlockRange& range, Format format) : a_(a), range_(range) {
  layout_.format = format;
  layout_.rows = range.last_row - range.first_row;
  layout_.columns = range.needed == nullptr
                        ? range.last_column - range.first_column
                        : (range.local_last - range.local_first) + range.needed->rank(range.last_column) -
                              range.needed->rank(range.first_column);
  length_.resize(as_size(layout_.rows));
  std::int64_t nonzeros = 0, filled_rows = 0;
#pragma omp parallel for schedule(static) reduction(+ : nonzeros, filled_rows)
  for (std::int64_t i = 0; i < layout_.rows; ++i) {
    const auto [begin, end] = entries_of(range_.first_row + i);
    length_[as_size(i)] = static_cast<std::int32_t>(end - begin);
    nonzeros += end - begin;
    filled_rows += end > begin ? 1 : 0;
  }
  layout_.nonzeros = nonzeros;
  layout_.filled_rows = filled_rows;
  if (format == Format::csr)
    plan_csr();
  else
    plan_sell();
  layout_.place_sections();
}

std::pair<std::int64_t, std::int64_t> MatrixBlock::entries_of(std::int64_t row) const {
  const std::int64_t begin = a_.begin_of(row);
  const std::int64_t end = a_.begin_of(row + 1);
  if (range_.first_column == 0 && range_.last_column == a_.n) return {begin, end};
  const std::int32_t* columns = a_.column.data();
  const std::int32_t* first = std::lower_bound(columns + begin, columns + end, range_.first_column);
  const std::int32_t* last = std::lower_bound(first, columns + end, range_.last_column);
  return {first - columns, last - columns};
}

std::int32_t MatrixBlock::renumber(std::int64_t column) const {
  std::int64_t number = column - range_.first_column;
  if (range_.needed != nullptr) {
    if (column >= range_.local_first && column < range_.local_last)
      number = column - range_.local_first;
    else
      number = range_.local_last - range_.local_first + range_.needed->rank(column) - range_.needed_base;
  }
  return static_cast<std::int32_t>(number);
}

void MatrixBlock::plan_csr() {
  layout_.entries = layout_.nonzeros;
  if (layout_.entries > std::numeric_limits<std::int32_t>::max())
    bad_input("--format csr: a block of {} has {} entries, more than 32-bit offsets reach; use more --blocks", a_.name,
              layout_.entries);
}

/// row_ becomes the list of the rows that have entries; they alone get lanes.
void MatrixBlock::keep_rows_with_entries() {
  row_.clear();
  for (std::int64_t i = 0; i < layout_.rows; ++i)
    if (length_[as_size(i)] > 0) row_.push_back(static_cast<std::int32_t>(i));
  layout_.rows = static_cast<std::int64_t>(row_.size());
  layout_.permuted = true;
  row_.resize(as_size(layout_.slices() * height), -1);
}

void MatrixBlock::plan_sell() {
  if (range_.drop_empty_rows) keep_rows_with_entries();
  const bool listed = layout_.permuted;
  const std::int64_t rows = layout_.rows;
  const std::int64_t slices = layout_.slices();
  slice_begin_.assign(as_size(slices) + 1, 0);
  const auto widths = [&](bool sorted) {
#pragma omp parallel for schedule(static)
    for (std::int64_t s = 0; s < slices; ++s) {
      std::int64_t width = 0;
      for (std::int64_t lane = s * height; lane < std::min((s + 1) * height, rows); ++lane)
        width = std::max<std::int64_t>(width, length_[as_size(sorted ? row_[as_size(lane)] : lane)]);
      slice_begin_[as_size(s) + 1] = width * height;
    }
    std::partial_sum(slice_begin_.begin(), slice_begin_.end(), slice_begin_.begin());
    return slice_begin_.back();
  };
  layout_.entries = widths(listed);
  layout_.columns_stored = layout_.entries;
  if (static_cast<double>(layout_.entries) <= (1 + tolerated_padding) * static_cast<double>(layout_.nonzeros)) {
    if (range_.diagonals && !listed) plan_diagonals();
    return;
  }

  if (!listed) {
    row_.assign(as_size(slices * height), -1);
    std::iota(row_.begin(), row_.begin() + rows, 0);
  }
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t w = 0; w < rows; w += sorting_window)
    std::stable_sort(row_.begin() + w, row_.begin() + std::min(w + sorting_window, rows),
                     [&](std::int32_t a, std::int32_t b) { return length_[as_size(a)] > length_[as_size(b)]; });
  const std::int64_t sorted = widths(true);
  if (listed || static_cast<double>(sorted) < 0.98 * static_cast<double>(layout_.entries)) {
    layout_.permuted = true;
    layout_.entries = sorted;
  } else {  // no gain: keep the order of the rows
    row_.clear();
    widths(false);
  }
  layout_.columns_stored = layout_.entries;
}

MatrixBlock::Diagonals MatrixBlock::diagonals_of(std::int64_t slice) const {
  Diagonals d;
  std::int64_t width = 0;
  const std::int64_t first = slice * height;
  if (first + height > layout_.rows) return d;
  for (std::int64_t row = first; row < first + height; ++row) {
    const auto [begin, end] = entries_of(range_.first_row + row);
    width = std::max(width, end - begin);
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t column = a_.column[as_size(k)];
      const std::int64_t diagonal = column - (range_.first_row + row);
      const auto offset = static_cast<std::int32_t>(renumber(column) - row);
      const auto place = std::lower_bound(d.diagonal, d.diagonal + d.count, diagonal) - d.diagonal;
      if (place < d.count && d.diagonal[place] == diagonal) {
        if (d.offset[place] == offset) continue;
        d.count = 0;  // the block's numbering bends the diagonal
        return d;
      }
      // every lane reads x[row + offset], with value 0 where its row has no entry: it must exist
      if (d.count == Diagonals::most || first + offset < 0 || first + height - 1 + offset >= layout_.columns) {
        d.count = 0;
        return d;
      }
      std::copy_backward(d.diagonal + place, d.diagonal + d.count, d.diagonal + d.count + 1);
      std::copy_backward(d.offset + place, d.offset + d.count, d.offset + d.count + 1);
      d.diagonal[place] = diagonal;
      d.offset[place] = offset;
      ++d.count;
    }
  }
  if (d.count * 4 > width * 5) d.count = 0;  // 8 bytes an entry instead of 12, but more entries
  return d;
}

/// Slices of diagonals where there are such; nothing changes when there are none.
void MatrixBlock::plan_diagonals() {
  const std::int64_t slices = layout_.slices();
  std::vector<std::int32_t> count(as_size(slices));
  std::int64_t found = 0;
#pragma omp parallel for schedule(static) reduction(+ : found)
  for (std::int64_t s = 0; s < slices; ++s) {
    count[as_size(s)] = diagonals_of(s).count;
    found += count[as_size(s)] > 0 ? 1 : 0;
  }
  if (found == 0) return;
  slice_columns_.resize(as_size(slices));
  std::int64_t entries = 0;
  std::int64_t columns = 0;
  for (std::int64_t s = 0; s < slices; ++s) {
    const std::int64_t general = slice_begin_[as_size(s) + 1] - slice_begin_[as_size(s)];
    // slice_begin_ is rewritten behind the place that is read
    const std::int64_t stored = count[as_size(s)] > 0 ? count[as_size(s)] * height : general;
    slice_columns_[as_size(s)] = count[as_size(s)] > 0 ? ~columns : columns;
    columns += count[as_size(s)] > 0 ? count[as_size(s)] : general;
    count[as_size(s)] = static_cast<std::int32_t>(stored / height);
    entries += stored;
  }
  slice_begin_[0] = 0;
  for (std::int64_t s = 0; s < slices; ++s)
    slice_begin_[as_size(s) + 1] = slice_begin_[as_size(s)] + count[as_size(s)] * height;
  layout_.diagonals = true;
  layout_.entries = entries;
  layout_.columns_stored = columns;
}

void MatrixBlock::fill_diagonals(std::int64_t slice, double* value, std::int32_t* offset) const {
  const Diagonals d = diagonals_of(slice);
  std::copy_n(d.offset, d.count, offset);
  std::fill_n(value, d.count * height, 0.0);
  for (std::int64_t l = 0; l < height; ++l) {
    const std::int64_t row = range_.first_row + slice * height + l;
    const auto [begin, end] = entries_of(row);
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t diagonal = a_.column[as_size(k)] - row;
      const auto place = std::lower_bound(d.diagonal, d.diagonal + d.count, diagonal) - d.diagonal;
      value[place * height + l] = a_.value[as_size(k)];
    }
  }
}

void MatrixBlock::fill(void* memory, Threads threads) const {
  const bool parallel = threads == Threads::all;
  if (layout_.format == Format::csr)
    fill_csr(memory, parallel);
  else
    fill_sell(memory, parallel);
}

void MatrixBlock::forget() {
  length_ = {};
  row_ = {};
  slice_begin_ = {};
  slice_columns_ = {};
}

void MatrixBlock::fill_csr(void* memory, bool parallel) const {
  const CsrView view = layout_.csr(memory);
  auto* row_begin = const_cast<std::int32_t*>(view.row_begin);
  auto* column = const_cast<std::int32_t*>(view.column);
  auto* value = const_cast<double*>(view.value);
  row_begin[0] = 0;
  for (std::int64_t i = 0; i < layout_.rows; ++i) row_begin[i + 1] = row_begin[i] + length_[as_size(i)];
#pragma omp parallel for schedule(static) if (parallel)
  for (std::int64_t i = 0; i < layout_.rows; ++i) {
    const auto [begin, end] = entries_of(range_.first_row + i);
    for (std::int64_t k = begin, to = row_begin[i]; k < end; ++k, ++to) {
      column[to] = renumber(a_.column[as_size(k)]);
      value[to] = a_.value[as_size(k)];
    }
  }
}

void MatrixBlock::fill_sell(void* memory, bool parallel) const {
  const SellView view = layout_.sell(memory);
  auto* slice_begin = const_cast<std::int64_t*>(view.slice_begin);
  auto* lane_row = const_cast<std::int32_t*>(view.row);
  auto* column = const_cast<std::int32_t*>(view.column);
  auto* value = const_cast<double*>(view.value);
  auto* slice_columns = const_cast<std::int64_t*>(view.slice_columns);
  const std::int64_t slices = view.slices;
  slice_begin[slices] = slice_begin_.back();
#pragma omp parallel for schedule(static) if (parallel)
  for (std::int64_t s = 0; s < slices; ++s) {
    slice_begin[s] = slice_begin_[as_size(s)];
    std::int64_t columns = slice_begin_[as_size(s)];
    if (layout_.diagonals) columns = slice_columns[s] = slice_columns_[as_size(s)];
    if (columns < 0) {
      fill_diagonals(s, value + slice_begin_[as_size(s)], column + ~columns);
      continue;
    }
    const std::int64_t width = (slice_begin_[as_size(s) + 1] - slice_begin_[as_size(s)]) / height;
    for (std::int64_t l = 0; l < height; ++l) {
      const std::int64_t lane = s * height + l;
      const std::int64_t row = layout_.permuted ? row_[as_size(lane)] : lane < layout_.rows ? lane : -1;
      if (layout_.permuted) lane_row[lane] = static_cast<std::int32_t>(row);
      std::int64_t k = 0;
      std::int64_t end = 0;
      if (row >= 0) std::tie(k, end) = entries_of(range_.first_row + row);
      std::int32_t last = 0;  // padding names a column that the row reads anyway
      for (std::int64_t w = 0; w < width; ++w, ++k) {
        const std::int64_t to = w * height + l;
        if (k < end) last = renumber(a_.column[as_size(k)]);
        column[columns + to] = last;
        value[slice_begin_[as_size(s)] + to] = k < end ? a_.value[as_size(k)] : 0;
      }
    }
  }
}

}  // namespace asterism::cg
