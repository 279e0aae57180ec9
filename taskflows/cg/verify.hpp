// Checks a solution against answers that share no code with the solver.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/partition.hpp"

namespace asterism::cg {

/// Order of a matrix beyond which a factorisation would take longer than the solve is worth.
inline constexpr std::int64_t largest_factorised = 300'000;

struct Verification {
  double residual = 0;    ///< ||b - A x|| / ||b||, accumulated in extended precision
  bool compared = false;  ///< with the solution of a sparse Cholesky factorisation
  std::string why_not;    ///< when not compared
  double difference = 0;  ///< ||x - x_cholesky|| / ||x_cholesky||
  double condition = 0;   ///< largest over smallest eigenvalue, estimated
  double allowed = 0;     ///< of the difference, from the residual and the condition
  bool passed = false;
  std::string complaint;  ///< when not passed
};

/// residual <= tolerance, and the difference within what the residual and the condition allow.
Verification verify(const CsrMatrix& a, std::span<const double> b, std::span<const double> x, double tolerance);

/// ||b - A x|| / ||b|| in extended precision (||b - A x|| when b = 0), in parallel.
double extended_residual(const CsrMatrix& a, std::span<const double> b, std::span<const double> x);

/// The same over several ranks, each with its rows of A, b and x; the same result on all of them.
double extended_residual(const CsrMatrix& a, const Partition& partition, std::span<const double> b,
                         std::span<const double> x);

/// Each row's sum in extended precision, rounded: A times ones.
Array<double> row_sums(const CsrMatrix& a);

/// A x in extended precision, rounded.
Array<double> multiply(const CsrMatrix& a, std::span<const double> x);

}  // namespace asterism::cg
