// SPDX-License-Identifier: Apache-2.0
// An answer that shares no code with the solver: the solution by sparse Cholesky factorisation, with CHOLMOD.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

/// Order of a matrix beyond which a factorisation would take longer than the solve is worth.
inline constexpr std::int64_t largest_factorised = 300'000;

struct CholeskyAnswer {
  std::string why_not;            ///< there is no solution: the matrix or its factor is too large
  bool positive_definite = true;  ///< false: there is no solution
  std::vector<double> x;          ///< the solution
  double smallest = 0;            ///< eigenvalue of A, estimated from above
  double largest = 0;             ///< eigenvalue of A, estimated from below

  [[nodiscard]] double condition() const { return largest / smallest; }
};

/// Why a matrix of order n is not factorised; empty: it may be.
std::string too_large_to_factorise(std::int64_t n);

CholeskyAnswer solve_by_cholesky(const CsrMatrix& a, std::span<const double> b);

}  // namespace asterism::cg
