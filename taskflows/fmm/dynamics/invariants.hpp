// SPDX-License-Identifier: Apache-2.0
// Energies, momentum, and the size of a cluster, from particles and what was computed on them. Sums are compensated
// (Neumaier, Zeitschrift fuer angewandte Mathematik und Mechanik 54, 1974), so that they depend on the number of
// processes by rounding of the result alone. All ranks call these together and get the same numbers.
#pragma once

#include <array>

#include "taskflows/fmm/motion.hpp"
#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

/// 1/2 sum q_i phi_i: the work to bring the particles together from infinity.
double potential_energy(const Particles& particles, const Result& result);

/// Kinetic energy, momentum and angular momentum about the origin of the moving particles, and their potential energy.
Invariants invariants_of(const Particles& particles, const Result& result, const Motion& motion);

/// Sum of the charges: of gravity, the total mass.
double total_charge(const Particles& particles);

/// The radii about the centre of mass that hold these shares of the mass (Lagrangian radii): of each, the distance of
/// the first particle with which the sum of masses, from the centre outwards, reaches the share. `charge` is the mass.
inline constexpr std::array<double, 3> lagrangian_shares{0.1, 0.5, 0.9};
std::array<double, lagrangian_shares.size()> lagrangian_radii(const Particles& particles);

}  // namespace asterism::fmm
