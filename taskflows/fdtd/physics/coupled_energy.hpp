// SPDX-License-Identifier: Apache-2.0
// The electric energy of edges that a surface across the grid couples. With xi the inverse of the relative
// permittivity, a symmetric, positive matrix of edges, it is eps0/2 times the volume of a cell times E . x, where xi x
// = E.
#pragma once

#include <array>
#include <vector>

#include "taskflows/fdtd/problem.hpp"

namespace asterism::fdtd {

/// An edge with the inverse of its diagonal element of xi.
struct CoupledEdge {
  int component;
  std::array<int, 3> cell;
  double relative;
  double e;  ///< V/m
};

/// E . x less the sum of relative e^2 over the edges, which are those of `couplings`, each once, in any order. By
/// conjugate gradients. Does not depend on the order. Throws Error (failed) for a matrix that is not positive.
double coupled_part(const std::vector<Coupling>& couplings, std::vector<CoupledEdge> edges);

}  // namespace asterism::fdtd
