// SPDX-License-Identifier: Apache-2.0
// Scores, padding and blocks of several numberings, found along one curve: as in tiles of each numbering itself.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "taskflows/tdbem/matrices/matrix_statistics.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/ordering.hpp"
#include "tests/taskflows/tdbem/fixture.hpp"

namespace asterism::tdbem {
namespace {

constexpr BlockShape shapes[] = {{16, 32}, {32, 16}, {5, 64}};

/// An ellipsoid beside a tetrahedron: 166 unknowns, neither a multiple of panels nor of blocks, without symmetries.
Surface body() {
  mesh::TriangleMesh mesh = ellipsoid(2, {1, 0.7, 0.5});
  append(mesh, tetrahedron(0.3, 0.4, 0.5), 1.1);
  return prepare_surface(mesh);
}

std::vector<std::int32_t> shuffled(std::int32_t unknowns) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(unknowns));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  return order;
}

/// extent[i][j] of the surface in its own numbering.
std::vector<std::vector<RowExtent>> extents_of(const Surface& s, const PairRules& rules, const Discretisation& d) {
  const auto n = static_cast<std::size_t>(s.unknowns());
  const TiledStructure t = tiled_structure(s.view(), rules, d, blocks_of_unknowns(s.unknowns(), 32));
  std::vector<std::vector<RowExtent>> extent(n, std::vector<RowExtent>(n));
  for (const TileStructure& tile : t.tiles)
    for (std::int32_t r = 0; r < tile.rows.size(); ++r)
      for (std::int32_t c = 0; c < tile.slices.size(); ++c) {
        const std::size_t e = static_cast<std::size_t>(r / 32 * tile.slices.size() + c) * 32 + r % 32;
        extent[static_cast<std::size_t>(tile.rows.begin + r)][static_cast<std::size_t>(tile.slices.begin + c)] = {
            tile.first[e], tile.length[e]};
      }
  return extent;
}

TEST(TdbemMatrixStatistics, AreThoseOfEachNumbering) {
  const Surface surface = body();
  const std::int32_t n = surface.unknowns();
  const PairRules rules;
  const Discretisation d{Boundary::rigid, 1.3, 0.11};
  const std::vector<std::vector<std::int32_t>> orders = {order_of(surface.vertices, Ordering::mesh),
                                                         order_of(surface.vertices, Ordering::morton), shuffled(n)};
  const MatrixStatistics found = matrix_statistics(surface, rules, d, orders, shapes);
  ASSERT_EQ(found.numberings.size(), orders.size());
  for (std::size_t o = 0; o < orders.size(); ++o) {
    const Surface renumbered_surface = renumbered(surface, orders[o]);
    const auto extent = extents_of(renumbered_surface, rules, d);
    const NumberingStatistics& numbering = found.numberings[o];
    double score = 0;
    std::int64_t values = 0, padded = 0;
    std::vector<std::int64_t> blocks(3);
    std::int32_t longest = 0, last = 0;
    for (std::int32_t j = 0; j < n; ++j) {
      const auto at = [&](std::int32_t i) { return extent[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; };
      for (std::int32_t i = 0; i < n; ++i) {
        values += at(i).length;
        longest = std::max(longest, at(i).length);
        last = std::max(last, at(i).first + at(i).length - 1);
        if (i > 0) {
          int shared = 0;  // lag by lag
          for (std::int32_t k = at(i).first; k < at(i).first + at(i).length; ++k)
            shared += k >= at(i - 1).first && k < at(i - 1).first + at(i - 1).length ? 1 : 0;
          score += shared * shared;
        }
        if (i % 32 == 0) {
          std::int32_t width = 0;
          for (std::int32_t r = i; r < std::min(n, i + 32); ++r) width = std::max(width, at(r).length);
          padded += 32 * width;
        }
      }
      for (std::size_t s = 0; s < 3; ++s)
        for (std::int32_t i = 0; i < n;) {  // rows from i on that fit into one block
          std::int32_t first = at(i).first, end = first + at(i).length, rows = 1;
          for (; i + rows < n && rows < shapes[s].rows; ++rows) {
            first = std::min(first, at(i + rows).first);
            end = std::max(end, at(i + rows).first + at(i + rows).length);
            if (end - first > shapes[s].columns) break;
          }
          ++blocks[s];
          i += rows;
        }
    }
    EXPECT_NEAR(numbering.score, score / (n * (n - 1.0)), 1e-12 * score) << o;
    EXPECT_EQ(numbering.padded_values, padded) << o;
    EXPECT_EQ(found.counts.values, values);
    EXPECT_EQ(found.counts.longest, longest);
    EXPECT_EQ(found.counts.largest_lag, last);
    ASSERT_LE(longest, 16);
    for (std::size_t s = 0; s < 3; ++s) {
      EXPECT_EQ(numbering.blocks[s].blocks, blocks[s]) << o << ' ' << s;
      EXPECT_EQ(numbering.blocks[s].values, values) << o;
    }
  }
  EXPECT_GT(found.numberings[1].score, 1.2 * found.numberings[2].score);
}

TEST(TdbemMatrixStatistics, ShapesThatAreTooNarrowGetNoBlocks) {
  const Surface surface = body();
  const BlockShape narrow[] = {{32, 3}, {32, 64}};
  const std::vector<std::vector<std::int32_t>> orders = {shuffled(surface.unknowns())};
  const MatrixStatistics found = matrix_statistics(surface, PairRules(), {Boundary::soft, 1, 0.11}, orders, narrow);
  ASSERT_GT(found.counts.longest, 3);
  EXPECT_EQ(found.numberings[0].blocks[0].blocks, 0);
  EXPECT_GT(found.numberings[0].blocks[1].blocks, 0);
  const BlockShape just[] = {{32, found.counts.longest - 1}, {32, found.counts.longest}};
  const MatrixStatistics again = matrix_statistics(surface, PairRules(), {Boundary::soft, 1, 0.11}, orders, just);
  EXPECT_EQ(again.numberings[0].blocks[0].blocks, 0);
  EXPECT_GT(again.numberings[0].blocks[1].blocks, 0);
}

TEST(TdbemMatrixStatistics, RefusesWhatIsNoNumbering) {
  const Surface surface = body();
  std::vector<std::vector<std::int32_t>> orders = {shuffled(surface.unknowns())};
  orders[0][3] = orders[0][4];
  const auto call = [&] { (void)matrix_statistics(surface, PairRules(), {Boundary::rigid, 1, 0.11}, orders, shapes); };
  expect_names(complaint(call), "numbering");
  orders[0].pop_back();
  expect_names(complaint(call), "165 entries for 166");
}

}  // namespace
}  // namespace asterism::tdbem
