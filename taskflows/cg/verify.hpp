// SPDX-License-Identifier: Apache-2.0
// Judges an answer: by its residual in extended precision, and by the distance from the solution that a sparse Cholesky
// factorisation gives (reference.hpp). Neither shares code with the solver.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/verdict.hpp"
#include "taskflows/cg/decomposition.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/matrix/extended_products.hpp"
#include "taskflows/cg/problem.hpp"
#include "taskflows/cg/solver.hpp"

namespace asterism::cg {

struct Verification {
  double residual = 0;               ///< ||b - A x|| / ||b||, accumulated in extended precision
  Verdict by_residual;               ///< whether it is as small as it has to be
  std::optional<Verdict> by_answer;  ///< ||x - x_Cholesky|| / ||x_Cholesky||; none: not compared
  double condition = 0;              ///< largest over smallest eigenvalue, estimated, when compared
  std::string not_compared;          ///< why there was no comparison although one was asked for

  [[nodiscard]] bool right() const { return by_residual.right() && (!by_answer || by_answer->right()); }
  /// That by the answer first: it says more.
  [[nodiscard]] std::vector<Verdict> verdicts() const;
};

/// residual <= tolerance, up to the rounding of a residual in double precision, and the distance from the Cholesky
/// solution within what the residual and the condition allow.
Verification verify(const CsrMatrix& a, std::span<const double> b, std::span<const double> x, double tolerance);

/// What a run leaves behind. Over several ranks: the rows of this rank.
struct Answer {
  const CsrMatrix& a;
  const Partition& partition;
  std::span<const double> b;
  std::span<const double> x;
  const SolveResult& result;
};

/// What an answer has to be.
struct Demand {
  double tolerance = 0;
  /// A run of a fixed number of iterations need not converge: it is right when the residual of its recurrence is the
  /// true one, up to what rounding adds to it in as many iterations.
  bool fixed_iterations = false;
  bool with_reference = false;      ///< --verify: compare with the Cholesky solution where the size allows
  std::string preconditioner = {};  ///< of the solve, for advice where it failed
};

/// Blocking; collective. Over several ranks, rank 0 makes the whole matrix of `problem` once more for the reference,
/// which limits it in size. The verdicts are right on all ranks or on none.
Verification judge(const Problem& problem, const Answer& answer, const Demand& demand);

/// residual_norms() over several ranks, each with its rows of A, b and x; the same result on all of them.
ResidualNorms distributed_residual(const CsrMatrix& a, const Partition& partition, std::span<const double> b,
                                   std::span<const double> x);

}  // namespace asterism::cg
