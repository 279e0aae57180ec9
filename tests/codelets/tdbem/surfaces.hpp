// SPDX-License-Identifier: Apache-2.0
// Surfaces for tests of kernels, made here so that they share nothing with taskflows/tdbem.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "codelets/tdbem/kernels/assembly/surface_view.hpp"

namespace asterism::tdbem {

struct TestSurface {
  std::vector<Point> vertices, normals;
  std::vector<Triangle> triangles;
  std::vector<double> areas;
  std::vector<std::int32_t> start, around;

  [[nodiscard]] std::int32_t unknowns() const { return static_cast<std::int32_t>(vertices.size()); }
  [[nodiscard]] SurfaceView view() const {
    return {unknowns(),      static_cast<std::int32_t>(triangles.size()),
            vertices.data(), triangles.data(),
            normals.data(),  areas.data(),
            start.data(),    around.data()};
  }
  void finish() {
    for (const Triangle& t : triangles) {
      const Point a = vertices[static_cast<std::size_t>(t.corner[0])];
      const Point n = cross(vertices[static_cast<std::size_t>(t.corner[1])] - a,
                            vertices[static_cast<std::size_t>(t.corner[2])] - a);
      normals.push_back((1 / norm(n)) * n);
      areas.push_back(norm(n) / 2);
    }
    for (std::int32_t v = 0; v < unknowns(); ++v) {
      start.push_back(static_cast<std::int32_t>(around.size()));
      for (std::size_t t = 0; t < triangles.size(); ++t)
        for (int c = 0; c < 3; ++c)
          if (triangles[t].corner[c] == v) around.push_back(static_cast<std::int32_t>(3 * t) + c);
    }
    start.push_back(static_cast<std::int32_t>(around.size()));
  }
};

/// A body of revolution without symmetry planes: `rings` rings of `per_ring` vertices between two poles, bent.
inline TestSurface bent_spindle(std::int32_t rings, std::int32_t per_ring) {
  TestSurface s;
  const auto place = [](double u, double phi) {  // u from 0 to pi
    const double r = std::sin(u) * (1 + 0.3 * std::cos(u));
    return Point{0.8 * r * std::cos(phi) + 0.2 * std::cos(u) * std::cos(u), 0.5 * r * std::sin(phi),
                 -1.1 * std::cos(u)};
  };
  s.vertices.push_back(place(0, 0));
  for (std::int32_t i = 1; i <= rings; ++i)
    for (std::int32_t k = 0; k < per_ring; ++k)
      s.vertices.push_back(place(M_PI * i / (rings + 1), 2 * M_PI * (k + 0.3 * i) / per_ring));
  s.vertices.push_back(place(M_PI, 0));
  const auto at = [&](std::int32_t i, std::int32_t k) { return 1 + (i - 1) * per_ring + k % per_ring; };
  const std::int32_t last = s.unknowns() - 1;
  for (std::int32_t k = 0; k < per_ring; ++k) {
    s.triangles.push_back({{0, at(1, k + 1), at(1, k)}});
    s.triangles.push_back({{last, at(rings, k), at(rings, k + 1)}});
    for (std::int32_t i = 1; i < rings; ++i) {
      s.triangles.push_back({{at(i, k), at(i, k + 1), at(i + 1, k)}});
      s.triangles.push_back({{at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)}});
    }
  }
  s.finish();
  return s;
}

}  // namespace asterism::tdbem
