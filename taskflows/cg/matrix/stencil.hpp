// SPDX-License-Identifier: Apache-2.0
// Matrices of finite differences on regular grids, truncated at the boundary (Dirichlet), symmetric
// positive definite.
#pragma once

#include <cstdint>
#include <string>

#include "taskflows/cg/matrix/csr_matrix.hpp"

namespace asterism::cg {

enum class StencilKind {
  points5,   ///< 2D: 4 on the diagonal, -1 for each neighbour
  points7,   ///< 3D: 6 on the diagonal, -1 for each neighbour
  points11,  ///< 3D: nine points (1/6)[-1 -4 -1; -4 20 -4; -1 -4 -1] in each xy plane, [-1 2 -1] along z
};

struct Stencil {
  StencilKind kind = StencilKind::points11;
  std::int64_t nx = 1;
  std::int64_t ny = 1;
  std::int64_t nz = 1;  ///< 1 in 2D
};

/// "5pts-1000", "7pts-64", "11pts-128", or with a size per axis "11pts-64x48x32" ("5pts-300x200").
/// Throws Error (bad_input).
Stencil parse_stencil(const std::string& text);

/// The matrix; grid point (x, y, z) is row x + nx (y + ny z). In parallel. Throws Error (bad_input) when the
/// grid has 2^31 points or more.
CsrMatrix assemble_stencil(const Stencil& stencil);
/// Rows [first, last) of the matrix, without the others.
CsrMatrix assemble_stencil(const Stencil& stencil, std::int64_t first, std::int64_t last);
/// How many entries its rows have, without the matrix. Throws as assemble_stencil does.
RowCounts row_counts(const Stencil& stencil);

}  // namespace asterism::cg
