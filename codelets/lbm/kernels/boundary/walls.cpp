// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/boundary/walls.hpp"

#include <algorithm>

namespace asterism::lbm::cpu {

namespace {

Box common(const Box& a, const Box& b) {
  return {std::max(a.x0, b.x0), std::min(a.x1, b.x1), std::max(a.y0, b.y0),
          std::min(a.y1, b.y1), std::max(a.z0, b.z0), std::min(a.z1, b.z1)};
}

}  // namespace

template <class T>
void reflect(Half last, const Brick& brick, const Wall* walls, std::int32_t count, const Box& cells, T* f) {
  const PopulationOffsets left = population_offsets(last, brick);
  const PopulationOffsets taken = population_offsets(other(last), brick);
  for (std::int32_t w = 0; w < count; ++w) {
    const auto wall = reflector<Arithmetic<T>>(walls[w]);
    const Box b = common(border(wall, brick), cells);
    for (int z = b.z0; z < b.z1; ++z)
      for (int y = b.y0; y < b.y1; ++y)
        for (int x = b.x0; x < b.x1; ++x) reflect_cell(&wall, 1, 0, brick, left, taken, x, y, z, f);
  }
}

template void reflect(Half, const Brick&, const Wall*, std::int32_t, const Box&, double*);
template void reflect(Half, const Brick&, const Wall*, std::int32_t, const Box&, float*);
template void reflect(Half, const Brick&, const Wall*, std::int32_t, const Box&, Float16*);

}  // namespace asterism::lbm::cpu
