// SPDX-License-Identifier: Apache-2.0
// Ghosts row by row on CPUs: images of H behind magnetic conductors, and what a sub-domain that is its own neighbour
// along y or z has beyond its faces there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codelets/fdtd/kernels/kernels.hpp"

namespace asterism::fdtd::cpu {

template <class T>
class GhostRows {
 public:
  GhostRows(const Grid& grid, Field field) : grid_(grid) {
    for (const int axis : {1, 2})
      if (grid.face[2 * axis] == Face::neighbour)
        copies_.push_back({outgoing(grid, field, axis), incoming(grid, field, axis), T{1}});
    for (int f = 0; f < 6 && field == Field::magnetic; ++f)
      if (grid.face[f] == Face::magnetic) {
        const Image image = image_behind(grid, f);
        copies_.push_back({image.from, image.to, T{-1}});
      }
  }
  [[nodiscard]] bool none() const { return copies_.empty(); }

  /// Those whose originals are in row j of plane i.
  void put(int i, int j, T* values) const {
    for (const Copy& copy : copies_)
      for (int m = 0; m < 2; ++m) {
        const Box& from = copy.from.entries[m];
        const Box& to = copy.to.entries[m];
        if (i < from.x0 || i >= from.x1 || j < from.y0 || j >= from.y1) continue;
        const T* const original = values + grid_.at(copy.from.component[m], i, j, from.z0);
        T* const ghost = values + grid_.at(copy.to.component[m], i - from.x0 + to.x0, j - from.y0 + to.y0, to.z0);
        for (int k = 0; k < from.z1 - from.z0; ++k) ghost[k] = copy.sign * original[k];
      }
  }

 private:
  struct Copy {
    Layer from, to;
    T sign;
  };
  const Grid& grid_;
  std::vector<Copy> copies_;
};

}  // namespace asterism::fdtd::cpu
