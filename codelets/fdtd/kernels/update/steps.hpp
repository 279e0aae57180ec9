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

/// Calls launch(kernel, columns of a tile, bytes of shared memory) for the kernel of 2 steps, or 4 in single precision;
/// with_more: with layers or probes.
template <class T, class Launch>
void with_steps_kernel(int steps, bool materials, bool with_more, const Launch& launch) {
  const auto with = [&](auto number) {
    constexpr int n = number;
    const auto kernel = with_more ? (materials ? steps_kernel<n, true, true, T> : steps_kernel<n, false, true, T>)
                                  : (materials ? steps_kernel<n, true, false, T> : steps_kernel<n, false, false, T>);
    launch(kernel, tile_columns, sizeof(T) * (with_more ? Layout<n, true>::elements : Layout<n, false>::elements));
  };
  if (steps == 2)
    with(std::integral_constant<int, 2>());
  else if (steps == 4 && sizeof(T) == sizeof(float))
    with(std::integral_constant < int, sizeof(T) == sizeof(float) ? 4 : 2 > ());
  else
    throw std::invalid_argument("2 steps at once, or 4 in single precision");
}

/// A launch: blocks, and does any of them have more than the plain scheme?
template <class T>
struct StepsLaunch {
  Steps<T> steps;
  std::uint32_t blocks;
  bool with_more;
};

/// Cells in layers along y and z, and those of probes.
template <class T>
std::vector<Box> special_cells(const Grid& grid, const BesideSteps<T>& beside) {
  std::vector<Box> cells;
  const Box all = grid.cells();
  for (const int axis : {1, 2}) {
    if (beside.e_layers.layers == nullptr) break;
    const AxisLayers& layers = beside.e_layers.layers->axis[axis];
    Box lower = all;
    Box upper = all;
    (axis == 1 ? lower.y1 : lower.z1) = std::min(layers.lower, grid.n[axis]);
    (axis == 1 ? upper.y0 : upper.z0) = std::min(layers.upper, grid.n[axis]);
    cells.insert(cells.end(), {lower, upper});
  }
  for (std::int32_t p = 0; p < beside.probes.count; ++p) {
    const auto [i, j, k] = cell_of(grid, beside.probes.in_main_memory[p]);
    cells.push_back({i, i + 1, j, j + 1, k, k + 1});
  }
  return cells;
}

/// planes 0: best_planes.
template <class T>
StepsLaunch<T> describe_steps(const Grid& grid, int steps, const Planes& needed, const Factors& h_factors,
                              const Factors& e_factors, const Media<T>& h_media, const Media<T>& e_media,
                              const Source<T>* sources, std::int32_t count, const BesideSteps<T>& beside,
                              std::int32_t planes, int blocks_at_a_time) {
  for (const Face face : grid.face)
    if (face != Face::electric) throw std::invalid_argument("steps at once: all faces have to be electric conductors");
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
  for (const Box& box : beside.apart) s.apart[s.boxes_apart++] = box;
  const RegionsOfSteps regions = regions_of_steps(grid, steps, needed, special_cells(grid, beside), beside.apart);
  // where planes in layers along x come: as the first step's upper neighbour, to as the last one's
  const AxisLayers& along_x = s.absorbing.layers.axis[0];
  s.more_below = along_x.lower > 0 ? along_x.lower + steps : std::numeric_limits<std::int32_t>::min();
  s.more_above = along_x.upper < grid.n[0] ? along_x.upper + 1 : std::numeric_limits<std::int32_t>::max();
  const std::int32_t chunk = planes > 0 ? planes : best_planes(regions, steps, blocks_at_a_time);
  std::uint32_t blocks = 0;
  for (const bool more : {true, false})  // the longer ones first
    for (const Box& b : more ? regions.more : regions.plain) {
      const auto along_y = static_cast<std::uint32_t>(b.y1 - b.y0);
      const auto along_z = static_cast<std::uint32_t>(b.z1 - b.z0);
      s.region[s.regions++] = {b.y0, b.z0, along_y, along_z, {b.x0, b.x1}, chunk, blocks, more};
      blocks += along_y * along_z * static_cast<std::uint32_t>((b.x1 - b.x0 + chunk - 1) / chunk);
    }
  const bool layers_along_x = along_x.lower > 0 || along_x.upper < grid.n[0];
  return {s, blocks, layers_along_x || !regions.more.empty()};
}

}  // namespace asterism::fdtd::cuda
