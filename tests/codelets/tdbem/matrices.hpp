// SPDX-License-Identifier: Apache-2.0
// Matrices like M^0: symmetric, positive definite, about 19 values per row, of condition about 3 once rows are scaled.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "codelets/tdbem/kernels/march/solve.hpp"

namespace asterism::tdbem {

template <class T>
struct Matrix {
  std::vector<std::int32_t> start{0}, column;
  std::vector<T> value;

  [[nodiscard]] std::int32_t rows() const { return static_cast<std::int32_t>(start.size()) - 1; }
  [[nodiscard]] CsrView<T> view() const { return {rows(), start.data(), column.data(), value.data()}; }

  /// In long double.
  [[nodiscard]] std::vector<long double> times(const std::vector<T>& x) const {
    std::vector<long double> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      for (auto k = static_cast<std::size_t>(start[i]); k < static_cast<std::size_t>(start[i + 1]); ++k)
        y[i] += static_cast<long double>(value[k]) * static_cast<long double>(x[static_cast<std::size_t>(column[k])]);
    return y;
  }
};

/// Unknowns on a ring of some lines, each coupled to nine neighbours on either side at most; the weights of rows differ
/// by up to a factor of 20. Off-diagonal values of a row sum up to half the diagonal: condition 3 at most, scaled.
template <class T>
Matrix<T> small_condition(std::int32_t rows, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::map<std::int32_t, double>> entries(static_cast<std::size_t>(rows));
  for (std::int32_t i = 0; i < rows; ++i)
    for (const std::int32_t far : {1, 2, 3, 4, 7, 57, 58, 59, 60}) {
      const std::int32_t j = (i + far) % rows;
      if (far >= rows || entries[static_cast<std::size_t>(i)].count(j) != 0 || i == j) continue;
      const double v = uniform(random);
      entries[static_cast<std::size_t>(i)][j] = v;
      entries[static_cast<std::size_t>(j)][i] = v;
    }
  // one unknown with many neighbours
  for (std::int32_t j = 5; j < std::min(rows, 230); j += 5) {
    const std::int32_t hub = rows / 3;
    if (j == hub || entries[static_cast<std::size_t>(hub)].count(j) != 0) continue;
    entries[static_cast<std::size_t>(hub)][j] = entries[static_cast<std::size_t>(j)][hub] = 0.3 * uniform(random);
  }
  std::vector<double> weight(entries.size());
  for (double& w : weight) w = std::exp(1.5 * uniform(random)) * 1e-3;
  Matrix<T> m;
  for (std::int32_t i = 0; i < rows; ++i) {
    auto& row = entries[static_cast<std::size_t>(i)];
    row[i] = 36;  // at most 18 others of at most 1, or those and 46 of at most 0.3
    for (const auto& [j, v] : row) {
      m.column.push_back(j);
      m.value.push_back(
          static_cast<T>(v * std::sqrt(weight[static_cast<std::size_t>(i)] * weight[static_cast<std::size_t>(j)])));
    }
    m.start.push_back(static_cast<std::int32_t>(m.column.size()));
  }
  return m;
}

template <class T>
std::vector<T> random_vector(std::int32_t rows, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> x(static_cast<std::size_t>(rows));
  for (T& v : x) v = static_cast<T>(normal(random));
  return x;
}

/// ||s - M a|| / ||s||
template <class T>
double true_residual(const Matrix<T>& m, const std::vector<T>& s, const std::vector<T>& a) {
  const auto y = m.times(a);
  long double difference = 0, all = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    difference += (s[i] - y[i]) * (s[i] - y[i]);
    all += static_cast<long double>(s[i]) * s[i];
  }
  return static_cast<double>(std::sqrt(difference / all));
}

/// Conjugate gradients as the textbook has them, in long double: what a solver of the same steps has to agree with.
template <class T>
std::vector<double> textbook_residuals(const Matrix<T>& m, const std::vector<T>& s, std::int32_t iterations) {
  const std::size_t n = s.size();
  std::vector<long double> d(n), r(s.begin(), s.end()), z(n), p(n), q(n);
  for (std::size_t i = 0; i < n; ++i)
    for (auto k = static_cast<std::size_t>(m.start[i]); k < static_cast<std::size_t>(m.start[i + 1]); ++k)
      if (m.column[k] == static_cast<std::int32_t>(i)) d[i] = m.value[k];
  const auto product = [n](const auto& a, const auto& b) {
    long double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  const long double all = product(r, r);
  for (std::size_t i = 0; i < n; ++i) p[i] = z[i] = r[i] / d[i];
  std::vector<double> residuals;
  for (std::int32_t it = 0; it < iterations; ++it) {
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = 0;
      for (auto k = static_cast<std::size_t>(m.start[i]); k < static_cast<std::size_t>(m.start[i + 1]); ++k)
        q[i] += m.value[k] * p[static_cast<std::size_t>(m.column[k])];
    }
    const long double rz = product(r, z), alpha = rz / product(p, q);
    for (std::size_t i = 0; i < n; ++i) r[i] -= alpha * q[i];
    for (std::size_t i = 0; i < n; ++i) z[i] = r[i] / d[i];
    const long double beta = product(r, z) / rz;
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
    residuals.push_back(static_cast<double>(std::sqrt(product(r, r) / all)));
  }
  return residuals;
}

}  // namespace asterism::tdbem
