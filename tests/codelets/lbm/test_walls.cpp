// SPDX-License-Identifier: Apache-2.0
// What walls return: the same bits cell by cell, row by row, and as part of the update.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "codelets/lbm/kernels/boundary/walls.hpp"
#include "tests/codelets/lbm/cases.hpp"

namespace asterism::lbm {
namespace {

template <class T>
class LbmWalls : public ::testing::Test {};
using Precisions = ::testing::Types<double, float, Float16>;
TYPED_TEST_SUITE(LbmWalls, Precisions);

/// Walls at rest and in motion, in several orders: cell by cell before the update, and row by row with it.
TYPED_TEST(LbmWalls, GiveBackWithTheUpdate) {
  const std::array<int, 3> n = {37, 35, 3};
  const std::vector<Box> pieces = {
      {0, 5, 0, 35, 0, 3}, {5, 37, 0, 18, 0, 3}, {5, 37, 18, 35, 0, 2}, {5, 37, 18, 35, 2, 3}};
  std::vector<Wall> walls;
  for (int face = 0; face < faces; ++face)
    walls.push_back(face % 2 == 0 ? cases::moving(face, 0.01 * face, 0.02, -0.03) : cases::moving(face, 0, 0, 0));
  Domain<TypeParam> d({n, cases::collisions[0].second, walls, {}});
  d.randomize(4, 0.05);
  for (int step = 0; step < 6; ++step) {
    d.update(d.brick.interior());
    std::vector<TypeParam> expected = d.f, separate = d.f;
    const PopulationOffsets left = population_offsets(d.half, d.brick);
    const PopulationOffsets taken = population_offsets(other(d.half), d.brick);
    for (const Wall& wall : walls) {
      const auto r = reflector<Arithmetic<TypeParam>>(wall);
      const Box b = d.brick.layer(2 * r.axis + (r.side > 0 ? 1 : 0));
      for (int z = b.z0; z < b.z1; ++z)
        for (int y = b.y0; y < b.y1; ++y)
          for (int x = b.x0; x < b.x1; ++x) reflect_cell(&r, 1, 0, d.brick, left, taken, x, y, z, expected.data());
    }
    cpu::reflect(d.half, d.brick, walls.data(), faces, d.brick.interior(), separate.data());
    EXPECT_TRUE(same_bits(separate, expected)) << "step " << step;
    cpu::update(other(d.half), d.brick, d.brick.interior(), d.setting.collision, nullptr, expected.data());
    std::vector<TypeParam> together = d.f;
    for (const Box& p : pieces)
      cpu::update(other(d.half), d.brick, p, d.setting.collision, nullptr, together.data(), walls.data(), faces);
    EXPECT_TRUE(same_bits(together, expected)) << "step " << step;
    d.finish();
    std::rotate(walls.begin(), walls.begin() + 1, walls.end());
    d.setting.walls = walls;
  }
}

/// A brick that is its own neighbour along one, two and three axes, beside walls and solid cells: the state that
/// packing, sending and unpacking leads to.
TYPED_TEST(LbmWalls, WrapsAreTheExchangeWithItself) {
  using T = TypeParam;
  for (const std::array<int, 3>& n : {std::array<int, 3>{9, 6, 5}, {4, 1, 2}})
    for (std::uint32_t wraps = 1; wraps < 8; ++wraps) {
      Setting s{n, cases::collisions[5].second};
      for (const Wall& wall : cases::walls)
        if ((wraps >> axis_of(wall.face) & 1U) == 0) s.walls.push_back(wall);
      if (n[0] == 9) s.solid = cases::obstacles(n, 3);
      Domain<T> sent(s), wrapped(s);
      sent.randomize(7, 0.05);
      wrapped.randomize(7, 0.05);
      for (int step = 0; step < 7; ++step) {
        sent.step();
        wrapped.update(wrapped.brick.interior());
        const Half half = wrapped.half;
        cpu::wrap(half, wrapped.brick, wraps, wrapped.f.data());
        const std::vector<T> once = wrapped.f;
        cpu::wrap(half, wrapped.brick, wraps, wrapped.f.data());
        EXPECT_TRUE(same_bits(wrapped.f, once));
        wrapped.reflect();
        EXPECT_TRUE(same_bits(wrapped.observed(wrapped.brick.interior()), sent.observed(sent.brick.interior())))
            << "axes " << wraps << ", step " << step;
      }
      EXPECT_FALSE(std::isnan(wrapped.totals().mass));
    }
}

}  // namespace
}  // namespace asterism::lbm
