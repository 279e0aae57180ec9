// SPDX-License-Identifier: Apache-2.0
// The matrices that have names: finite differences on grids ("11pts-128", matrix/stencil.hpp), Matrix Market and SciPy
// files, linear elasticity on the meshes of gmsh files (matrix/elasticity.hpp), and models of structures
// (structure/model.hpp).
#pragma once

#include "taskflows/cg/problem.hpp"

namespace asterism::cg {

/// The matrix that the problem names. A file is read here, and checked for symmetry and a positive diagonal; the rows
/// of a stencil are made when they are asked for. Throws Error (bad_input).
MatrixSource open_matrix(const Problem& problem);

}  // namespace asterism::cg
