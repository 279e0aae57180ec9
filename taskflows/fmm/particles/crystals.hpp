// SPDX-License-Identifier: Apache-2.0
// Ionic crystals as generated particles: sites of a lattice with charges +1 and -1 that fill a periodic cube from 0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

enum class Lattice {
  sodium_chloride,  ///< a simple cubic lattice with alternating signs; Madelung's constant is 1.747564594633
  caesium_chloride  ///< two simple cubic lattices, one in the middle of the other's cells; 1.762674773071
};

/// Madelung's constant M: the potential at a site of charge q is -q M / spacing.
double madelung_constant(Lattice lattice);

struct Crystal {
  Lattice lattice = Lattice::sodium_chloride;
  std::size_t particles = 0;  ///< the cube of an even number; of caesium chloride twice a cube
  double spacing = 1;         ///< distance of nearest neighbours
  double displacement = 0;    ///< each coordinate is moved by up to this much, uniformly
};

/// Width of the cube of a crystal. Throws Error (bad_input) for a number of particles that does not fill it, with the
/// next one that does.
double width_of(const Crystal& crystal);
/// A part of the particles of a crystal. A displacement depends on the seed and the number of the particle.
Particles crystal(const Crystal& crystal, std::uint64_t seed, Part part = {});

}  // namespace asterism::fmm
