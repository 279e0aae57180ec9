// SPDX-License-Identifier: Apache-2.0
// The permittivity of a cell of the dual grid that a plane surface crosses, between two dielectrics: a matrix of the
// six half edges that meet in the node at its centre.
//
// D normal to the surface and E along it are the same on both sides. Of such a piecewise constant field, whose three
// values F are (D_n, E_t1, E_t2), the cell has on its six faces the means of D, R F, and between its node and its faces
// the voltages N F (by the lengths L_a of the cell). With
//   R = (n_a, t1_a <eps>, t2_a <eps>),  <> over a face that is normal to axis a
//   N = of D_n: potential at the face, height of its half edge's end over the plane by <eps>, less that of the node,
//       which is the mean of those faces, by 1 - n_a^2; of E_t: along the half edges, of length h
//   W = R^T N, which is mean(1/eps) in the first place and mean(eps) in the others, and symmetric
// the matrix from means of D over the faces to voltages of half edges
//   K = N W^-1 N^T + P^T S P,  P = 1 - R W^-1 N^T,  S = max(n_a N_Dn, 0) + (1 - n_a^2) h / (L_a <eps>)
// has K R = N, so it is exact for such fields, and is symmetric and positive, so the energy is kept. As the voltage of
// an edge is the sum of its halves, means over faces drop out, and E stays free of curl where the field is. This is the
// construction of mimetic finite differences (Brezzi, Lipnikov, Simoncini, Mathematical Models and Methods in Applied
// Sciences 15, 1533, 2005) on the dual grid of Yee's scheme. Tensors averaged to be symmetric are of first order
// (Werner, Bauer, Cary, Journal of Computational Physics 255, 436, 2013).
#pragma once

#include <array>
#include <optional>

namespace asterism::fdtd::scene {

/// normal . x = offset, from the node; unit normal, m.
struct SurfacePlane {
  std::array<double, 3> normal{};
  double offset = 0;
  double eps_below = 1;  ///< where normal . x < offset
  double eps_above = 1;
};

/// Two unit vectors at right angles to a normal and to each other.
std::array<std::array<double, 3>, 2> tangents(const std::array<double, 3>& normal);

/// The cell of the dual grid: lengths of half edges below and above its node, m.
struct DualCell {
  std::array<double, 3> below{}, above{};
  [[nodiscard]] double half(std::size_t f) const { return f % 2 == 0 ? below[f / 2] : above[f / 2]; }
  [[nodiscard]] double length(std::size_t axis) const { return below[axis] + above[axis]; }
};

/// Half edges in the order -x, +x, -y, +y, -z, +z: their voltages, by the length of the cell along the axis, of D of
/// the edges that meet in the node, relative to 1/eps0. A cell of one material has h / (L_a eps) of each.
using SurfaceMatrix = std::array<std::array<double, 6>, 6>;
/// None where the plane does not cross the cell.
std::optional<SurfaceMatrix> surface_matrix(const SurfacePlane& plane, const DualCell& cell);

}  // namespace asterism::fdtd::scene
