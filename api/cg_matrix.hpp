// SPDX-License-Identifier: Apache-2.0
// The matrix of a caller as the house has matrices.
#pragma once

#include <asterism/cg.hpp>

#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::v0::cg {

/// The same matrix, in the caller's memory where the types agree. Throws Error (bad_input) for what MatrixView does not
/// allow, naming the array and the place, counted from 0.
asterism::cg::CsrMatrix matrix_of(const MatrixView& view);
asterism::cg::CsrMatrix matrix_of(const Rows& rows);
/// Rows by the caller's function, of this rank as many as of any other, in memory of their own.
asterism::cg::CsrMatrix matrix_of(const MatrixRows& matrix);

/// Throws Error (bad_input), naming `what`, for a length other than `expected` and a value that is not finite.
void require_vector(const char* what, std::span<const double> values, std::int64_t expected);

}  // namespace asterism::v0::cg
