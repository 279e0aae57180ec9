// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of D^-1 A, D block diagonal, from the tridiagonal matrix of preconditioned conjugate gradient (Golub and
// Van Loan, Matrix Computations, section 10.2).
#pragma once

#include <vector>

#include "taskflows/cg/preconditioner/sparse_blocks.hpp"

namespace asterism::cg {

/// Ritz values: the largest is a lower bound, the smallest an upper bound. Both 0 where no step could be taken.
struct Spectrum {
  double smallest = 0;
  double largest = 0;
  int steps = 0;  ///< that were taken
};

/// inverse: of the diagonal blocks, one after the other, by rows. Beginning with a vector of numbers at random that are
/// the same in every run. It ends before `most` steps where the residual, in the norm of D^-1, has fallen to
/// `reduction` of the first.
Spectrum estimate_spectrum(const SparseBlocks& a, const std::vector<double>& inverse, int most, double reduction = 0);

/// No eigenvalue of D^-1 A, D its diagonal, is larger (Gershgorin): the largest sum of a row's |entries| over its
/// diagonal entry. Of blocks of one row.
double row_sum_bound(const SparseBlocks& a, const std::vector<double>& inverse);

}  // namespace asterism::cg
