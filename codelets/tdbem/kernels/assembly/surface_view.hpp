// SPDX-License-Identifier: Apache-2.0
// The surface as kernels see it: arrays in the memory of the unit that runs them. Unknowns belong to vertices.
#pragma once

#include <cstdint>

#include "codelets/tdbem/kernels/point.hpp"

namespace asterism::tdbem {

struct Triangle {
  std::int32_t corner[3];  ///< seen from outside, they turn anticlockwise
};

struct SurfaceView {
  std::int32_t vertex_count = 0;
  std::int32_t triangle_count = 0;
  const Point* vertices = nullptr;
  const Triangle* triangles = nullptr;
  const Point* normals = nullptr;        ///< of triangles: unit, outward
  const double* areas = nullptr;         ///< of triangles
  const std::int32_t* start = nullptr;   ///< vertex_count + 1: where in `around` the triangles of a vertex begin
  const std::int32_t* around = nullptr;  ///< 3 * triangle + corner, ascending: whose corner the vertex is
};

}  // namespace asterism::tdbem
