// SPDX-License-Identifier: Apache-2.0
// The hierarchy of smoothed aggregation multigrid (P. Vanek, J. Mandel, M. Brezina, "Algebraic multigrid by smoothed
// aggregation for second and fourth order elliptic problems", Computing 56 (1996)):
//     tentative P^: the near-nullspace restricted to each aggregate, orthonormal;  P = (I - omega D^-1 A) P^
//     A_coarse = P^T A P
// It depends on the matrix alone, not on block-rows, ranks or threads: preconditioned iterates are bit-identical for
// every division.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/preconditioner/sparse_blocks.hpp"

namespace asterism::cg {

/// Vectors that A nearly annihilates: what coarse unknowns stand for. column[m][i], of rows() values each.
using NearNullspace = std::vector<std::vector<double>>;

/// Rows of a node, found from the places of the entries: 3 or 2 where nearly all groups of so many consecutive rows
/// name the same columns in whole groups, else 1.
int rows_of_nodes(const CsrMatrix& a);

/// One vector per row of a node: 1 in that row. Constants of a scalar problem, translations of a body.
NearNullspace component_constants(std::int64_t rows, int size);
/// The six rigid motions: three translations, three rotations about the centre. `position`: of each node.
NearNullspace rigid_motions(const std::vector<std::array<double, 3>>& position);

struct Level {
  int size = 1;                     ///< rows of a node, which the smoother's diagonal blocks have
  CsrMatrix a;                      ///< level 0: over several ranks the whole matrix, else empty
  std::vector<double> inverse;      ///< of the diagonal blocks, row by row: inverse[row * size + k]
  double largest = 0;               ///< bound of the eigenvalues of D^-1 A
  double smoothed_share = 0;        ///< the smoother acts on those between the largest and this share of it
  CsrMatrix p;                      ///< from the next level to this one; empty on the last
  CsrMatrix r;                      ///< its transpose
  std::vector<std::int64_t> first;  ///< of each node of the next level: the first row of its aggregate
  std::int64_t rows = 0;
};

struct Hierarchy {
  std::vector<Level> level;
  std::vector<std::int32_t> colour;  ///< of each node, for Gauss-Seidel on the one level (gauss_seidel.hpp)
  /// Inverse of the last level's matrix, dense, by rows; empty when it is too large: then the smoother alone acts
  /// there.
  CsrMatrix inverse;
  double operator_complexity = 1;  ///< entries of all levels over those of the first
  double seconds = 0;              ///< that it took to make
};

/// Inverses of the diagonal blocks, as Level::inverse. Throws Error (bad_input), naming the preconditioner, when one
/// shows that A is not positive definite.
std::vector<double> inverse_diagonal(const SparseBlocks& a, const std::string& preconditioner, const std::string& name);

/// Rows of the coarsest level, at most: its inverse is dense.
inline constexpr std::int64_t coarsest_rows = 400;

/// `size`: rows of a node. Throws Error (bad_input) when a diagonal block or the coarsest matrix shows that A is not
/// positive definite.
Hierarchy smoothed_aggregation(const CsrMatrix& a, int size, NearNullspace modes);

}  // namespace asterism::cg
