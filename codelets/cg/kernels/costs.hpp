// SPDX-License-Identifier: Apache-2.0
// Bytes moved and flops done by one iteration: the only place where they are written. The programs, the
// benchmarks and the tables read them here.
//
//   per iteration                      bytes                       flops
//   SpMV q = A p                       12 nnz + 20 N               2 nnz
//     (values 8, columns 4; row offsets 4 N, p 8 N, q 8 N)
//   fused with p.q                     + 0                         + 2 N
//   r -= alpha q, r.r       (fused)    24 N                        4 N
//   x += alpha p, p = r + beta p       40 N                        4 N
//   -------------------------------------------------------------------------
//   fused iteration                    12 nnz + 84 N               2 nnz + 10 N
//   separate kernels (paper)           12 nnz + 116 N              2 nnz + 10 N
//   pipelined iteration                12 nnz + 124 N              2 nnz + 18 N
// Slices of diagonals (grid stencils) need no column indices: 8 nnz instead of 12 nnz in the product. The bound that
// programs report stays 12 nnz + 84 N, so they may be faster than it.
// A Jacobi preconditioner reads its N values twice and adds a second dot (+ 16 N bytes, + 4 N flops).
//
// The functions of namespace costs are what one task is counted with: its codelet gives them to StarPU.
#pragma once

namespace asterism::cg {

enum class Iteration { separate, fused, pipelined };

/// Bytes that one iteration must move through memory when every vector is larger than the caches.
inline double iteration_bytes(Iteration kind, double nnz, double n, int preconditioner_block = 0) {
  const double vectors = kind == Iteration::fused ? 84 : kind == Iteration::separate ? 116 : 124;
  // block-Jacobi: `block` inverse entries per row read once, z written and read once
  const double preconditioner = preconditioner_block == 0 ? 0 : 8.0 * preconditioner_block + 16;
  return 12 * nnz + (vectors + preconditioner) * n;
}

/// Floating-point operations of one iteration.
inline double iteration_flops(Iteration kind, double nnz, double n, int preconditioner_block = 0) {
  const double vectors = kind == Iteration::pipelined ? 18 : 10;
  return 2 * nnz + (vectors + (preconditioner_block == 0 ? 0 : 2.0 * preconditioner_block + 2)) * n;
}

namespace costs {

/// y = A x, or y += A x, with p.y over the rows.
inline double product_flops(double nnz, double rows, bool with_dot) {
  return 2 * nnz + (with_dot ? 2 * rows : 0);
}
/// x.y
inline double dot_flops(double n) {
  return 2 * n;
}
/// y += alpha x
inline double axpy_flops(double n) {
  return 2 * n;
}
/// p = z + beta p
inline double scal_axpy_flops(double n) {
  return 2 * n;
}
/// z = M^-1 r, diagonal blocks of `block` rows.
inline double precondition_flops(double n, int block) {
  return 2.0 * block * n;
}
/// d = w M^-1 (b - q)
inline double smooth_first_flops(double n, int block) {
  return (2.0 * block + 2) * n;
}
/// x += e d - w M^-1 q
inline double smooth_second_flops(double n, int block) {
  return (2.0 * block + 4) * n;
}
/// r = r_in - alpha q, z = M^-1 r, {r.r, r.z}; block 0: without preconditioner.
inline double residual_flops(double n, int block) {
  return (4 + (block > 0 ? 2.0 * block + 2 : 0)) * n;
}
/// x += alpha p; p = z + beta p.
inline double direction_flops(double n) {
  return 4 * n;
}
/// One step of pipelined CG; block 0: without preconditioner.
inline double pipelined_flops(double n, int block) {
  return (18 + (block > 0 ? 2.0 * block + 6 : 0)) * n;
}

}  // namespace costs

}  // namespace asterism::cg
