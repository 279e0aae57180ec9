// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/sparse_blocks.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/as_size.hpp"
#include "base/isa.hpp"
#include "taskflows/cg/preconditioner/small_blocks.hpp"

namespace asterism::cg {
namespace {

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

/// Calls take(column of blocks, entries of each row) for the blocks of row `node`; entries: first of each row.
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

/// The blocks of a node whose rows have all of them whole.
void copy_whole_blocks(const CsrMatrix& a, std::int64_t node, int size, std::int32_t* column, double* value) {
  const std::int64_t first = a.begin_of(node * size);
  const std::int64_t length = a.begin_of(node * size + 1) - first;
  for (std::int64_t k = 0; k < length; k += size) {
    *column++ = a.column[as_size(first + k)] / size;
    for (int i = 0; i < size; ++i, value += size) std::copy_n(a.value.begin() + first + i * length + k, size, value);
  }
}

}  // namespace

bool has_whole_blocks(const CsrMatrix& a, std::int64_t node, int size) {
  const std::int64_t begin = a.begin_of(node * size);
  const std::int64_t length = a.begin_of(node * size + 1) - begin;
  bool same = length % size == 0;
  for (int i = 1; i < size && same; ++i)
    same = a.begin_of(node * size + i + 1) - a.begin_of(node * size + i) == length &&
           std::equal(a.column.begin() + begin, a.column.begin() + begin + length,
                      a.column.begin() + a.begin_of(node * size + i));
  for (std::int64_t k = 0; k < length && same; k += size)
    same = a.column[as_size(begin + k)] % size == 0 &&
           a.column[as_size(begin + k + size - 1)] == a.column[as_size(begin + k)] + size - 1;
  return same;
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
  std::vector<char> whole(as_size(nodes));
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < nodes; ++node) {
    std::int64_t count = 0;
    whole[as_size(node)] = has_whole_blocks(a, node, size) ? 1 : 0;
    if (whole[as_size(node)] != 0)
      count = (a.begin_of(node * size + 1) - a.begin_of(node * size)) / size;
    else
      merge_rows(a, node, size, [&](std::int64_t, const std::int64_t*) { ++count; });
    result.begin[as_size(node) + 1] = count;
  }
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  make_room(result);
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < nodes; ++node) {
    std::int64_t k = result.begin[as_size(node)];
    if (whole[as_size(node)] != 0) {
      copy_whole_blocks(a, node, size, result.column.begin() + k, result.value.begin() + k * result.size());
      continue;
    }
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

ASTERISM_CLONES void add_product(int height, int inner, int width, const double* a, const double* b, double* c) {
  with_sizes(
      height, inner,
      width, [&](auto h, auto k, auto w) __attribute__((always_inline)) { add_block(h, k, w, a, b, c); });
}

ASTERISM_CLONES void multiply_rows(const SparseBlocks& a, std::int64_t first, std::int64_t last, const double* x,
                                   double* y) {
  with_sizes(
      a.height, a.width, 1, [&](auto height, auto width, auto one) __attribute__((always_inline)) {
        for (std::int64_t i = first; i < last; ++i) {
          double sum[32] = {};
          for (std::int64_t k = a.begin[as_size(i)]; k < a.begin[as_size(i) + 1]; ++k)
            add_block(height, width, one, a.value.data() + k * height * width,
                      x + std::int64_t{a.column[as_size(k)]} * width, sum);
          std::copy_n(sum, static_cast<int>(height), y + i * height);
        }
      });
}

}  // namespace asterism::cg
