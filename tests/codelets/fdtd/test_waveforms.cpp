// SPDX-License-Identifier: Apache-2.0
// Time functions by their shape, and what a dipole adds.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>

#include "codelets/fdtd/kernels/sources/dipole.hpp"
#include "codelets/fdtd/kernels/sources/waveform.hpp"

namespace asterism::fdtd {
namespace {

/// Integral of value(t) exp(-i w t) over all times: the trapezoidal rule is exact to rounding for smooth pulses.
std::complex<double> spectrum(const Waveform& w, double frequency) {
  constexpr double dt = 0.01, end = 40;
  std::complex<double> sum = 0;
  for (double t = -end; t < end; t += dt)
    sum += dt * value(w, t) * std::polar(1.0, -2 * std::numbers::pi * frequency * t);
  return sum;
}

TEST(FdtdWaveform, Gaussian) {
  const Waveform w{Pulse::gaussian, 3, 2, 5, 0};
  EXPECT_EQ(value(w, 5), 3);
  EXPECT_DOUBLE_EQ(value(w, 7), 3 / std::numbers::e);
  EXPECT_DOUBLE_EQ(value(w, 3), value(w, 7));
  // A T sqrt(pi) exp(-(pi f T)^2 - 2 pi i f delay)
  const std::complex<double> expected =
      std::polar(3 * 2 * std::sqrt(std::numbers::pi) * std::exp(-std::pow(std::numbers::pi * 0.2 * 2, 2)),
                 -2 * std::numbers::pi * 0.2 * 5);
  EXPECT_LT(std::abs(spectrum(w, 0.2) - expected), 1e-12);
}

/// The derivative of the Gaussian, with the peak that is asked for.
TEST(FdtdWaveform, DifferentiatedGaussian) {
  const Waveform w{Pulse::differentiated_gaussian, 3, 2, 5, 0};
  const Waveform gaussian{Pulse::gaussian, 1, 2, 5, 0};
  EXPECT_DOUBLE_EQ(value(w, 5 - std::sqrt(2.0)), 3);
  EXPECT_DOUBLE_EQ(value(w, 5 + std::sqrt(2.0)), -3);
  const double step = 1e-5;
  const auto rate = [&](double t) { return (value(gaussian, t + step) - value(gaussian, t - step)) / (2 * step); };
  for (const double t : {1.0, 4.4, 5.3, 9.0}) EXPECT_NEAR(value(w, t) / value(w, 4), rate(t) / rate(4), 1e-8) << t;
}

/// The second derivative of a Gaussian: no mean, and a spectrum f^2 exp(-(f / frequency)^2), highest there.
TEST(FdtdWaveform, Ricker) {
  const Waveform w{Pulse::ricker, 2, 0, 6, 0.3};
  EXPECT_EQ(value(w, 6), 2);
  EXPECT_LT(std::abs(spectrum(w, 0)), 1e-12);
  const double peak = std::abs(spectrum(w, 0.3));
  EXPECT_GT(peak, 1);
  for (const double f : {0.15, 0.29, 0.31, 0.45}) {
    const double x = f / 0.3;
    EXPECT_NEAR(std::abs(spectrum(w, f)) / peak, x * x * std::exp(1 - x * x), 1e-12);
    EXPECT_LT(std::abs(spectrum(w, f)), peak);
  }
}

TEST(FdtdWaveform, ModulatedGaussian) {
  const Waveform w{Pulse::modulated_gaussian, 2, 3, 6, 0.5};
  EXPECT_EQ(value(w, 6), 0);
  EXPECT_DOUBLE_EQ(value(w, 6.5), 2 * std::exp(-1.0 / 36));
  // half of the Gaussian's spectrum around each of +-0.5
  EXPECT_NEAR(std::abs(spectrum(w, 0.45)),
              3 * std::sqrt(std::numbers::pi) * std::exp(-std::pow(std::numbers::pi * 0.05 * 3, 2)), 1e-9);
}

TEST(FdtdWaveform, RampedSine) {
  const Waveform w{Pulse::ramped_sine, 2, 5, 1, 0.5};
  EXPECT_EQ(value(w, 0.9), 0);
  EXPECT_EQ(value(w, 1), 0);
  EXPECT_LT(std::abs(value(w, 1.001)), 1e-8);  // starts smoothly
  EXPECT_NEAR(value(w, 1 + 2.5), 2 * 0.5 * std::sin(2.5 * std::numbers::pi), 1e-12);
  EXPECT_NEAR(value(w, 6 - 1e-9), value(w, 6 + 1e-9), 1e-7);
  EXPECT_NEAR(value(w, 1 + 100.5), 2 * std::sin(100.5 * std::numbers::pi), 1e-12);
}

TEST(FdtdWaveform, Samples) {
  const Waveform w{Pulse::gaussian, 1, 2, 5, 0};
  const std::vector<double> whole = sample(w, Moment::whole, 0.25, 10, 3);
  const std::vector<double> half = sample(w, Moment::half, 0.25, 10, 3);
  ASSERT_EQ(whole.size(), 3U);
  EXPECT_EQ(whole[0], value(w, 2.5));
  EXPECT_EQ(whole[2], value(w, 3));
  EXPECT_EQ(half[1], value(w, 2.875));
}

TEST(FdtdWaveform, BadOnes) {
  EXPECT_NO_THROW(check({Pulse::gaussian, 1, 2, 5, 0}));
  EXPECT_NO_THROW(check({Pulse::ricker, 1, 0, 5, 1}));
  EXPECT_THROW(check({Pulse::gaussian, 1, 0, 5, 0}), std::invalid_argument);
  EXPECT_THROW(check({Pulse::ricker, 1, 1, 5, 0}), std::invalid_argument);
  EXPECT_THROW(check({Pulse::ramped_sine, 1, 1, 0, -1}), std::invalid_argument);
  EXPECT_THROW(check({Pulse::modulated_gaussian, 1, 1, 0, NAN}), std::invalid_argument);
  EXPECT_THROW(check({Pulse::gaussian, INFINITY, 1, 0, 0}), std::invalid_argument);
}

/// The charge that flows in a step, I dt, becomes eps0 E on the dual face of the edge, in the other direction.
TEST(FdtdDipole, OnAnEdge) {
  const double factor = dipole_factor(3, 2, {4, 5, 6});
  EXPECT_DOUBLE_EQ(factor, -3.0 / (2 * 4 * 5 * 6));
  const Addition a = dipole_on_edge(1, {7, 8, 9}, factor);
  EXPECT_EQ(a.component, 1);
  EXPECT_EQ(a.entry[0], 7);
  EXPECT_EQ(a.entry[2], 9);
  EXPECT_EQ(a.factor, factor);
}

/// The sum of all is the moment, its centre the node.
TEST(FdtdDipole, OnANode) {
  const std::vector<Addition> all = dipole_on_node({0.5, 0, -2}, {7, 8, 9}, 3);
  ASSERT_EQ(all.size(), 4U);
  double moment[3] = {}, centre[3] = {};
  for (const Addition& a : all) {
    moment[a.component] += a.factor;
    for (int axis = 0; axis < 3; ++axis)
      centre[axis] += 0.25 * (a.entry[axis] + (on_planes(Field::electric, a.component, axis) ? 0 : 0.5));
  }
  EXPECT_EQ(moment[0], 1.5);
  EXPECT_EQ(moment[1], 0);
  EXPECT_EQ(moment[2], -6);
  EXPECT_EQ(centre[0], 7);
  EXPECT_EQ(centre[1], 8);
  EXPECT_EQ(centre[2], 9);
}

}  // namespace
}  // namespace asterism::fdtd
