// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/motion.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace asterism::fmm {
namespace {

double length(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace

std::vector<double> substeps(Integrator integrator) {
  if (integrator == Integrator::leapfrog) return {1};
  const double outer = 1 / (2 - std::cbrt(2.0));
  return {outer, 1 - 2 * outer, outer};
}

Conservation::Conservation(const Invariants& at_start)
    : start(at_start), largest_kinetic(at_start.kinetic), largest_speed(at_start.speed) {}

void Conservation::take(const Invariants& now) {
  energy_change = std::max(energy_change, std::abs(now.total() - start.total()));
  momentum_change = std::max(momentum_change, length(now.momentum, start.momentum));
  largest_kinetic = std::max(largest_kinetic, now.kinetic);
  largest_speed = std::max(largest_speed, now.speed);
}

double Conservation::energy_drift() const {
  constexpr double share = 0.01;  // of the kinetic energy, which |E_0| is near zero beside
  const double total = std::abs(start.total());
  const double scale = total < share * largest_kinetic ? largest_kinetic : total;
  return energy_change == 0 ? 0 : energy_change / scale;
}

double Conservation::momentum_drift() const {
  return momentum_change == 0 ? 0 : momentum_change / largest_speed;
}

void accelerate(Motion& motion, const Result& forces) {
  const auto along = [&](Array<double>& a, const Array<double>& f) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = motion.mass.empty() ? f[i] : f[i] / motion.mass[i];
  };
  along(motion.ax, forces.fx);
  along(motion.ay, forces.fy);
  along(motion.az, forces.fz);
}

void kick(Motion& motion, double h) {
  const auto along = [&](Array<double>& v, const Array<double>& a) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += 0.5 * h * a[i];
  };
  along(motion.vx, motion.ax);
  along(motion.vy, motion.ay);
  along(motion.vz, motion.az);
}

void drift(const Motion& motion, double h, Particles& particles, std::size_t first) {
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles.x[i] += h * motion.vx[i];
    particles.y[i] += h * motion.vy[i];
    particles.z[i] += h * motion.vz[i];
    if (!std::isfinite(particles.x[i] + particles.y[i] + particles.z[i]))
      failed("step {}: particle {} left for infinity (a smaller --dt?)", motion.step + 1, first + i + 1);
  }
}

void step(Motion& motion, Particles& particles, Integrator integrator, double dt, std::size_t first,
          const std::function<const Result&()>& forces) {
  for (const double part : substeps(integrator)) {
    kick(motion, part * dt);
    drift(motion, part * dt, particles, first);
    accelerate(motion, forces());
    kick(motion, part * dt);
  }
  ++motion.step;
}

}  // namespace asterism::fmm
