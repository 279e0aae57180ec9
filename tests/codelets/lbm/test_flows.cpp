// SPDX-License-Identifier: Apache-2.0
// Flows of which the answer is known.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/as_size.hpp"
#include "codelets/lbm/kernels/boundary/force_sums.hpp"
#include "tests/codelets/lbm/cases.hpp"

namespace asterism::lbm {
namespace {

using cases::moving;

double viscosity(const Collision& c) {
  return (c.tau - 0.5) / 3;
}

/// A component of the velocity along a line of cells, after `steps`.
std::vector<double> profile(const Setting& s, int steps, int component, int axis) {
  Domain<double> d(s);
  d.rest();
  for (int i = 0; i < steps; ++i) d.step();
  const std::vector<double> o = d.observed(d.brick.interior());
  const std::int64_t cells = d.brick.interior().cells();
  const std::int64_t stride = axis == 0 ? 1 : axis == 1 ? d.brick.nx : d.brick.nx * d.brick.ny;
  std::vector<double> u;
  for (int k = 0; k < s.n[as_size(axis)]; ++k) u.push_back(o[as_size((component + 1) * cells + k * stride)]);
  return u;
}

TEST(LbmFlows, MassOfAClosedBoxWithALidStays) {
  for (const auto& [name, collision] : cases::collisions) {
    SCOPED_TRACE(name);
    Setting s{{11, 7, 6}, collision, {}, {{{4, 0, 2}}, {{5, 1, 2}}, {{5, 2, 2}}, {{0, 6, 0}}}};
    for (const int face : {0, 1, 2, 4, 5}) s.walls.push_back(moving(face, 0, 0, 0));
    s.walls.push_back(moving(3, 0.05, 0, 0.02));
    Domain<double> d(s);
    d.randomize(1, 0.01);
    const double mass = d.totals().mass;
    for (int step = 0; step < 2000; ++step) d.step();
    EXPECT_NEAR(d.totals().mass, mass, 1e-11);
    EXPECT_GT(d.totals().energy, 1e-3);
  }
}

/// Linear between two walls, exactly.
TEST(LbmFlows, Couette) {
  for (int axis = 0; axis < 3; ++axis) {
    const int along = (axis + 1) % 3;
    Setting s{{3, 4, 2}, {Collision::Model::trt, 0.9, 3. / 16, 0, {0, 0, 0}}};
    s.n[as_size(axis)] = 7;
    const double speed = 1e-6;  // so that rho u^2 is beyond the digits compared
    s.walls = {moving(2 * axis, 0, 0, 0), moving(2 * axis + 1, 0, 0, 0)};
    s.walls[1].u[along] = speed;
    const std::vector<double> u = profile(s, 2400, along, axis);
    for (std::size_t k = 0; k < u.size(); ++k)
      EXPECT_NEAR(u[k] / speed, (static_cast<double>(k) + 0.5) / 7, 1e-12) << "axis " << axis << " cell " << k;
  }
}

/// A parabola, whose walls are half-way between cells at any viscosity if `magic` is 3/16.
TEST(LbmFlows, Poiseuille) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double tau : {0.8, 1.3}) {
      const int along = (axis + 2) % 3;
      Setting s{{3, 2, 4}, {Collision::Model::trt, tau, 3. / 16, 0, {0, 0, 0}}};
      s.n[as_size(axis)] = 8;
      s.collision.force[along] = 1e-8;
      s.walls = {moving(2 * axis, 0, 0, 0), moving(2 * axis + 1, 0, 0, 0)};
      const std::vector<double> u = profile(s, 3001, along, axis);
      for (std::size_t k = 0; k < u.size(); ++k) {
        const double y = static_cast<double>(k) + 0.5;
        const double expected = 1e-8 / (2 * viscosity(s.collision)) * y * (8 - y);
        EXPECT_NEAR(u[k] / expected, 1, 1e-12) << "axis " << axis << " tau " << tau << " cell " << k;
      }
    }
}

/// Other values of `magic` add a slip of F / (2 nu) (4 magic / 3 - 1 / 4).
TEST(LbmFlows, PoiseuilleSlipFollowsMagic) {
  for (const double magic : {1. / 12, 1. / 4}) {
    Setting s{{2, 8, 2}, {Collision::Model::trt, 0.9, magic, 0, {1e-8, 0, 0}}};
    s.walls = {moving(2, 0, 0, 0), moving(3, 0, 0, 0)};
    const std::vector<double> u = profile(s, 3000, 0, 1);
    const double curvature = 1e-8 / (2 * viscosity(s.collision));
    for (std::size_t k = 0; k < u.size(); ++k) {
      const double y = static_cast<double>(k) + 0.5;
      EXPECT_NEAR(u[k] / curvature, y * (8 - y) + 4 * magic / 3 - 0.25, 1e-10) << "magic " << magic;
    }
  }
}

/// A drop of pressure drives a flow from one side to the other, and without one nothing moves.
TEST(LbmFlows, PressureDrivesAlongItsAxis) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double drop : {0.0, 1e-4}) {
      Setting s{{6, 5, 4}, {Collision::Model::trt, 0.8, 3. / 16, 0, {0, 0, 0}}};
      for (int face = 0; face < faces; ++face)
        if (axis_of(face) != axis) s.walls.push_back(moving(face, 0, 0, 0));
      s.walls.push_back(cases::pressure(2 * axis, 1 + drop));
      s.walls.push_back(cases::pressure(2 * axis + 1, 1));
      Domain<double> d(s);
      d.rest();
      for (int step = 0; step < 400; ++step) d.step();
      const Totals t = d.totals();
      if (drop == 0) {
        EXPECT_EQ(t.speed, 0);
        continue;
      }
      EXPECT_GT(t.momentum[axis], 1e-3);
      EXPECT_NEAR(t.momentum[(axis + 1) % 3], 0, 1e-8);
      EXPECT_NEAR(t.momentum[(axis + 2) % 3], 0, 1e-8);
    }
}

/// At steady state an obstacle takes what the body force gives, in either half of a pair of steps. Sizes are odd: in
/// even ones a momentum that alternates from cell to cell and from step to step never dies.
TEST(LbmFlows, ObstacleTakesTheBodyForce) {
  for (const Collision::Model model : {Collision::Model::bgk, Collision::Model::trt}) {
    Setting s{{11, 9, 7}, {model, 0.9, 3. / 16, 0, {2e-6, -1e-6, 3e-6}}};
    for (int z = 2; z < 5; ++z)
      for (int y = 3; y < 6; ++y)
        for (int x = 0; x < 4; ++x) s.solid.push_back({x, y, z});  // at a periodic face
    Domain<double> d(s);
    d.rest();
    for (int step = 0; step < 8000; ++step) d.step();
    const double fluid = 11 * 9 * 7 - static_cast<double>(s.solid.size());
    for (const Half half : {Half::alpha, Half::beta}) {
      d.update(d.brick.interior());
      ForceSums sums{};
      cpu::force(half, d.brick, {}, d.links(), d.f.data(), sums);
      for (int a = 0; a < 3; ++a) EXPECT_NEAR(sums.number(a) / (s.collision.force[a] * fluid), 1, 1e-6) << "axis " << a;
      d.finish();
    }
  }
}

TEST(LbmForceSums, AreExactAndHaveNoOrder) {
  const double values[] = {0.3, -0.7, 1e-9, -1e-17, 0.999999, -0.25, 3e-5};
  ForceSums forwards{}, backwards{}, tiny{}, wild{};
  for (int k = 0; k < 7; ++k) {
    forwards.add(values[k], {1, -1, 0}, {k, 2 * k, 3});
    backwards.add(values[6 - k], {1, -1, 0}, {6 - k, 2 * (6 - k), 3});
  }
  EXPECT_EQ(std::memcmp(&forwards, &backwards, sizeof(ForceSums)), 0);
  EXPECT_NEAR(forwards.number(0), 2 * (0.3 - 0.7 + 1e-9 + 0.999999 - 0.25 + 3e-5), 1e-15);
  EXPECT_EQ(forwards.number(0), -forwards.number(1));
  EXPECT_EQ(forwards.number(2), 0);
  // a large sum that cancels leaves the small one, exactly
  for (int k = 0; k < 1000; ++k) tiny.add(0.625, {1, 0, 0}, {0, 4096, 0});
  tiny.add(-0x1p-60, {1, 0, 0}, {0, 1, 0});
  for (int k = 0; k < 1000; ++k) tiny.add(-0.625, {1, 0, 0}, {0, 4096, 0});
  EXPECT_EQ(tiny.number(0), -0x1p-59);
  EXPECT_EQ(tiny.number(5), 0x1p-59);
  for (const double out : {1., -1., std::nan("")}) {
    wild = {};
    wild.add(out, {1, 0, 0}, {0, 0, 0});
    EXPECT_TRUE(std::isnan(wild.number(0)));
  }
}

}  // namespace
}  // namespace asterism::lbm
