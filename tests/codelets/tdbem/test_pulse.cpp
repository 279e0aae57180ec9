// SPDX-License-Identifier: Apache-2.0
// Incident waves: derivatives and spectra against differences and sums, durations, bandwidths; rules on triangles.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "codelets/tdbem/kernels/assembly/triangle_rules.hpp"
#include "codelets/tdbem/kernels/waves/pulse.hpp"

namespace asterism::tdbem {
namespace {

TEST(TdbemTriangleRules, IntegrateMonomialsUpToTheirDegree) {
  const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
  for (const int points : {1, 3, 6, 7, 12, 16}) {
    const TriangleRule rule = triangle_rule(points);
    ASSERT_EQ(rule.points, points);
    const auto error = [&](int i, int j, int k) {
      double sum = 0;
      for (int p = 0; p < points; ++p) {
        const auto& x = rule.point[p].coordinate;
        sum += rule.point[p].weight * std::pow(x[0], i) * std::pow(x[1], j) * std::pow(x[2], k);
      }
      return std::abs(sum - 2 * factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 2));
    };
    double beyond = 0;
    for (int degree = 0; degree <= rule.degree + 1; ++degree)
      for (int i = 0; i <= degree; ++i)
        for (int j = 0; i + j <= degree; ++j) {
          if (degree <= rule.degree)
            EXPECT_LT(error(i, j, degree - i - j), 1e-15) << points << ": " << i << j << degree - i - j;
          else
            beyond = std::max(beyond, error(i, j, degree - i - j));
        }
    EXPECT_GT(beyond, 1e-7) << "the degree is what is said";
    for (int p = 0; p < points; ++p) {
      const TrianglePoint& q = rule.point[p];
      EXPECT_GT(q.weight, 0);
      EXPECT_NEAR(q.coordinate[0] + q.coordinate[1] + q.coordinate[2], 1, 1e-15);
      for (const double x : q.coordinate) EXPECT_GT(x, 0);
    }
  }
  EXPECT_EQ(triangle_rule(7).degree, 5);
  EXPECT_EQ(triangle_rule(16).degree, 8);
  EXPECT_THROW(triangle_rule(4), std::invalid_argument);
}

const Pulse pulses[] = {modulated_gaussian(7, 1, 2), modulated_gaussian(-3, 0.4, 0), modulated_gaussian(0.5, 2.5, 11),
                        ricker(7, 2), ricker(-1, 0.3)};

TEST(TdbemPulse, KnownValues) {
  const Pulse m = modulated_gaussian(7, 1, 2);
  EXPECT_DOUBLE_EQ(value(m, 7), 1);
  EXPECT_DOUBLE_EQ(value(m, 8.5), std::exp(-1.125) * std::cos(3));
  EXPECT_DOUBLE_EQ(value(modulated_gaussian(0, 2, 0), 2), std::exp(-0.5));
  const Pulse r = ricker(1, 3);
  EXPECT_DOUBLE_EQ(r.width, std::sqrt(2.) / 3);
  EXPECT_DOUBLE_EQ(value(r, 1), 1);
  EXPECT_NEAR(value(r, 1 + r.width), 0, 1e-15);
  EXPECT_DOUBLE_EQ(value(r, 1 + 2 * r.width), -3 * std::exp(-2));
  EXPECT_NEAR(value(r, 1 - std::sqrt(3.) * r.width), -2 * std::exp(-1.5), 1e-15);  // its minimum
}

TEST(TdbemPulse, DerivativesAreThoseOfValues) {
  for (const Pulse& p : pulses)
    for (int k = -30; k <= 30; ++k) {
      const double t = p.centre + 0.17 * k * p.width;
      const auto difference = [&](double h) { return (value(p, t + h) - value(p, t - h)) / (2 * h); };
      const double h = 1e-3 * p.width;
      EXPECT_NEAR(derivative(p, t), (4 * difference(h / 2) - difference(h)) / 3, 2e-8 * (1 / p.width + p.frequency));
    }
}

/// The trapezoidal rule is exact up to rounding for smooth functions that vanish at the ends.
TEST(TdbemPulse, SpectraAreThoseOfValues) {
  for (const Pulse& p : pulses)
    for (int k = -8; k <= 8; ++k) {
      const double omega = 0.6 * k / p.width + 0.3 * p.frequency;
      std::complex<double> sum = 0;
      const double step = p.width / 32;
      for (int n = -400; n <= 400; ++n) {
        const double t = p.centre + n * step;
        sum += step * value(p, t) * std::polar(1.0, omega * t);
      }
      EXPECT_LT(std::abs(sum - spectrum(p, omega)), 1e-13 * p.width * 10);
    }
}

TEST(TdbemPulse, SpectrumOfARickerPulsePeaksWhereAsked) {
  const Pulse p = ricker(2, 5);
  const double peak = std::abs(spectrum(p, 5));
  for (double w = 0; w < 30; w += 0.1) EXPECT_LE(std::abs(spectrum(p, w)), peak * (1 + 1e-15));
}

TEST(TdbemPulse, NothingBeforeItsStart) {
  for (const Pulse& p : pulses) {
    EXPECT_DOUBLE_EQ(start(p), p.centre - half_duration(p));
    double inside = 0;
    for (int k = 0; k < 4000; ++k) {
      const double t = start(p) - 0.001 * k * p.width;
      EXPECT_LE(std::abs(value(p, t)), 1e-16);
      inside = std::max(inside, std::abs(value(p, start(p) + (0.1 + 0.0001 * k) * p.width)));
    }
    EXPECT_GT(inside, 1e-16) << "no longer than needed";
  }
}

TEST(TdbemPulse, Bandwidth) {
  for (const Pulse& p : pulses)
    for (const double level : {0.3, 1e-2, 1e-4, 1e-8}) {
      double peak = 0;
      for (double w = 0; w < p.frequency + 5 / p.width; w += 0.001 / p.width)
        peak = std::max(peak, std::abs(spectrum(p, w)));
      const double edge = bandwidth(p, level);
      for (double w = edge * (1 + 1e-12); w < edge + 3 / p.width; w += 0.01 / p.width)
        EXPECT_LE(std::abs(spectrum(p, w)), level * peak * (1 + 1e-6));
      EXPECT_GT(std::abs(spectrum(p, edge - 0.02 / p.width)), level * peak) << "no wider than needed";
    }
  for (const double level : {0.0, 1.0, -1.0}) EXPECT_THROW(bandwidth(pulses[0], level), Error);
}

TEST(TdbemPulse, PlaneWaves) {
  const IncidentWave w = plane_wave(pulses[0], {2, -3, 6}, 340);
  EXPECT_DOUBLE_EQ(w.direction.x, 2.0 / 7);
  EXPECT_DOUBLE_EQ(w.direction.y, -3.0 / 7);
  EXPECT_DOUBLE_EQ(w.direction.z, 6.0 / 7);
  EXPECT_DOUBLE_EQ(w.delay({340, 0, 0}), 2.0 / 7);
  EXPECT_DOUBLE_EQ(w.delay({0, 340, 340}), 3.0 / 7);
  EXPECT_DOUBLE_EQ(pressure(w, {0, 340, 340}, 8), value(pulses[0], 8 - 3.0 / 7));
}

TEST(TdbemPulse, Refused) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(modulated_gaussian(0, 0, 1), Error);
  EXPECT_THROW(modulated_gaussian(0, -1, 1), Error);
  EXPECT_THROW(modulated_gaussian(0, 1, -1), Error);
  EXPECT_THROW(modulated_gaussian(nan, 1, 1), Error);
  EXPECT_THROW(modulated_gaussian(0, 1, nan), Error);
  EXPECT_THROW(ricker(0, 0), Error);
  EXPECT_THROW(ricker(nan, 1), Error);
  EXPECT_THROW(plane_wave(pulses[0], {0, 0, 0}, 1), Error);
  EXPECT_THROW(plane_wave(pulses[0], {0, nan, 0}, 1), Error);
  EXPECT_THROW(plane_wave(pulses[0], {0, 0, 1}, 0), Error);
}

}  // namespace
}  // namespace asterism::tdbem
