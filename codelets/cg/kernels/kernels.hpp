// SPDX-License-Identifier: Apache-2.0
// The mathematics of conjugate gradient, and the CPU kernels that compute it: plain functions on pointers and sizes,
// vectorised, no allocation. The CUDA kernels of kernels_cuda.hpp have the same names and the same arithmetic.
//
//   kernel             formula                                  shapes        bytes          flops
//   spmv               y = A x, y += A x                        n x m, m, n   12 nnz + 20 n  2 nnz
//   spmv_dot           the same with p.y                        n x m, m, n   12 nnz + 20 n  2 nnz + 2 n
//   dot                x.y                                      n             16 n           2 n
//   axpy               y += a x                                 n             24 n           2 n
//   xpby               y = x + b y                              n             24 n           2 n
//   precondition       z = M^-1 r, blocks of s rows             n, s n        16 n + 8 s n   2 s n
//   residual_dots      {r.r, r.z}                               n             16 n           4 n
//   update_residual    r -= alpha q, z = M^-1 r, {r.r, r.z}     n, s n        24 n (*)       4 n (*)
//   update_direction   x += alpha p, p = z + beta p             n             40 n           4 n
//   pack               out_k = p[index_k]                       n             20 n           0
//   pipelined_update   a step of Ghysels and Vanroose's method  n, s n        104 n (*)      18 n (*)
//   pipelined_dots     {r.r, r.u, w.u}                          n             24 n           6 n
//   smooth_first       d = w M^-1 (b - A x)                     n, s n        12 nnz + 24 n + 8 s n  2 nnz + 2 s n + 2
//   n smooth_second      x += e d - w M^-1 A d                    n, s n        12 nnz + 24 n + 8 s n  2 nnz + 2 s n +
//   4 n relax              x = x + M^-1 (b - q) in rows of a list     n, s n        36 n + 8 s n   2 s n + 2 n defect
//   t = b - A x                              n             12 nnz + 24 n  2 nnz + n begin, alpha_step, beta_step,
//   pipelined_step: the scalars, recurrence.hpp Sum, add, value: compensated sums, compensated.hpp several vectors side
//   by side, for several right-hand sides at once: multivector.hpp
// (*) with preconditioner 16 n + 8 s n bytes and 2 s n + 2 n flops more. What tasks and iterations are counted with
// is in costs.hpp, the formats of A in views.hpp and block_layout.hpp.
//
// Vectors are contiguous, indices local to the block. Each row of a product is summed in the order of its entries with
// fused multiply-adds, and dot products are compensated: results do not depend on the number of blocks.
#pragma once

#include <cstdint>

#include "codelets/cg/kernels/recurrence.hpp"
#include "codelets/cg/kernels/views.hpp"

namespace asterism::cg::cpu {

/// y = A x, or y += A x when `accumulate` (y then continues each row's sum).
void spmv(const CsrView& a, const double* x, double* y, bool accumulate);
void spmv(const SellView& a, const double* x, double* y, bool accumulate);

/// y = A x (or +=) and the dot product p.y over the rows, p local to the block. 12 nnz + 20 N bytes.
/// ProductDot::own: y += A x computed apart from y, and p.(A x).
Sum spmv_dot(const SellView& a, const double* x, double* y, bool accumulate, const double* p,
             ProductDot dot = ProductDot::total);
Sum spmv_dot(const CsrView& a, const double* x, double* y, bool accumulate, const double* p);

/// x.y
Sum dot(std::int64_t n, const double* x, const double* y);

/// y += a x
void axpy(std::int64_t n, double a, const double* x, double* y);

/// y = x + b y (the paper's scal-axpy)
void xpby(std::int64_t n, const double* x, double b, double* y);

/// z = M^-1 r; the last diagonal block has the rows that are left.
void precondition(std::int64_t n, const PreconditionerView& m, const double* r, double* z);

/// r_out = r_in - alpha q, z = M^-1 r_out, and {r.r, r.z}. Without preconditioner z is not touched and
/// r.z = r.r. r_in may be r_out. 24 N bytes.
Dots update_residual(std::int64_t n, double alpha, const double* q, const double* r_in, double* r_out,
                     const PreconditionerView& m, double* z);

/// {r.r, r.z}; z == r gives r.z = r.r.
Dots residual_dots(std::int64_t n, const double* r, const double* z);

/// x += alpha p; p = z + beta p. 40 N bytes.
void update_direction(std::int64_t n, double alpha, double beta, const double* z, double* x, double* p);

/// The first step of a polynomial smoother: d = w M^-1 (b - A x), a null: x is 0. Of n rows; x: all elements that the
/// columns of A count.
void smooth_first(std::int64_t n, const SellView* a, const double* x, const PreconditionerView& m, double w,
                  const double* b, double* d);

/// The first and the second step: x += e d - w M^-1 A d, or with `add` false x = that. d_all: all elements of d that
/// the columns of A count, d those of its n rows.
void smooth_second(std::int64_t n, const SellView& a, const double* d_all, const PreconditionerView& m, double e,
                   double w, const double* d, bool add, double* x);

/// The rows row[i] of a block, whole nodes of m.size: x = x + M^-1 (b - q), q[i] that of row[i]. q null: x is 0, and
/// these rows are written only.
void relax(std::int64_t n, const std::int32_t* row, const PreconditionerView& m, const double* b, const double* q,
           double* x);

/// t = b - A x
void defect(const SellView& a, const double* x, const double* b, double* t);

/// out[k] = p[index[k]]
void pack(std::int64_t n, const std::int32_t* index, const double* p, double* out);

/// Vectors of one block of pipelined CG. Without preconditioner u = r, q = s, m = w: pass u = q = nullptr.
struct PipelinedVectors {
  const double* n;  ///< A m
  double* z;
  double* q;
  double* s;
  double* p;
  double* x;
  double* r;
  double* u;
  double* w;
  double* m;  ///< the vector multiplied next: M^-1 w (w itself without preconditioner)
};

/// One step of pipelined CG: z = n + beta z, q = m + beta q, s = w + beta s, p = u + beta p, x += alpha p,
/// r -= alpha s, u -= alpha q, w -= alpha z, m = M^-1 w; returns {r.r, r.u, w.u}.
Dots pipelined_update(std::int64_t n, double alpha, double beta, const PipelinedVectors& v,
                      const PreconditionerView& m);

/// {r.r, r.u, w.u} (u == nullptr: u = r)
Dots pipelined_dots(std::int64_t n, const double* r, const double* u, const double* w);

}  // namespace asterism::cg::cpu
