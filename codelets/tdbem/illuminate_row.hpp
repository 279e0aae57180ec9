// A row of the right-hand sides, the same on CPUs and GPUs.
#pragma once

#include "codelets/tdbem/illumination.hpp"

namespace asterism::tdbem {

ASTERISM_HOST_DEVICE inline double value_within(const Illumination& light, double t) {
  const double s = t - light.wave.pulse.centre;
  return s < -light.half_duration || s > light.half_duration ? 0 : value(light.wave.pulse, t);
}

/// sums[g] += what step first + g gets, g < count.
ASTERISM_HOST_DEVICE inline void illuminate_row(const SurfaceView& surface, const Illumination& light, double dt,
                                                std::int64_t first, std::int32_t count, std::int32_t row,
                                                double* sums) {
  for (std::int32_t a = surface.start[row]; a < surface.start[row + 1]; ++a) {
    const std::int32_t t = surface.around[a] / 3;
    const std::int32_t corner = surface.around[a] % 3;
    const Triangle triangle = surface.triangles[t];
    const Point v[3] = {surface.vertices[triangle.corner[0]], surface.vertices[triangle.corner[1]],
                        surface.vertices[triangle.corner[2]]};
    const double scale = light.boundary == Boundary::soft
                             ? surface.areas[t]
                             : -surface.areas[t] * dot(surface.normals[t], light.wave.direction) / light.wave.speed;
    for (std::int32_t p = 0; p < light.rule.points; ++p) {
      const TrianglePoint& q = light.rule.point[p];
      const Point x = q.coordinate[0] * v[0] + q.coordinate[1] * v[1] + q.coordinate[2] * v[2];
      const double delay = light.wave.delay(x);
      const double weight = scale * q.weight * q.coordinate[corner];
      double before = value_within(light, static_cast<double>(first - 1) * dt - delay);
      for (std::int32_t g = 0; g < count; ++g) {
        const double now = value_within(light, static_cast<double>(first + g) * dt - delay);
        sums[g] += weight * (now - before);
        before = now;
      }
    }
  }
}

}  // namespace asterism::tdbem
