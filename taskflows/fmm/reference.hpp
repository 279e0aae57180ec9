// SPDX-License-Identifier: Apache-2.0
// Direct summation: potential and field at a point from all particles, an answer that shares no code with tree,
// expansions and kernels but the formulas K and K'/r of the interaction, which tests/taskflows/fmm/test_flow.cpp writes
// again.
#pragma once

#include "taskflows/fmm/particles/particles.hpp"
#include "taskflows/fmm/problem.hpp"

namespace asterism::fmm {

/// Sums over particles at one point.
struct FieldSums {
  double potential = 0;           ///< sum of q_j K(r_j)
  double fx = 0, fy = 0, fz = 0;  ///< minus the gradient of the potential
  double coincident = 0;          ///< charges at the point itself, which are in none of the sums
  void add(const FieldSums& other);
};

/// Potential and field at (x, y, z) from these particles but those that are there. Sums of blocks are added, so that
/// rounding stays far below any accuracy asked for.
FieldSums direct_sums(const Interaction& interaction, const Particles& particles, double x, double y, double z);

}  // namespace asterism::fmm
