// The CPU kernels of conjugate gradient: plain functions on pointers and sizes, vectorised, no allocation.
// Vectors are contiguous, indices local to the block. Each row of a product is summed in the order of its
// entries with fused multiply-adds, and dot products are compensated: results do not depend on the blocks.
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

/// z = M^-1 r; n is a multiple of m.size.
void precondition(std::int64_t n, const PreconditionerView& m, const double* r, double* z);

/// r_out = r_in - alpha q, z = M^-1 r_out, and {r.r, r.z}. Without preconditioner z is not touched and
/// r.z = r.r. r_in may be r_out. 24 N bytes.
Dots update_residual(std::int64_t n, double alpha, const double* q, const double* r_in, double* r_out,
                     const PreconditionerView& m, double* z);

/// {r.r, r.z}; z == r gives r.z = r.r.
Dots residual_dots(std::int64_t n, const double* r, const double* z);

/// x += alpha p; p = z + beta p. 40 N bytes.
void update_direction(std::int64_t n, double alpha, double beta, const double* z, double* x, double* p);

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
