// SPDX-License-Identifier: Apache-2.0
// How many planes the thread blocks of several steps at once advance, so that a launch ends soonest. A block advances
// as many planes more for its neighbours as twice the steps, so long ones have less to do twice; short ones leave no
// processor idle at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "codelets/fdtd/kernels/update/steps_regions.hpp"

namespace asterism::fdtd::cuda {

/// Tiles and planes that go in blocks of as many planes, the last of which has those that are left.
struct BlocksOfSteps {
  RegionOfSteps region;
  std::int32_t chunk;

  [[nodiscard]] std::int32_t planes() const { return region.tiles.x1 - region.tiles.x0; }
  [[nodiscard]] std::int64_t tiles() const {
    return std::int64_t{region.tiles.y1 - region.tiles.y0} * (region.tiles.z1 - region.tiles.z0);
  }
  [[nodiscard]] std::int64_t of_tile() const { return (planes() + chunk - 1) / chunk; }
  /// How long a block of some planes takes.
  [[nodiscard]] double time(int steps, std::int32_t planes) const { return (planes + 2 * steps) * region.cost; }
  [[nodiscard]] double longest(int steps) const { return time(steps, std::min(chunk, planes())); }
};

/// Planes that a block of a region may advance.
inline std::int32_t planes_within(const RegionOfSteps& region, int steps, std::int32_t planes) {
  const bool ends =
      region.with == TilesWith::ends || region.with == TilesWith::layers_xy || region.with == TilesWith::layers_zx;
  return std::min(planes, ends ? most_planes_at_ends - 2 * steps : region.tiles.x1 - region.tiles.x0);
}

/// When a launch ends whose blocks begin one after the other, each where a processor becomes free.
inline double end_of(const std::vector<BlocksOfSteps>& launch, int steps, int processors) {
  std::vector<double> free(static_cast<std::size_t>(processors), 0);  // a heap, the soonest first
  double end = 0;
  for (const BlocksOfSteps& blocks : launch)
    for (std::int32_t first = 0; first < blocks.planes(); first += blocks.chunk) {
      const double time = blocks.time(steps, std::min(blocks.chunk, blocks.planes() - first));
      for (std::int64_t n = blocks.tiles(); n > 0; --n) {
        std::pop_heap(free.begin(), free.end(), std::greater<>());
        free.back() += time;
        end = std::max(end, free.back());
        std::push_heap(free.begin(), free.end(), std::greater<>());
      }
    }
  return end;
}

/// Blocks that all take about as long as one of the plain scheme with so many planes. short_ones > 1: the last blocks
/// of each region have a part of the planes and go at the end.
inline std::vector<BlocksOfSteps> blocks_of_planes(const std::vector<RegionOfSteps>& regions, int steps,
                                                   std::int32_t planes, std::int32_t short_ones) {
  std::vector<BlocksOfSteps> launch;
  for (const RegionOfSteps& region : regions) {
    const auto share = static_cast<std::int32_t>((planes + 2 * steps) / region.cost - 2 * steps);
    const std::int32_t chunk = planes_within(region, steps, std::max(share, std::min(2 * steps, planes)));
    BlocksOfSteps blocks{region, chunk};
    const std::int32_t long_ones = (blocks.planes() / chunk - 1) * chunk;
    const std::int32_t shorter = chunk / short_ones;
    if (short_ones > 1 && long_ones > 0 && shorter >= 2 * steps) {
      BlocksOfSteps last{region, shorter};
      last.region.tiles.x0 = blocks.region.tiles.x1 = region.tiles.x0 + long_ones;
      launch.push_back(last);
    }
    launch.push_back(blocks);
  }
  std::stable_sort(launch.begin(), launch.end(),
                   [&](const BlocksOfSteps& a, const BlocksOfSteps& b) { return a.longest(steps) > b.longest(steps); });
  return launch;
}

/// Those that are done soonest on as many processors, each of which runs one at a time.
inline std::vector<BlocksOfSteps> best_blocks(const std::vector<RegionOfSteps>& regions, int steps, int processors) {
  constexpr std::int64_t enough_each = 64;  // the end of a launch no longer matters
  std::int32_t longest = 1;
  for (const RegionOfSteps& r : regions) longest = std::max(longest, r.tiles.x1 - r.tiles.x0);
  std::vector<BlocksOfSteps> best;
  double least = std::numeric_limits<double>::max();
  std::int32_t before = 0;
  for (std::int32_t chunks = 1; chunks <= longest; ++chunks) {
    const std::int32_t planes = (longest + chunks - 1) / chunks;
    if (planes == before) continue;
    before = planes;
    for (const std::int32_t short_ones : {1, 2, 4}) {
      std::vector<BlocksOfSteps> launch = blocks_of_planes(regions, steps, planes, short_ones);
      std::int64_t blocks = 0;
      double work = 0;
      for (const BlocksOfSteps& b : launch) {
        blocks += b.tiles() * b.of_tile();
        work +=
            static_cast<double>(b.tiles()) * b.region.cost * static_cast<double>(b.planes() + b.of_tile() * 2 * steps);
      }
      if (blocks > enough_each * processors && !best.empty()) return best;
      if (work / processors >= least) continue;
      const double end = end_of(launch, steps, processors);
      if (end >= least) continue;
      least = end;
      best = std::move(launch);
    }
  }
  return best;
}

/// Those of best_blocks(), kept for the launches that a thread makes again and again.
inline const std::vector<BlocksOfSteps>& kept_best_blocks(const std::vector<RegionOfSteps>& regions, int steps,
                                                          int processors) {
  struct Kept {
    std::vector<RegionOfSteps> regions;
    int steps, processors;
    std::vector<BlocksOfSteps> blocks;
  };
  constexpr std::size_t most = 64;
  thread_local std::vector<Kept> kept;
  for (const Kept& k : kept)
    if (k.steps == steps && k.processors == processors && k.regions == regions) return k.blocks;
  if (kept.size() == most) kept.clear();
  kept.push_back({regions, steps, processors, best_blocks(regions, steps, processors)});
  return kept.back().blocks;
}

}  // namespace asterism::fdtd::cuda
