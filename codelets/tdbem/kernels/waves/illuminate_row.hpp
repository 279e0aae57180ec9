// SPDX-License-Identifier: Apache-2.0
// A row of the right-hand sides, the same on CPUs and GPUs.
#pragma once

#include "codelets/tdbem/kernels/waves/illumination.hpp"

namespace asterism::tdbem {

ASTERISM_HOST_DEVICE inline double value_within(const Illumination& incident, double t) {
  const double s = t - incident.wave.pulse.centre;
  return s < -incident.half_duration || s > incident.half_duration ? 0 : value(incident.wave.pulse, t);
}

/// sums[g] += what step first + g gets, g < count.
ASTERISM_HOST_DEVICE inline void illuminate_row(const SurfaceView& surface, const Illumination& incident, double dt,
                                                std::int64_t first, std::int32_t count, std::int32_t row,
                                                double* sums) {
  for (std::int32_t a = surface.start[row]; a < surface.start[row + 1]; ++a) {
    const std::int32_t t = surface.around[a] / 3;
    const std::int32_t corner = surface.around[a] % 3;
    const Triangle triangle = surface.triangles[t];
    double delay[3], earliest = HUGE_VAL, latest = -HUGE_VAL;
    for (int c = 0; c < 3; ++c) {
      delay[c] = incident.wave.delay(surface.vertices[triangle.corner[c]]);
      earliest = fmin(earliest, delay[c]);
      latest = fmax(latest, delay[c]);
    }
    // most triangles are dark most of the time
    const double from = static_cast<double>(first - 1) * dt - latest - incident.wave.pulse.centre;
    const double to = static_cast<double>(first + count - 1) * dt - earliest - incident.wave.pulse.centre;
    if (from > incident.half_duration || to < -incident.half_duration) continue;
    const double scale =
        incident.boundary == Boundary::soft
            ? surface.areas[t]
            : -surface.areas[t] * dot(surface.normals[t], incident.wave.direction) / incident.wave.speed;
    for (std::int32_t p = 0; p < incident.rule.points; ++p) {
      const TrianglePoint& q = incident.rule.point[p];
      const double late = q.coordinate[0] * delay[0] + q.coordinate[1] * delay[1] + q.coordinate[2] * delay[2];
      const double weight = scale * q.weight * q.coordinate[corner];
      double before = value_within(incident, static_cast<double>(first - 1) * dt - late);
      for (std::int32_t g = 0; g < count; ++g) {
        const double now = value_within(incident, static_cast<double>(first + g) * dt - late);
        sums[g] += weight * (now - before);
        before = now;
      }
    }
  }
}

}  // namespace asterism::tdbem
