// SPDX-License-Identifier: Apache-2.0
// Products with a matrix in extended precision (long double), one row after the other: what right-hand sides are made
// with and answers are checked with. They share no code with the kernels.
#pragma once

#include <span>

#include "base/array.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

/// (A x)_i of a whole matrix, not rounded.
long double row_times(const CsrMatrix& a, std::int64_t row, std::span<const double> x);

/// A x, rounded; of a whole matrix.
Array<double> multiply(const CsrMatrix& a, std::span<const double> x);

/// A times ones, rounded: the sum of each row that is here.
Array<double> row_sums(const CsrMatrix& a);

/// The Euclidean norm.
long double extended_norm(std::span<const double> v);

/// How large b - A x is, and the terms that cancel in it; relative to ||b||, or absolute when b = 0.
struct ResidualNorms {
  double residual = 0;   ///< ||b - A x||
  double magnitude = 0;  ///< || |b| + |A| |x| ||: in double precision b - A x is known to about this times 2^-52
};

/// The norms for a whole matrix, in parallel.
ResidualNorms residual_norms(const CsrMatrix& a, std::span<const double> b, std::span<const double> x);

/// ||b - A x|| / ||b|| of a whole matrix (||b - A x|| when b = 0), in parallel.
double extended_residual(const CsrMatrix& a, std::span<const double> b, std::span<const double> x);

}  // namespace asterism::cg
