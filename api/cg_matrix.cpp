// SPDX-License-Identifier: Apache-2.0
#include "api/cg_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/as_size.hpp"
#include "base/error.hpp"
#include "runtime/ranks/ranks.hpp"

namespace asterism::v0::cg {
namespace {

/// Fewer values are looked at in less time than threads take to start.
constexpr std::int64_t worth_threads = 100000;

/// The first place in [0, n) where `wrong` is true, or n.
template <class Wrong>
std::int64_t first_place(std::int64_t n, const Wrong& wrong) {
  std::int64_t first = n;
#pragma omp parallel for schedule(static) reduction(min : first) if (n > worth_threads)
  for (std::int64_t i = 0; i < n; ++i)
    if (i < first && wrong(i)) first = i;
  return first;
}

/// An array of the house with these values: the caller's own where the type is the same.
template <class T>
Array<T> as_array(const Indices& indices) {
  return std::visit(
      [](const auto& given) {
        const std::size_t n = given.size();
        using Given = typename std::decay_t<decltype(given)>::value_type;
        // nothing writes to a matrix that is solved
        if constexpr (std::is_same_v<Given, T>) {
          return Array<T>::borrowed(const_cast<T*>(given.data()), n);
        } else {
          Array<T> copy(n);
          std::transform(given.begin(), given.end(), copy.begin(), [](Given value) { return static_cast<T>(value); });
          return copy;
        }
      },
      indices);
}

std::size_t size_of(const Indices& indices) {
  return std::visit([](const auto& given) { return given.size(); }, indices);
}

void require_offsets(const Array<std::int64_t>& begin, std::size_t entries, std::size_t values) {
  const auto rows = static_cast<std::int64_t>(begin.size()) - 1;
  if (begin[0] != 0) bad_input("row_begin[0] is {}: expected 0", begin[0]);
  const std::int64_t row = first_place(rows, [&](std::int64_t i) { return begin[as_size(i + 1)] < begin[as_size(i)]; });
  if (row < rows)
    bad_input("row_begin[{}] is {}, after {}: expected offsets that do not decrease", row + 1, begin[as_size(row + 1)],
              begin[as_size(row)]);
  const std::int64_t end = begin[as_size(rows)];
  if (static_cast<std::int64_t>(entries) != end || entries != values)
    bad_input("{} columns and {} values: expected {} of each, as row_begin says", entries, values, end);
}

void require_order(std::int64_t order) {
  if (order < 1 || order > std::numeric_limits<std::int32_t>::max())
    bad_input("order {}: expected at least 1, and columns that fit in 32 bits", order);
}

/// Before columns of 64 bits are narrowed.
void require_range(const Indices& column, std::int64_t rows) {
  std::visit(
      [&](const auto& given) {
        const auto entries = static_cast<std::int64_t>(given.size());
        const std::int64_t entry =
            first_place(entries, [&](std::int64_t k) { return given[as_size(k)] < 0 || given[as_size(k)] >= rows; });
        if (entry < entries) bad_input("column[{}] is {}: expected 0 to {}", entry, given[as_size(entry)], rows - 1);
      },
      column);
}

void require_increasing(const asterism::cg::CsrMatrix& a) {
  const auto unordered = [&](std::int64_t row) {
    for (std::int64_t k = a.begin_of(row) + 1; k < a.begin_of(row + 1); ++k)
      if (a.column[as_size(k - 1)] >= a.column[as_size(k)]) return true;
    return false;
  };
  const std::int64_t row =
      a.first_row + first_place(a.rows(), [&](std::int64_t i) { return unordered(a.first_row + i); });
  if (row < a.first_row + a.rows())
    bad_input("the columns of row {} do not increase: expected them sorted, each once", row);
}

}  // namespace

void require_vector(const char* what, std::span<const double> values, std::int64_t expected) {
  const auto n = static_cast<std::int64_t>(values.size());
  if (n != expected) bad_input("{} has {} values: expected {}", what, n, expected);
  const std::int64_t place = first_place(n, [&](std::int64_t i) { return !std::isfinite(values[as_size(i)]); });
  if (place < n) bad_input("{}[{}] is {}: expected a finite number", what, place, values[as_size(place)]);
}

asterism::cg::CsrMatrix matrix_of(const MatrixView& view) {
  if (rank_group().distributed())
    bad_input("a whole matrix over {} processes: expected the rows of each (Rows) or a function of rows (MatrixRows)",
              rank_group().ranks());
  if (size_of(view.row_begin) < 2)
    bad_input("row_begin has {} values: expected one more than rows, of which there is at least one",
              size_of(view.row_begin));
  return matrix_of(Rows{static_cast<std::int64_t>(size_of(view.row_begin)) - 1, 0, view});
}

asterism::cg::CsrMatrix matrix_of(const Rows& rows) {
  const MatrixView& view = rows.own;
  require_order(rows.order);
  if (size_of(view.row_begin) < 1) bad_input("row_begin has no value: expected one more than rows");
  asterism::cg::CsrMatrix a;
  a.name = "matrix";
  a.row_begin = as_array<std::int64_t>(view.row_begin);
  a.n = rows.order;
  a.first_row = rows.first_row;
  if (a.first_row < 0 || a.first_row + a.rows() > a.n)
    bad_input("first_row {} and {} rows: expected them within order {}", a.first_row, a.rows(), a.n);
  require_offsets(a.row_begin, size_of(view.column), view.value.size());
  require_range(view.column, a.n);
  a.column = as_array<std::int32_t>(view.column);
  a.value = Array<double>::borrowed(const_cast<double*>(view.value.data()), view.value.size());
  require_increasing(a);
  require_vector("value", view.value, a.nnz());
  return a;
}

asterism::cg::CsrMatrix matrix_of(const MatrixRows& matrix) {
  require_order(matrix.order);
  if (!matrix.fill) bad_input("fill: expected a function of rows");
  const std::int64_t ranks = rank_group().ranks();
  const std::int64_t first = matrix.order * rank_group().rank() / ranks;
  const std::int64_t last = matrix.order * (rank_group().rank() + 1) / ranks;
  std::vector<std::int64_t> begin{0}, column, of_row;
  std::vector<double> value, values_of_row;
  for (std::int64_t row = first; row < last; ++row) {
    of_row.clear();
    values_of_row.clear();
    matrix.fill(row, of_row, values_of_row);
    if (of_row.size() != values_of_row.size())
      bad_input("row {}: {} columns and {} values: expected as many", row, of_row.size(), values_of_row.size());
    column.insert(column.end(), of_row.begin(), of_row.end());
    value.insert(value.end(), values_of_row.begin(), values_of_row.end());
    begin.push_back(static_cast<std::int64_t>(column.size()));
  }
  const std::span<const std::int64_t> columns(column), offsets(begin);
  return rows_of(matrix_of(Rows{matrix.order, first, {offsets, columns, value}}), first, last);  // in its own memory
}

}  // namespace asterism::v0::cg
