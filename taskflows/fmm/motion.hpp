// SPDX-License-Identifier: Apache-2.0
// Particles of unit mass that the forces move, velocity Verlet:
//   v += f dt / 2,  x += v dt,  then f at the new places,  v += f dt / 2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

struct Motion {
  Motion() = default;
  /// Particles at rest.
  explicit Motion(std::size_t particles);

  std::int64_t step = 0;  ///< steps done
  Array<double> vx, vy, vz;
};

/// v += f dt / 2.
void kick(Motion& motion, const Result& forces, double dt);
/// x += v dt. Throws Error (failed) for a particle whose place is not finite any more; it is numbered from `first`.
void drift(const Motion& motion, double dt, Particles& particles, std::size_t first);

}  // namespace asterism::fmm
