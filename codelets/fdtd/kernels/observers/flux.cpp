// SPDX-License-Identifier: Apache-2.0
#include "codelets/fdtd/kernels/observers/flux.hpp"

#include <algorithm>

namespace asterism::fdtd {
namespace {

/// Entries of component c on planes first .. end - 1 across the plane's axis.
MonitoredEntries entries_of(const Plane& plane, Field field, int c, std::int32_t first, std::int32_t end) {
  Box b{};
  std::int32_t* const lower[3] = {&b.x0, &b.y0, &b.z0};
  std::int32_t* const upper[3] = {&b.x1, &b.y1, &b.z1};
  *lower[plane.axis] = first;
  *upper[plane.axis] = end;
  for (int t = 0; t < 2; ++t) {
    const int along = (plane.axis + 1 + t) % 3;
    *lower[along] = plane.lower[t];
    *upper[along] = plane.upper[t] + (on_planes(field, c, along) && plane.edge[t] == Edge::open ? 1 : 0);
  }
  return {c, b};
}

}  // namespace

Plane plane_between(int axis, int at, const std::int32_t (&lower)[2], const std::int32_t (&upper)[2],
                    const Edge (&edge)[2], const std::vector<double>& frequencies, std::int32_t every) {
  Plane plane{axis, at, {lower[0], lower[1]}, {upper[0], upper[1]}, {edge[0], edge[1]}, {}, {}};
  const int b = (axis + 1) % 3;
  const int c = (axis + 2) % 3;
  plane.electric = {
      Field::electric,
      {entries_of(plane, Field::electric, b, at, at + 1), entries_of(plane, Field::electric, c, at, at + 1)},
      frequencies,
      every};
  plane.magnetic = {
      Field::magnetic,
      {entries_of(plane, Field::magnetic, c, at - 1, at + 1), entries_of(plane, Field::magnetic, b, at - 1, at + 1)},
      frequencies,
      every};
  return plane;
}

double share_of(const Plane& plane, int m, int along, std::int32_t entry, const GradedMesh& mesh) {
  if (along == plane.axis) return 1;
  const int t = along == (plane.axis + 1) % 3 ? 0 : 1;
  const auto axis = static_cast<std::size_t>(along);
  if (m == t) return mesh.cell(axis, entry);  // E_b is half-way along b
  double sum = 0;
  if (entry > plane.lower[t] || plane.edge[t] == Edge::periodic) sum += mesh.cell(axis, entry - 1);
  if (entry < plane.upper[t] || plane.edge[t] == Edge::periodic) sum += mesh.cell(axis, entry);
  return 0.5 * sum;
}

double flux(const Plane& plane, const Spectrum& electric, const Spectrum& magnetic, const double (&spacing)[3], int f,
            const GradedMesh& mesh) {
  const int b = (plane.axis + 1) % 3;
  const int c = (plane.axis + 2) % 3;
  double sum[2] = {};
  for (int m = 0; m < 2; ++m) {
    const Box& box = plane.electric.components[static_cast<std::size_t>(m)].entries;
    for (int i = box.x0; i < box.x1; ++i)
      for (int j = box.y0; j < box.y1; ++j)
        for (int k = box.z0; k < box.z1; ++k) {
          const int entry[3] = {i, j, k};
          int before[3] = {i, j, k};
          --before[plane.axis];
          const std::complex<double> h =
              (magnetic.at(m, f, before[0], before[1], before[2]) + magnetic.at(m, f, i, j, k)) / 2.0;
          double share = 1;
          for (int a = 0; a < 3; ++a) share *= share_of(plane, m, a, entry[a], mesh);
          sum[m] += share * (electric.at(m, f, i, j, k) * std::conj(h)).real();
        }
  }
  return 0.5 * spacing[b] * spacing[c] * (sum[0] - sum[1]);
}

}  // namespace asterism::fdtd
