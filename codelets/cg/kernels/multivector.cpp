// SPDX-License-Identifier: Apache-2.0
#include "codelets/cg/kernels/multivector.hpp"

#include <cmath>

#include "codelets/cg/kernels/simd.hpp"

namespace asterism::cg::cpu {
namespace {

constexpr int height = slice_height;
/// Rows whose sums are in registers together, so that multiply-adds need not wait for each other.
constexpr int rows_at_once = 4;
constexpr std::int64_t prefetch_distance = 1024;

/// A compensated sum for each of K vectors, in two chains that take turns.
template <int K>
struct MultiSums {
  double hi[2][K] = {};
  double lo[2][K] = {};

  ASTERISM_INLINE void add_products(std::int64_t turn, const double* a, const double* b) {
    double* const h = hi[turn % 2];
    double* const l = lo[turn % 2];
#pragma GCC ivdep
    for (int v = 0; v < K; ++v) add_product(h[v], l[v], a[v], b[v]);
  }
  [[nodiscard]] ASTERISM_INLINE Sum total(int v) const {
    Sum s{hi[0][v], lo[0][v]};
    add(s, Sum{hi[1][v], lo[1][v]});
    return s;
  }
};

/// sum[j] (+)= sum_k value[k][l + j] x[column[k][l + j]], in the order of k: rows l to l + 3 of a slice.
template <int K>
ASTERISM_INLINE void rows_product(const SellView& a, std::int64_t s, int l, const double* x,
                                  double (&sum)[rows_at_once][K]) {
  const std::int64_t begin = a.slice_begin[s];
  const std::int64_t end = a.slice_begin[s + 1];
  const std::int64_t columns = a.slice_columns != nullptr ? a.slice_columns[s] : begin;
  const double* value = a.value + begin + l;
  if (columns < 0) {  // diagonals
    const double* const shifted = x + (s * height + l) * K;
    const std::int32_t* offset = a.column + ~columns;
    for (std::int64_t k = begin; k < end; k += height, value += height, ++offset) {
      if (l % 8 == 0) __builtin_prefetch(value + prefetch_distance);
      const double* const from = shifted + std::int64_t{*offset} * K;
      for (int j = 0; j < rows_at_once; ++j)
#pragma GCC ivdep
        for (int v = 0; v < K; ++v) sum[j][v] = std::fma(value[j], from[j * K + v], sum[j][v]);
    }
    return;
  }
  const std::int32_t* column = a.column + columns + l;
  for (std::int64_t k = begin; k < end; k += height, value += height, column += height) {
    if (l % 8 == 0) __builtin_prefetch(value + prefetch_distance);
    if (l % 16 == 0) __builtin_prefetch(column + prefetch_distance);
    for (int j = 0; j < rows_at_once; ++j) {
      const double* const from = x + std::int64_t{column[j]} * K;
#pragma GCC ivdep
      for (int v = 0; v < K; ++v) sum[j][v] = std::fma(value[j], from[v], sum[j][v]);
    }
  }
}

template <int K, bool dot>
ASTERISM_INLINE void product(const SellView& a, const double* x, double* y, const double* p, Sum* sums) {
  MultiSums<K> all;
  for (std::int64_t s = 0; s < a.slices; ++s)
    for (int l = 0; l < height; l += rows_at_once) {
      const std::int64_t first = s * height + l;
      if (a.row == nullptr && first >= a.rows) break;
      double sum[rows_at_once][K] = {};
      rows_product<K>(a, s, l, x, sum);
      for (int j = 0; j < rows_at_once; ++j) {
        const std::int64_t row = a.row != nullptr ? a.row[first + j] : first + j < a.rows ? first + j : -1;
        if (row < 0) continue;
#pragma GCC ivdep
        for (int v = 0; v < K; ++v) y[row * K + v] = sum[j][v];
        if constexpr (dot) all.add_products(j, p + row * K, sum[j]);
      }
    }
  if constexpr (dot)
    for (int v = 0; v < K; ++v) sums[v] = all.total(v);
}

template <int K>
ASTERISM_INLINE void residual(std::int64_t n, const double* alpha, const double* q, double* r,
                              const PreconditionerView& m, double* z, Dots* dots) {
  MultiSums<K> rr;
  MultiSums<K> rz;
  double minus[K];
  for (int v = 0; v < K; ++v) minus[v] = -alpha[v];
  const std::int64_t size = m.size > 0 ? m.size : 1;
  for (std::int64_t block = 0; block < n; block += size) {
    const std::int64_t end = block + size < n ? block + size : n;
    for (std::int64_t i = block; i < end; ++i) {
#pragma GCC ivdep
      for (int v = 0; v < K; ++v) r[i * K + v] = std::fma(minus[v], q[i * K + v], r[i * K + v]);
      rr.add_products(i, r + i * K, r + i * K);
    }
    for (std::int64_t i = block; i < end && m.size > 0; ++i) {
      double sum[K] = {};
      for (std::int64_t k = 0; k < end - block; ++k)
#pragma GCC ivdep
        for (int v = 0; v < K; ++v) sum[v] = std::fma(m.inverse[k * n + i], r[(block + k) * K + v], sum[v]);
#pragma GCC ivdep
      for (int v = 0; v < K; ++v) z[i * K + v] = sum[v];
      rz.add_products(i, r + i * K, sum);
    }
  }
  for (int v = 0; v < K; ++v) {
    dots[v] = {};
    dots[v].rr = rr.total(v);
    dots[v].rz = m.size > 0 ? rz.total(v) : dots[v].rr;
  }
}

template <int K>
ASTERISM_INLINE void direction(std::int64_t n, const double* alpha, const double* beta, const double* z, double* x,
                               double* p) {
  for (std::int64_t i = 0; i < n; ++i)
#pragma GCC ivdep
    for (int v = 0; v < K; ++v) {
      const std::int64_t at = i * K + v;
      const double now = p[at];
      const double moved = std::fma(alpha[v], now, x[at]);
      const double next = std::fma(beta[v], now, z[at]);
      x[at] = alpha[v] != 0 ? moved : x[at];
      p[at] = alpha[v] != 0 ? next : now;
    }
}

template <int K>
ASTERISM_INLINE void first(std::int64_t n, const double* beta, const double* z, double* p) {
  for (std::int64_t i = 0; i < n; ++i)
#pragma GCC ivdep
    for (int v = 0; v < K; ++v) p[i * K + v] = std::fma(beta[v], p[i * K + v], z[i * K + v]);
}

}  // namespace

ASTERISM_CLONES void multi_product(int vectors, const SellView& a, const double* x, double* y, const double* p,
                                   Sum* sums) {
  if (vectors == 8)
    sums != nullptr ? product<8, true>(a, x, y, p, sums) : product<8, false>(a, x, y, p, sums);
  else if (vectors == 4)
    sums != nullptr ? product<4, true>(a, x, y, p, sums) : product<4, false>(a, x, y, p, sums);
  else
    sums != nullptr ? product<2, true>(a, x, y, p, sums) : product<2, false>(a, x, y, p, sums);
}

ASTERISM_CLONES void multi_update_residual(int vectors, std::int64_t n, const double* alpha, const double* q, double* r,
                                           const PreconditionerView& m, double* z, Dots* dots) {
  if (vectors == 8)
    residual<8>(n, alpha, q, r, m, z, dots);
  else if (vectors == 4)
    residual<4>(n, alpha, q, r, m, z, dots);
  else
    residual<2>(n, alpha, q, r, m, z, dots);
}

ASTERISM_CLONES void multi_update_direction(int vectors, std::int64_t n, const double* alpha, const double* beta,
                                            const double* z, double* x, double* p) {
  if (vectors == 8)
    direction<8>(n, alpha, beta, z, x, p);
  else if (vectors == 4)
    direction<4>(n, alpha, beta, z, x, p);
  else
    direction<2>(n, alpha, beta, z, x, p);
}

ASTERISM_CLONES void multi_first_direction(int vectors, std::int64_t n, const double* beta, const double* z,
                                           double* p) {
  if (vectors == 8)
    first<8>(n, beta, z, p);
  else if (vectors == 4)
    first<4>(n, beta, z, p);
  else
    first<2>(n, beta, z, p);
}

void interleave(int vectors, std::int64_t n, const double* const* from, double* to) {
  for (std::int64_t i = 0; i < n; ++i)
    for (int v = 0; v < vectors; ++v) to[i * vectors + v] = from[v] != nullptr ? from[v][i] : 0;
}

void take_apart(int vectors, std::int64_t n, const double* from, double* const* to) {
  for (int v = 0; v < vectors; ++v)
    for (std::int64_t i = 0; i < n && to[v] != nullptr; ++i) to[v][i] = from[i * vectors + v];
}

}  // namespace asterism::cg::cpu
