// SPDX-License-Identifier: Apache-2.0
// The Hertzian dipole: a current I along a length l much shorter than the wavelength. Ampere's law on one Yee cell
// gives
//   E <- E - dt / (eps0 dx dy dz) I l (t at n + 1/2)
// at the end of the step from n to n + 1, times B of curl.hpp where the entry is not in the background.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/fdtd/kernels/grid.hpp"

namespace asterism::fdtd {

/// To an entry of E of the domain: factor times the current moment, A m.
struct Addition {
  std::int32_t component;
  std::int32_t entry[3];
  double factor;
};

/// E of one volt per metre for each A m that flows during a step.
constexpr double dipole_factor(double dt, double eps0, const double (&spacing)[3]) {
  return -dt / (eps0 * spacing[0] * spacing[1] * spacing[2]);
}

/// Along an axis, in the middle of the edge of the entry.
inline Addition dipole_on_edge(int axis, const std::int32_t (&entry)[3], double factor) {
  return {axis, {entry[0], entry[1], entry[2]}, factor};
}

/// A dipole of any direction, on a node of the lattice: of each component of it, half on the edge before the node and
/// half on the one after. `direction`: its length multiplies the current moment.
inline std::vector<Addition> dipole_on_node(const double (&direction)[3], const std::int32_t (&node)[3],
                                            double factor) {
  std::vector<Addition> additions;
  for (int a = 0; a < 3; ++a) {
    if (direction[a] == 0) continue;
    for (const int side : {-1, 0}) {
      Addition half = dipole_on_edge(a, node, factor * direction[a] / 2);
      half.entry[a] += side;
      additions.push_back(half);
    }
  }
  return additions;
}

}  // namespace asterism::fdtd
