// SPDX-License-Identifier: Apache-2.0
// What the scheme is known to do: plane waves and cavity modes at its dispersion relation, energy conserved, magnetic
// conductors as planes of symmetry, decay in lossy media.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/as_size.hpp"
#include "tests/codelets/fdtd/cases.hpp"

namespace asterism::fdtd {
namespace {

using cases::impedance;
using cases::speed;

/// Along every axis, in both directions, for both polarisations: E = cos(k x - w t) with
/// sin(w dt / 2) / (c dt) = sin(k d / 2) / d (Taflove and Hagness, chapter 4).
TEST(FdtdPlaneWave, TravelsAtTheSpeedOfTheScheme) {
  for (int axis = 0; axis < 3; ++axis)
    for (const int direction : {-1, 1})
      for (const int polarisation : {1, 2}) {
        SCOPED_TRACE(testing::Message() << "axis " << axis << ", " << direction << ", " << polarisation);
        Setting s{{3, 5, 4}};
        s.n[as_size(axis)] = 14;
        Domain<double> d(s);
        const double spacing = s.d[as_size(axis)];
        const double wave_number = direction * 2 * (2 * std::numbers::pi / (14 * spacing));
        const double dt = s.dt();
        const double frequency =
            2 / dt * std::asin(speed * dt / spacing * std::sin(std::abs(wave_number) * spacing / 2));
        const int along_e = (axis + polarisation) % 3;
        const int along_h = 3 - axis - along_e;
        const double sign = direction * (polarisation == 1 ? 1 : -1);  // E x H points along the axis
        const auto exact = [&](int n, Field f, int c, int i, int j, int k) {
          const int place[3] = {i, j, k};
          if (f == Field::electric)
            return c != along_e ? 0 : std::cos(wave_number * place[axis] * spacing - frequency * n * dt);
          return c != along_h ? 0
                              : sign / impedance *
                                    std::cos(wave_number * (place[axis] + 0.5) * spacing - frequency * (n - 0.5) * dt);
        };
        d.set([&](Field f, int c, int i, int j, int k) { return exact(0, f, c, i, j, k); });
        for (int n = 0; n < 200; ++n) d.step();
        double worst = 0;
        d.each_entry([&](Field f, int c, int i, int j, int k) {
          const double scale = f == Field::electric ? 1 : impedance;
          worst = std::max(worst, scale * std::abs(d.at(f, c, i, j, k) - exact(200, f, c, i, j, k)));
        });
        EXPECT_LT(worst, 1e-12);
      }
}

/// A mode (p, q, r) of a cavity: E^n = E^0 cos(w n dt) in every entry, with
/// (sin(w dt / 2) / (c dt))^2 = sum of (sin(k_a d_a / 2) / d_a)^2.
TEST(FdtdCavity, OscillatesAtTheFrequencyOfTheScheme) {
  for (const std::array<int, 3>& mode : {std::array<int, 3>{1, 2, 3}, {2, 1, 0}, {0, 1, 1}, {3, 0, 2}}) {
    Setting s{{8, 11, 9}};
    s.face = cases::boundaries[0].second;
    Domain<double> d(s);
    double k[3], rate[3], amplitude[3] = {0.7, -0.4, 0};
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      k[a] = std::numbers::pi * mode[a] / (s.n[a] * s.d[a]);
      rate[a] = 2 * std::sin(k[a] * s.d[a] / 2) / s.d[a];
      sum += rate[a] * rate[a] / 4;
    }
    // no divergence; a component has to vanish along the others' axes
    if (mode[2] == 0) amplitude[0] = amplitude[1] = 0, amplitude[2] = 1;
    if (mode[2] != 0) amplitude[2] = -(amplitude[0] * rate[0] + amplitude[1] * rate[1]) / rate[2];
    const double dt = s.dt();
    const double frequency = 2 / dt * std::asin(speed * dt * std::sqrt(sum));
    const auto exact = [&](int c, int i, int j, int l) {
      const int place[3] = {i, j, l};
      double v = amplitude[c];
      for (std::size_t a = 0; a < 3; ++a)
        v *= static_cast<int>(a) == c ? std::cos(k[a] * (place[a] + 0.5) * s.d[a]) : std::sin(k[a] * place[a] * s.d[a]);
      return v;
    };
    d.set([&](Field f, int c, int i, int j, int l) { return f == Field::electric ? exact(c, i, j, l) : 0; });
    // H of half a step before
    Factors back = s.h_factors();
    for (double& f : back.along) f *= -0.5;
    Part<double>& p = d.parts[0];
    cpu::update(Field::magnetic, p.grid, p.grid.cells(), back, {}, p.e.data(), p.h.data());
    for (int n = 1; n <= 300; ++n) d.step();
    double worst = 0, largest = 0;
    d.each_entry([&](Field f, int c, int i, int j, int l) {
      if (f == Field::magnetic) return;
      largest = std::max(largest, std::abs(exact(c, i, j, l)));
      worst = std::max(worst, std::abs(d.at(f, c, i, j, l) - exact(c, i, j, l) * std::cos(300 * frequency * dt)));
    });
    EXPECT_GT(largest, 0.1);
    EXPECT_LT(worst, 2e-12);
  }
}

/// Lossless dielectric and magnetic cells, every kind of boundary, 1000 steps.
TEST(FdtdEnergy, IsConserved) {
  for (const auto& [name, face] : cases::boundaries) {
    SCOPED_TRACE(name);
    Setting s{{7, 6, 9}};
    s.face = face;
    for (const bool materials : {false, true}) {
      if (materials) {
        s.materials = {{}, {4, 1, 0, 0}, {2, 3, 0, 0}, {1, 1, INFINITY, 0}};
        for (int i = 0; i < 7 * 6 * 9; ++i)
          s.cells.push_back(static_cast<std::uint16_t>((noise(5, i, 0, 0, 0) + 1) * 2));
      }
      Domain<double> d(s, {{{3}, {}, {2, 5}}});
      d.randomize();
      d.step();  // what lies in perfect conductors is gone
      const double first = d.energy();
      double worst = 0;
      for (int n = 0; n < 1000; ++n) {
        d.step(n % 2 == 0 ? Passes::two : Passes::one);
        worst = std::max(worst, std::abs(d.energy() / first - 1));
      }
      EXPECT_GT(first, 0);
      EXPECT_LT(worst, 2e-13);
    }
  }
}

/// E of one entry in joules, by hand: eps0/2 E^2 dx dy dz, and none in H at that moment.
TEST(FdtdEnergy, InJoules) {
  Setting s{{4, 4, 4}};
  Domain<double> d(s);
  d.set([](Field f, int c, int i, int j, int k) {
    return f == Field::electric && c == 1 && i == 1 && j == 2 && k == 3 ? 5.0 : 0.0;
  });
  EXPECT_NEAR(d.energy(), 0.5 * eps0 * 25 * 1e-3 * 1.3e-3 * 0.8e-3, 1e-31);
  EXPECT_EQ(d.energies(d.parts[0])[1].electric, d.energy());
  d.set([](Field f, int c, int i, int j, int k) {
    return f == Field::magnetic && c == 2 && i == 0 && j == 3 && k == 1 ? 0.2 : 0.0;
  });
  EXPECT_NEAR(d.energy(), 0.5 * mu0 * 0.04 * 1e-3 * 1.3e-3 * 0.8e-3, 1e-26);
}

/// The domain and its mirror image behind the conductor: tangential E and normal H are even, the others odd.
TEST(FdtdMagneticConductor, IsAPlaneOfSymmetry) {
  for (int face = 0; face < 6; ++face) {
    SCOPED_TRACE(face);
    const int axis = face / 2;
    Setting half{{5, 6, 7}};
    half.face = cases::boundaries[0].second;
    Setting whole = half;
    half.face[as_size(face)] = Face::magnetic;
    const int n = half.n[as_size(axis)];
    whole.n[as_size(axis)] = 2 * n;
    // place in the whole to place in the half, and the sign
    const auto folded = [&](Field f, int c, std::array<int, 3> place) {
      int& x = place[as_size(axis)];
      const bool plane = on_planes(f, c, axis);
      const bool inside = face % 2 == 0 ? x >= n : x < n + (plane ? 1 : 0);
      const int last = 2 * n - (plane ? 0 : 1);
      double sign = 1;
      if (!inside) {
        x = last - x;
        const bool tangential = c != axis;
        sign = (f == Field::electric) == tangential ? 1 : -1;
      }
      if (face % 2 == 0) x -= n;
      return std::pair(place, sign);
    };
    const auto value = [](Field f, int c, const std::array<int, 3>& p) {
      return noise(static_cast<int>(f), c, p[0], p[1], p[2]) / (f == Field::electric ? 1 : impedance);
    };
    Domain<double> small(half);
    Domain<double> large(whole);
    small.set([&](Field f, int c, int i, int j, int k) { return value(f, c, {i, j, k}); });
    large.set([&](Field f, int c, int i, int j, int k) {
      const auto [place, sign] = folded(f, c, {i, j, k});
      return sign * value(f, c, place);
    });
    for (int step = 0; step < 50; ++step) {
      small.step();
      large.step();
    }
    int compared = 0, different = 0;
    large.each_entry([&](Field f, int c, int i, int j, int k) {
      const auto [place, sign] = folded(f, c, {i, j, k});
      ++compared;
      if (large.at(f, c, i, j, k) != sign * small.at(f, c, place[0], place[1], place[2])) ++different;
    });
    EXPECT_GT(compared, 1500);
    EXPECT_EQ(different, 0);
  }
}

/// A uniform field has no curl and decays by (1 - s) / (1 + s) a step, which is exp(-t sigma / eps) to second order.
TEST(FdtdLosses, DecayByTheFactorOfTheScheme) {
  for (const Field f : {Field::electric, Field::magnetic}) {
    Setting s{{4, 3, 5}};
    s.materials = {{3, 2, 0.05, 0}};
    s.materials[0].sigma_m = 0.05 * mu0 / eps0;
    s.cells.assign(60, 0);
    Domain<double> d(s);
    d.set([&](Field field, int c, int, int, int) { return field == f ? c + 1.0 : 0.0; });
    const int steps = 100;
    for (int n = 0; n < steps; ++n) d.step();
    const double time_constant = f == Field::electric ? 3 * eps0 / 0.05 : 2 * mu0 / s.materials[0].sigma_m;
    const double half = s.dt() / time_constant / 2;
    for (int c = 0; c < 3; ++c) {
      const double left = d.at(f, c, 2, 1, 3) / (c + 1);
      EXPECT_NEAR(left / std::pow((1 - half) / (1 + half), steps), 1, 1e-12);
      // -2 artanh(s) = -2 s - 2 s^3 / 3 - ..., so the time constant is wrong by s^2 / 3
      EXPECT_NEAR(-std::log(left) / (steps * s.dt() / time_constant) - 1, half * half / 3, 0.1 * half * half);
    }
    EXPECT_LT(half, 0.1);
    EXPECT_GT(half, 1e-4);
  }
}

}  // namespace
}  // namespace asterism::fdtd
