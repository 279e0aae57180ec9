// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/preconditioner/sparse_products.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/as_size.hpp"

namespace asterism::cg {

CsrMatrix product(const CsrMatrix& a, const CsrMatrix& b) {
  const std::int64_t rows = a.rows();
  CsrMatrix c;
  c.n = b.n;
  c.row_begin = Array<std::int64_t>(as_size(rows) + 1);
  c.row_begin[0] = 0;
#pragma omp parallel
  {
    std::vector<std::int64_t> seen(as_size(b.n), -1);
#pragma omp for schedule(dynamic, 256)
    for (std::int64_t i = 0; i < rows; ++i) {
      std::int64_t count = 0;
      for (std::int64_t k = a.begin_of(i); k < a.begin_of(i + 1); ++k) {
        const std::int64_t j = a.column[as_size(k)];
        for (std::int64_t m = b.begin_of(j); m < b.begin_of(j + 1); ++m) {
          std::int64_t& mark = seen[as_size(b.column[as_size(m)])];
          count += mark == i ? 0 : 1;
          mark = i;
        }
      }
      c.row_begin[as_size(i) + 1] = count;
    }
  }
  std::partial_sum(c.row_begin.begin(), c.row_begin.end(), c.row_begin.begin());
  c.column = Array<std::int32_t>(as_size(c.nnz()));
  c.value = Array<double>(as_size(c.nnz()));
#pragma omp parallel
  {
    std::vector<double> sum(as_size(b.n), 0.0);
    std::vector<std::int64_t> seen(as_size(b.n), -1);
#pragma omp for schedule(dynamic, 256)
    for (std::int64_t i = 0; i < rows; ++i) {
      std::int32_t* const column = c.column.data() + c.row_begin[as_size(i)];
      std::int64_t count = 0;
      for (std::int64_t k = a.begin_of(i); k < a.begin_of(i + 1); ++k) {
        const std::int64_t j = a.column[as_size(k)];
        const double factor = a.value[as_size(k)];
        for (std::int64_t m = b.begin_of(j); m < b.begin_of(j + 1); ++m) {
          const std::int32_t to = b.column[as_size(m)];
          if (seen[as_size(to)] != i) {
            seen[as_size(to)] = i;
            sum[as_size(to)] = 0;
            column[count++] = to;
          }
          sum[as_size(to)] = sum[as_size(to)] + factor * b.value[as_size(m)];
        }
      }
      std::sort(column, column + count);
      double* const value = c.value.data() + c.row_begin[as_size(i)];
      for (std::int64_t k = 0; k < count; ++k) value[k] = sum[as_size(column[k])];
    }
  }
  return c;
}

CsrMatrix transpose(const CsrMatrix& a) {
  CsrMatrix t;
  t.n = a.rows();
  t.row_begin = Array<std::int64_t>(as_size(a.n) + 1, 0);
  t.column = Array<std::int32_t>(as_size(a.nnz()));
  t.value = Array<double>(as_size(a.nnz()));
  for (const std::int32_t column : a.column) ++t.row_begin[as_size(column) + 1];
  std::partial_sum(t.row_begin.begin(), t.row_begin.end(), t.row_begin.begin());
  std::vector<std::int64_t> next(t.row_begin.begin(), t.row_begin.end());
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t k = a.begin_of(i); k < a.begin_of(i + 1); ++k) {
      const auto to = as_size(next[as_size(a.column[as_size(k)])]++);
      t.column[to] = static_cast<std::int32_t>(i);
      t.value[to] = a.value[as_size(k)];
    }
  return t;
}

void multiply(const CsrMatrix& a, const std::vector<double>& x, std::vector<double>& y) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    double sum = 0;
    for (std::int64_t k = a.begin_of(i); k < a.begin_of(i + 1); ++k)
      sum = sum + a.value[as_size(k)] * x[as_size(a.column[as_size(k)])];
    y[as_size(i)] = sum;
  }
}

double ordered_dot(const std::vector<double>& x, const std::vector<double>& y) {
  constexpr std::size_t piece = 4096;
  const auto pieces = static_cast<std::int64_t>((x.size() + piece - 1) / piece);
  std::vector<double> sums(as_size(pieces));
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < pieces; ++k) {
    double sum = 0;
    for (std::size_t i = as_size(k) * piece; i < std::min(x.size(), (as_size(k) + 1) * piece); ++i)
      sum = sum + x[i] * y[i];
    sums[as_size(k)] = sum;
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace asterism::cg
