// SPDX-License-Identifier: Apache-2.0
// The interaction of a periodic tree's root with all images of itself but the nearest, which near lists and M2L have:
// from the moments of the root to its local expansion, by the interpolation of equations 2 and 3 of RR-8513 with the
// sum over the images (lattice_sum.hpp) as the kernel.
#pragma once

#include <vector>

#include "codelets/fmm/kernels/far/m2l_operators.hpp"
#include "taskflows/fmm/problem.hpp"

namespace asterism::fmm {

/// As primitive_operators() for half width 1: the first, of direction (2, 0, 0), is that of the images of a box whose
/// first `periodic` directions (1 to 3) are periodic; the others have rank 0. A second for the highest accuracy.
std::vector<PrimitiveOperator> lattice_operators(const Basis& basis, const Accuracy& accuracy, int periodic);

}  // namespace asterism::fmm
