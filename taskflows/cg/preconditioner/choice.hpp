// SPDX-License-Identifier: Apache-2.0
// --preconditioner auto: which preconditioner ends a solve first, from a few steps of conjugate gradient on the matrix
// and counts of bytes. No clock takes part: the same matrix has the same choice.
#pragma once

#include <string>

#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

struct PreconditionerChoice {
  std::string name;    ///< "none", "jacobi" or "amg"
  std::string reason;  ///< in figures
};

/// `node_rows`: rows of a node. The iterations of Jacobi are estimated by sqrt(K) / 2 ln(2 / tolerance), K the
/// condition of D^-1 A as some steps of conjugate gradient see it (from below), and compared with what multigrid costs.
/// A scalar matrix of equal cells, whose iterations are about as many as it is entries across, is told by that alone
/// where these are few, or where it is as wide. A small system that would have multigrid is first solved with Jacobi
/// for a vector of random numbers, which counts the iterations. Where all entries of the diagonal are the same, Jacobi
/// is the same as none. With `on_gpus` nothing is estimated: so many iterations that multigrid would pay, whose set-up
/// is the host's, no few steps can foresee.
PreconditionerChoice choose_preconditioner(const CsrMatrix& a, int node_rows, double tolerance, bool on_gpus = false);

}  // namespace asterism::cg
