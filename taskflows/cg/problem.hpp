// SPDX-License-Identifier: Apache-2.0
// The problem: A x = b, A sparse, symmetric and positive definite. Which matrix and which right-hand side; the matrices
// that have names are in cases.hpp. Matrices, vectors and arithmetic are in double precision only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/array.hpp"
#include "taskflows/cg/matrix/csr_matrix.hpp"
#include "taskflows/cg/matrix/elasticity.hpp"

namespace asterism::cg {

struct Structure;

/// One of `matrix`, `stencil`, `mesh` and `model` is given.
struct Problem {
  std::string matrix;                    ///< Matrix Market file
  std::string stencil;                   ///< generated: "11pts-128" (matrix/stencil.hpp)
  std::string mesh;                      ///< gmsh file of a body, for linear elasticity
  std::string model;                     ///< TOML file of a structural analysis (structure/model.hpp)
  Element element = Element::p2;         ///< of the mesh
  Numbering numbering = Numbering::rcm;  ///< of its nodes
  std::string rhs = "ones";              ///< b: "ones", "known" (A times ones) or a file; a model has its loads
};

/// The matrix of a problem, of which any rows can be had; all of them once, and last.
struct MatrixSource {
  RowCounts counts;
  std::function<CsrMatrix(std::int64_t first, std::int64_t last)> rows;
  /// Positions of the nodes, which have three rows each, where the problem has any: for amg.
  std::vector<std::array<double, 3>> positions = {};
  std::shared_ptr<const Structure> structure = {};  ///< of a model; else none
};

struct RightHandSide {
  Array<double> b;
  Array<double> known;  ///< the solution, when b was made from one; else empty
};

/// The right-hand side of the rows of `a`, of the problem or of a model. Throws Error (bad_input): a file that cannot
/// be read, or an entry that is not finite.
RightHandSide right_hand_side(const Problem& problem, const CsrMatrix& a, const Structure* model = nullptr);

}  // namespace asterism::cg
