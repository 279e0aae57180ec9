// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/boundary/wall_rows.hpp"

namespace asterism::lbm::cpu {

template <class T>
void reflect(Half last, const Brick& brick, const Wall* walls, std::int32_t count, const Box& cells, T* f) {
  const PopulationOffsets left = population_offsets(last, brick);
  const PopulationOffsets taken = population_offsets(other(last), brick);
  for (std::int32_t w = 0; w < count; ++w) {
    if (walls[w].kind == Wall::Kind::velocity) {
      const WallRows<T> rows(last, brick, walls[w], cells);
      for (int z = rows.cells().z0; z < rows.cells().z1; ++z)
        for (int y = rows.cells().y0; y < rows.cells().y1; ++y) rows.give_back(brick, y, z, f);
      continue;
    }
    const auto wall = reflector<Arithmetic<T>>(walls[w]);
    const Box b = common(brick.layer(walls[w].face), cells);
    for (int z = b.z0; z < b.z1; ++z)
      for (int y = b.y0; y < b.y1; ++y)
        for (int x = b.x0; x < b.x1; ++x) reflect_cell(&wall, 1, 0, brick, left, taken, x, y, z, f);
  }
}

template void reflect(Half, const Brick&, const Wall*, std::int32_t, const Box&, double*);
template void reflect(Half, const Brick&, const Wall*, std::int32_t, const Box&, float*);
template void reflect(Half, const Brick&, const Wall*, std::int32_t, const Box&, Float16*);

}  // namespace asterism::lbm::cpu
