// SPDX-License-Identifier: Apache-2.0
// Velocities with which a generated star cluster is in equilibrium.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

/// Gives a part of the n particles of plummer(n, seed) the velocities of Plummer's isotropic distribution function,
///   f(E) ~ (-E)^(7/2):  the speed at radius r is q sqrt(2 G M) (r^2 + s^2)^(-1/4)
/// with 0 <= q <= 1 of density q^2 (1 - q^2)^(7/2), drawn by rejection, in a uniform direction (Aarseth, Henon and
/// Wielen, Astronomy and Astrophysics 37, 1974, appendix). M is the mass of the whole model, of which the cluster,
/// cut at r = 10 s, has 98.5 %. Virial units (Heggie and Mathieu, 1986: G = M = 1, E = -1/4, virial radius 1) have the
/// scale length s = 3 pi / 16; here s = 0.05, so with G = M = 1 a length is 11.78 times and a time 40.4 times as long
/// in virial units. `mass`: the sum of all particles' masses; `gravity`: G. Particle i depends on (seed, i) only.
void set_equilibrium_velocities(Particles& particles, std::size_t n, std::uint64_t seed, const Part& part,
                                double gravity, double mass);

/// G M^(5/2) / (2 |E|)^(3/2), the time that a star needs to cross the cluster: 2 sqrt(2) in virial units.
double crossing_time(double gravity, double mass, double energy);

}  // namespace asterism::fmm
