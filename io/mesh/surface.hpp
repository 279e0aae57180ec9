// SPDX-License-Identifier: Apache-2.0
// Whether triangles enclose a volume, and what is wrong when they do not.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "io/mesh/mesh.hpp"

namespace asterism::mesh {

struct Defect {
  std::int64_t count = 0;
  std::string first;  ///< in words, with 0-based indices; empty when there is none
};

struct SurfaceReport {
  std::int64_t vertices = 0;
  std::int64_t triangles = 0;
  Defect open_edges;                          ///< of one triangle only
  Defect crowded_edges;                       ///< of more than two triangles
  Defect inconsistent_edges;                  ///< of two triangles that turn in opposite ways
  Defect degenerate_triangles;                ///< of no area
  Defect duplicate_vertices;                  ///< at the same place as an earlier one
  double signed_volume = 0;                   ///< positive: triangles are oriented outward. Of a closed surface
  std::array<double, 3> low = {}, high = {};  ///< bounding box

  /// Encloses a volume and is oriented. Triangles without area and duplicate vertices do not hinder that.
  [[nodiscard]] bool closed() const {
    return open_edges.count == 0 && crowded_edges.count == 0 && inconsistent_edges.count == 0;
  }
  /// Its defects in one line: counts and the first of each kind; empty when there are none.
  [[nodiscard]] std::string describe() const;
};

SurfaceReport check_closed_surface(const TriangleMesh& mesh);

}  // namespace asterism::mesh
