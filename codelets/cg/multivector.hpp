// SPDX-License-Identifier: Apache-2.0
// The StarPU codelets of conjugate gradient with several right-hand sides at once, on CPUs: each wraps a kernel of
// kernels/multivector.hpp. Next to each: the data that a task must be submitted with, in order. The vectors of a
// block-row are in main memory, where the arguments name them; their data are `own` (x, q, r, z) and the piece of p.
#pragma once

#include <cstdint>

#include "codelets/cg/codelets.hpp"
#include "codelets/cg/kernels/multivector.hpp"

namespace asterism::cg::codelets {

/// The vectors of a block-row, side by side, and its part of the matrix.
struct MultiBlock {
  BlockLayout layout;
  std::int64_t first = 0;  ///< row of the matrix
  std::int64_t rows = 0;
  double* x = nullptr;
  double* q = nullptr;
  double* r = nullptr;
  double* z = nullptr;  ///< r without preconditioner
  double* p = nullptr;  ///< this block-row's piece
  /// The columns of the matrix refer to it: all rows of p, or the piece with the halo behind it.
  const double* window = nullptr;
  std::int64_t halo = 0;                     ///< rows of other pieces behind the own one
  const double* const* halo_from = nullptr;  ///< where each of them is
  PreconditionerView m{};
};

struct MultiArgs {
  const MultiBlock* block;  ///< null: of the scalars
  std::int32_t vectors;
  std::int32_t partials;  ///< contributions that are read
  std::int32_t slot;      ///< of the history, in iterations
  /// All rows of each vector, in the caller's memory; null: zeros, or not wanted
  const double* const* from;
  double* const* to;
};

/// x = from.  own W
extern Codelet multi_load;
/// r = from.  own RW
extern Codelet multi_load_right;
/// to = x.  own R
extern Codelet multi_store;
/// p = x.  own R, p W
extern Codelet multi_copy;
/// The halo of p, and q = A p.  A R, own RW, all pieces of p R
extern Codelet multi_product;
/// As this, with {p.q}.  A R, own RW, sums W, all pieces of p R
extern Codelet multi_product_dot;
/// r -= alpha q, z = M^-1 r, {r.r, r.z}.  states R, own RW, dots W
extern Codelet multi_residual;
/// x += alpha p, p = z + beta p.  states R, own RW, p RW
extern Codelet multi_direction;
/// p = z + beta p.  states R, own R, p RW
extern Codelet multi_first_direction;
/// The scalars of all vectors, from the contributions of block-rows.  states RW, contributions R (any number)
extern Codelet multi_begin;
extern Codelet multi_alpha;
/// As these, and an entry of the history for each vector.  states RW, contributions R (any number), history RW
extern Codelet multi_beta;

}  // namespace asterism::cg::codelets
