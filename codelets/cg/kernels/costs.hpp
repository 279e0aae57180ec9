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
// On CPUs, slices of diagonals (grid stencils) need no column indices: 8 nnz instead of 12 nnz in the product. The
// bound that programs report stays 12 nnz + 84 N, so they may be faster than it.
// A Jacobi preconditioner reads its N values twice and adds a second dot (+ 16 N bytes, + 4 N flops).
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

}  // namespace asterism::cg
