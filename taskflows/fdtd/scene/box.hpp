// SPDX-License-Identifier: Apache-2.0
// Boxes of cells.
#pragma once

#include <algorithm>

#include "codelets/fdtd/kernels/grid.hpp"

namespace asterism::fdtd::scene {

inline Box intersection(const Box& a, const Box& b) {
  return {std::max(a.x0, b.x0), std::min(a.x1, b.x1), std::max(a.y0, b.y0),
          std::min(a.y1, b.y1), std::max(a.z0, b.z0), std::min(a.z1, b.z1)};
}

}  // namespace asterism::fdtd::scene
