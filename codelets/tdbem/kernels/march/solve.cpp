// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/march/solve.hpp"

#include <algorithm>
#include <cmath>

#include "base/isa.hpp"

namespace asterism::tdbem::cpu {
namespace {

/// Independent partial sums, so that additions need not wait for each other.
constexpr int lanes = 16;

ASTERISM_INLINE double add_up(const double (&sum)[lanes]) {
  double total = 0;
  for (const double part : sum) total += part;
  return total;
}

/// (M x)_i
template <class T>
ASTERISM_INLINE T row_times(const CsrView<T>& m, std::int32_t i, const T* x) {
  T sum[4] = {};
  std::int32_t k = m.start[i];
  const std::int32_t end = m.start[i + 1];
  for (; k + 3 < end; k += 4)
    for (std::int32_t lane = 0; lane < 4; ++lane) sum[lane] += m.value[k + lane] * x[m.column[k + lane]];
  for (; k < end; ++k) sum[0] += m.value[k] * x[m.column[k]];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// r = s - M x
template <class T>
ASTERISM_CLONES void residual(const CsrView<T>& m, const T* s, const T* x, T* r) {
  for (std::int32_t i = 0; i < m.rows; ++i) r[i] = s[i] - row_times(m, i, x);
}

/// q = M p; returns p . q
template <class T>
ASTERISM_CLONES double multiply(const CsrView<T>& m, const T* p, T* q) {
  double sum = 0;
  for (std::int32_t i = 0; i < m.rows; ++i) {
    q[i] = row_times(m, i, p);
    sum += static_cast<double>(p[i]) * static_cast<double>(q[i]);
  }
  return sum;
}

struct Norms {
  double preconditioned;  ///< r . D^-1 r
  double plain;           ///< r . r
};

template <class T>
ASTERISM_CLONES Norms norms(std::int32_t rows, const T* inverse, const T* r) {
  double z[lanes] = {}, plain[lanes] = {};
  const auto add = [&](int lane, std::int32_t i) __attribute__((always_inline)) {
    const double square = static_cast<double>(r[i]) * static_cast<double>(r[i]);
    plain[lane] += square;
    z[lane] += static_cast<double>(inverse[i]) * square;
  };
  std::int32_t i = 0;
  for (; i + lanes <= rows; i += lanes)
    for (int lane = 0; lane < lanes; ++lane) add(lane, i + lane);
  for (; i < rows; ++i) add(0, i);
  return {add_up(z), add_up(plain)};
}

/// x += alpha p, r -= alpha q; returns the norms of r
template <class T>
ASTERISM_CLONES Norms descend(std::int32_t rows, T alpha, const T* inverse, const T* p, const T* q, T* x, T* r) {
  double z[lanes] = {}, plain[lanes] = {};
  const auto step = [&](int lane, std::int32_t i) __attribute__((always_inline)) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    const double square = static_cast<double>(r[i]) * static_cast<double>(r[i]);
    plain[lane] += square;
    z[lane] += static_cast<double>(inverse[i]) * square;
  };
  std::int32_t i = 0;
  for (; i + lanes <= rows; i += lanes)
    for (int lane = 0; lane < lanes; ++lane) step(lane, i + lane);
  for (; i < rows; ++i) step(0, i);
  return {add_up(z), add_up(plain)};
}

/// p = D^-1 r + beta p
template <class T>
ASTERISM_CLONES void turn(std::int32_t rows, T beta, const T* inverse, const T* r, T* p) {
  for (std::int32_t i = 0; i < rows; ++i) p[i] = inverse[i] * r[i] + beta * p[i];
}

}  // namespace

template <class T>
std::int32_t invert_diagonal(const CsrView<T>& m, T* inverse) {
  for (std::int32_t i = 0; i < m.rows; ++i) {
    const std::int32_t* const end = m.column + m.start[i + 1];
    const std::int32_t* const found = std::find(m.column + m.start[i], end, i);
    if (found == end || !(m.value[found - m.column] > 0)) return i;
    inverse[i] = 1 / m.value[found - m.column];
  }
  return -1;
}

template <class T>
Convergence solve(const CsrView<T>& m, const T* inverse_diagonal, const SolveLimits& limits, const T* s, T* a,
                  T* workspace) {
  T* const r = workspace;
  T* const p = r + m.rows;
  T* const q = p + m.rows;
  const double scale = norms(m.rows, inverse_diagonal, s).plain;
  if (scale == 0) {
    std::fill_n(a, m.rows, T{0});
    return {};
  }
  residual(m, s, a, r);
  std::fill_n(p, m.rows, T{0});
  Norms now = norms(m.rows, inverse_diagonal, r);
  double before = now.preconditioned;  // p = 0: the first beta does not matter
  Convergence c;
  for (;; ++c.iterations) {
    c.residual = std::sqrt(now.plain / scale);
    if (c.residual <= limits.tolerance) return c;
    c.ending = Ending::breakdown;
    if (!std::isfinite(c.residual)) return c;
    if (c.iterations == limits.most_iterations) {
      c.ending = Ending::most_iterations;
      return c;
    }
    turn(m.rows, static_cast<T>(now.preconditioned / before), inverse_diagonal, r, p);
    const double curvature = multiply(m, p, q);
    if (!(curvature > 0)) return c;
    c.ending = Ending::converged;
    before = now.preconditioned;
    now = descend(m.rows, static_cast<T>(before / curvature), inverse_diagonal, p, q, a, r);
  }
}

template std::int32_t invert_diagonal(const CsrView<double>&, double*);
template std::int32_t invert_diagonal(const CsrView<float>&, float*);
template Convergence solve(const CsrView<double>&, const double*, const SolveLimits&, const double*, double*, double*);
template Convergence solve(const CsrView<float>&, const float*, const SolveLimits&, const float*, float*, float*);

}  // namespace asterism::tdbem::cpu
