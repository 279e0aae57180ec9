// SPDX-License-Identifier: Apache-2.0
// Which tiles and planes of several steps at once touch something beside the plain scheme: only these pay for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "codelets/fdtd/kernels/update/steps.cuh"

namespace asterism::fdtd::cuda {

/// Planes along x, tiles along y and z.
struct RegionsOfSteps {
  std::vector<Box> plain, more;
};

inline Box common(const Box& a, const Box& b) {
  return {std::max(a.x0, b.x0), std::min(a.x1, b.x1), std::max(a.y0, b.y0),
          std::min(a.y1, b.y1), std::max(a.z0, b.z0), std::min(a.z1, b.z1)};
}

/// What is left of the boxes without one, which goes to `more`.
inline void cut_out(const Box& hole, RegionsOfSteps& regions) {
  std::vector<Box> left;
  const auto add = [](std::vector<Box>& to, const Box& b) {
    if (!b.empty()) to.push_back(b);
  };
  for (const Box& b : regions.plain) {
    const Box cut = common(b, hole);
    if (cut.empty()) {
      left.push_back(b);
      continue;
    }
    regions.more.push_back(cut);
    add(left, {b.x0, cut.x0, b.y0, b.y1, b.z0, b.z1});
    add(left, {cut.x1, b.x1, b.y0, b.y1, b.z0, b.z1});
    add(left, {cut.x0, cut.x1, b.y0, cut.y0, b.z0, b.z1});
    add(left, {cut.x0, cut.x1, cut.y1, b.y1, b.z0, b.z1});
    add(left, {cut.x0, cut.x1, cut.y0, cut.y1, b.z0, cut.z0});
    add(left, {cut.x0, cut.x1, cut.y0, cut.y1, cut.z1, b.z1});
  }
  regions.plain = std::move(left);
}

/// Of the cells that a grid's steps touch, `special` ones take the kernel with more. Where this would be too many
/// regions, all do.
inline RegionsOfSteps regions_of_steps(const Grid& grid, int steps, const Planes& needed,
                                       const std::vector<Box>& special) {
  const int side = tile_side - 2 * steps;
  const auto tiles = [&](int length) { return (length + side - 1) / side; };
  const Box all{needed.first, needed.end, 0, tiles(grid.n[1]), 0, tiles(grid.n[2])};
  RegionsOfSteps regions{{all}, {}};
  // a tile computes `steps` columns and planes more than its own
  const auto first = [&](int cell) { return std::max(cell - steps, 0) / side; };
  for (const Box& b : special)
    if (!b.empty())
      cut_out({b.x0 - steps, b.x1 + steps, first(b.y0), tiles(b.y1 + steps), first(b.z0), tiles(b.z1 + steps)},
              regions);
  if (std::max(regions.plain.size(), regions.more.size()) > most_regions) return {{}, {all}};
  return regions;
}

/// Planes that a block advances so that all are done soonest: rounds of as many blocks as the GPU runs at a time, each
/// as long as its planes and those that it advances for its neighbours; of several regions the work, and half of a
/// block at the end.
inline std::int32_t best_planes(const std::vector<Box>& regions, int steps, int blocks_at_a_time) {
  std::int32_t longest = 1;
  for (const Box& b : regions) longest = std::max(longest, b.x1 - b.x0);
  std::int32_t best = longest;
  double least = std::numeric_limits<double>::max();
  for (std::int32_t chunks = 1; chunks <= longest; ++chunks) {
    const std::int32_t planes = (longest + chunks - 1) / chunks;
    std::int64_t blocks = 0;
    std::int64_t work = 0;
    for (const Box& b : regions) {
      const std::int64_t tiles = std::int64_t{b.y1 - b.y0} * (b.z1 - b.z0);
      const std::int64_t of_tile = (b.x1 - b.x0 + planes - 1) / planes;
      blocks += tiles * of_tile;
      work += tiles * (b.x1 - b.x0 + of_tile * 2 * steps);
    }
    const std::int64_t rounds = (blocks + blocks_at_a_time - 1) / blocks_at_a_time;
    const double time = regions.size() == 1 ? static_cast<double>(rounds * (planes + 2 * steps))
                                            : static_cast<double>(work) / blocks_at_a_time + planes / 2 + steps;
    if (time < least) best = planes;
    least = std::min(least, time);
  }
  return best;
}

}  // namespace asterism::fdtd::cuda
