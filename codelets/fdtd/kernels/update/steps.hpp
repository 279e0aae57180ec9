// SPDX-License-Identifier: Apache-2.0
// How many thread blocks several steps at once take, and which cells each of them has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "codelets/fdtd/kernels/update/steps.cuh"

namespace asterism::fdtd::cuda {

/// Calls launch(kernel, columns of a tile, bytes of shared memory) for the kernel of 2 or 4 steps;
/// with_more: with layers or probes.
template <class T, class Launch>
void with_steps_kernel(int steps, bool materials, bool with_more, const Launch& launch) {
  const auto with = [&](auto number) {
    constexpr int n = number;
    const auto kernel = with_more ? (materials ? steps_kernel<n, true, true, T> : steps_kernel<n, false, true, T>)
                                  : (materials ? steps_kernel<n, true, false, T> : steps_kernel<n, false, false, T>);
    launch(kernel, tile_columns, sizeof(T) * Layout<n>::elements);
  };
  if (steps == 2)
    with(std::integral_constant<int, 2>());
  else if (steps == 4)
    with(std::integral_constant<int, 4>());
  else
    throw std::invalid_argument("2 or 4 steps at once");
}

/// Planes that a block advances so that all are done soonest: rounds of as many blocks as the GPU runs at a time, each
/// as long as its planes and those that it advances for its neighbours.
inline std::int32_t best_planes(std::int32_t length, std::uint32_t tiles, int steps, int blocks_at_a_time) {
  std::int32_t best = length;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int32_t chunks = 1; chunks <= length; ++chunks) {
    const std::int32_t planes = (length + chunks - 1) / chunks;
    const std::int64_t blocks = std::int64_t{tiles} * ((length + planes - 1) / planes);
    const std::int64_t time = (blocks + blocks_at_a_time - 1) / blocks_at_a_time * (planes + 2 * steps);
    if (time < least) best = planes;
    least = std::min(least, time);
  }
  return best;
}

/// The kernel's description; `blocks` of the launch. planes 0: best_planes.
template <class T>
Steps<T> describe_steps(const Grid& grid, int steps, const Planes& needed, const Factors& h_factors,
                        const Factors& e_factors, const Media<T>& h_media, const Media<T>& e_media,
                        const Source<T>* sources, std::int32_t count, const BesideSteps<T>& beside, std::int32_t planes,
                        int blocks_at_a_time, std::uint32_t& blocks) {
  for (const Face face : grid.face)
    if (face != Face::electric) throw std::invalid_argument("steps at once: all faces have to be electric conductors");
  if ((e_media.index == nullptr) != (h_media.index == nullptr))
    throw std::invalid_argument("steps at once: materials in both fields or in none");
  if (count > most_steps_sources) throw std::invalid_argument("steps at once: too many sources");
  const auto parts = [](int length, int part) { return static_cast<std::uint32_t>((length + part - 1) / part); };
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
  if ((beside.e_layers.layers == nullptr) != (beside.h_layers.layers == nullptr))
    throw std::invalid_argument("steps at once: absorbing layers of both fields or of none");
  for (AxisLayers& none : s.absorbing.layers.axis) none.upper = std::numeric_limits<std::int32_t>::max();
  if (beside.e_layers.layers != nullptr) {
    s.absorbing = {*beside.e_layers.layers,
                   {beside.e_layers.stretches, beside.h_layers.stretches},
                   {beside.e_layers.psi, beside.h_layers.psi},
                   {beside.e_psi_to, beside.h_psi_to}};
  }
  s.probes = beside.probes;
  s.along_z = parts(grid.n[2], tile_side - 2 * steps);
  s.along_y = parts(grid.n[1], tile_side - 2 * steps);
  s.needed = needed;
  const std::int32_t length = needed.end - needed.first;
  s.planes = planes > 0 ? planes : best_planes(length, s.along_z * s.along_y, steps, blocks_at_a_time);
  blocks = s.along_z * s.along_y * parts(length, s.planes);
  return s;
}

}  // namespace asterism::fdtd::cuda
