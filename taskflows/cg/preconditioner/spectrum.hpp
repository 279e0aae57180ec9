// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of D^-1 A, D block diagonal, from the tridiagonal matrix of preconditioned conjugate gradient (Golub and
// Van Loan, Matrix Computations, section 10.2).
#pragma once

#include <vector>

#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

/// Ritz values: the largest is a lower bound, the smallest an upper bound. Both 0 where no step could be taken.
struct Spectrum {
  double smallest = 0;
  double largest = 0;
  int steps = 0;  ///< that were taken
};

/// `size`: rows of a diagonal block; inverse[row * size + k]: of the blocks, by rows. Beginning with a vector of
/// numbers at random that are the same in every run. It ends before `most` steps where the residual, in the norm of
/// D^-1, has fallen to `reduction` of the first.
Spectrum estimate_spectrum(const CsrMatrix& a, int size, const std::vector<double>& inverse, int most,
                           double reduction = 0);

}  // namespace asterism::cg
