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

/// For hooks that reach there. H of a cell takes E of it and of the next one, E of a cell H of it and of the one
/// before.
inline Apart cells_apart(const Grid& grid, const std::vector<Reach>& reaches, int steps) {
  const Box all = grid.cells();
  std::vector<Box> boxes;
  for (const Reach& reach : reaches) boxes.push_back(common(widened(reach.cells, reach.changes ? steps : 0), all));
  Apart apart;
  std::erase_if(boxes, [](const Box& b) { return b.empty(); });
  apart.result = in_few(boxes, cuda::most_boxes_apart);
  const auto around_result = [&](int below, int above, const Box& within) {
    std::vector<Box> wider;
    for (const Box& b : apart.result)
      wider.push_back(
          common({b.x0 - below, b.x1 + above, b.y0 - below, b.y1 + above, b.z0 - below, b.z1 + above}, within));
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

}  // namespace asterism::fdtd
