// SPDX-License-Identifier: Apache-2.0
// A row of the right-hand sides, the same on CPUs and GPUs.
#pragma once

#include "codelets/tdbem/kernels/waves/illumination.hpp"

namespace asterism::tdbem {

ASTERISM_HOST_DEVICE inline double value_within(const Illumination& incident, double t) {
  const double s = t - incident.wave.pulse.centre;
  return s < -incident.half_duration || s > incident.half_duration ? 0 : value(incident.wave.pulse, t);
}

/// Does a pulse that arrives between `earliest` and `latest` change within the steps? Most triangles are dark most of
/// the time.
ASTERISM_HOST_DEVICE inline bool is_lit(const Illumination& incident, const Steps& steps, double earliest,
                                        double latest) {
  const double from = static_cast<double>(steps.first - 1) * steps.dt - latest - incident.wave.pulse.centre;
  const double to =
      static_cast<double>(steps.first + steps.count - 1) * steps.dt - earliest - incident.wave.pulse.centre;
  return from <= incident.half_duration && to >= -incident.half_duration;
}

/// sums[g] += what triangle t gets of a plane wave in step steps.first + g, tested with the vertex at `corner`.
ASTERISM_HOST_DEVICE inline void illuminate_by_plane_wave(const SurfaceView& surface, const Illumination& incident,
                                                          const Steps& steps, std::int32_t t, std::int32_t corner,
                                                          double* sums) {
  const Triangle triangle = surface.triangles[t];
  double delay[3], earliest = HUGE_VAL, latest = -HUGE_VAL;
  for (int c = 0; c < 3; ++c) {
    delay[c] = incident.wave.delay(surface.vertices[triangle.corner[c]]);
    earliest = fmin(earliest, delay[c]);
    latest = fmax(latest, delay[c]);
  }
  if (!is_lit(incident, steps, earliest, latest)) return;
  const double scale = incident.boundary == Boundary::soft
                           ? surface.areas[t]
                           : -surface.areas[t] * dot(surface.normals[t], incident.wave.direction) / incident.wave.speed;
  for (std::int32_t p = 0; p < incident.rule.points; ++p) {
    const TrianglePoint& q = incident.rule.point[p];
    const double late = q.coordinate[0] * delay[0] + q.coordinate[1] * delay[1] + q.coordinate[2] * delay[2];
    const double weight = scale * q.weight * q.coordinate[corner];
    double before = value_within(incident, static_cast<double>(steps.first - 1) * steps.dt - late);
    for (std::int32_t g = 0; g < steps.count; ++g) {
      const double now = value_within(incident, static_cast<double>(steps.first + g) * steps.dt - late);
      sums[g] += weight * (now - before);
      before = now;
    }
  }
}

/// Integral of f over [end - dt, end] by Gauss's rule of four points: steps resolve the pulse.
ASTERISM_HOST_DEVICE inline double integral_over_step(const Illumination& incident, double end, double dt) {
  constexpr double place[2] = {0.33998104358485626, 0.86113631159405258};
  constexpr double weight[2] = {0.65214515486254614, 0.34785484513745386};
  const double middle = end - dt / 2;
  double sum = 0;
  for (int i = 0; i < 2; ++i)
    sum += weight[i] *
           (value_within(incident, middle - place[i] * dt / 2) + value_within(incident, middle + place[i] * dt / 2));
  return sum * dt / 2;
}

/// Corners of a triangle as vectors from the source of a monopole.
struct TriangleFromSource {
  Point corner[3];

  ASTERISM_HOST_DEVICE TriangleFromSource(const SurfaceView& surface, const Point& source, std::int32_t t) {
    for (int c = 0; c < 3; ++c) corner[c] = surface.vertices[surface.triangles[t].corner[c]] - source;
  }
  [[nodiscard]] ASTERISM_HOST_DEVICE Point at(const TrianglePoint& q) const {
    return q.coordinate[0] * corner[0] + q.coordinate[1] * corner[1] + q.coordinate[2] * corner[2];
  }
  /// int n.e / r^2 dS: A. van Oosterom, J. Strackee, IEEE Trans. Biomed. Eng. 30 (1983).
  [[nodiscard]] ASTERISM_HOST_DEVICE double solid_angle() const {
    const double a = norm(corner[0]), b = norm(corner[1]), c = norm(corner[2]);
    return 2 * atan2(dot(corner[0], cross(corner[1], corner[2])), a * b * c + dot(corner[0], corner[1]) * c +
                                                                      dot(corner[1], corner[2]) * a +
                                                                      dot(corner[2], corner[0]) * b);
  }
};

/// sums[g] += what triangle t gets of a monopole in step steps.first + g, tested with the vertex at `corner`.
ASTERISM_HOST_DEVICE inline void illuminate_by_monopole(const SurfaceView& surface, const Illumination& incident,
                                                        const Steps& steps, std::int32_t t, std::int32_t corner,
                                                        double* sums) {
  const TriangleFromSource triangle(surface, incident.wave.source, t);
  const double speed = incident.wave.speed, area = surface.areas[t];
  const Point middle = (1.0 / 3) * (triangle.corner[0] + triangle.corner[1] + triangle.corner[2]);
  double radius = 0;
  for (const Point& c : triangle.corner) radius = fmax(radius, norm(c - middle));
  if (!is_lit(incident, steps, (norm(middle) - radius) / speed, (norm(middle) + radius) / speed)) return;
  const bool soft = incident.boundary == Boundary::soft;
  double correction = 0;  // of n.e / r^2: what the rule misses of the solid angle, spread over the triangle
  if (!soft) {
    correction = triangle.solid_angle() / area;
    for (std::int32_t p = 0; p < incident.rule.points; ++p) {
      const Point x = triangle.at(incident.rule.point[p]);
      const double r = norm(x);
      correction -= incident.rule.point[p].weight * dot(surface.normals[t], x) / (r * r * r);
    }
  }
  for (std::int32_t p = 0; p < incident.rule.points; ++p) {
    const TrianglePoint& q = incident.rule.point[p];
    const Point x = triangle.at(q);
    const double r = norm(x), late = r / speed;
    const double weight = area * q.weight * q.coordinate[corner];
    const double facing = dot(surface.normals[t], x) / r;
    const double of_change = soft ? weight / r : -weight * facing / (speed * r);
    const double of_integral = soft ? 0 : -weight * (facing / (r * r) + correction);
    double before = value_within(incident, static_cast<double>(steps.first - 1) * steps.dt - late);
    for (std::int32_t g = 0; g < steps.count; ++g) {
      const double end = static_cast<double>(steps.first + g) * steps.dt - late;
      const double now = value_within(incident, end);
      sums[g] += of_change * (now - before);
      if (!soft) sums[g] += of_integral * integral_over_step(incident, end, steps.dt);
      before = now;
    }
  }
}

/// sums[g] += what step first + g gets, g < count.
ASTERISM_HOST_DEVICE inline void illuminate_row(const SurfaceView& surface, const Illumination& incident, double dt,
                                                std::int64_t first, std::int32_t count, std::int32_t row,
                                                double* sums) {
  const Steps steps{dt, first, count};
  for (std::int32_t a = surface.start[row]; a < surface.start[row + 1]; ++a) {
    const std::int32_t t = surface.around[a] / 3;
    const std::int32_t corner = surface.around[a] % 3;
    if (incident.wave.kind == WaveKind::plane)
      illuminate_by_plane_wave(surface, incident, steps, t, corner, sums);
    else
      illuminate_by_monopole(surface, incident, steps, t, corner, sums);
  }
}

}  // namespace asterism::tdbem
