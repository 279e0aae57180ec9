// SPDX-License-Identifier: Apache-2.0
// How many thread blocks several steps at once take, and which cells each of them has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "codelets/fdtd/kernels/update/steps_regions.hpp"

namespace asterism::fdtd::cuda {

/// Calls launch(kernel, columns of a tile, bytes of shared memory) for the kernel of 2 steps, or 4 in single precision.
template <class T, class Launch>
void with_steps_kernel(int steps, bool materials, TilesWith tiles, const Launch& launch) {
  const auto with = [&](auto number) {
    constexpr int n = number;
    const bool more = tiles != TilesWith::nothing;
    const auto kernel = tiles == TilesWith::faces
                            ? materials ? steps_kernel<n, true, true, true, T> : steps_kernel<n, false, true, true, T>
                        : more
                            ? materials ? steps_kernel<n, true, true, false, T> : steps_kernel<n, false, true, false, T>
                        : materials ? steps_kernel<n, true, false, false, T>
                                    : steps_kernel<n, false, false, false, T>;
    launch(kernel, tile_columns, sizeof(T) * (more ? Layout<n, true>::elements : Layout<n, false>::elements));
  };
  if (steps == 2)
    with(std::integral_constant<int, 2>());
  else if (steps == 4 && sizeof(T) == sizeof(float))
    with(std::integral_constant < int, sizeof(T) == sizeof(float) ? 4 : 2 > ());
  else
    throw std::invalid_argument("2 steps at once, or 4 in single precision");
}

/// Launches of a kernel: blocks, which kernel, and with media?
template <class T>
struct StepsLaunch {
  Steps<T> steps;
  std::uint32_t blocks;
  bool media;
  TilesWith with;
};

/// Cells in layers, and those of probes.
template <class T>
std::vector<Box> special_cells(const Grid& grid, const BesideSteps<T>& beside) {
  std::vector<Box> cells;
  const Box all = grid.cells();
  // faces along y and z first, which are as long as the domain
  for (const int axis : {1, 2, 0}) {
    if (beside.e_layers.layers == nullptr) break;
    const AxisLayers& layers = beside.e_layers.layers->axis[axis];
    Box lower = all;
    Box upper = all;
    (axis == 0 ? lower.x1 : axis == 1 ? lower.y1 : lower.z1) = std::min(layers.lower, grid.n[axis]);
    (axis == 0 ? upper.x0 : axis == 1 ? upper.y0 : upper.z0) = std::min(layers.upper, grid.n[axis]);
    cells.insert(cells.end(), {lower, upper});
  }
  for (std::int32_t p = 0; p < beside.probes.count; ++p) {
    const auto [i, j, k] = cell_of(grid, beside.probes.in_main_memory[p]);
    cells.push_back({i, i + 1, j, j + 1, k, k + 1});
  }
  return cells;
}

/// A launch for each kind of regions. planes 0: best_planes.
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
  std::vector<Box> apart;
  for (const Box& b : beside.apart) {
    apart.push_back({b.x0, with_last(b.x1, grid.n[0], entries.x1), b.y0, with_last(b.y1, grid.n[1], entries.y1), b.z0,
                     with_last(b.z1, grid.n[2], entries.z1)});
    s.apart[s.boxes_apart++] = apart.back();
  }
  const bool media = e_media.index != nullptr;
  std::vector<StepsLaunch<T>> launches;
  for (const RegionOfSteps& region :
       regions_of_steps(grid, steps, {needed.first, with_last(needed.end, grid.n[0], entries.x1)},
                        special_cells(grid, beside), apart, media ? beside.media : Box{})) {
    const std::vector<Box>& boxes = region.boxes;
    const std::int32_t chunk = planes > 0 ? planes : best_planes(boxes, steps, blocks_at_a_time);
    std::uint32_t blocks = 0;
    s.regions = 0;
    for (const Box& b : boxes) {
      const auto along_y = static_cast<std::uint32_t>(b.y1 - b.y0);
      const auto along_z = static_cast<std::uint32_t>(b.z1 - b.z0);
      s.region[s.regions++] = {b.y0, b.z0, along_y, along_z, {b.x0, b.x1}, chunk, blocks};
      blocks += along_y * along_z * static_cast<std::uint32_t>((b.x1 - b.x0 + chunk - 1) / chunk);
    }
    launches.push_back({s, blocks, region.media, region.with});
  }
  return launches;
}

}  // namespace asterism::fdtd::cuda
