// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/dynamics/equilibrium.hpp"

#include <cmath>
#include <numbers>

#include "taskflows/fmm/particles/generate.hpp"
#include "taskflows/fmm/particles/random_numbers.hpp"

namespace asterism::fmm {
namespace {

/// Another sequence than that of the places.
constexpr std::uint64_t sequence_of_velocities = 0x76656c6f63697479;

/// q of density q^2 (1 - q^2)^(7/2), which is less than 0.1 everywhere.
double share_of_escape_speed(const Random& random, std::uint64_t& next) {
  while (true) {
    const double q = random.uniform(next++);
    const double height = 0.1 * random.uniform(next++);
    if (height < q * q * std::pow(1 - q * q, 3.5)) return q;
  }
}

}  // namespace

void set_equilibrium_velocities(Particles& p, std::size_t n, std::uint64_t seed, const Part& part, double gravity,
                                double mass) {
  for (Array<double>* const v : {&p.vx, &p.vy, &p.vz}) *v = Array<double>(p.size());
  const Random seeds(seed ^ sequence_of_velocities);
  const double model_mass = mass / plummer_share_within_cut();
  const std::size_t first = part.begin(n);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Random random(seeds.bits(first + i));
    std::uint64_t next = 0;
    const double r = std::hypot(p.x[i] - generated_center, p.y[i] - generated_center, p.z[i] - generated_center);
    const double escape = std::sqrt(2 * gravity * model_mass) * std::pow(r * r + plummer_scale * plummer_scale, -0.25);
    const double speed = escape * share_of_escape_speed(random, next);
    const double along = 2 * random.uniform(next) - 1;
    const double around = 2 * std::numbers::pi * random.uniform(next + 1);
    const double across = speed * std::sqrt(1 - along * along);
    p.vx[i] = across * std::cos(around);
    p.vy[i] = across * std::sin(around);
    p.vz[i] = speed * along;
  }
}

double crossing_time(double gravity, double mass, double energy) {
  return gravity * std::pow(mass, 2.5) / std::pow(2 * std::abs(energy), 1.5);
}

}  // namespace asterism::fmm
