// SPDX-License-Identifier: Apache-2.0
// Distributions of particles for tests and benchmarks. Particle i of a seed depends on (seed, i) only: it is the same
// for any number of threads, and the first n particles are the same for every larger n; a part of them is made without
// the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

enum class Charges {
  random_signs,  ///< +0.5 or -0.5, each with probability 1/2
  uniform01,     ///< uniform in [0, 1)
  ones,          ///< 1
  shares,        ///< 1 / n: masses whose sum is 1
  neutral,       ///< uniform in (-1, 1), multiples of 2^-24 that sum to 0 exactly, in any order of summation
};

/// Uniform in the volume of the unit cube [0, 1)^3.
Particles cube(std::size_t n, std::uint64_t seed, Charges charges, Part part = {});

/// On the surface of the ellipsoid with semi-axes (a, b, a) = (0.1, 0.5, 0.1) around (0.5, 0.5, 0.5), aspect ratio
/// 1 : 5 : 1, so that y spans [0, 1]: the image of points uniform on the unit sphere,
///   s = 2u - 1, phi = 2 pi v,  x = 0.5 + a sqrt(1 - s^2) cos phi,  y = 0.5 + b s,  z = 0.5 + a sqrt(1 - s^2) sin phi
/// with u, v uniform in [0, 1). Per unit of area, the tips y = 0 and y = 1 are b / a = 5 times as dense as the equator.
Particles ellipsoid(std::size_t n, std::uint64_t seed, Charges charges, Part part = {});

/// As the particles of Inria RR-8513: on the surface of an ellipsoid of the same size that lies oblique to the axes,
/// its long axis along (cos 45 cos 22.5, sin 45 cos 22.5, -sin 22.5) (degrees), "with a higher density at the
/// extremities": where t in [-1, 1] is the place along the long axis, the density of t is in proportion to sqrt(1 -
/// t^2) (1 + 10 |t|), the circumference there times a factor that rises to the tips. The paper shows a picture only;
/// angles and factor are those of its authors' library (ScalFMM, Src/Files/FGenerateDistribution.hpp), and meet all
/// figures of its table 4 with the unit cube as the tree's box.
Particles tilted_ellipsoid(std::size_t n, std::uint64_t seed, Charges charges, Part part = {});

/// Uniform on the surface of the sphere of radius 0.5 around (0.5, 0.5, 0.5).
Particles sphere(std::size_t n, std::uint64_t seed, Charges charges, Part part = {});

/// The middle of the distributions, in each direction.
inline constexpr double generated_center = 0.5;
/// Scale length of plummer(), and the share of the model's mass that is within its cut.
inline constexpr double plummer_scale = 0.05;
double plummer_share_within_cut();

/// Plummer's model of a star cluster: the mass within r is r^3 / (r^2 + s^2)^(3/2), scale length s = 0.05, directions
/// uniform, cut at r = 0.5 (so that 98.5 % of the model is kept) around (0.5, 0.5, 0.5).
Particles plummer(std::size_t n, std::uint64_t seed, Charges charges, Part part = {});

}  // namespace asterism::fmm
