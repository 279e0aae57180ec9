// SPDX-License-Identifier: Apache-2.0
// The kernels of conjugate gradient for several right-hand sides at once, on CPUs: `vectors` of them, 2, 4 or 8, lie
// side by side, so that an entry of the matrix is read once for all.
//
//   kernel             formula, for each vector v                      bytes, N rows
//   product            Y_v = A X_v, {P_v.Y_v}                          12 nnz + 20 N vectors
//   update_residual    R_v -= alpha_v Q_v, Z_v = M^-1 R_v, {r.r, r.z}  24 N vectors (*)
//   update_direction   X_v += alpha_v P_v, P_v = Z_v + beta_v P_v      40 N vectors
//   first_direction    P_v = Z_v + beta_v P_v                          24 N vectors
//   interleave, take   rows of vectors that lie apart, and back        16 N vectors
// (*) with preconditioner 16 N vectors + 8 s N bytes more.
//
// Number i of vector v is at i * vectors + v. The arithmetic of each vector is that of kernels.hpp, operation by
// operation; sums are compensated, so that a vector's results are those that it has alone.
#pragma once

#include <cstdint>

#include "codelets/cg/kernels/recurrence.hpp"
#include "codelets/cg/kernels/views.hpp"

namespace asterism::cg::cpu {

/// Most vectors at once.
inline constexpr int most_vectors = 8;

/// y = A x and, unless `sums` is null, sums[v] = p_v.y_v over the rows; p and y have the block's rows, x those of its
/// columns.
void multi_product(int vectors, const SellView& a, const double* x, double* y, const double* p, Sum* sums);

/// r = r - alpha q, z = M^-1 r, dots[v] = {r.r, r.z}. Without preconditioner z is not touched and r.z = r.r.
void multi_update_residual(int vectors, std::int64_t n, const double* alpha, const double* q, double* r,
                           const PreconditionerView& m, double* z, Dots* dots);

/// x += alpha p; p = z + beta p; vectors without a step (alpha = 0) stay as they are.
void multi_update_direction(int vectors, std::int64_t n, const double* alpha, const double* beta, const double* z,
                            double* x, double* p);

/// p = z + beta p
void multi_first_direction(int vectors, std::int64_t n, const double* beta, const double* z, double* p);

/// to = n numbers of each vector; null: zeros.
void interleave(int vectors, std::int64_t n, const double* const* from, double* to);
/// The other way round; null: not wanted.
void take_apart(int vectors, std::int64_t n, const double* from, double* const* to);

}  // namespace asterism::cg::cpu
