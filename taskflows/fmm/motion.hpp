// SPDX-License-Identifier: Apache-2.0
// Particles that the forces move. A step of length h by velocity Verlet, which is leapfrog with velocities at whole
// steps (Swope, Andersen, Berens, Wilson, Journal of Chemical Physics 76, 1982), of second order and symplectic:
//   v += a h / 2,  x += v h,  then a = f / m at the new places,  v += a h / 2.
// Yoshida's method of fourth order (Physics Letters A 150, 1990; also Forest and Ruth, Physica D 43, 1990) is three of
// them, of lengths w1 h, w0 h and w1 h with w1 = 1 / (2 - 2^(1/3)) and w0 = 1 - 2 w1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "taskflows/fmm/particles/particles.hpp"

namespace asterism::fmm {

enum class Integrator { leapfrog, yoshida };
/// The parts of a step, as multiples of its length.
std::vector<double> substeps(Integrator integrator);

/// What a motion without outer forces keeps.
struct Invariants {
  double kinetic = 0;                        ///< 1/2 sum m v^2
  double potential = 0;                      ///< 1/2 sum q phi
  double speed = 0;                          ///< sum m |v|, which momenta are small beside
  std::array<double, 3> momentum{};          ///< sum m v
  std::array<double, 3> angular_momentum{};  ///< sum m x cross v
  [[nodiscard]] double total() const { return kinetic + potential; }
};
/// How well it was kept, since the beginning of the motion.
struct Conservation {
  Invariants start;
  double energy_change = 0;  ///< the largest |E - E_0|
  double largest_kinetic = 0;
  double largest_speed = 0;    ///< the largest sum m |v|
  double momentum_change = 0;  ///< the largest |P - P_0|

  explicit Conservation(const Invariants& at_start);
  Conservation() = default;
  void take(const Invariants& now);
  /// The largest change of the energy, relative to |E_0|, or to the largest kinetic energy where |E_0| is less than a
  /// hundredth of it.
  [[nodiscard]] double energy_drift() const;
  /// The largest change of the momentum, relative to sum m |v|.
  [[nodiscard]] double momentum_drift() const;
};

struct Motion {
  Motion() = default;
  /// Particles at rest, of mass 1.
  explicit Motion(std::size_t particles)
      : vx(particles, 0), vy(particles, 0), vz(particles, 0), ax(particles, 0), ay(particles, 0), az(particles, 0) {}

  std::int64_t step = 0;  ///< steps done
  Array<double> vx, vy, vz;
  Array<double> ax, ay, az;  ///< accelerations, of the last forces
  Array<double> mass;        ///< empty: each is 1
  std::optional<Conservation> conservation;
};

/// a = f / m.
void accelerate(Motion& motion, const Result& forces);
/// v += a h / 2.
void kick(Motion& motion, double h);
/// x += v h. Throws Error (failed) for a particle whose place is not finite any more; it is numbered from `first`.
void drift(const Motion& motion, double h, Particles& particles, std::size_t first);

/// One step of length dt. `forces` returns those at the places where the particles are then; accelerations have to be
/// those of the beginning.
void step(Motion& motion, Particles& particles, Integrator integrator, double dt, std::size_t first,
          const std::function<const Result&()>& forces);

}  // namespace asterism::fmm
