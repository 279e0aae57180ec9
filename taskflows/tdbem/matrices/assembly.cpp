// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/matrices/assembly.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace asterism::tdbem {
namespace {

/// What one task does: a tile, with its mirror image if that is here as well; then the tile is on the diagonal or above
/// it.
struct TilePlace {
  std::size_t row, slice;
};
std::vector<TilePlace> tiles_with_mirrors(const TiledStructure& structure) {
  std::vector<TilePlace> places;
  const auto begin = static_cast<std::size_t>(structure.own.begin);
  const auto end = static_cast<std::size_t>(structure.own.end);
  for (std::size_t row = 0; row < structure.blocks.size(); ++row)
    for (std::size_t slice = structure.has_slices(row) ? row : begin; slice < end; ++slice)
      places.push_back({row, slice});
  return places;
}

}  // namespace

void refuse(const LagFault& fault, const Discretisation& d) {
  switch (fault.kind) {
    case LagFault::Kind::hole:
      bad_input(
          "time step {:g} s: lag {} of unknowns {} and {} has no values though later ones have, as waves cross the "
          "spacing of quadrature points in more than {} steps; a step of {:g} s or more leaves none, and so may a "
          "finer mesh",
          d.step, fault.found, fault.row, fault.slice, lags_of_distance(d.boundary),
          spacing_per_edge * fault.longest_edge / (lags_of_distance(d.boundary) * d.speed));
    case LagFault::Kind::long_vector:
      bad_input(
          "time step {:g} s: unknowns {} and {} interact in {} consecutive steps, expected at most {}: take a "
          "larger step or smaller triangles",
          d.step, fault.row, fault.slice, fault.found, max_length);
    default:
      bad_input(
          "time step {:g} s: waves from unknown {} reach unknown {} as late as {} steps after, expected at most "
          "{}: take a larger step",
          d.step, fault.slice, fault.row, fault.found, max_lag);
  }
}

template <class T>
std::size_t TiledStructure::bytes() const {
  std::size_t sum = 0;
  for (const TileStructure& tile : tiles) sum += tile_layout<T>(tile).bytes;
  return sum;
}
template std::size_t TiledStructure::bytes<float>() const;
template std::size_t TiledStructure::bytes<double>() const;

TiledStructure structure_of_own_blocks(const SurfaceView& surface, const PairRules& rules, const Discretisation& d,
                                       const std::vector<Range>& blocks, Range own) {
  if (!(d.speed > 0) || !(d.step > 0) || !std::isfinite(d.speed) || !std::isfinite(d.step))
    bad_input("speed of sound {:g} m/s and time step {:g} s, expected positive ones", d.speed, d.step);
  TiledStructure structure{blocks, own, {}, {}, {}, {}};
  structure.tiles.resize(blocks.size() * static_cast<std::size_t>(own.size()));
  structure.point_pairs.resize(structure.tiles.size());
  const std::vector<TilePlace> places = tiles_with_mirrors(structure);
  std::vector<LagFault> faults(places.size());
#pragma omp parallel
  {
    TileScratch scratch(rules);
#pragma omp for schedule(dynamic)
    for (std::size_t p = 0; p < places.size(); ++p) {
      const auto [row, slice] = places[p];
      MirroredStructure tiles = tile_structure(surface, rules, d, blocks[row], blocks[slice], scratch);
      faults[p] = tiles.fault;
      structure.point_pairs[structure.place(row, slice)] = tiles.point_pairs;
      structure.tiles[structure.place(row, slice)] = std::move(tiles.tile);
      if (row != slice && structure.has_slices(row))
        structure.tiles[structure.place(slice, row)] = std::move(tiles.mirror);
    }
  }
  for (const LagFault& fault : faults)
    if (structure.fault.kind == LagFault::Kind::none) structure.fault = fault;
  for (const TileStructure& tile : structure.tiles) structure.counts.add(tile.counts);
  return structure;
}

TiledStructure tiled_structure(const SurfaceView& surface, const PairRules& rules, const Discretisation& d,
                               const std::vector<Range>& blocks, Widths widths) {
  TiledStructure structure =
      structure_of_own_blocks(surface, rules, d, blocks, {0, static_cast<std::int32_t>(blocks.size())});
  if (structure.fault.kind != LagFault::Kind::none) refuse(structure.fault, d);
  if (widths == Widths::uniform) {
    const std::int32_t longest = structure.counts.longest;
    structure.counts = {};
    for (TileStructure& tile : structure.tiles) {
      widen(tile, longest);
      structure.counts.add(tile.counts);
    }
  }
  return structure;
}

InitialMatrix gather_initial(const TiledStructure& structure, std::span<const std::vector<double>> initial) {
  InitialMatrix matrix;
  matrix.start.push_back(0);
  matrix.column.reserve(static_cast<std::size_t>(structure.counts.initial));
  matrix.value.reserve(static_cast<std::size_t>(structure.counts.initial));
  for (std::size_t row = 0; row < structure.blocks.size(); ++row)
    for (std::size_t r = 0; r < static_cast<std::size_t>(structure.blocks[row].size()); ++r) {
      for (std::int32_t b = structure.own.begin; b < structure.own.end; ++b) {
        const auto slice = static_cast<std::size_t>(b);
        const TileStructure& tile = structure.tiles[structure.place(row, slice)];
        const auto begin = static_cast<std::size_t>(tile.initial_start[r]);
        const auto end = static_cast<std::size_t>(tile.initial_start[r + 1]);
        for (std::size_t e = begin; e < end; ++e) {
          matrix.column.push_back(tile.slices.begin + tile.initial_slice[e]);
          matrix.value.push_back(initial[structure.place(row, slice)][e]);
        }
      }
      matrix.start.push_back(static_cast<std::int64_t>(matrix.column.size()));
    }
  return matrix;
}

template <class T>
ConvolutionMatrices<T> assemble_all(const SurfaceView& surface, const PairRules& rules, const Discretisation& d,
                                    const std::vector<Range>& blocks, Widths widths) {
  ConvolutionMatrices<T> matrices;
  matrices.structure = tiled_structure(surface, rules, d, blocks, widths);
  const TiledStructure& structure = matrices.structure;
  std::vector<std::vector<double>> initial;
  for (const TileStructure& tile : structure.tiles) {
    matrices.layouts.push_back(tile_layout<T>(tile));
    matrices.buffers.emplace_back(matrices.layouts.back().bytes);
    initial.emplace_back(tile.initial_slice.size());
  }
  const auto target = [&](std::size_t x) -> TileTarget<T> {
    const TileStructure& tile = structure.tiles[x];
    store_structure(tile, matrices.layouts[x], matrices.buffers[x].data());
    return {tile_in<T>(matrices.layouts[x], matrices.buffers[x].data()), tile_values_in<T>(matrices.buffers[x].data()),
            tile.initial_start.data(), tile.initial_slice.data(), initial[x].data()};
  };
  const std::vector<TilePlace> places = tiles_with_mirrors(structure);
#pragma omp parallel
  {
    TileScratch scratch(rules);
#pragma omp for schedule(dynamic)
    for (std::size_t p = 0; p < places.size(); ++p) {
      const auto [row, slice] = places[p];
      const TileTarget<T> tile = target(structure.place(row, slice));
      if (row == slice) {
        assemble<T>(surface, rules, d, tile, nullptr, scratch);
      } else {
        const TileTarget<T> mirror = target(structure.place(slice, row));
        assemble<T>(surface, rules, d, tile, &mirror, scratch);
      }
    }
  }
  matrices.initial = gather_initial(structure, initial);
  return matrices;
}
template ConvolutionMatrices<float> assemble_all(const SurfaceView&, const PairRules&, const Discretisation&,
                                                 const std::vector<Range>&, Widths);
template ConvolutionMatrices<double> assemble_all(const SurfaceView&, const PairRules&, const Discretisation&,
                                                  const std::vector<Range>&, Widths);

}  // namespace asterism::tdbem
