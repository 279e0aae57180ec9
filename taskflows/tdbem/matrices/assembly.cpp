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
  const auto begin = static_cast<std::size_t>(structure.blocks.begin);
  const auto end = static_cast<std::size_t>(structure.blocks.end);
  for (std::size_t row = 0; row < structure.clusters.size(); ++row)
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

std::vector<Range> clusters(std::int32_t unknowns, std::int32_t size) {
  if (unknowns < 1) bad_input("{} unknowns, expected at least one", unknowns);
  if (size < 1 || size % panel_rows != 0)
    bad_input("clusters of {} unknowns, expected a positive multiple of {}", size, panel_rows);
  std::vector<Range> ranges;
  for (std::int32_t begin = 0; begin < unknowns; begin += std::min(size, unknowns - begin))
    ranges.push_back({begin, begin + std::min(size, unknowns - begin)});
  return ranges;
}

template <class T>
std::size_t TiledStructure::bytes() const {
  std::size_t sum = 0;
  for (const TileStructure& tile : tiles) sum += tile_layout<T>(tile).bytes;
  return sum;
}
template std::size_t TiledStructure::bytes<float>() const;
template std::size_t TiledStructure::bytes<double>() const;

TiledStructure structure_of_blocks(const SurfaceView& surface, const PairRules& rules, const Discretisation& d,
                                   const std::vector<Range>& clusters, Range blocks) {
  if (!(d.speed > 0) || !(d.step > 0) || !std::isfinite(d.speed) || !std::isfinite(d.step))
    bad_input("speed of sound {:g} m/s and time step {:g} s, expected positive ones", d.speed, d.step);
  TiledStructure structure{clusters, blocks, {}, {}, {}, {}};
  structure.tiles.resize(clusters.size() * static_cast<std::size_t>(blocks.size()));
  structure.point_pairs.resize(structure.tiles.size());
  const std::vector<TilePlace> places = tiles_with_mirrors(structure);
  std::vector<LagFault> faults(places.size());
#pragma omp parallel
  {
    TileScratch scratch(rules);
#pragma omp for schedule(dynamic)
    for (std::size_t p = 0; p < places.size(); ++p) {
      const auto [row, slice] = places[p];
      MirroredStructure tiles = tile_structure(surface, rules, d, clusters[row], clusters[slice], scratch);
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
                               const std::vector<Range>& clusters, Widths widths) {
  TiledStructure structure =
      structure_of_blocks(surface, rules, d, clusters, {0, static_cast<std::int32_t>(clusters.size())});
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

std::vector<std::int32_t> equal_values(const std::vector<std::int64_t>& values, std::int32_t parts) {
  const auto blocks = static_cast<std::int32_t>(values.size());
  if (blocks < parts)
    bad_input("{} blocks of slices for {} processes: expected one for each at least, of fewer slices (--cluster)",
              blocks, parts);
  double all = 0;
  for (const std::int64_t v : values) all += static_cast<double>(v);
  std::vector<std::int32_t> begin{0};
  double before = 0;  // values of blocks before b
  for (std::int32_t b = 0, part = 1; part < parts; ++part) {
    const double wanted = all * part / parts;
    // a block goes to the part that has most of it, unless others would be left without any
    const auto half = [&] { return static_cast<double>(values[static_cast<std::size_t>(b)]) / 2; };
    while (b < begin.back() + 1 || (b < blocks - (parts - part) && before + half() < wanted))
      before += static_cast<double>(values[static_cast<std::size_t>(b++)]);
    begin.push_back(b);
  }
  begin.push_back(blocks);
  return begin;
}

InitialMatrix gather_initial(const TiledStructure& structure, std::span<const std::vector<double>> initial) {
  InitialMatrix matrix;
  matrix.start.push_back(0);
  matrix.column.reserve(static_cast<std::size_t>(structure.counts.initial));
  matrix.value.reserve(static_cast<std::size_t>(structure.counts.initial));
  for (std::size_t row = 0; row < structure.clusters.size(); ++row)
    for (std::size_t r = 0; r < static_cast<std::size_t>(structure.clusters[row].size()); ++r) {
      for (std::int32_t b = structure.blocks.begin; b < structure.blocks.end; ++b) {
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
                                    const std::vector<Range>& clusters, Widths widths) {
  ConvolutionMatrices<T> matrices;
  matrices.structure = tiled_structure(surface, rules, d, clusters, widths);
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
