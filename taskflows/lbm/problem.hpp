// SPDX-License-Identifier: Apache-2.0
// A lattice Boltzmann problem: the domain, its faces, what is in it, and how it begins. Lattice units: cells and time
// steps are 1, densities are near 1, velocities small against the speed of sound 1/sqrt(3).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/precision.hpp"
#include "codelets/lbm/kernels/kernels.hpp"

namespace asterism::lbm {

/// What is beyond a face of the domain.
struct Face {
  bool periodic = false;  ///< both faces of an axis or none
  Wall wall;              ///< of a face that is not periodic; its `face` is filled in
};

/// Density and velocity of a cell.
struct Flow {
  double rho = 1;
  std::array<double, 3> u{0, 0, 0};
};

/// Where the surface of a body cuts the link from a fluid cell to the solid cell in direction j.
struct WallDistance {
  std::int64_t link;  ///< q times the number of the fluid cell, plus j
  double distance;    ///< of the link, 0 to 1 from the fluid cell
};

struct Problem {
  std::array<int, 3> cells{};  ///< nx, ny, nz
  std::array<Face, faces> face;
  Collision collision;
  Precision precision = Precision::double_precision;
  /// nx ny nz bytes, x fastest, 1 where there is no fluid; empty: fluid everywhere
  std::vector<std::uint8_t> solid;
  /// Ascending in `link`; empty: half-way bounce-back. The surface is half-way along links that are not in it.
  std::vector<WallDistance> distances;
  /// Cells of the layer before the outlet at +x that takes up eddies and sound (Sponge); 0: none
  int sponge = 0;
  /// State at time 0 at the centre of a cell, whose indices are given
  std::function<Flow(int x, int y, int z)> initial;
};

/// As an option: "bgk", "trt", "central-moments".
const char* name_of(Collision::Model model);

/// (tau - 1/2)(tau_odd - 1/2) of the model's odd part: all of it, or the third order of central moments. Throws Error
/// (bad input) unless positive.
void set_magic(Collision& collision, double magic);

/// Whether a wall of Kind::parabola at a face has its profile along an axis: one along the face, between walls.
bool is_parabola_along(const Problem& problem, int face, int axis);
/// Velocity of the wall at a face beside a point, in cells.
std::array<double, 3> wall_velocity(const Problem& problem, int face, const std::array<double, 3>& point);

/// Distance of the surface along the link in direction j of cell number `cell`.
double wall_distance(const Problem& problem, std::size_t cell, int j);

/// Kinematic viscosity c_s^2 (tau - 1/2) of a relaxation time, and the other way round.
constexpr double viscosity(double tau) {
  return (tau - 0.5) / 3;
}
constexpr double relaxation_time(double viscosity) {
  return 3 * viscosity + 0.5;
}

/// Throws Error (bad input) with one line for sizes, faces, relaxation times, forces and velocities that cannot work:
/// a non-positive viscosity, a speed beyond half of that of sound, one periodic face of an axis, a velocity that is not
/// finite, a sponge without an outlet at +x and an inlet at -x.
void check(const Problem& problem);

}  // namespace asterism::lbm
