// SPDX-License-Identifier: Apache-2.0
// A brick that is its own neighbour along some axes: what leaves a border cell through a face comes back through the
// opposite one, for CPUs and GPUs. Where a direction leads through several such faces, all are passed at once.
#pragma once

#include "codelets/lbm/kernels/kernels.hpp"
#include "codelets/lbm/kernels/moments.hpp"

namespace asterism::lbm {

/// The populations that leave cell (x, y, z) of the layer at `face`: after alpha they go to the ghosts that beta will
/// read, after beta from the ghosts to the cells that they belong to. `wraps`: axes, as bits. A direction that also
/// leads through a face of a lower axis is left to that one, and one that meets a wall to the wall: all can be done in
/// any order or at once.
template <class T>
ASTERISM_STORAGE void wrap_cell(Half last, const Brick& brick, std::uint32_t wraps, int face, int x, int y, int z,
                                T* f) {
  const int n[3] = {brick.nx, brick.ny, brick.nz};
  ASTERISM_UNROLL
  for (int i = 1; i < q; ++i) {
    const Velocity c = velocity(i);
    if (component(c, axis_of(face)) != side_of(face)) continue;
    int to[3] = {x + c.x, y + c.y, z + c.z};
    bool own = true;
    ASTERISM_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      const int past = to[axis] < 0 ? -1 : to[axis] >= n[axis] ? 1 : 0;
      to[axis] -= past * n[axis];
      own = own && (past == 0 || ((wraps >> axis & 1U) != 0 && axis >= axis_of(face)));
    }
    if (!own) continue;
    if (last == Half::alpha)
      f[brick.at(opposite(i), to[0] - c.x, to[1] - c.y, to[2] - c.z)] = f[brick.at(opposite(i), x, y, z)];
    else
      f[brick.at(i, to[0], to[1], to[2])] = f[brick.at(i, x + c.x, y + c.y, z + c.z)];
  }
}

/// The layer at a face whose axis is among `wraps`; at another face an empty box.
ASTERISM_HOST_DEVICE inline Box wrapped_layer(const Brick& brick, std::uint32_t wraps, int face) {
  return (wraps >> axis_of(face) & 1U) != 0 ? brick.layer(face) : Box{};
}

}  // namespace asterism::lbm
