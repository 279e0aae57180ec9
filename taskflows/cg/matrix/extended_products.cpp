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

ResidualNorms residual_norms(const CsrMatrix& a, std::span<const double> b, std::span<const double> x) {
  long double residual = 0;
  long double magnitude = 0;
  long double right = 0;
#pragma omp parallel for schedule(static) reduction(+ : residual, magnitude, right)
  for (std::int64_t i = 0; i < a.n; ++i) {
    const long double r = static_cast<long double>(b[as_size(i)]) - row_times(a, i, x);
    double terms = std::abs(b[as_size(i)]);
    for (std::int64_t k = a.begin_of(i); k < a.begin_of(i + 1); ++k)
      terms += std::abs(a.value[as_size(k)] * x[as_size(a.column[as_size(k)])]);
    residual += r * r;
    magnitude += static_cast<long double>(terms) * terms;
    right += static_cast<long double>(b[as_size(i)]) * b[as_size(i)];
  }
  const long double unit = right > 0 ? right : 1;
  return {static_cast<double>(std::sqrt(residual / unit)), static_cast<double>(std::sqrt(magnitude / unit))};
}

double extended_residual(const CsrMatrix& a, std::span<const double> b, std::span<const double> x) {
  return residual_norms(a, b, x).residual;
}

}  // namespace asterism::cg
