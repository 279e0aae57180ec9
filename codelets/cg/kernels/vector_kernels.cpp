// SPDX-License-Identifier: Apache-2.0
// The vector operations of conjugate gradient on the CPU.
#include <cmath>

#include "codelets/cg/kernels/kernels.hpp"
#include "codelets/cg/kernels/simd.hpp"

namespace asterism::cg::cpu {
namespace {

/// Rows of the diagonal block that begins at `block`; the last may have fewer.
ASTERISM_INLINE int rows_of_block(const PreconditionerView& m, std::int64_t block, std::int64_t n) {
  return n - block < m.size ? static_cast<int>(n - block) : m.size;
}

/// z = M^-1 r for rows [begin, end), both multiples of the block size or n.
ASTERISM_INLINE void precondition_rows(std::int64_t begin, std::int64_t end, std::int64_t n,
                                       const PreconditionerView& m, const double* r, double* z) {
  if (m.size == 1) {
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) z[i] = std::fma(m.inverse[i], r[i], 0.0);
    return;
  }
  for (std::int64_t block = begin; block < end; block += m.size)
    for (std::int64_t i = block; i < block + rows_of_block(m, block, n); ++i) {
      double sum = 0;
      for (int k = 0; k < rows_of_block(m, block, n); ++k) sum = std::fma(m.inverse[k * n + i], r[block + k], sum);
      z[i] = sum;
    }
}

/// Rows that are updated, preconditioned and summed while they are in the first-level cache.
ASTERISM_INLINE std::int64_t chunk_rows(const PreconditionerView& m) {
  return m.size <= 1 ? 512 : 512 / m.size * m.size + (512 < m.size ? m.size : 0);
}

ASTERISM_INLINE Sum dot_inline(std::int64_t n, const double* x, const double* y) {
  LaneSums sums;
  sums.add_products(n, x, y);
  return sums.total();
}

}  // namespace

ASTERISM_CLONES Sum dot(std::int64_t n, const double* x, const double* y) {
  return dot_inline(n, x, y);
}

ASTERISM_CLONES void axpy(std::int64_t n, double a, const double* x, double* y) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::fma(a, x[i], y[i]);
}

ASTERISM_CLONES void xpby(std::int64_t n, const double* x, double b, double* y) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::fma(b, y[i], x[i]);
}

ASTERISM_CLONES void precondition(std::int64_t n, const PreconditionerView& m, const double* r, double* z) {
  precondition_rows(0, n, n, m, r, z);
}

ASTERISM_CLONES void relax(std::int64_t n, const std::int32_t* row, const PreconditionerView& m, const double* b,
                           const double* q, double* x) {
  double r[32];
  for (std::int64_t i = 0; i < n; i += m.size) {
    for (int k = 0; k < m.size; ++k) r[k] = q != nullptr ? b[row[i + k]] - q[i + k] : b[row[i + k]];
    for (int l = 0; l < m.size; ++l) {
      double sum = 0;
      for (int k = 0; k < m.size; ++k) sum = std::fma(m.inverse[k * n + i + l], r[k], sum);
      x[row[i + l]] = q != nullptr ? x[row[i + l]] + sum : sum;
    }
  }
}

ASTERISM_CLONES Dots residual_dots(std::int64_t n, const double* r, const double* z) {
  Dots d;
  d.rr = dot_inline(n, r, r);
  d.rz = r == z ? d.rr : dot_inline(n, r, z);
  return d;
}

ASTERISM_CLONES Dots update_residual(std::int64_t n, double alpha, const double* q, const double* r_in, double* r_out,
                                     const PreconditionerView& m, double* z) {
  LaneSums rr;
  LaneSums rz;
  const std::int64_t chunk = chunk_rows(m);
  for (std::int64_t begin = 0; begin < n; begin += chunk) {
    const std::int64_t end = begin + chunk < n ? begin + chunk : n;
    std::int64_t i = begin;
    for (; i + lanes <= end; i += lanes) {  // update and sum in one go: loads overlap with the sums
      double r[lanes];
#pragma GCC ivdep
      for (int l = 0; l < lanes; ++l) r[l] = std::fma(-alpha, q[i + l], r_in[i + l]);
#pragma GCC ivdep
      for (int l = 0; l < lanes; ++l) r_out[i + l] = r[l];
      rr.add_products(r, r);
    }
    const std::int64_t rest = i;
    for (; i < end; ++i) r_out[i] = std::fma(-alpha, q[i], r_in[i]);
    rr.add_products(end - rest, r_out + rest, r_out + rest);
    if (m.size > 0) {
      precondition_rows(begin, end, n, m, r_out, z);
      rz.add_products(end - begin, r_out + begin, z + begin);
    }
  }
  Dots d;
  d.rr = rr.total();
  d.rz = m.size > 0 ? rz.total() : d.rr;
  return d;
}

ASTERISM_CLONES void update_direction(std::int64_t n, double alpha, double beta, const double* z, double* x,
                                      double* p) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    const double direction = p[i];
    x[i] = std::fma(alpha, direction, x[i]);
    p[i] = std::fma(beta, direction, z[i]);
  }
}

ASTERISM_CLONES void pack(std::int64_t n, const std::int32_t* index, const double* p, double* out) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) out[i] = p[index[i]];
}

ASTERISM_CLONES Dots pipelined_dots(std::int64_t n, const double* r, const double* u, const double* w) {
  Dots d;
  d.rr = dot_inline(n, r, r);
  d.rz = u == nullptr ? d.rr : dot_inline(n, r, u);
  d.wu = dot_inline(n, w, u == nullptr ? r : u);
  return d;
}

ASTERISM_CLONES Dots pipelined_update(std::int64_t n, double alpha, double beta, const PipelinedVectors& v,
                                      const PreconditionerView& m) {
  LaneSums rr;
  LaneSums rz;
  LaneSums wu;
  const std::int64_t chunk = chunk_rows(m);
  for (std::int64_t begin = 0; begin < n; begin += chunk) {
    const std::int64_t end = begin + chunk < n ? begin + chunk : n;
    if (m.size > 0) {
#pragma GCC ivdep
      for (std::int64_t i = begin; i < end; ++i) {
        v.q[i] = std::fma(beta, v.q[i], v.m[i]);
        v.p[i] = std::fma(beta, v.p[i], v.u[i]);
        v.u[i] = std::fma(-alpha, v.q[i], v.u[i]);
      }
    } else {
#pragma GCC ivdep
      for (std::int64_t i = begin; i < end; ++i) v.p[i] = std::fma(beta, v.p[i], v.r[i]);
    }
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) {
      v.z[i] = std::fma(beta, v.z[i], v.n[i]);
      v.s[i] = std::fma(beta, v.s[i], v.w[i]);
      v.x[i] = std::fma(alpha, v.p[i], v.x[i]);
      v.r[i] = std::fma(-alpha, v.s[i], v.r[i]);
      v.w[i] = std::fma(-alpha, v.z[i], v.w[i]);
    }
    if (m.size > 0) precondition_rows(begin, end, n, m, v.w, v.m);
    const double* u = m.size > 0 ? v.u : v.r;
    const std::int64_t rows = end - begin;
    rr.add_products(rows, v.r + begin, v.r + begin);
    if (m.size > 0) rz.add_products(rows, v.r + begin, u + begin);
    wu.add_products(rows, v.w + begin, u + begin);
  }
  Dots d;
  d.rr = rr.total();
  d.rz = m.size > 0 ? rz.total() : d.rr;
  d.wu = wu.total();
  return d;
}

}  // namespace asterism::cg::cpu
