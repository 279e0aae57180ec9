// SPDX-License-Identifier: Apache-2.0
// A domain with a plane wave in it, divided or not: every part has a line of its own.
#pragma once

#include <vector>

#include "base/as_size.hpp"
#include "codelets/fdtd/kernels/sources/plane_wave.hpp"
#include "tests/codelets/fdtd/domain.hpp"

namespace asterism::fdtd {

inline Space space_of(const Setting& s) {
  Space space{{s.n[0], s.n[1], s.n[2]}, {}, {s.d[0], s.d[1], s.d[2]}, s.dt(), eps0, mu0};
  for (int a = 0; a < 3; ++a) space.periodic[a] = s.face[as_size(2 * a)] == Face::neighbour;
  return space;
}

/// Cells of several lengths along all axes; the scheme of the domain has one.
inline Space graded_space_of(const Setting& s) {
  Space space = space_of(s);
  for (std::size_t a = 0; a < 3; ++a) {
    space.mesh.planes[a] = {0};
    for (int i = 0; i < s.n[a]; ++i) space.mesh.planes[a].push_back(space.mesh.planes[a].back() + 1 + i % 3 / 4.0);
  }
  return space;
}

/// Towards (m_x / d_x, m_y / d_y, m_z / d_z).
inline PlaneWave wave_along(const std::array<int, 3>& m, const std::array<double, 3>& d, double polarisation,
                            const Waveform& waveform) {
  const double along[3] = {m[0] / d[0], m[1] / d[1], m[2] / d[2]};
  return {std::atan2(std::hypot(along[0], along[1]), along[2]), std::atan2(along[1], along[0]), polarisation, 1e-6,
          waveform};
}

template <class T>
class Illuminated {
 public:
  Illuminated(const Setting& s, const Incident& wave, const typename Domain<T>::Cuts& cuts = {})
      : domain(s, cuts), incident(wave) {
    domain.set([](Field, int, int, int, int) { return 0.0; });
    lines.assign(domain.parts.size(), new_line<T>(wave));
  }

  void step() {
    const Given<T> given = given_at<T>(incident, ++steps);
    domain.step(Passes::two, [&](Field f, Part<T>& p) {
      T* const line = lines[as_size(&p - domain.parts.data())].data();
      const Grid& g = p.grid;
      const int half = g.n[2] / 2;
      for (const Box& b : {Box{0, g.n[0], 0, g.n[1], half, g.n[2]}, Box{0, g.n[0], 0, g.n[1], 0, half}})
        cpu::correct(f, g, p.origin, b, incident, line, p.field(f).data());
      cpu::advance_line(f, incident, given, line);
    });
  }

  /// The wave on the line at an entry.
  [[nodiscard]] T wave(Field f, int c, int i, int j, int k) const {
    return lines[0][as_size(incident.line.at(f, c, incident.line.place(f, c, i, j, k)))];
  }
  /// Is the wave part of the field there? Place by place, in halves of cells.
  [[nodiscard]] bool total(Field f, int c, int i, int j, int k) const {
    const int place[3] = {i, j, k};
    const Box& b = incident.total.planes;
    const int lower[3] = {b.x0, b.y0, b.z0};
    const int upper[3] = {b.x1, b.y1, b.z1};
    bool inside = true;
    for (int a = 0; a < 3; ++a) {
      const int halves = 2 * place[a] + (on_planes(f, c, a) ? 0 : 1);
      inside = inside && halves >= 2 * lower[a] && halves <= 2 * upper[a];
    }
    return inside;
  }

  Domain<T> domain;
  Incident incident;
  std::vector<std::vector<T>> lines;
  std::int64_t steps = 0;
};

}  // namespace asterism::fdtd
