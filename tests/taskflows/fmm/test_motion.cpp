// SPDX-License-Identifier: Apache-2.0
// Integrators on the two-body problem, whose solution by Kepler's equation shares nothing with them; energies, momenta
// and radii by hand.
#include "taskflows/fmm/motion.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "taskflows/fmm/dynamics/invariants.hpp"

namespace asterism::fmm {
namespace {

using Vector = std::array<double, 3>;

/// Two bodies of masses 3 and 1 on an orbit with semi-axis 1 and this eccentricity, in a plane oblique to the axes,
/// about a centre of mass that moves; G = 2, so that the period is 2 pi / sqrt(8).
class TwoBodies {
 public:
  explicit TwoBodies(double eccentricity) : e_(eccentricity) {}

  static constexpr double mean_motion = 2 * std::numbers::sqrt2;  ///< sqrt(G M / a^3)
  static constexpr double period = 2 * std::numbers::pi / mean_motion;

  /// Place and velocity of body 1 minus those of body 0, from Kepler's equation M = E - e sin E.
  [[nodiscard]] std::array<Vector, 2> relative(double time) const {
    const double mean = mean_motion * time;
    double anomaly = mean;
    for (int i = 0; i < 100; ++i) anomaly -= (anomaly - e_ * std::sin(anomaly) - mean) / (1 - e_ * std::cos(anomaly));
    const double minor = std::sqrt(1 - e_ * e_);
    const double rate = mean_motion / (1 - e_ * std::cos(anomaly));
    return {in_space(std::cos(anomaly) - e_, minor * std::sin(anomaly)),
            in_space(-rate * std::sin(anomaly), rate * minor * std::cos(anomaly))};
  }
  static Vector center(double time) { return {0.3 + 0.1 * time, -0.2 - 0.3 * time, 0.5 + 0.2 * time}; }

  void begin(Particles& p, Motion& m) const {
    p = Particles(2);
    m = Motion(2);
    m.mass = Array<double>(2);
    const auto [place, velocity] = relative(0);
    const Vector middle = center(0);
    const Vector speed{0.1, -0.3, 0.2};
    const std::array<Array<double>*, 3> x{&p.x, &p.y, &p.z};
    const std::array<Array<double>*, 3> v{&m.vx, &m.vy, &m.vz};
    for (std::size_t body = 0; body < 2; ++body) {
      const double share = body == 0 ? -0.25 : 0.75;  // of the distance
      m.mass[body] = p.charge[body] = body == 0 ? 3 : 1;
      for (std::size_t d = 0; d < 3; ++d) {
        (*x[d])[body] = middle[d] + share * place[d];
        (*v[d])[body] = speed[d] + share * velocity[d];
      }
    }
  }

  /// Potentials and forces of gravity with G = 2.
  static Result forces(const Particles& p) {
    Result r(2);
    const Vector d{p.x[1] - p.x[0], p.y[1] - p.y[0], p.z[1] - p.z[0]};
    const double distance = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double pull = 2 * p.charge[0] * p.charge[1] / (distance * distance * distance);
    for (std::size_t body = 0; body < 2; ++body) {
      const double sign = body == 0 ? 1 : -1;
      r.potential[body] = -2 * p.charge[1 - body] / distance;
      r.fx[body] = sign * pull * d[0];
      r.fy[body] = sign * pull * d[1];
      r.fz[body] = sign * pull * d[2];
    }
    return r;
  }

 private:
  /// Orthonormal directions of the orbit's long and short axis.
  static Vector in_space(double along, double across) {
    constexpr Vector a{2.0 / 3, 2.0 / 3, 1.0 / 3};
    constexpr Vector b{-2.0 / 3, 1.0 / 3, 2.0 / 3};
    return {along * a[0] + across * b[0], along * a[1] + across * b[1], along * a[2] + across * b[2]};
  }

  double e_;
};

struct Ended {
  double error;  ///< of the relative place
  double center_error;
  Conservation conservation;
};

Ended run(double eccentricity, Integrator integrator, int steps, double time) {
  const TwoBodies bodies(eccentricity);
  Particles p;
  Motion m;
  bodies.begin(p, m);
  Result r = TwoBodies::forces(p);
  accelerate(m, r);
  Conservation kept(invariants_of(p, r, m));
  for (int i = 0; i < steps; ++i) {
    step(m, p, integrator, time / steps, 0, [&]() -> const Result& { return r = TwoBodies::forces(p); });
    kept.take(invariants_of(p, r, m));
  }
  EXPECT_EQ(m.step, steps);
  const Vector right = bodies.relative(time)[0];
  const Vector middle = TwoBodies::center(time);
  const auto at = [](const Array<double>& x) { return 0.75 * x[0] + 0.25 * x[1]; };
  return {std::hypot(p.x[1] - p.x[0] - right[0], p.y[1] - p.y[0] - right[1], p.z[1] - p.z[0] - right[2]),
          std::hypot(at(p.x) - middle[0], at(p.y) - middle[1], at(p.z) - middle[2]), kept};
}

/// The error of the place falls by 2^order when the step is halved, on an eccentric orbit (e = 0.5).
TEST(Integrators, HaveTheirOrder) {
  const double time = 1.7 * TwoBodies::period;
  const auto order = [&](Integrator integrator, int steps) {
    const double coarse = run(0.5, integrator, steps, time).error;
    const double fine = run(0.5, integrator, 2 * steps, time).error;
    return std::log2(coarse / fine);
  };
  EXPECT_NEAR(order(Integrator::leapfrog, 1500), 2, 0.1);
  EXPECT_NEAR(order(Integrator::leapfrog, 3000), 2, 0.05);
  EXPECT_NEAR(order(Integrator::yoshida, 1500), 4, 0.2);
  EXPECT_NEAR(order(Integrator::yoshida, 3000), 4, 0.1);
  EXPECT_LT(run(0.5, Integrator::yoshida, 3000, time).error, 1e-6);
}

/// Both are symplectic: over a hundred periods (e = 0.7) the energy oscillates, and its largest error is that of two.
TEST(Integrators, KeepTheEnergyOfAnEccentricOrbit) {
  for (const Integrator integrator : {Integrator::leapfrog, Integrator::yoshida}) {
    constexpr int steps = 500;  // of a period
    const Ended two = run(0.7, integrator, 2 * steps, 2 * TwoBodies::period);
    const Ended hundred = run(0.7, integrator, 100 * steps, 100 * TwoBodies::period);
    EXPECT_GT(two.conservation.energy_drift(), 1e-7);
    EXPECT_LT(hundred.conservation.energy_drift(), 1.1 * two.conservation.energy_drift());
    EXPECT_LT(hundred.conservation.energy_drift(), integrator == Integrator::leapfrog ? 3e-2 : 1e-3);
    EXPECT_LT(hundred.conservation.momentum_drift(), 1e-12);
    EXPECT_LT(hundred.center_error, 1e-10) << "the centre of mass moves uniformly";
  }
}

TEST(Integrators, GoBackWhereTheyCameFrom) {
  for (const Integrator integrator : {Integrator::leapfrog, Integrator::yoshida}) {
    Particles p;
    Motion m;
    TwoBodies(0.4).begin(p, m);
    const double x = p.x[1];
    const double vz = m.vz[1];
    Result r = TwoBodies::forces(p);
    accelerate(m, r);
    const auto go = [&](double dt) {
      for (int i = 0; i < 300; ++i)
        step(m, p, integrator, dt, 0, [&]() -> const Result& { return r = TwoBodies::forces(p); });
    };
    go(0.01);
    EXPECT_GT(std::abs(p.x[1] - x), 1e-3);
    go(-0.01);
    EXPECT_NEAR(p.x[1], x, 1e-11);
    EXPECT_NEAR(m.vz[1], vz, 1e-11);
  }
}

TEST(Invariants, ByHand) {
  Particles p(2);
  Motion m(2);
  Result r(2);
  m.mass = Array<double>(2);
  const auto set = [&](std::size_t i, const Vector& x, const Vector& v, double mass, double charge, double potential) {
    p.x[i] = x[0], p.y[i] = x[1], p.z[i] = x[2];
    m.vx[i] = v[0], m.vy[i] = v[1], m.vz[i] = v[2];
    m.mass[i] = mass, p.charge[i] = charge, r.potential[i] = potential;
  };
  set(0, {1, 2, 3}, {4, 0, 3}, 2, 5, 0.5);
  set(1, {0, 1, 0}, {0, 0, -1}, 7, -1, 4);
  const Invariants i = invariants_of(p, r, m);
  EXPECT_DOUBLE_EQ(i.kinetic, 25 + 3.5);
  EXPECT_DOUBLE_EQ(i.potential, (2.5 - 4) / 2);
  EXPECT_DOUBLE_EQ(i.speed, 10 + 7);
  EXPECT_EQ(i.momentum, (Vector{8, 0, -1}));
  EXPECT_EQ(i.angular_momentum, (Vector{12 - 7, 24 - 6, -16}));  // 2 (1,2,3) x (4,0,3) + 7 (0,1,0) x (0,0,-1)
  EXPECT_DOUBLE_EQ(potential_energy(p, r), -0.75);
  EXPECT_DOUBLE_EQ(total_charge(p), 4);
  m.mass = {};
  EXPECT_DOUBLE_EQ(invariants_of(p, r, m).kinetic, 12.5 + 0.5) << "without masses, each is 1";
}

TEST(Invariants, DriftsAreRelative) {
  Conservation c(Invariants{1, -3, 4, {1, 0, 0}, {}});
  c.take(Invariants{2, -3.5, 5, {1, 0.5, 0}, {}});  // the energy rises by 0.5
  c.take(Invariants{1, -3.25, 4, {1, 0, -0.25}, {}});
  EXPECT_DOUBLE_EQ(c.energy_drift(), 0.25);
  EXPECT_DOUBLE_EQ(c.momentum_drift(), 0.1);
  Conservation eccentric(Invariants{3, -4, 1, {}, {}});
  eccentric.take(Invariants{3, -3.75, 1, {}, {}});
  EXPECT_DOUBLE_EQ(eccentric.energy_drift(), 0.25) << "not relative to the kinetic energy";
  Conservation parabolic(Invariants{1, -1, 1, {}, {}});
  parabolic.take(Invariants{8, -7.5, 1, {}, {}});
  EXPECT_DOUBLE_EQ(parabolic.energy_drift(), 0.0625) << "where the total is zero, relative to the kinetic energy";
  EXPECT_EQ(Conservation(Invariants{}).energy_drift(), 0);
}

TEST(Invariants, LagrangianRadii) {
  // masses 1, 2, .. 4 of 10 at distances 4, 3, 2, 1 from their centre of mass, each in two halves
  Particles p(8);
  for (std::size_t i = 0; i < 8; ++i) {
    const auto shell = static_cast<double>(i / 2);
    const double side = i % 2 == 0 ? 1 : -1;
    p.x[i] = 5;
    p.y[i] = -3 + (i < 4 ? side * (4 - shell) : 0);
    p.z[i] = 7 + (i < 4 ? 0 : side * (4 - shell));
    p.charge[i] = (shell + 1) / 2;
  }
  const auto radii = lagrangian_radii(p);
  EXPECT_NEAR(radii[0], 1, 1e-14);  // 1 of 10 is in the innermost shell
  EXPECT_NEAR(radii[1], 2, 1e-14);  // 4 in the first, 7 with the second
  EXPECT_NEAR(radii[2], 3, 1e-14);
}

}  // namespace
}  // namespace asterism::fmm
