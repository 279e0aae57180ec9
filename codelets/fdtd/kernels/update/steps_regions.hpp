// SPDX-License-Identifier: Apache-2.0
// Which tiles and planes of several steps at once touch something beside the plain scheme: only these pay for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "codelets/fdtd/kernels/update/boxes.hpp"
#include "codelets/fdtd/kernels/update/steps.cuh"

namespace asterism::fdtd::cuda {

/// What a kernel of several steps knows: the plain scheme and sources; layers, probes and cells apart, too; and faces
/// other than electric conductors.
enum class TilesWith : std::int8_t { nothing, more, faces };

/// Planes along x, tiles along y and z that go together.
struct RegionOfSteps {
  std::vector<Box> boxes;
  TilesWith with;
  bool media;  ///< other than the background
};

/// Entries before each face that is no electric conductor.
inline std::vector<Box> beside_faces(const Grid& grid, const Box& entries) {
  std::vector<Box> all;
  for (int f = 0; f < 6; ++f) {
    if (grid.face[f] == Face::electric) continue;
    Box b = entries;
    std::int32_t* const range[3][2] = {{&b.x0, &b.x1}, {&b.y0, &b.y1}, {&b.z0, &b.z1}};
    auto& [first, end] = range[f / 2];
    (f % 2 == 0 ? *end : *first) = f % 2 == 0 ? 1 : grid.n[f / 2] - 1;
    all.push_back(b);
  }
  return all;
}

/// Tiles with `special` cells take the kernel with more, as do those beside cells `apart`, which take none; those at
/// faces that are no electric conductors the kernel with these; those with cells of `media` the one with media. Where
/// this would be too many regions, all tiles do.
inline std::vector<RegionOfSteps> regions_of_steps(const Grid& grid, int steps, const Planes& needed,
                                                   const std::vector<Box>& special, const std::vector<Box>& apart,
                                                   const Box& media) {
  const int side = tile_side - 2 * steps;
  const auto tiles = [&](int length) { return (length + side - 1) / side; };
  const Box entries = grid.entries();
  const Box all{needed.first, needed.end, 0, tiles(entries.y1), 0, tiles(entries.z1)};
  std::vector<Box> plain{all};
  std::vector<Box> more;
  std::vector<Box> at_faces;
  // a tile computes `steps` columns and planes more than its own
  const auto first = [&](int cell) { return std::max(cell - steps, 0) / side; };
  const auto with = [&](const Box& b) {
    return Box{b.x0 - steps, b.x1 + steps, first(b.y0), tiles(b.y1 + steps), first(b.z0), tiles(b.z1 + steps)};
  };
  for (const Box& b : beside_faces(grid, entries)) plain = without(plain, with(b), &at_faces);
  for (const Box& b : special)
    if (!b.empty()) plain = without(plain, with(b), &more);
  for (const Box& b : apart)
    plain = without(plain, {b.x0, b.x1, b.y0 / side, tiles(b.y1), b.z0 / side, tiles(b.z1)}, &more);
  // tiles that have nothing else
  const auto last = [&](int end, int length) { return end == length ? tiles(length) : end / side; };
  for (std::vector<Box>* const tiles_with : {&more, &at_faces})
    for (const Box& b : apart)
      *tiles_with =
          without(*tiles_with, {b.x0, b.x1, tiles(b.y0), last(b.y1, entries.y1), tiles(b.z0), last(b.z1, entries.z1)});
  std::vector<RegionOfSteps> regions;
  std::size_t most = 0;
  const auto add = [&](const std::vector<Box>& boxes, TilesWith what, bool in_media) {
    most = std::max(most, boxes.size());
    if (!boxes.empty()) regions.push_back({boxes, what, in_media});
  };
  const bool any_face = !at_faces.empty();
  // beyond a periodic face may be media of the other end
  add(at_faces, TilesWith::faces, !media.empty());
  for (const bool has_more : {true, false}) {
    std::vector<Box> in_media;
    std::vector<Box> background = has_more ? more : plain;
    if (!media.empty()) background = without(background, with(common(media, entries)), &in_media);
    add(background, has_more ? TilesWith::more : TilesWith::nothing, false);
    add(in_media, has_more ? TilesWith::more : TilesWith::nothing, true);
  }
  if (most > most_regions) return {{{all}, any_face ? TilesWith::faces : TilesWith::more, !media.empty()}};
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
