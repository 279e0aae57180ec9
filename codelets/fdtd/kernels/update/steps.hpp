// SPDX-License-Identifier: Apache-2.0
// How many thread blocks several steps at once take, and which cells each of them has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "codelets/fdtd/kernels/update/steps_blocks.hpp"

namespace asterism::fdtd::cuda {

/// Calls launch(kernel, columns of a tile, bytes of shared memory) for the kernel of 2 steps, or 4 in single precision,
/// with psi in shared memory or without.
template <class T, class Launch>
void with_steps_kernel(int steps, bool psi, const Launch& launch) {
  constexpr int most = sizeof(T) == sizeof(float) ? 4 : 2;
  const auto bytes = [&](auto layout) { return sizeof(T) * (psi ? layout.elements : layout.psi_begin); };
  if (steps == 2)
    launch(steps_kernel<2, T>, tile_columns, bytes(Layout<2>()));
  else if (steps == most)
    launch(steps_kernel<most, T>, tile_columns, bytes(Layout<most>()));
  else
    throw std::invalid_argument("2 steps at once, or 4 in single precision");
}

template <class T>
struct StepsLaunch {
  Steps<T> steps;
  std::uint32_t blocks;
  bool psi;  ///< in shared memory
};
static_assert(sizeof(Steps<double>) + 4 * sizeof(void*) <= 4096, "arguments of a kernel");

template <class T>
void add_blocks(const BlocksOfSteps& blocks, StepsLaunch<T>& launch) {
  const Box& b = blocks.region.tiles;
  launch.steps.region[launch.steps.regions++] = {static_cast<std::int16_t>(b.y0),
                                                 static_cast<std::int16_t>(b.z0),
                                                 static_cast<std::uint16_t>(b.y1 - b.y0),
                                                 static_cast<std::uint16_t>(b.z1 - b.z0),
                                                 {b.x0, b.x1},
                                                 blocks.chunk,
                                                 launch.blocks,
                                                 blocks.region.with,
                                                 blocks.region.media};
  launch.blocks += static_cast<std::uint32_t>(blocks.tiles() * blocks.of_tile());
}

/// Cells in layers, and of sources and probes.
template <class T>
BesideTiles beside_tiles(const Grid& grid, const Source<T>* sources, std::int32_t count, const BesideSteps<T>& beside) {
  BesideTiles cells;
  const auto add = [&](int i, int j, int k) { cells.special.push_back({i, i + 1, j, j + 1, k, k + 1}); };
  for (std::int32_t n = 0; n < count; ++n) add(sources[n].i, sources[n].j, sources[n].k);
  for (std::size_t f = 0; f < 6 && beside.e_layers.layers != nullptr; ++f) {
    const std::size_t axis = f / 2;
    const AxisLayers& layers = beside.e_layers.layers->axis[axis];
    Box b = grid.cells();
    std::int32_t* const range[3][2] = {{&b.x0, &b.x1}, {&b.y0, &b.y1}, {&b.z0, &b.z1}};
    if (f % 2 == 0)
      *range[axis][1] = std::min(layers.lower, grid.n[axis]);
    else
      *range[axis][0] = std::min(layers.upper, grid.n[axis]);
    cells.layers[f] = b;
  }
  for (std::int32_t p = 0; p < beside.probes.count; ++p) {
    const auto [i, j, k] = cell_of(grid, beside.probes.in_main_memory[p]);
    add(i, j, k);
  }
  return cells;
}

/// The blocks of each launch, of `planes` planes or, if that is 0, of as many as end soonest. If all blocks run at once
/// there is one launch. Else regions without psi have a second one, with less shared memory and so more cache.
inline std::vector<std::vector<BlocksOfSteps>> blocks_of_launches(const std::vector<RegionOfSteps>& regions, int steps,
                                                                  std::int32_t planes, int blocks_at_a_time) {
  const auto cut = [&](const std::vector<RegionOfSteps>& some) {
    if (planes == 0) return kept_best_blocks(some, steps, blocks_at_a_time);
    std::vector<BlocksOfSteps> given;
    for (const RegionOfSteps& region : some) given.push_back({region, planes_within(region, steps, planes)});
    return given;
  };
  const std::vector<BlocksOfSteps> all = cut(regions);
  std::int64_t count = 0;
  for (const BlocksOfSteps& blocks : all) count += blocks.tiles() * blocks.of_tile();
  if (count <= blocks_at_a_time) return {all};
  std::vector<RegionOfSteps> with_psi, others;
  for (const RegionOfSteps& region : regions) (region.psi ? with_psi : others).push_back(region);
  if (with_psi.empty() || others.empty()) return {all};
  return {cut(with_psi), cut(others)};
}

/// Launches of all regions, as many as one takes. planes: of all blocks, 0: as is best.
template <class T>
std::vector<StepsLaunch<T>> describe_steps(const Grid& grid, int steps, const Planes& needed, const Factors& h_factors,
                                           const Factors& e_factors, const Media<T>& h_media, const Media<T>& e_media,
                                           const Source<T>* sources, std::int32_t count, const BesideSteps<T>& beside,
                                           std::int32_t planes, int blocks_at_a_time) {
  if (grid.face[0] == Face::neighbour || grid.face[1] == Face::neighbour)
    throw std::invalid_argument("steps at once: no neighbour along x");
  if ((e_media.index == nullptr) != (h_media.index == nullptr))
    throw std::invalid_argument("steps at once: materials in both fields or in none");
  if ((beside.e_layers.layers == nullptr) != (beside.h_layers.layers == nullptr))
    throw std::invalid_argument("steps at once: absorbing layers of both fields or of none");
  if (e_media.graded() || h_media.graded()) throw std::invalid_argument("steps at once: only on uniform meshes");
  if (count > most_steps_sources) throw std::invalid_argument("steps at once: too many sources");
  Steps<T> s{};
  s.grid = grid;
  for (int a = 0; a < 3; ++a) {
    s.e_entries[a] = grid.entries(Field::electric, a, grid.cells());
    s.h_entries[a] = grid.entries(Field::magnetic, a, grid.cells());
    s.e_factor[a] = static_cast<T>(e_factors.along[a]);
    s.h_factor[a] = static_cast<T>(h_factors.along[a]);
  }
  s.e_media = e_media;
  s.h_media = h_media;
  s.sources = count;
  for (std::int32_t n = 0; n < count; ++n) {
    s.source[n] = {sources[n].component, sources[n].i, sources[n].j, sources[n].k, {}};
    for (int step = 0; step < steps; ++step) s.source[n].values[step] = sources[n].values[step];
  }
  for (AxisLayers& none : s.absorbing.layers.axis) none.upper = std::numeric_limits<std::int32_t>::max();
  if (beside.e_layers.layers != nullptr) {
    const Layers& layers = *beside.e_layers.layers;
    s.absorbing = {layers,
                   {layers.elements(0) / 2, layers.elements(1) / 2, layers.elements(2) / 2},
                   {beside.e_layers.stretches, beside.h_layers.stretches},
                   {beside.e_layers.psi, beside.h_layers.psi},
                   {beside.e_psi_to, beside.h_psi_to}};
  }
  s.probes = beside.probes;
  if (beside.apart.size() > most_boxes_apart) throw std::invalid_argument("steps at once: too many boxes apart");
  // what lies on a magnetic conductor goes with the last cells
  const Box entries = grid.entries();
  const auto with_last = [](std::int32_t end, std::int32_t cells, std::int32_t planes) {
    return end == cells ? planes : end;
  };
  BesideTiles tiles = beside_tiles(grid, sources, count, beside);
  for (const Box& b : beside.apart) {
    tiles.apart.push_back({b.x0, with_last(b.x1, grid.n[0], entries.x1), b.y0, with_last(b.y1, grid.n[1], entries.y1),
                           b.z0, with_last(b.z1, grid.n[2], entries.z1)});
    s.apart[s.boxes_apart++] = tiles.apart.back();
  }
  if (e_media.index != nullptr) tiles.media = beside.media;
  const std::vector<RegionOfSteps> regions = regions_of_steps(
      grid, steps, {needed.first, with_last(needed.end, grid.n[0], entries.x1)}, tiles, sizeof(T) == sizeof(double));
  s.columns_before[0] = columns_before(entries.y1, steps);
  s.columns_before[1] = columns_before(entries.z1, steps, whole_sectors);
  std::vector<StepsLaunch<T>> launches;
  for (const std::vector<BlocksOfSteps>& together : blocks_of_launches(regions, steps, planes, blocks_at_a_time)) {
    const bool psi = std::any_of(together.begin(), together.end(), [](const BlocksOfSteps& b) { return b.region.psi; });
    launches.push_back({s, 0, psi});
    for (const BlocksOfSteps& blocks : together) {
      if (launches.back().steps.regions == most_regions) launches.push_back({s, 0, psi});
      add_blocks(blocks, launches.back());
    }
  }
  return launches;
}

}  // namespace asterism::fdtd::cuda
