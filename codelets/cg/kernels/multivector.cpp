// SPDX-License-Identifier: Apache-2.0
// Loops go over 16 numbers that lie side by side, of 2, 4 or 8 rows: 16 is a multiple of the number of vectors, and
// long enough for the compiler to use vector registers (simd.hpp). The product alone has its own (multi_rows.hpp).
#include "codelets/cg/kernels/multivector.hpp"

#include <algorithm>
#include <cmath>

#include "codelets/cg/kernels/multi_rows.hpp"
#include "codelets/cg/kernels/simd.hpp"

namespace asterism::cg::cpu {
namespace {

/// A factor of each vector, as often as it fits.
struct LaneFactors {
  double of[lanes];
  ASTERISM_INLINE LaneFactors(int vectors, const double* factor, double sign) {
    for (int l = 0; l < lanes; ++l) of[l] = sign * factor[l % vectors];
  }
};

/// The sum of vector v from those of lanes.
ASTERISM_INLINE Sum total_of(const LaneSums& sums, int vectors, int v) {
  Sum s;
  for (int l = v; l < lanes; l += vectors) add(s, Sum{sums.hi[l], sums.lo[l]});
  return s;
}

/// Eight rows of y, and their share of the dot products.
template <bool dot>
ASTERISM_INLINE void put_rows(int vectors, const std::int32_t* row, std::int64_t first, std::int64_t rows,
                              const double* sum, double* y, const double* p, LaneSums& sums) {
  const int numbers = multi_rows * vectors;
  if (row == nullptr && first + multi_rows <= rows) {
    double* const to = y + first * vectors;
    for (int e = 0; e < numbers; e += lanes) {
#pragma GCC ivdep
      for (int l = 0; l < lanes; ++l) to[e + l] = sum[e + l];
      if constexpr (dot) sums.add_products(p + first * vectors + e, sum + e);
    }
    return;
  }
  for (int j = 0; j < multi_rows; ++j) {
    const std::int64_t at = row != nullptr ? row[first + j] : first + j < rows ? first + j : -1;
    for (int v = 0; v < vectors && at >= 0; ++v) {
      y[at * vectors + v] = sum[j * vectors + v];
      if constexpr (dot) add_product(sums.hi[v], sums.lo[v], p[at * vectors + v], sum[j * vectors + v]);
    }
  }
}

template <bool dot>
ASTERISM_INLINE void product(int vectors, const SellView& a, const double* x, double* y, const double* p, Sum* result) {
  const RowsProduct rows = rows_product_for(vectors);
  LaneSums sums;
  for (std::int64_t s = 0; s < a.slices; ++s)
    for (int l = 0; l < slice_height; l += multi_rows) {
      const std::int64_t first = s * slice_height + l;
      if (a.row == nullptr && first >= a.rows) break;
      alignas(64) double sum[multi_rows * most_vectors];
      rows(a, s, l, x, sum);
      put_rows<dot>(vectors, a.row, first, a.rows, sum, y, p, sums);
    }
  for (int v = 0; v < vectors && dot; ++v) result[v] = total_of(sums, vectors, v);
}

/// r += factor q for n numbers, and their squares.
ASTERISM_INLINE void update(std::int64_t n, const LaneFactors& factor, const double* q, double* r, LaneSums& rr) {
  std::int64_t e = 0;
  for (; e + lanes <= n; e += lanes) {
    double next[lanes];
#pragma GCC ivdep
    for (int l = 0; l < lanes; ++l) next[l] = std::fma(factor.of[l], q[e + l], r[e + l]);
#pragma GCC ivdep
    for (int l = 0; l < lanes; ++l) r[e + l] = next[l];
    rr.add_products(next, next);
  }
  for (int l = 0; e < n; ++e, ++l) {
    r[e] = std::fma(factor.of[l], q[e], r[e]);
    add_product(rr.hi[l], rr.lo[l], r[e], r[e]);
  }
}

/// z = M^-1 r for the rows [begin, end) of whole diagonal blocks.
ASTERISM_INLINE void precondition_rows(int vectors, std::int64_t begin, std::int64_t end, std::int64_t n,
                                       const PreconditionerView& m, const double* r, double* z) {
  if (m.size == 1 && (end - begin) * vectors % lanes == 0) {
    const int rows = lanes / vectors;  // 2, 4 or 8
    for (std::int64_t i = begin; i < end; i += rows) {
      double inverse[lanes];
      for (int l = 0; l < lanes; ++l) inverse[l] = m.inverse[i + l * rows / lanes];
#pragma GCC ivdep
      for (int l = 0; l < lanes; ++l) z[i * vectors + l] = std::fma(inverse[l], r[i * vectors + l], 0.0);
    }
    return;
  }
  for (std::int64_t block = begin; block < end; block += m.size) {
    const std::int64_t last = std::min<std::int64_t>(block + m.size, end);
    for (std::int64_t i = block; i < last; ++i) {
      double sum[most_vectors] = {};
      for (std::int64_t k = 0; k < last - block; ++k)
#pragma GCC ivdep
        for (int v = 0; v < vectors; ++v) sum[v] = std::fma(m.inverse[k * n + i], r[(block + k) * vectors + v], sum[v]);
      for (int v = 0; v < vectors; ++v) z[i * vectors + v] = sum[v];
    }
  }
}

/// Rows that are updated, preconditioned and summed while they are in the first-level cache; whole diagonal blocks, and
/// whole groups of lanes.
ASTERISM_INLINE std::int64_t chunk_rows(const PreconditionerView& m) {
  return m.size <= 1 ? 64 : std::int64_t{8} * m.size;
}

}  // namespace

ASTERISM_CLONES void multi_product(int vectors, const SellView& a, const double* x, double* y, const double* p,
                                   Sum* sums) {
  if (sums != nullptr)
    product<true>(vectors, a, x, y, p, sums);
  else
    product<false>(vectors, a, x, y, p, sums);
}

ASTERISM_CLONES void multi_update_residual(int vectors, std::int64_t n, const double* alpha, const double* q, double* r,
                                           const PreconditionerView& m, double* z, Dots* dots) {
  LaneSums rr;
  LaneSums rz;
  const LaneFactors minus(vectors, alpha, -1);
  const std::int64_t chunk = chunk_rows(m);
  for (std::int64_t begin = 0; begin < n; begin += chunk) {
    const std::int64_t end = std::min(begin + chunk, n);
    const std::int64_t numbers = (end - begin) * vectors;
    double* const of_chunk = r + begin * vectors;
    update(numbers, minus, q + begin * vectors, of_chunk, rr);
    if (m.size == 0) continue;
    precondition_rows(vectors, begin, end, n, m, r, z);
    rz.add_products(numbers, of_chunk, z + begin * vectors);
  }
  for (int v = 0; v < vectors; ++v) {
    dots[v] = {};
    dots[v].rr = total_of(rr, vectors, v);
    dots[v].rz = m.size > 0 ? total_of(rz, vectors, v) : dots[v].rr;
  }
}

ASTERISM_CLONES void multi_update_direction(int vectors, std::int64_t n, const double* alpha, const double* beta,
                                            const double* z, double* x, double* p) {
  const LaneFactors a(vectors, alpha, 1);
  const LaneFactors b(vectors, beta, 1);
  const std::int64_t numbers = n * vectors;
  std::int64_t e = 0;
  for (; e + lanes <= numbers; e += lanes) {
#pragma GCC ivdep
    for (int l = 0; l < lanes; ++l) {
      const double now = p[e + l];
      const double before = x[e + l];
      const double moved = std::fma(a.of[l], now, before);
      const double next = std::fma(b.of[l], now, z[e + l]);
      x[e + l] = a.of[l] != 0 ? moved : before;
      p[e + l] = a.of[l] != 0 ? next : now;
    }
  }
  for (int l = 0; e < numbers; ++e, ++l) {
    if (a.of[l] == 0) continue;
    x[e] = std::fma(a.of[l], p[e], x[e]);
    p[e] = std::fma(b.of[l], p[e], z[e]);
  }
}

ASTERISM_CLONES void multi_first_direction(int vectors, std::int64_t n, const double* beta, const double* z,
                                           double* p) {
  const LaneFactors b(vectors, beta, 1);
  const std::int64_t numbers = n * vectors;
  std::int64_t e = 0;
  for (; e + lanes <= numbers; e += lanes) {
#pragma GCC ivdep
    for (int l = 0; l < lanes; ++l) p[e + l] = std::fma(b.of[l], p[e + l], z[e + l]);
  }
  for (int l = 0; e < numbers; ++e, ++l) p[e] = std::fma(b.of[l], p[e], z[e]);
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
