// SPDX-License-Identifier: Apache-2.0
// The discrete plane wave: exact within its box, nothing of it outside, and a plane wave in vacuum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "base/as_size.hpp"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/illuminated.hpp"

namespace asterism::fdtd {
namespace {

using cases::impedance;
using cases::speed;

Setting room(std::array<int, 3> n = {16, 15, 17}) {
  Setting s{n};
  s.face = cases::boundaries[0].second;
  return s;
}
constexpr Box inside = {4, 11, 3, 12, 5, 13};

/// Steep, so that every frequency of the scheme takes part.
Waveform short_pulse(const Setting& s) {
  return {Pulse::differentiated_gaussian, 1, 4 * s.dt(), 18 * s.dt(), 0};
}

const std::vector<std::array<int, 3>> directions = {{1, 0, 0},  {0, -1, 0},   {0, 0, 1},  {0, 0, -1},
                                                    {1, 1, 0},  {1, 1, 1},    {-1, 2, 0}, {1, -2, 3},
                                                    {0, 3, -2}, {-2, -1, -1}, {4, 3, 5}};

struct Found {
  double leaked = 0, wrong = 0, largest = 0;
};
template <class T>
void observe(const Illuminated<T>& lit, Found& found) {
  lit.domain.each_entry([&](Field f, int c, int i, int j, int k) {
    const double scale = f == Field::electric ? 1 : impedance;
    const double here = scale * lit.domain.at(f, c, i, j, k);
    if (!lit.total(f, c, i, j, k)) {
      found.leaked = std::max(found.leaked, std::abs(here));
      return;
    }
    found.wrong = std::max(found.wrong, std::abs(here - scale * lit.wave(f, c, i, j, k)));
    found.largest = std::max(found.largest, std::abs(here));
  });
}

template <class T>
void expect_exact(const Setting& s, const std::array<int, 3>& m, double polarisation, double tolerance) {
  SCOPED_TRACE(testing::Message() << m[0] << ' ' << m[1] << ' ' << m[2] << ", polarisation " << polarisation);
  Illuminated<T> lit(s, make_incident(wave_along(m, s.d, polarisation, short_pulse(s)), inside, space_of(s)));
  Found found;
  for (int n = 0; n < 150; ++n) {
    lit.step();
    if (n % 3 == 0) observe(lit, found);
  }
  EXPECT_GT(found.largest, 0.5);
  EXPECT_LT(found.leaked, tolerance * found.largest);
  EXPECT_LT(found.wrong, tolerance * found.largest);
}

TEST(FdtdPlaneWaveBox, LeaksRoundingErrorsOnly) {
  for (const std::array<double, 3>& d : {std::array<double, 3>{1e-3, 1e-3, 1e-3}, {1e-3, 1.7e-3, 0.6e-3}})
    for (const auto& m : directions)
      for (const double polarisation : {0.0, std::numbers::pi / 2, 0.4}) {
        Setting s = room();
        s.d = d;
        expect_exact<double>(s, m, polarisation, 1e-13);
      }
}
TEST(FdtdPlaneWaveBox, LeaksRoundingErrorsOnlyInFloat) {
  for (const auto& m : directions) expect_exact<float>(room(), m, 1.1, 1e-5);
}

/// Through a periodic domain there are faces along z only: the wave is everywhere between them.
TEST(FdtdPlaneWaveBox, GoesThroughPeriodicDomains) {
  Setting s = room({4, 5, 20});
  for (const std::size_t f : {0U, 1U, 2U, 3U}) s.face[f] = Face::neighbour;
  const PlaneWave wave = wave_along({0, 0, -1}, s.d, 0.3, short_pulse(s));
  Illuminated<double> lit(s, make_incident(wave, {0, 4, 0, 5, 3, 17}, space_of(s)));
  Found found;
  for (int n = 0; n < 100; ++n) {
    lit.step();
    observe(lit, found);
  }
  EXPECT_GT(found.largest, 0.5);
  EXPECT_LT(found.leaked, 1e-14);
  EXPECT_LT(found.wrong, 1e-14);
}

/// E = e g(t - p . r / c), H = p x E / impedance, with e at the polarisation's angle: a well resolved wave, at every
/// entry of the box. Second order: half the spacings, a quarter of the error.
TEST(FdtdPlaneWaveBox, IsAPlaneWave) {
  for (const auto& m : directions)
    for (const double polarisation : {0.0, std::numbers::pi / 2, 0.7}) {
      SCOPED_TRACE(testing::Message() << m[0] << ' ' << m[1] << ' ' << m[2] << ", polarisation " << polarisation);
      double error[2] = {};
      for (const int finer : {1, 2}) {
        Setting s = room();
        for (double& d : s.d) d /= finer;
        const double width = 24e-3 / speed;
        const Waveform pulse{Pulse::modulated_gaussian, 2, width, 4.5 * width, speed / 60e-3};
        const PlaneWave wave = wave_along(m, s.d, polarisation, pulse);
        Illuminated<double> lit(s, make_incident(wave, inside, space_of(s)));
        const double(&p)[3] = lit.incident.direction.unit;
        const double theta = wave.theta, phi = wave.phi;
        const double e_theta[3] = {std::cos(theta) * std::cos(phi), std::cos(theta) * std::sin(phi), -std::sin(theta)};
        const double e_phi[3] = {-std::sin(phi), std::cos(phi), 0};
        double e[3], h[3];
        for (int a = 0; a < 3; ++a) e[a] = std::cos(polarisation) * e_theta[a] + std::sin(polarisation) * e_phi[a];
        for (int a = 0; a < 3; ++a) h[a] = p[(a + 1) % 3] * e[(a + 2) % 3] - p[(a + 2) % 3] * e[(a + 1) % 3];
        const double start = delay_at(lit.incident, Field::electric, 0, 0, 0, 0) - p[0] * s.d[0] / 2 / speed;
        // until the middle of the pulse is in the middle of the box
        const double middle = start + (7.5 * p[0] * s.d[0] + 7.5 * p[1] * s.d[1] + 9 * p[2] * s.d[2]) / speed;
        while (static_cast<double>(lit.steps) * s.dt() < pulse.delay + middle + 0.3 * width) lit.step();
        lit.domain.each_entry([&](Field f, int c, int i, int j, int k) {
          if (!lit.total(f, c, i, j, k)) return;
          const int place[3] = {i, j, k};
          double t = static_cast<double>(lit.steps) * s.dt() - start;
          if (f == Field::magnetic) t -= s.dt() / 2;
          for (int a = 0; a < 3; ++a) t -= p[a] * s.d[as_size(a)] * (place[a] + (on_planes(f, c, a) ? 0 : 0.5)) / speed;
          const double exact = value(pulse, t) * (f == Field::electric ? e[c] : h[c]);
          const double here = lit.domain.at(f, c, i, j, k) * (f == Field::electric ? 1 : impedance);
          error[finer - 1] = std::max(error[finer - 1], std::abs(here - exact));
        });
      }
      EXPECT_LT(error[0], 0.04);
      EXPECT_LT(error[1], error[0] / 3);
    }
}

/// What comes back from the end of the line.
TEST(FdtdPlaneWaveLine, Absorbs) {
  const Setting s = room();
  for (const auto& m : directions) {
    SCOPED_TRACE(testing::Message() << m[0] << ' ' << m[1] << ' ' << m[2]);
    const Waveform pulse{Pulse::gaussian, 1, 12 * s.dt(), 60 * s.dt(), 0};
    const Incident wave = make_incident(wave_along(m, s.d, 0.7, pulse), inside, space_of(s));
    std::vector<double> line(as_size(wave.line.elements()));
    const auto largest = [&] {
      double found = 0;
      for (int c = 0; c < 3; ++c)
        for (int q = wave.line.fixed(Field::electric); q < wave.line.absorber; ++q)
          found = std::max(found, std::abs(line[as_size(c * wave.line.length + q)]));
      return found;
    };
    double peak = 0;
    const auto transit = static_cast<int>(2 * wave.line.length * wave.half_delay / s.dt());
    for (int n = 1; n <= 130 + 4 * transit; ++n) {
      cpu::advance_line(Field::magnetic, wave, {}, line.data());
      cpu::advance_line(Field::electric, wave, given_at<double>(wave, n), line.data());
      peak = std::max(peak, largest());
      if (n == 130 + transit) {
        EXPECT_LT(largest(), 1e-6);
      }
    }
    EXPECT_GT(peak, 0.5);
    EXPECT_LT(largest(), 1e-6);
  }
}

TEST(FdtdPlaneWaveBox, EveryDivisionGivesTheSameBits) {
  const std::vector<Domain<float>::Cuts> divisions = {{{{4}, {}, {}}},         {{{5}, {}, {}}},
                                                      {{{}, {3, 12}, {}}},     {{{}, {}, {5}}},
                                                      {{{11}, {7}, {12, 13}}}, {{{1, 3, 10, 12}, {2}, {14}}}};
  const Setting s = room();
  const Incident wave = make_incident(wave_along({1, -2, 3}, s.d, 0.7, short_pulse(s)), inside, space_of(s));
  Illuminated<float> whole(s, wave);
  for (int n = 0; n < 60; ++n) whole.step();
  for (std::size_t k = 0; k < divisions.size(); ++k) {
    Illuminated<float> divided(s, wave, divisions[k]);
    for (int n = 0; n < 60; ++n) divided.step();
    EXPECT_EQ(whole.domain.differences(divided.domain), 0U) << "division " << k;
  }
}

/// A brick is changed or need not know of the wave.
TEST(FdtdPlaneWaveBox, ReachesBricks) {
  const Setting s = room();
  const Incident wave = make_incident(wave_along({1, 1, 1}, s.d, 0, short_pulse(s)), inside, space_of(s));
  const std::vector<double> ones(as_size(wave.line.elements()), 1.0);
  Domain<double> d(s, {{{3, 5, 9, 12}, {2, 3, 11}, {4, 6, 14}}});
  d.set([](Field, int, int, int, int) { return 0.0; });
  int reached = 0;
  for (Part<double>& p : d.parts) {
    bool changed = false;
    for (const Field f : {Field::electric, Field::magnetic}) {
      std::vector<double> field(as_size(p.grid.elements()), 0.0);
      cpu::correct(f, p.grid, p.origin, p.grid.cells(), wave, ones.data(), field.data());
      for (const double u : field) changed = changed || u != 0;
    }
    EXPECT_EQ(reaches(wave, p.grid, p.origin), changed);
    reached += changed ? 1 : 0;
  }
  EXPECT_GT(reached, 10);
  EXPECT_LT(reached, static_cast<int>(d.parts.size()) - 20);
}

TEST(FdtdPlaneWaveDirection, IsRounded) {
  const double spacing[3] = {1, 2, 0.5};
  const auto rounded = [&](double x, double y, double z, double tolerance) {
    const double length = std::hypot(x, y, z);
    return round_direction({x / length, y / length, z / length}, spacing, tolerance);
  };
  const Direction axis = rounded(0.01, 0, -1, 0.02);
  EXPECT_EQ(axis.m[0], 0);
  EXPECT_EQ(axis.m[1], 0);
  EXPECT_EQ(axis.m[2], -1);
  EXPECT_NEAR(axis.deviation, std::atan(0.01), 1e-12);
  // (1, 2, 3): m_a = u_a d_a
  const Direction exact = rounded(2, -2, 12, 1e-9);
  EXPECT_EQ(exact.m[0], 1);
  EXPECT_EQ(exact.m[1], -2);
  EXPECT_EQ(exact.m[2], 3);
  EXPECT_LT(exact.deviation, 1e-12);
  EXPECT_NEAR(exact.unit[1], -1 / std::hypot(1, 1, 6), 1e-15);
  const Direction some = rounded(0.3, 0.5, 0.812, 0.02);
  EXPECT_LE(some.deviation, 0.02);
  EXPECT_GT(some.deviation, 1e-6);
  EXPECT_THROW(rounded(0.3, 0.5, 0.812, 1e-7), std::invalid_argument);
  EXPECT_THROW(rounded(NAN, 0, 0, 1), std::invalid_argument);
}

TEST(FdtdPlaneWaveBox, BadOnes) {
  const Setting s = room();
  const PlaneWave wave = wave_along({1, 0, 0}, s.d, 0, short_pulse(s));
  for (const Box& b :
       {Box{0, 11, 3, 12, 5, 13}, Box{4, 16, 3, 12, 5, 13}, Box{4, 4, 3, 12, 5, 13}, Box{4, 11, 3, 12, 5, 17}})
    EXPECT_THROW(make_incident(wave, b, space_of(s)), std::invalid_argument);
  Setting periodic = s;
  periodic.face = {};
  EXPECT_THROW(make_incident(wave, {0, 16, 3, 12, 5, 13}, space_of(periodic)), std::invalid_argument);
  EXPECT_NO_THROW(make_incident(wave, {4, 11, 0, 15, 0, 17}, space_of(periodic)));
  PlaneWave flat = wave;
  flat.waveform.width = 0;
  EXPECT_THROW(make_incident(flat, inside, space_of(s)), std::invalid_argument);
}

/// One cell that is not vacuum, anywhere: refused where an entry beside a face has a part of it.
TEST(FdtdPlaneWaveBox, HasVacuumAround) {
  const Setting s = room();
  const Incident wave = make_incident(wave_along({1, 0, 0}, s.d, 0, short_pulse(s)), inside, space_of(s));
  std::vector<std::uint16_t> cells(as_size(s.n[0] * s.n[1] * s.n[2]), 0);
  const Cells all{{s.n[0], s.n[1], s.n[2]}, {}, cells.data()};
  const std::vector<Material> materials = {{}, {1, 1, 0, 0}, {2, 1, 0, 0}, {}};
  const std::vector<std::vector<Pole>> poles = {{}, {}, {}, {debye(1, 1e-12)}};
  EXPECT_NO_THROW(require_vacuum(wave.total, all, materials, poles));
  const auto refused = [&](int i, int j, int k, std::uint16_t material) {
    std::uint16_t& cell = cells[as_size((i * s.n[1] + j) * s.n[2] + k)];
    cell = material;
    bool thrown = false;
    try {
      require_vacuum(wave.total, all, materials, poles);
    } catch (const std::invalid_argument&) {
      thrown = true;
    }
    cell = 0;
    return thrown;
  };
  EXPECT_TRUE(refused(3, 8, 8, 2));
  EXPECT_TRUE(refused(4, 8, 8, 2));
  EXPECT_TRUE(refused(10, 8, 8, 2));
  EXPECT_TRUE(refused(11, 12, 13, 2));
  EXPECT_TRUE(refused(4, 8, 8, 3));
  EXPECT_FALSE(refused(4, 8, 8, 1));
  EXPECT_FALSE(refused(5, 8, 8, 3));
  EXPECT_FALSE(refused(2, 8, 8, 2));
  EXPECT_FALSE(refused(12, 8, 8, 2));
  EXPECT_FALSE(refused(5, 8, 8, 2));
  EXPECT_FALSE(refused(9, 8, 8, 2));
}

}  // namespace
}  // namespace asterism::fdtd
