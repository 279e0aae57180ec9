// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/motion.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace asterism::fmm {

Motion::Motion(std::size_t particles) : vx(particles), vy(particles), vz(particles) {
  for (Array<double>* v : {&vx, &vy, &vz}) std::fill_n(v->data(), particles, 0.0);
}

void kick(Motion& motion, const Result& forces, double dt) {
  const auto along = [&](Array<double>& v, const Array<double>& f) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += 0.5 * dt * f[i];
  };
  along(motion.vx, forces.fx);
  along(motion.vy, forces.fy);
  along(motion.vz, forces.fz);
}

void drift(const Motion& motion, double dt, Particles& particles, std::size_t first) {
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles.x[i] += dt * motion.vx[i];
    particles.y[i] += dt * motion.vy[i];
    particles.z[i] += dt * motion.vz[i];
    if (!std::isfinite(particles.x[i] + particles.y[i] + particles.z[i]))
      failed("step {}: particle {} left for infinity (a smaller --dt?)", motion.step + 1, first + i + 1);
  }
}

}  // namespace asterism::fmm
