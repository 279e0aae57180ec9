// SPDX-License-Identifier: Apache-2.0
#include "codelets/lbm/kernels/boundary/wraps.hpp"

#include <algorithm>

namespace asterism::lbm::cpu {
namespace {

/// Each row of a layer across x lies in another cache line: it is fetched so many rows before its turn.
constexpr std::int64_t rows_ahead = 8;

/// Places of a population of cell (x, y, z) that passes faces with the velocity c, as wrap_cell() has it.
struct Passage {
  std::int64_t from, to;
};

/// Population i of the cells of a row of the layer at `face`, from x0 on.
Passage passage(Half last, const Brick& brick, int i, int x0, int y, int z) {
  const Velocity c = velocity(i);
  const auto within = [](int at, int n) { return at < 0 ? at + n : at >= n ? at - n : at; };
  const int x = within(x0 + c.x, brick.nx), there_y = within(y + c.y, brick.ny), there_z = within(z + c.z, brick.nz);
  if (last == Half::alpha)
    return {brick.at(opposite(i), x0, y, z), brick.at(opposite(i), x - c.x, there_y - c.y, there_z - c.z)};
  return {brick.at(i, x0 + c.x, y + c.y, z + c.z), brick.at(i, x, there_y, there_z)};
}

}  // namespace

template <class T>
void wrap(Half last, const Brick& brick, std::uint32_t wraps, T* f) {
  const int n[3] = {brick.nx, brick.ny, brick.nz};
  for (int face = 0; face < faces; ++face) {
    const Box layer = wrapped_layer(brick, wraps, face);
    // whether a direction that leaves the brick along an axis, too, is this face's
    const auto passes = [&](int axis) { return (wraps >> axis & 1U) != 0 && axis >= axis_of(face); };
    const auto is_own = [&](int axis, int to) { return (to >= 0 && to < n[axis]) || passes(axis); };
    for (const int i : leaving(face).population) {
      const Velocity c = velocity(i);
      const int x0 = passes(0) ? layer.x0 : std::max(layer.x0, -c.x);
      const int x1 = passes(0) ? layer.x1 : std::min(layer.x1, brick.nx - c.x);
      for (int z = layer.z0; z < layer.z1; ++z)
        for (int y = layer.y0; y < layer.y1; ++y) {
          if (x0 >= x1 || !is_own(1, y + c.y) || !is_own(2, z + c.z)) continue;
          const Passage p = passage(last, brick, i, x0, y, z);
          if (x1 - x0 > 1) {
            std::copy_n(f + p.from, x1 - x0, f + p.to);
            continue;
          }
          f[p.to] = f[p.from];
          __builtin_prefetch(f + p.from + rows_ahead * brick.pitch, 0);
          __builtin_prefetch(f + p.to + rows_ahead * brick.pitch, 1);
        }
    }
  }
}

template void wrap(Half, const Brick&, std::uint32_t, double*);
template void wrap(Half, const Brick&, std::uint32_t, float*);
template void wrap(Half, const Brick&, std::uint32_t, Float16*);

}  // namespace asterism::lbm::cpu
