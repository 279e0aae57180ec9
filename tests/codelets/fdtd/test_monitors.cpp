// SPDX-License-Identifier: Apache-2.0
// Frequency-domain monitors: amplitudes and phases, the same bits in every division, power through planes.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "base/as_size.hpp"
#include "codelets/fdtd/kernels/observers/flux.hpp"
#include "tests/codelets/fdtd/cases.hpp"
#include "tests/codelets/fdtd/illuminated.hpp"
#include "tests/codelets/fdtd/recording.hpp"

namespace asterism::fdtd {
namespace {

using Complex = std::complex<double>;

template <class Visit>
void each(const Box& b, const Visit& visit) {
  for (int i = b.x0; i < b.x1; ++i)
    for (int j = b.y0; j < b.y1; ++j)
      for (int k = b.z0; k < b.z1; ++k) visit(i, j, k);
}

template <class T>
class FdtdMonitor : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FdtdMonitor, Precisions);

/// u = A cos(2 pi f t + phi), E at n dt and H at (n - 1/2) dt: over whole periods 2 U / duration = A exp(i phi), and
/// nothing at other harmonics.
TYPED_TEST(FdtdMonitor, AmplitudeAndPhaseOfASine) {
  using T = TypeParam;
  const Setting s{{5, 4, 6}};
  Domain<T> d(s);
  const double dt = s.dt();
  const auto amplitude = [](int c, int i, int j, int k) { return noise(7, c, i, j, k); };
  const auto phase = [](int c, int i, int j, int k) { return 3 * noise(8, c, i, j, k); };
  for (const Field field : {Field::electric, Field::magnetic})
    for (const int every : {1, 3}) {
      const Monitor m{
          field, {{2, {1, 4, 0, 3, 2, 6}}, {0, {2, 3, 0, 4, 5, 6}}}, {1 / (48 * dt), 1 / (24 * dt), 0}, every};
      Recording recording(m, d);
      for (int n = 1; n <= 96; ++n) {
        const double t = field == Field::electric ? n * dt : (n - 0.5) * dt;
        d.set([&](Field f, int c, int i, int j, int k) {
          return f != field
                     ? 9
                     : amplitude(c, i, j, k) * std::cos(2 * std::numbers::pi * t / (24 * dt) + phase(c, i, j, k));
        });
        recording.record(d, n);
      }
      const Spectrum spectrum = recording.spectrum();
      for (int number = 0; number < 2; ++number) {
        const MonitoredEntries& of = m.components[as_size(number)];
        each(of.entries, [&](int i, int j, int k) {
          const double scale = 2 / (96 * dt);
          const Complex expected = std::polar(1.0, phase(of.component, i, j, k)) * amplitude(of.component, i, j, k);
          const double tolerance = sizeof(T) == 8 ? 1e-13 : 1e-7;
          EXPECT_LT(std::abs(scale * spectrum.at(number, 1, i, j, k) - expected), tolerance);
          EXPECT_LT(std::abs(scale * spectrum.at(number, 0, i, j, k)), tolerance);
          EXPECT_LT(std::abs(scale * spectrum.at(number, 2, i, j, k)), tolerance);
        });
      }
    }
}

/// A box, a plane, a line, a point; up to plane n where there are conductors.
TYPED_TEST(FdtdMonitor, EveryDivisionGivesTheSameBits) {
  using T = TypeParam;
  for (std::size_t boundary = 0; boundary < cases::boundaries.size(); ++boundary) {
    SCOPED_TRACE(cases::boundaries[boundary].first);
    Setting s{{8, 7, 9}};
    s.face = cases::boundaries[boundary].second;
    const Space space = space_of(s);
    const auto end = [&](int a) { return s.n[as_size(a)] + (space.periodic[a] ? 0 : 1); };
    const std::vector<double> frequencies = {0, 0.01 / s.dt(), 0.11 / s.dt()};
    const std::vector<Monitor> monitors = {
        {Field::electric,
         {{0, {0, 8, 0, end(1), 0, end(2)}}, {2, {2, 5, 1, 6, 3, 8}}, {1, {6, 7, 2, 3, 5, 6}}},
         frequencies,
         1},
        {Field::electric, {{1, {4, 5, 0, 7, 0, end(2)}}}, frequencies, 4},
        {Field::magnetic, {{0, {0, end(0), 3, 4, 8, 9}}, {2, {1, 3, 0, 7, 0, end(2)}}}, frequencies, 3}};
    const std::vector<typename Domain<T>::Cuts> divisions = {{}, {{{5}, {}, {}}}, {{{2, 4, 5}, {1}, {8}}}};
    for (const Monitor& m : monitors) {
      check(m, space.n, space.periodic, s.dt());
      Domain<T> whole(s);
      whole.randomize();
      std::vector<Complex> sums(as_size(m.elements()) / 2);
      std::vector<Spectrum> found;
      for (const auto& cuts : divisions) {
        Domain<T> d(s, cuts);
        d.randomize();
        Recording recording(m, d);
        for (int n = 1; n <= 24; ++n) {
          d.step();
          recording.record(d, n);
        }
        found.push_back(recording.spectrum());
        EXPECT_EQ(found.back().values, found[0].values);
      }
      // the definition, out of the undivided domain
      Spectrum naive(m);
      for (int n = 1; n <= 24; ++n) {
        whole.step();
        if (n % m.every != 0) continue;
        std::size_t at = 0;
        for (const MonitoredEntries& of : m.components)
          for (const double f : m.frequencies)
            each(of.entries, [&](int i, int j, int k) {
              const Grid& g = whole.parts[0].grid;
              const Box own = g.entries(m.field, of.component, g.cells());
              const bool updated = i >= own.x0 && i < own.x1 && j >= own.y0 && j < own.y1 && k >= own.z0 && k < own.z1;
              const double t = (m.field == Field::electric ? n : n - 0.5) * s.dt();
              const double u = updated ? static_cast<double>(whole.at(m.field, of.component, i, j, k)) : 0;
              sums[at++] += m.every * s.dt() * u * std::exp(Complex(0, -2 * std::numbers::pi * f * t));
            });
      }
      std::size_t at = 0;
      double worst = 0, largest = 0;
      for (std::size_t c = 0; c < m.components.size(); ++c)
        for (std::size_t f = 0; f < m.frequencies.size(); ++f)
          each(m.components[c].entries, [&](int i, int j, int k) {
            largest = std::max(largest, std::abs(sums[at]));
            worst =
                std::max(worst, std::abs(sums[at++] - found[0].at(static_cast<int>(c), static_cast<int>(f), i, j, k)));
          });
      EXPECT_GT(largest, 0);
      EXPECT_LT(worst, 1e-14 * largest);
    }
  }
}

TEST(FdtdMonitorCheck, BadOnes) {
  const std::int32_t n[3] = {5, 6, 7};
  const bool periodic[3] = {true, false, false};
  const Monitor good{Field::electric, {{0, {0, 5, 0, 7, 0, 8}}, {1, {0, 5, 0, 6, 0, 8}}}, {1e9}, 2};
  const auto refused = [&](const Monitor& m) {
    try {
      check(m, n, periodic, 1e-11);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  const auto with = [&](const auto& change) {
    Monitor m = good;
    change(m);
    return refused(m);
  };
  EXPECT_FALSE(refused(good));
  EXPECT_TRUE(with([](Monitor& m) { m.components.clear(); }));
  EXPECT_TRUE(with([](Monitor& m) { m.components.resize(4, m.components[0]); }));
  EXPECT_TRUE(with([](Monitor& m) { m.components[0].component = 3; }));
  EXPECT_TRUE(with([](Monitor& m) { m.components[0].entries.x1 = 6; }));
  EXPECT_TRUE(with([](Monitor& m) { m.components[1].entries.x1 = 6; }));  // plane 5 is plane 0
  EXPECT_TRUE(with([](Monitor& m) { m.components[1].entries.y1 = 7; }));
  EXPECT_TRUE(with([](Monitor& m) { m.components[0].entries.z0 = -1; }));
  EXPECT_TRUE(with([](Monitor& m) { m.components[0].entries.z0 = 8; }));
  EXPECT_TRUE(with([](Monitor& m) { m.frequencies.clear(); }));
  EXPECT_TRUE(with([](Monitor& m) { m.frequencies[0] = 0.51 / 2e-11; }));
  EXPECT_TRUE(with([](Monitor& m) { m.frequencies[0] = NAN; }));
  EXPECT_TRUE(with([](Monitor& m) { m.every = 0; }));
}

/// Through a periodic domain, along every axis in both directions: |E|^2 / (2 impedance) times the area to second order
/// in the spacing, the same on every plane to rounding, nothing beyond the box.
TEST(FdtdFlux, OfAPlaneWave) {
  for (int axis = 0; axis < 3; ++axis)
    for (const int sign : {-1, 1}) {
      SCOPED_TRACE(testing::Message() << "axis " << axis << ", " << sign);
      Setting s{{4, 3, 5}};
      s.n[as_size(axis)] = 24;
      s.face[as_size(2 * axis)] = s.face[as_size(2 * axis + 1)] = Face::electric;
      std::array<int, 3> m = {};
      m[as_size(axis)] = sign;
      std::int32_t ends[3][2] = {{0, s.n[0]}, {0, s.n[1]}, {0, s.n[2]}};
      ends[axis][0] = 4;
      ends[axis][1] = 19;
      const double spacing[3] = {s.d[0], s.d[1], s.d[2]};
      const double period = 30 * spacing[axis] * std::sqrt(eps0 * mu0);
      const Waveform pulse{Pulse::modulated_gaussian, 3, 1.5 * period, 7 * period, 1 / period};
      Illuminated<double> lit(
          s, make_incident(wave_along(m, s.d, 0.4, pulse),
                           {ends[0][0], ends[0][1], ends[1][0], ends[1][1], ends[2][0], ends[2][1]}, space_of(s)));
      const std::vector<double> frequencies = {0.9 / period, 1.1 / period};
      std::vector<Plane> planes;
      std::vector<Recording> electric, magnetic;
      const int b = (axis + 1) % 3, c = (axis + 2) % 3;
      for (const int at : {2, 6, 11, 17}) {
        planes.push_back(plane_between(axis, at, {0, 0}, {s.n[as_size(b)], s.n[as_size(c)]},
                                       {Edge::periodic, Edge::periodic}, frequencies, 1));
        electric.emplace_back(planes.back().electric, lit.domain);
        magnetic.emplace_back(planes.back().magnetic, lit.domain);
        const Space space = space_of(s);
        check(planes.back().electric, space.n, space.periodic, s.dt());
        check(planes.back().magnetic, space.n, space.periodic, s.dt());
      }
      Complex wave[2] = {};
      for (int n = 1; static_cast<double>(n) * s.dt() < 18 * period; ++n) {
        lit.step();
        for (Recording& r : electric) r.record(lit.domain, n);
        for (Recording& r : magnetic) r.record(lit.domain, n);
        for (std::size_t f = 0; f < 2; ++f)
          wave[f] += s.dt() * value(pulse, n * s.dt()) *
                     std::exp(Complex(0, -2 * std::numbers::pi * frequencies[f] * n * s.dt()));
      }
      const double area = spacing[b] * s.n[as_size(b)] * spacing[c] * s.n[as_size(c)];
      for (int f = 0; f < 2; ++f) {
        const auto through = [&](std::size_t p) {
          return flux(planes[p], electric[p].spectrum(), magnetic[p].spectrum(), spacing, f);
        };
        const double expected = sign * std::norm(wave[f]) / (2 * std::sqrt(mu0 / eps0)) * area;
        EXPECT_NEAR(through(1) / expected, 1, 0.015);
        EXPECT_GT(std::abs(through(1) / expected - 1), 1e-8);
        EXPECT_NEAR(through(2) / through(1), 1, 1e-10);
        EXPECT_NEAR(through(3) / through(1), 1, 1e-10);
        EXPECT_LT(std::abs(through(0) / expected), 1e-20);
      }
    }
}

/// S_y = 1/2 Re (E_z conj H_x - E_x conj H_z) on nodes 2 to 4 along z and 1 to 3 along x, entry by entry.
TEST(FdtdFlux, IsTheSumWrittenOut) {
  const Plane plane = plane_between(1, 5, {2, 1}, {4, 3}, {Edge::open, Edge::open}, {1e9, 2e9}, 1);
  Spectrum e(plane.electric), h(plane.magnetic);
  for (std::size_t v = 0; v < e.values.size(); ++v) e.values[v] = noise(3, 0, static_cast<int>(v), 0, 0);
  for (std::size_t v = 0; v < h.values.size(); ++v) h.values[v] = noise(4, 0, static_cast<int>(v), 0, 0);
  ASSERT_EQ(plane.electric.components[0].component, 2);
  ASSERT_EQ(plane.magnetic.components[0].component, 0);
  double sum = 0;
  for (int k = 2; k < 4; ++k)  // E_z and H_x at (i, k + 1/2)
    for (int i = 1; i <= 3; ++i) {
      const Complex mean = 0.5 * (h.at(0, 1, i, 4, k) + h.at(0, 1, i, 5, k));
      sum += (i == 2 ? 1 : 0.5) * (e.at(0, 1, i, 5, k) * std::conj(mean)).real();
    }
  for (int k = 2; k <= 4; ++k)  // E_x and H_z at (i + 1/2, k)
    for (int i = 1; i < 3; ++i) {
      const Complex mean = 0.5 * (h.at(1, 1, i, 4, k) + h.at(1, 1, i, 5, k));
      sum -= (k == 3 ? 1 : 0.5) * (e.at(1, 1, i, 5, k) * std::conj(mean)).real();
    }
  EXPECT_NEAR(flux(plane, e, h, {2, 3, 5}, 1), 0.5 * sum * 2 * 5, 1e-14);
}

}  // namespace
}  // namespace asterism::fdtd
