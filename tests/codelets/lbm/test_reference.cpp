// SPDX-License-Identifier: Apache-2.0
// The lattice Boltzmann kernels against a simple implementation with two copies of whole populations.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/as_size.hpp"
#include "tests/codelets/lbm/cases.hpp"
#include "tests/codelets/lbm/reference.hpp"

namespace asterism::lbm {
namespace {

using cases::collisions;
using cases::moving;
using cases::pressure;

const std::vector<std::array<int, 3>> sizes = {{7, 5, 3}, {17, 4, 9}, {33, 6, 5}, {2, 9, 4}};

template <class T>
class LbmReference : public ::testing::Test {
 protected:
  /// Runs both; compares what is observed after every step, and the populations at even times.
  static void expect_same(const Setting& s, unsigned seed, int steps = 8) {
    Domain<T> domain(s);
    domain.randomize(seed, 0.05);
    std::vector<bool> solid(static_cast<std::size_t>(s.n[0] * s.n[1] * s.n[2]), false);
    for (const auto& x : s.solid) solid[static_cast<std::size_t>((x[2] * s.n[1] + x[1]) * s.n[0] + x[0])] = true;
    reference::Fluid fluid(s.n, s.collision, s.walls, solid);
    each_population(domain, [&](const reference::Index3& x, std::size_t i, T stored) {
      fluid[x][i] = static_cast<double>(value_of(stored)) + reference::lattice.w[i];
    });
    for (int step = 1; step <= steps; ++step) {
      SCOPED_TRACE(step);
      domain.step();
      fluid.step();
      expect_same_fields(domain, fluid);
      if (domain.settled())
        each_population(domain, [&](const reference::Index3& x, std::size_t i, T stored) {
          if (solid[fluid.at(x)]) return;
          ASSERT_NEAR(static_cast<double>(value_of(stored)) + reference::lattice.w[i], fluid[x][i], tolerance);
        });
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  /// Half precision rounds populations of up to 0.1 at every step to 2^-12 of them.
  static constexpr double tolerance = sizeof(T) == 8 ? 1e-13 : sizeof(T) == 4 ? 1e-5 : 2e-3;

  template <class Visit>
  static void each_population(const Domain<T>& domain, Visit visit) {
    for (int i = 0; i < q; ++i) {
      const Velocity c = velocity(i);
      const std::size_t there = reference::lattice.find({c.x, c.y, c.z});
      for (int z = 0; z < domain.brick.nz; ++z)
        for (int y = 0; y < domain.brick.ny; ++y)
          for (int x = 0; x < domain.brick.nx; ++x)
            visit({x, y, z}, there, domain.f[as_size(domain.brick.at(i, x, y, z))]);
    }
  }
  static void expect_same_fields(const Domain<T>& domain, const reference::Fluid& fluid) {
    const auto observed = domain.observed(domain.brick.interior());
    const std::size_t cells = observed.size() / 4;
    std::size_t k = 0;
    for (int z = 0; z < domain.brick.nz; ++z)
      for (int y = 0; y < domain.brick.ny; ++y)
        for (int x = 0; x < domain.brick.nx; ++x, ++k) {
          ASSERT_NEAR(static_cast<double>(observed[k]), fluid.rho({x, y, z}), tolerance) << x << " " << y << " " << z;
          for (std::size_t a = 0; a < 3; ++a)
            ASSERT_NEAR(static_cast<double>(observed[(a + 1) * cells + k]), fluid.u({x, y, z})[a], tolerance)
                << x << " " << y << " " << z << " axis " << a;
        }
  }
};
using Precisions = ::testing::Types<double, float, Float16>;
TYPED_TEST_SUITE(LbmReference, Precisions);

TYPED_TEST(LbmReference, Periodic) {
  for (const auto& n : sizes)
    for (const auto& [name, collision] : collisions) {
      SCOPED_TRACE(name);
      this->expect_same({n, collision}, 1);
    }
}

/// In each size an axis has a third of the collisions, in the next size another third.
TYPED_TEST(LbmReference, OneWallOfEachKindOnEachAxis) {
  for (std::size_t size = 0; size < sizes.size(); ++size)
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t model = (axis + size) % 3; model < collisions.size(); model += 3) {
        const auto& n = sizes[size];
        const auto& [name, collision] = collisions[model];
        SCOPED_TRACE(name + " axis " + std::to_string(axis));
        const int low = 2 * static_cast<int>(axis);
        this->expect_same({n, collision, {moving(low, 0, 0, 0), moving(low + 1, 0.02, -0.03, 0.01)}}, 2, 4);
        this->expect_same({n, collision, {pressure(low, 1.02), moving(low + 1, 0.01, 0.02, -0.02)}}, 3, 4);
        this->expect_same({n, collision, {moving(low, 0.02, 0.03, 0.05), pressure(low + 1, 0.97)}}, 4, 4);
      }
}

/// Six faces of different walls in several orders: who owns the edges and corners.
TYPED_TEST(LbmReference, WallsThatMeet) {
  for (const auto& n : sizes)
    for (std::size_t turn = 0; turn < 6; ++turn) {
      SCOPED_TRACE(turn);
      Setting s{n, collisions[turn].second};
      for (std::size_t k = 0; k < 6; ++k) s.walls.push_back(cases::walls[(turn + 5 * k) % 6]);
      this->expect_same(s, 5);
      // two axes with walls, the third periodic
      Setting two{n, collisions[turn].second};
      for (const Wall& w : s.walls)
        if (static_cast<std::size_t>(w.face / 2) != turn / 2) two.walls.push_back(w);
      this->expect_same(two, 6);
      two.walls.clear();
      for (const Wall& w : s.walls)
        if (static_cast<std::size_t>(w.face / 2) == turn / 2) two.walls.push_back(w);
      this->expect_same(two, 7);
    }
}

/// Blocks that touch each other, walls and periodic faces, and single cells in between.
TYPED_TEST(LbmReference, SolidCells) {
  for (const auto& n : sizes)
    for (const unsigned seed : {11U, 12U, 13U, 14U}) {
      SCOPED_TRACE(seed);
      Setting s{n, collisions[seed % collisions.size()].second, {}, cases::obstacles(n, seed)};
      this->expect_same(s, seed);
      s.walls = {moving(2, 0, 0, 0), moving(3, 0.05, 0, 0.01)};
      this->expect_same(s, seed);
      s.walls = {moving(0, 0.03, 0, 0), pressure(1, 1), moving(4, 0, 0, 0), moving(5, 0, 0.02, 0)};
      this->expect_same(s, seed);
    }
}

}  // namespace
}  // namespace asterism::lbm
