// SPDX-License-Identifier: Apache-2.0
// Cells that a GPU advances one step after the other while others take several at once: those around hooks, which the
// kernel of several steps does not know. What a hook changes spreads by a cell in a step, so after `steps` of them the
// cells so far from it are `result`; they are computed in the arrays where the results of that kernel go, from a copy
// of what they depend on, and the kernel leaves them as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/fdtd/kernels/kernel_hook.hpp"
#include "codelets/fdtd/kernels/update/beside_steps.hpp"
#include "codelets/fdtd/kernels/update/boxes.hpp"

namespace asterism::fdtd {

struct Apart {
  /// Cells whose H, then E, a step computes; of the boxes of one list, no two have a cell in common.
  struct Step {
    std::vector<Box> h, e;
  };
  std::vector<Box> result;  ///< some cells may be in several of these
  std::vector<Box> begin;   ///< cells, and ghosts, that the first step reads
  std::vector<Step> steps;
};

/// Boxes of cells, where those that reach beyond a periodic face along y or z go on at the other end.
inline std::vector<Box> around_faces(const Grid& grid, const Box& box) {
  std::vector<Box> all{box};
  for (const int axis : {1, 2}) {
    if (grid.face[2 * axis] != Face::neighbour) continue;
    for (std::size_t n = 0, end = all.size(); n < end; ++n)
      for (const int by : {-grid.n[axis], grid.n[axis]}) {
        Box b = all[n];
        (axis == 1 ? b.y0 : b.z0) += by;
        (axis == 1 ? b.y1 : b.z1) += by;
        all.push_back(b);
      }
  }
  return all;
}

/// For hooks that reach there. H of a cell takes E of it and of the next one, E of a cell H of it and of the one
/// before.
inline Apart cells_apart(const Grid& grid, const std::vector<Reach>& reaches, int steps) {
  const Box all = grid.cells();
  std::vector<Box> boxes;
  for (const Reach& reach : reaches)
    for (const Box& b : around_faces(grid, widened(cells_of_entries(grid, reach.cells), reach.changes ? steps : 0)))
      boxes.push_back(common(b, all));
  Apart apart;
  std::erase_if(boxes, [](const Box& b) { return b.empty(); });
  apart.result = in_few(boxes, cuda::most_boxes_apart);
  const auto around_result = [&](int below, int above, const Box& within) {
    std::vector<Box> wider;
    for (const Box& r : apart.result)
      for (const Box& b :
           around_faces(grid, {r.x0 - below, r.x1 + above, r.y0 - below, r.y1 + above, r.z0 - below, r.z1 + above}))
        wider.push_back(common(b, within));
    return disjoint(wider);
  };
  apart.begin = around_result(steps, steps, widened(all, 1));
  for (int left = steps - 1; left >= 0; --left)
    apart.steps.push_back({around_result(left + 1, left, all), around_result(left, left, all)});
  return apart;
}

/// Do several steps at once still gain, where these cells take no part in them? They are worth about twice their
/// number: two passes instead of a share of one, and what is copied.
inline bool pays(const Apart& apart, const Grid& grid) {
  return 3 * cells_of(apart.begin) < grid.cells().cells();
}

/// Are at least a quarter of the columns of all tiles, which overlap, columns of the grid? Beside faces that are no
/// electric conductors, where fewer gain nothing.
inline bool fills_tiles(const Grid& grid, int steps) {
  const int side = cuda::tile_side - 2 * steps;
  std::int64_t columns = 1, of_tiles = 1;
  for (const int axis : {1, 2}) {
    columns *= grid.n[axis];
    of_tiles *= std::int64_t{cuda::tile_side} * ((grid.planes_along(axis) + side - 1) / side);
  }
  return 4 * columns >= of_tiles;
}

}  // namespace asterism::fdtd
