// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/matrices/matrix_statistics.hpp"

#include <algorithm>
#include <numeric>

#include "taskflows/tdbem/surface/ordering.hpp"

namespace asterism::tdbem {
namespace {

/// Large enough for neighbours to share most triangles, and many enough for all cores.
constexpr std::int32_t block_size = 256;

/// Row-vectors of a slice, which lie in the tiles of a column.
void find_slice(const TiledStructure& structure, std::int32_t slice, std::vector<RowExtent>& extents) {
  extents.clear();
  for (std::size_t i = 0; i < structure.blocks.size(); ++i) {
    const TileStructure& tile = structure.tiles[structure.place(i, static_cast<std::size_t>(slice / block_size))];
    for (std::int32_t r = 0; r < tile.rows.size(); ++r) {
      const std::int64_t x =
          static_cast<std::int64_t>(r / panel_rows) * tile.slices.size() + (slice - tile.slices.begin);
      const auto e = static_cast<std::size_t>(x * panel_rows + r % panel_rows);
      extents.push_back({tile.first[e], tile.length[e]});
    }
  }
}

std::int64_t padded_values(std::span<const RowExtent> slice) {
  std::int64_t values = 0;
  for (std::size_t begin = 0; begin < slice.size(); begin += panel_rows) {
    std::int32_t longest = 0;
    for (const RowExtent& e : slice.subspan(begin, std::min<std::size_t>(panel_rows, slice.size() - begin)))
      longest = std::max(longest, e.length);
    values += longest * panel_rows;
  }
  return values;
}

void add(const NumberingStatistics& from, NumberingStatistics& to) {
  to.padded_values += from.padded_values;
  for (std::size_t s = 0; s < to.blocks.size(); ++s) {
    to.blocks[s].blocks += from.blocks[s].blocks;
    to.blocks[s].values += from.blocks[s].values;
  }
}

}  // namespace

MatrixStatistics matrix_statistics(const Surface& surface, const PairRules& rules, const Discretisation& d,
                                   std::span<const std::vector<std::int32_t>> orders,
                                   std::span<const BlockShape> shapes) {
  const std::vector<std::int32_t> curve = order_of(surface.vertices, Ordering::hilbert);
  const std::vector<std::int32_t> on_curve = places_of(curve, curve.size());
  std::vector<std::vector<std::int32_t>> places;  // on the curve, of the unknown at each place of a numbering
  for (const std::vector<std::int32_t>& order : orders) {
    (void)places_of(order, curve.size());  // says what is wrong with it
    std::vector<std::int32_t>& place = places.emplace_back();
    for (const std::int32_t unknown : order) place.push_back(on_curve[static_cast<std::size_t>(unknown)]);
  }

  const Surface along = renumbered(surface, curve);
  const TiledStructure structure =
      tiled_structure(along.view(), rules, d, blocks_of_unknowns(along.unknowns(), block_size));
  const std::int32_t n = along.unknowns();
  MatrixStatistics all;
  all.counts = structure.counts;
  all.numberings.assign(orders.size(), {0, 0, std::vector<BlockCounts>(shapes.size())});
  // of each slice, to be summed in an order that does not depend on threads
  std::vector<std::vector<double>> scores(orders.size(), std::vector<double>(static_cast<std::size_t>(n)));
#pragma omp parallel
  {
    std::vector<NumberingStatistics> own = all.numberings;
    std::vector<RowExtent> slice, numbered(static_cast<std::size_t>(n));
#pragma omp for schedule(dynamic, 16)
    for (std::int32_t j = 0; j < n; ++j) {
      find_slice(structure, j, slice);
      for (std::size_t o = 0; o < orders.size(); ++o) {
        for (std::size_t i = 0; i < numbered.size(); ++i) numbered[i] = slice[static_cast<std::size_t>(places[o][i])];
        const auto at = [&](std::int32_t row) { return numbered[static_cast<std::size_t>(row)]; };
        scores[o][static_cast<std::size_t>(j)] =
            ordering_score(n, 1, [&](std::int32_t row, std::int32_t) { return at(row); });
        own[o].padded_values += padded_values(numbered);
        for (std::size_t s = 0; s < shapes.size(); ++s)
          if (shapes[s].columns >= structure.counts.longest) count_blocks(n, shapes[s], at, own[o].blocks[s]);
      }
    }
#pragma omp critical
    for (std::size_t o = 0; o < orders.size(); ++o) add(own[o], all.numberings[o]);
  }
  for (std::size_t o = 0; o < orders.size(); ++o)
    all.numberings[o].score = std::accumulate(scores[o].begin(), scores[o].end(), 0.0) / n;
  return all;
}

}  // namespace asterism::tdbem
