// SPDX-License-Identifier: Apache-2.0
// Tiles of the convolution matrices: their lags and values against the definition, whatever the cut.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "codelets/tdbem/kernels/assembly/tile_values.hpp"
#include "tests/codelets/tdbem/dense.hpp"

namespace asterism::tdbem {
namespace {

/// A closed body without symmetries, 51 vertices: rings of seven around an axis, and both ends.
Patch potato() {
  std::vector<Point> v = {{0, 0, -1.5}};
  const int rings = 7, around = 7;
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < around; ++j) {
      const double polar = std::numbers::pi * (i + 1) / (rings + 1),
                   angle = 2 * std::numbers::pi * (j + 0.4 * i) / around;
      const double bump = 1 + 0.1 * std::sin(3 * angle + i);
      v.push_back({bump * std::sin(polar) * std::cos(angle), 0.6 * std::sin(polar) * std::sin(angle) + 0.1 * i,
                   -1.5 * std::cos(polar)});
    }
  v.push_back({0, 0.6, 1.5});
  const auto place = [&](int i, int j) { return 1 + i * around + j % around; };
  std::vector<Triangle> t;
  for (int j = 0; j < around; ++j) {
    t.push_back({{0, place(0, j + 1), place(0, j)}});
    for (int i = 0; i + 1 < rings; ++i) {
      t.push_back({{place(i, j), place(i, j + 1), place(i + 1, j)}});
      t.push_back({{place(i, j + 1), place(i + 1, j + 1), place(i + 1, j)}});
    }
    t.push_back({{place(rings - 1, j), place(rings - 1, j + 1), 1 + rings * around}});
  }
  // unknowns of neighbours are not neighbours
  std::vector<Point> mixed(v.size());
  const auto n = static_cast<std::int32_t>(v.size());
  const auto turn = [&](std::int32_t i) { return i * 13 % n; };
  for (std::int32_t i = 0; i < n; ++i) mixed[turn(i)] = v[i];
  for (Triangle& triangle : t)
    for (std::int32_t& corner : triangle.corner) corner = turn(corner);
  return {mixed, t};
}

const PairRules& few_points() {
  static const PairRules rules({.far_points = 6, .near_points = 7, .touching_points = 3, .near_gap = 0.7});
  return rules;
}

/// A tile with memory of its own.
template <class T>
struct OwnTile {
  TileStructure structure;
  std::vector<T> values;
  std::vector<double> initial;

  explicit OwnTile(TileStructure s)
      : structure(std::move(s)),
        values(static_cast<std::size_t>(structure.counts.padded_values), T(7)),
        initial(structure.initial_slice.size(), 7) {}
  [[nodiscard]] Tile<T> tile() const { return structure.view(values.data()); }
  [[nodiscard]] TileTarget<T> target() {
    return {tile(), values.data(), structure.initial_start.data(), structure.initial_slice.data(), initial.data()};
  }
  void put(DenseMatrices& to) const {
    to.put_tile(tile());
    for (std::int32_t r = 0; r < structure.rows.size(); ++r)
      for (std::int32_t e = structure.initial_start[r]; e < structure.initial_start[r + 1]; ++e)
        to.put(0, structure.rows.begin + r, structure.slices.begin + structure.initial_slice[e], initial[e]);
  }
};

/// All tiles of a cut, each with its mirror image.
template <class T>
DenseMatrices assembled(const SurfaceView& s, const PairRules& rules, const Discretisation& d,
                        const std::vector<std::int32_t>& cut) {
  DenseMatrices matrices(s.vertex_count);
  TileScratch scratch(rules);
  for (std::size_t i = 0; i + 1 < cut.size(); ++i)
    for (std::size_t j = i; j + 1 < cut.size(); ++j) {
      MirroredStructure both = tile_structure(s, rules, d, {cut[i], cut[i + 1]}, {cut[j], cut[j + 1]}, scratch);
      EXPECT_EQ(both.fault.kind, LagFault::Kind::none);
      OwnTile<T> tile(std::move(both.tile));
      if (i == j) {
        assemble<T>(s, rules, d, tile.target(), nullptr, scratch);
      } else {
        OwnTile<T> mirror(std::move(both.mirror));
        const TileTarget<T> target = mirror.target();
        assemble<T>(s, rules, d, tile.target(), &target, scratch);
        mirror.put(matrices);
      }
      tile.put(matrices);
    }
  return matrices;
}

constexpr Discretisation rigid{Boundary::rigid, 1.3, 0.21};
constexpr Discretisation soft{Boundary::soft, 1.3, 0.34};

void expect_same(const DenseMatrices& a, const DenseMatrices& b) {
  ASSERT_EQ(a.lags(), b.lags());
  for (std::int32_t k = 0; k < a.lags(); ++k) {
    EXPECT_EQ(a.present[k], b.present[k]) << k;
    EXPECT_EQ(a.of_lag[k], b.of_lag[k]) << k;
  }
}

TEST(Tiles, AreAsDefined) {
  const Patch body = potato();
  for (const Discretisation& d : {rigid, soft}) {
    const DenseMatrices expected = defined_matrices(body.view(), few_points(), d);
    const DenseMatrices found = assembled<double>(body.view(), few_points(), d, {0, 32, body.view().vertex_count});
    ASSERT_EQ(found.lags(), expected.lags());
    const double scale = expected.largest();
    for (std::int32_t k = 0; k < found.lags(); ++k)
      for (std::int32_t i = 0; i < found.n; ++i)
        for (std::int32_t j = 0; j < found.n; ++j) {
          ASSERT_NEAR(found.at(k, i, j), expected.at(k, i, j), 1e-12 * scale) << k << ' ' << i << ' ' << j;
          ASSERT_EQ(found.present[k][i * found.n + j], expected.present[k][i * found.n + j])
              << k << ' ' << i << ' ' << j;
        }
  }
}

TEST(Tiles, AnyCutGivesTheSameBits) {
  const Patch body = potato();
  const std::int32_t n = body.view().vertex_count;
  for (const Discretisation& d : {rigid, soft}) {
    const DenseMatrices whole = assembled<double>(body.view(), few_points(), d, {0, n});
    expect_same(whole, assembled<double>(body.view(), few_points(), d, {0, 32, n}));
    expect_same(whole, assembled<double>(body.view(), few_points(), d, {0, 5, 6, 37, n - 1, n}));
    for (std::int32_t k = 0; k < whole.lags(); ++k)
      for (std::int32_t i = 0; i < n; ++i)
        for (std::int32_t j = 0; j < i; ++j) ASSERT_EQ(whole.at(k, i, j), whole.at(k, j, i));
  }
}

TEST(Tiles, FloatsAreRoundedSums) {
  const Patch body = potato();
  const std::int32_t n = body.view().vertex_count;
  const DenseMatrices whole = assembled<double>(body.view(), few_points(), rigid, {0, n});
  const DenseMatrices rounded = assembled<float>(body.view(), few_points(), rigid, {0, 32, n});
  for (std::int32_t k = 1; k < whole.lags(); ++k)
    for (std::int32_t i = 0; i < n; ++i)
      for (std::int32_t j = 0; j < n; ++j) ASSERT_EQ(rounded.at(k, i, j), static_cast<float>(whole.at(k, i, j)));
  EXPECT_EQ(rounded.of_lag[0], whole.of_lag[0]);
}

TEST(Tiles, BelowTheDiagonalAlone) {
  // a node that has only these slices computes the same
  const Patch body = potato();
  const SurfaceView s = body.view();
  TileScratch scratch(few_points());
  MirroredStructure both = tile_structure(s, few_points(), rigid, {0, 32}, {32, s.vertex_count}, scratch);
  MirroredStructure turned = tile_structure(s, few_points(), rigid, {32, s.vertex_count}, {0, 32}, scratch);
  EXPECT_EQ(both.mirror.start, turned.tile.start);
  EXPECT_EQ(both.mirror.first, turned.tile.first);
  EXPECT_EQ(both.mirror.length, turned.tile.length);
  EXPECT_EQ(both.mirror.initial_slice, turned.tile.initial_slice);
  EXPECT_EQ(both.mirror.initial_start, turned.tile.initial_start);
  OwnTile<double> tile(both.tile), mirror(both.mirror), alone(turned.tile), with(turned.tile), back(turned.mirror);
  const TileTarget<double> mirror_target = mirror.target(), back_target = back.target();
  assemble<double>(s, few_points(), rigid, tile.target(), &mirror_target, scratch);
  assemble<double>(s, few_points(), rigid, alone.target(), nullptr, scratch);
  assemble<double>(s, few_points(), rigid, with.target(), &back_target, scratch);
  EXPECT_EQ(alone.values, mirror.values);
  EXPECT_EQ(alone.initial, mirror.initial);
  EXPECT_EQ(with.values, mirror.values);
  EXPECT_EQ(back.values, tile.values);
  EXPECT_EQ(back.initial, tile.initial);
}

TEST(Tiles, CountsAreThoseOfTheArrays) {
  const Patch body = potato();
  const SurfaceView s = body.view();
  TileScratch scratch(few_points());
  TileStructure tile = tile_structure(s, few_points(), rigid, {0, 40}, {40, s.vertex_count}, scratch).tile;
  ASSERT_EQ(tile.start.size(), 2U * (s.vertex_count - 40) + 1);
  ASSERT_EQ(tile.first.size(), tile.length.size());
  std::int64_t values = 0;
  std::int32_t longest = 0, latest = 0;
  for (std::size_t x = 0; x + 1 < tile.start.size(); ++x) {
    std::int32_t widest = 0;
    for (std::size_t e = x * panel_rows; e < (x + 1) * panel_rows; ++e) {
      values += tile.length[e];
      widest = std::max<std::int32_t>(widest, tile.length[e]);
      latest = std::max(latest, tile.first[e] + tile.length[e] - 1);
    }
    EXPECT_EQ(tile.start[x + 1] - tile.start[x], static_cast<std::uint32_t>(widest));
    longest = std::max(longest, widest);
  }
  EXPECT_EQ(tile.counts.values, values);
  EXPECT_EQ(tile.counts.longest, longest);
  EXPECT_EQ(tile.counts.largest_lag, latest);
  EXPECT_EQ(tile.counts.row_vectors, 40 * (s.vertex_count - 40));
  EXPECT_EQ(tile.counts.padded_values, static_cast<std::int64_t>(tile.start.back()) * panel_rows);
  EXPECT_EQ(tile.counts.initial, static_cast<std::int64_t>(tile.initial_slice.size()));
  EXPECT_DOUBLE_EQ(tile.counts.mean_length(), static_cast<double>(values) / (40.0 * (s.vertex_count - 40)));

  OwnTile<double> narrow(tile);
  assemble<double>(s, few_points(), rigid, narrow.target(), nullptr, scratch);
  widen(tile, longest + 2);
  OwnTile<double> wide(tile);
  EXPECT_EQ(wide.values.size(), static_cast<std::size_t>(2 * (s.vertex_count - 40) * (longest + 2) * panel_rows));
  assemble<double>(s, few_points(), rigid, wide.target(), nullptr, scratch);
  DenseMatrices a(s.vertex_count), b(s.vertex_count);
  narrow.put(a);
  wide.put(b);
  expect_same(a, b);
  EXPECT_THROW(widen(tile, longest - 1), std::invalid_argument);
  EXPECT_THROW(widen(tile, max_length + 1), std::invalid_argument);
}

TEST(Tiles, PointPairsAreCounted) {
  // of every two triangles of which one has a corner among the rows and one among the slices, once
  const Patch body = potato();
  const SurfaceView s = body.view();
  TileScratch scratch(few_points());
  for (const auto& [rows, slices] : {std::pair<Range, Range>{{0, 8}, {30, s.vertex_count}}, {{8, 19}, {8, 19}}}) {
    const auto has = [&](std::int32_t t, Range range) {
      const auto& c = s.triangles[t].corner;
      return std::any_of(c, c + 3, [&](std::int32_t v) { return v >= range.begin && v < range.end; });
    };
    std::int64_t points = 0;
    for (std::int32_t t = 0; t < s.triangle_count; ++t)
      for (std::int32_t u = t; u < s.triangle_count; ++u)
        if ((has(t, rows) && has(u, slices)) || (has(u, rows) && has(t, slices)))
          points += points_of(few_points(), pair_triangle(s, few_points(), t), pair_triangle(s, few_points(), u));
    EXPECT_EQ(tile_structure(s, few_points(), rigid, rows, slices, scratch).point_pairs, points);
  }
}

TEST(Tiles, OneBuffer) {
  const Patch body = potato();
  const SurfaceView s = body.view();
  TileScratch scratch(few_points());
  OwnTile<float> own(tile_structure(s, few_points(), rigid, {0, 40}, {40, s.vertex_count}, scratch).tile);
  assemble<float>(s, few_points(), rigid, own.target(), nullptr, scratch);

  const TileLayout layout = tile_layout<float>(own.structure);
  EXPECT_EQ(layout.start, (own.values.size() * 4 + 63) / 64 * 64);
  EXPECT_GE(layout.first, layout.start + own.structure.start.size() * 4);
  EXPECT_GE(layout.length, layout.first + own.structure.first.size() * 2);
  EXPECT_GE(layout.bytes, layout.length + own.structure.length.size());
  EXPECT_LT(layout.bytes,
            own.values.size() * 4 + own.structure.start.size() * 4 + own.structure.first.size() * 3 + 256);
  for (const std::size_t offset : {layout.start, layout.first, layout.length}) EXPECT_EQ(offset % 64, 0U);
  EXPECT_EQ(tile_layout<double>(own.structure).start, own.values.size() * 8);

  std::vector<Eight> buffer((layout.bytes + 63) / 64);
  store_structure(own.structure, layout, buffer.data());
  TileTarget<float> target = own.target();
  target.tile = tile_in<float>(layout, buffer.data());
  target.values = tile_values_in<float>(buffer.data());
  assemble<float>(s, few_points(), rigid, target, nullptr, scratch);
  DenseMatrices a(s.vertex_count), b(s.vertex_count);
  a.put_tile(own.tile());
  b.put_tile(tile_in<float>(layout, buffer.data()));
  expect_same(a, b);
  // all bytes are set
  std::vector<Eight> other(buffer.size());
  std::memset(static_cast<void*>(other.data()), 0xff, layout.bytes);
  store_structure(own.structure, layout, other.data());
  target.tile = tile_in<float>(layout, other.data());
  target.values = tile_values_in<float>(other.data());
  assemble<float>(s, few_points(), rigid, target, nullptr, scratch);
  EXPECT_EQ(std::memcmp(buffer.data(), other.data(), layout.bytes), 0);
  EXPECT_EQ(target.tile.row_begin, 0);
  EXPECT_EQ(target.tile.rows, 40);
  EXPECT_EQ(target.tile.slice_begin, 40);
  EXPECT_EQ(target.tile.slices, s.vertex_count - 40);
}

TEST(Tiles, RangesThatOverlapAreRefused) {
  const Patch body = potato();
  const SurfaceView s = body.view();
  TileScratch scratch(few_points());
  EXPECT_THROW(tile_structure(s, few_points(), rigid, {0, 32}, {31, 40}, scratch), std::invalid_argument);
  EXPECT_THROW(tile_structure(s, few_points(), rigid, {32, 32}, {0, 32}, scratch), std::invalid_argument);
  MirroredStructure both = tile_structure(s, few_points(), rigid, {0, 32}, {32, 40}, scratch);
  OwnTile<double> tile(both.tile);
  const TileTarget<double> itself = tile.target();
  EXPECT_THROW(assemble<double>(s, few_points(), rigid, tile.target(), &itself, scratch), std::invalid_argument);
}

TEST(Tiles, StepsThatAreTooShort) {
  const Patch body = potato();
  const SurfaceView s = body.view();
  TileScratch scratch(few_points());
  const Range all{0, s.vertex_count};
  // holes: found exactly, by what the definition says of the first lag without values
  int holes = 0, whole = 0;
  for (const Boundary kind : {Boundary::rigid, Boundary::soft})
    for (const double step : {0.2, 0.14, 0.12, 0.06, 0.04, 0.03, 0.02, 0.012}) {
      const Discretisation d{kind, 1.3, step};
      const MirroredStructure both = tile_structure(s, few_points(), d, all, all, scratch);
      const DenseMatrices defined = defined_matrices(s, few_points(), d);
      std::int32_t row = -1, slice = -1, hole = -1;
      for (std::int32_t i = 0; i < s.vertex_count && hole < 0; ++i)
        for (std::int32_t j = 0; j < s.vertex_count && hole < 0; ++j) {
          std::int32_t gap = -1;
          bool begun = false;
          for (std::int32_t k = 0; k < defined.lags() && hole < 0; ++k) {
            const bool here = defined.present[k][i * s.vertex_count + j] != 0;
            if (here && gap >= 0) {
              row = i;
              slice = j;
              hole = gap;
            }
            if (begun && !here && gap < 0) gap = k;
            begun = begun || here;
          }
        }
      if (hole < 0) {
        ++whole;
        EXPECT_EQ(both.fault.kind, LagFault::Kind::none) << step;
        continue;
      }
      ++holes;
      EXPECT_EQ(both.fault.kind, LagFault::Kind::hole) << step;
      EXPECT_EQ(both.fault.row, row);
      EXPECT_EQ(both.fault.slice, slice);
      EXPECT_EQ(both.fault.found, hole);
      EXPECT_GT(both.fault.longest_edge, 0.3);
      EXPECT_TRUE(both.tile.start.empty());
    }
  EXPECT_GT(holes, 1);
  EXPECT_GT(whole, 1);

  const LagFault lengths = tile_structure(s, few_points(), {Boundary::rigid, 1.3, 0.004}, all, all, scratch).fault;
  EXPECT_EQ(lengths.kind, LagFault::Kind::long_vector);
  EXPECT_GT(lengths.found, max_length);
  const LagFault lags = tile_structure(s, few_points(), {Boundary::rigid, 1e-3, 0.001}, all, all, scratch).fault;
  EXPECT_NE(lags.kind, LagFault::Kind::none);
}

TEST(Tiles, LagsThatAreTooLate) {
  // two small triangles far apart
  const Patch pair({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {70000, 0, 0}, {70001, 0, 0}, {70000, 1, 0}},
                   {{{0, 1, 2}}, {{3, 4, 5}}});
  TileScratch scratch(few_points());
  const LagFault lags =
      tile_structure(pair.view(), few_points(), {Boundary::rigid, 1, 1}, {0, 3}, {3, 6}, scratch).fault;
  EXPECT_EQ(lags.kind, LagFault::Kind::late_lag);
  EXPECT_GT(lags.found, 69999);
  const LagFault many =
      tile_structure(pair.view(), few_points(), {Boundary::rigid, 1, 1e-12}, {0, 3}, {3, 6}, scratch).fault;
  EXPECT_EQ(many.kind, LagFault::Kind::late_lag);
  EXPECT_GE(many.found, most_steps);
  const MirroredStructure slower =
      tile_structure(pair.view(), few_points(), {Boundary::rigid, 1, 1.1}, {0, 3}, {3, 6}, scratch);
  EXPECT_EQ(slower.fault.kind, LagFault::Kind::none);
  EXPECT_NEAR(slower.tile.first[0], 70000 / 1.1, 2);
}

}  // namespace
}  // namespace asterism::tdbem
