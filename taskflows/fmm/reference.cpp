// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/reference.hpp"

#include <algorithm>
#include <cstddef>

namespace asterism::fmm {
namespace {

constexpr std::size_t block = 4096;  ///< sources summed before they are added to the total

}  // namespace

void FieldSums::add(const FieldSums& other) {
  potential += other.potential;
  fx += other.fx;
  fy += other.fy;
  fz += other.fz;
  coincident += other.coincident;
}

FieldSums direct_sums(const Interaction& interaction, const Particles& particles, double x, double y, double z) {
  FieldSums total;
  for (std::size_t first = 0; first < particles.size(); first += block) {
    FieldSums part;
    const std::size_t end = std::min(particles.size(), first + block);
    for (std::size_t j = first; j < end; ++j) {
      const double dx = x - particles.x[j];
      const double dy = y - particles.y[j];
      const double dz = z - particles.z[j];
      const double r2 = dx * dx + dy * dy + dz * dz;
      if (r2 == 0) {
        part.coincident += particles.charge[j];
        continue;
      }
      part.potential += particles.charge[j] * interaction.radial(r2);
      const double s = particles.charge[j] * interaction.slope(r2);
      part.fx -= s * dx;
      part.fy -= s * dy;
      part.fz -= s * dz;
    }
    total.add(part);
  }
  return total;
}

}  // namespace asterism::fmm
