// SPDX-License-Identifier: Apache-2.0
#include "taskflows/cg/matrix/extended_products.hpp"

#include <cmath>

#include "base/as_size.hpp"

namespace asterism::cg {
namespace {}  // namespace

long double row_times(const CsrMatrix& a, std::int64_t i, std::span<const double> x) {
  long double sum = 0;
  for (std::int64_t k = a.begin_of(i); k < a.begin_of(i + 1); ++k)
    sum += static_cast<long double>(a.value[as_size(k)]) * x[as_size(a.column[as_size(k)])];
  return sum;
}

long double extended_norm(std::span<const double> v) {
  long double sum = 0;
  for (const double e : v) sum += static_cast<long double>(e) * e;
  return std::sqrt(sum);
}

Array<double> multiply(const CsrMatrix& a, std::span<const double> x) {
  Array<double> y(as_size(a.n));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.n; ++i) y[as_size(i)] = static_cast<double>(row_times(a, i, x));
  return y;
}

Array<double> row_sums(const CsrMatrix& a) {
  Array<double> sums(as_size(a.rows()));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    long double sum = 0;
    for (std::int64_t k = a.row_begin[as_size(i)]; k < a.row_begin[as_size(i) + 1]; ++k) sum += a.value[as_size(k)];
    sums[as_size(i)] = static_cast<double>(sum);
  }
  return sums;
}

double extended_residual(const CsrMatrix& a, std::span<const double> b, std::span<const double> x) {
  long double residual = 0;
  long double right = 0;
#pragma omp parallel for schedule(static) reduction(+ : residual, right)
  for (std::int64_t i = 0; i < a.n; ++i) {
    const long double r = static_cast<long double>(b[as_size(i)]) - row_times(a, i, x);
    residual += r * r;
    right += static_cast<long double>(b[as_size(i)]) * b[as_size(i)];
  }
  return static_cast<double>(right > 0 ? std::sqrt(residual / right) : std::sqrt(residual));
}

}  // namespace asterism::cg
