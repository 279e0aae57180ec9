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

/// Central moments relax the third order by 1: the slip of TRT with magic = (tau - 1/2) / 2.
TEST(LbmFlows, PoiseuilleOfCentralMoments) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double tau : {0.6, 1.3}) {
      const int along = (axis + 1) % 3;
      Setting s{{3, 2, 4}, {Collision::Model::central_moments, tau, 3. / 16, 0, {0, 0, 0}}};
      s.n[as_size(axis)] = 8;
      s.collision.force[along] = 1e-8;
      s.walls = {moving(2 * axis, 0, 0, 0), moving(2 * axis + 1, 0, 0, 0)};
      const std::vector<double> u = profile(s, 6001, along, axis);
      const double curvature = 1e-8 / (2 * viscosity(s.collision));
      for (std::size_t k = 0; k < u.size(); ++k) {
        const double y = static_cast<double>(k) + 0.5;
        EXPECT_NEAR(u[k] / curvature, y * (8 - y) + 2 * (tau - 0.5) / 3 - 0.25, 1e-8)
            << "axis " << axis << " cell " << k;
      }
    }
}

/// With a rate of third order the slip is that of TRT: none at 3/16.
TEST(LbmFlows, PoiseuilleSlipOfCentralMomentsFollowsMagic) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double tau : {0.6, 1.3})
      for (const double magic : {1. / 12, 3. / 16, 1. / 4}) {
        const int along = (axis + 1) % 3;
        Setting s{{3, 2, 4}, {Collision::Model::central_moments, tau, 3. / 16, 0, {0, 0, 0}, {}, magic}};
        s.n[as_size(axis)] = 8;
        s.collision.force[along] = 1e-8;
        s.walls = {moving(2 * axis, 0, 0, 0), moving(2 * axis + 1, 0, 0, 0)};
        const std::vector<double> u = profile(s, 6001, along, axis);
        const double curvature = 1e-8 / (2 * viscosity(s.collision));
        for (std::size_t k = 0; k < u.size(); ++k) {
          const double y = static_cast<double>(k) + 0.5;
          EXPECT_NEAR(u[k] / curvature, y * (8 - y) + 4 * magic / 3 - 0.25, 1e-8)
              << "axis " << axis << " tau " << tau << " magic " << magic << " cell " << k;
        }
      }
}

/// Relative error of the flow between two surfaces of a body, 0.2 of a link below the lowest of n cells and 0.9 above
/// the uppermost.
double channel_in_a_body(int n, bool interpolated) {
  Setting s{{3, 2, n + 2}, {Collision::Model::trt, 0.8, 3. / 16, 0, {1e-8, 0, 0}}};
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) {
      s.solid.push_back({x, y, 0});
      s.solid.push_back({x, y, n + 1});
    }
  if (interpolated) s.distance = [](int, int, int z, int) { return z == 1 ? 0.2 : 0.9; };
  const std::vector<double> u = profile(s, 4000, 0, 2);
  const double height = n - 1 + 0.2 + 0.9;
  const double curvature = 1e-8 / (2 * viscosity(s.collision));
  double error = 0;
  for (int k = 1; k <= n; ++k) {
    const double z = k - 1 + 0.2;
    error = std::max(error, std::abs(u[as_size(k)] - curvature * z * (height - z)));
  }
  return error / (curvature * height * height / 4);
}

/// Interpolation along a parabola has an error of second order, the staircase one of first order.
TEST(LbmFlows, PoiseuilleBetweenInterpolatedWalls) {
  const double coarse = channel_in_a_body(8, true);
  EXPECT_LT(coarse, 0.03);
  EXPECT_NEAR(std::log2(coarse / channel_in_a_body(16, true)), 2, 0.15);
  EXPECT_GT(channel_in_a_body(8, false), 0.06);
}

/// Linear between the surface of a body and a sliding wall: exact for every distance.
TEST(LbmFlows, CouetteAboveAnInterpolatedWall) {
  for (const double distance : {0.1, 0.3, 0.5, 0.7, 1.0}) {
    static double below;
    below = distance;
    Setting s{{3, 2, 9}, {Collision::Model::trt, 0.9, 3. / 16, 0, {0, 0, 0}}};
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x) s.solid.push_back({x, y, 0});
    s.distance = [](int, int, int, int) { return below; };
    const double speed = 1e-6;
    s.walls = {moving(4, 0, 0, 0), moving(5, speed, 0, 0)};
    const std::vector<double> u = profile(s, 4000, 0, 2);
    for (std::size_t k = 1; k < 9; ++k)
      EXPECT_NEAR(u[k] / speed, (static_cast<double>(k) - 1 + distance) / (7.5 + distance), 1e-9) << distance;
  }
}

/// Viscosity over that of tau, from the decay of a shear wave that a stream along its wave vector carries.
double viscosity_in_a_stream(Collision::Model model, double stream, int axis) {
  const int across = (axis + 1) % 3;
  Setting s{{1, 1, 1}, {model, 0.53, 3. / 16, 0, {0, 0, 0}}};
  const int n = 40;
  s.n[as_size(axis)] = n;
  Domain<double> d(s);
  std::vector<double> fields(4 * n, 0);
  const double k = 2 * std::acos(-1.) / n;
  for (int x = 0; x < n; ++x) {
    fields[as_size(x)] = 1;
    fields[as_size((axis + 1) * n + x)] = stream;
    fields[as_size((across + 1) * n + x)] = 1e-4 * std::sin(k * x);
  }
  cpu::equilibrium<double>(d.brick, d.brick.interior(), fields.data(), d.f.data());
  const auto amplitude = [&] {
    const std::vector<double> now = d.observed(d.brick.interior());
    double sine = 0, cosine = 0;
    for (int x = 0; x < n; ++x) {
      sine += now[as_size((across + 1) * n + x)] * std::sin(k * x);
      cosine += now[as_size((across + 1) * n + x)] * std::cos(k * x);
    }
    return std::hypot(sine, cosine);
  };
  for (int step = 0; step < 200; ++step) d.step();
  const double before = amplitude();
  for (int step = 0; step < 400; ++step) d.step();
  return std::log(before / amplitude()) / (400 * k * k) / viscosity(s.collision);
}

/// A stream changes the viscosity of BGK by 3 u^2, that of central moments does not feel it.
TEST(LbmFlows, AStreamDoesNotChangeTheViscosityOfCentralMoments) {
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(viscosity_in_a_stream(Collision::Model::bgk, 0.2, axis), 1 - 3 * 0.04, 0.01);
    EXPECT_NEAR(viscosity_in_a_stream(Collision::Model::central_moments, 0, axis), 1, 2e-3);
    EXPECT_NEAR(viscosity_in_a_stream(Collision::Model::central_moments, 0.2, axis), 1, 2e-3);
  }
}

/// The double shear layer of Minion and Brown, Journal of Computational Physics 138 (1997): largest speed over that of
/// the layers, NaN once it diverged.
double shear_layers(Collision::Model model, double reynolds, int steps) {
  const int n = 64;
  const double speed = 0.04;
  const double pi = std::acos(-1.);
  Domain<float> d({{n, n, 1}, {model, 0.5 + 3 * speed * n / reynolds, 3. / 16, 0, {0, 0, 0}}});
  std::vector<float> fields(4 * n * n, 0);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const double height = (y + 0.5) / n;
      const std::size_t cell = as_size(x + n * y);
      fields[cell] = 1;
      fields[n * n + cell] = static_cast<float>(speed * std::tanh(80 * (height < 0.5 ? height - 0.25 : 0.75 - height)));
      fields[2 * n * n + cell] = static_cast<float>(0.05 * speed * std::sin(2 * pi * ((x + 0.5) / n + 0.25)));
    }
  cpu::equilibrium<float>(d.brick, d.brick.interior(), fields.data(), d.f.data());
  for (int step = 0; step < steps; ++step) d.step();
  return d.totals().speed / speed;
}

TEST(LbmFlows, ShearLayersStayWithCentralMoments) {
  EXPECT_LT(shear_layers(Collision::Model::central_moments, 3e4, 4000), 2.2);
  EXPECT_FALSE(shear_layers(Collision::Model::trt, 3e4, 4000) < 10);
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
  for (const Collision::Model model :
       {Collision::Model::bgk, Collision::Model::trt, Collision::Model::central_moments}) {
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
