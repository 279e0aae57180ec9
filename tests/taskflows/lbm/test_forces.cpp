// SPDX-License-Identifier: Apache-2.0
// Forces over time, their frequency, and the size of bodies.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "taskflows/lbm/forces/force_history.hpp"
#include "taskflows/lbm/geometry/body_size.hpp"

namespace asterism::lbm {
namespace {

constexpr double pi = 3.14159265358979323846;

/// A row of samples every 10 steps, drag 2 and a lift of the given period.
std::vector<ForceSample> shedding(double period, double amplitude, long steps, double noise = 0) {
  std::mt19937 random(7);
  std::normal_distribution<double> wiggle(0, 1);
  std::vector<ForceSample> samples;
  for (long t = 10; t <= steps; t += 10) {
    const double lift = 0.3 + amplitude * std::sin(2 * pi * static_cast<double>(t) / period) + noise * wiggle(random);
    samples.push_back({t, {2, 0.01, lift}, {0, 0, 1}});
  }
  return samples;
}

TEST(LbmForces, CoefficientsAreThoseOfTheReference) {
  const ReferenceScales scales{50, 4, 0.1};
  // velocity^2 / 2 area = 0.25
  const std::array<double, 6> c = scales.coefficients({1, {0.5, -0.25, 1}, {1, 2, -3}});
  const std::array<double, 6> expected{2, -1, 4, 1, 2, -3};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(c[k], expected[k], 1e-14) << k;
}

TEST(LbmForces, MeanAndDeviation) {
  const std::vector<double> values{1, 2, 3, 6};
  EXPECT_DOUBLE_EQ(mean_and_deviation(values).mean, 3);
  EXPECT_DOUBLE_EQ(mean_and_deviation(values).deviation, std::sqrt(3.5));
  EXPECT_EQ(mean_and_deviation(values).least, 1);
  EXPECT_EQ(mean_and_deviation(values).most, 6);
  EXPECT_EQ(mean_and_deviation({}).mean, 0);
}

TEST(LbmForces, ThePeriodOfTheLiftIsFound) {
  const ReferenceScales scales{50, 8, -0.1};
  for (const double noise : {0., 0.02}) {
    const auto s = force_statistics(shedding(333, 0.2, 4000, noise), 2000, scales);
    ASSERT_TRUE(s && s->shedding) << noise;
    EXPECT_EQ(s->from, 2000);
    EXPECT_EQ(s->to, 4000);
    EXPECT_EQ(s->samples, 201U);
    EXPECT_FALSE(s->of_side_force);
    EXPECT_NEAR(s->shedding->period, 333, noise == 0 ? 1 : 5);
    EXPECT_GE(s->shedding->periods, 4);
    EXPECT_NEAR(s->strouhal, 8 / (333 * 0.1), 0.005);
    EXPECT_NEAR(s->coefficient[0].mean, 2 / 0.25, 1e-12);
    EXPECT_NEAR(s->coefficient[2].deviation, 0.2 / std::sqrt(2.) / 0.25, 0.03);
  }
}

TEST(LbmForces, NoPeriodIsSeenWhereThereIsNone) {
  const ReferenceScales scales{50, 8, 0.1};
  EXPECT_FALSE(force_statistics({}, 0, scales));
  EXPECT_FALSE(force_statistics(shedding(300, 0.2, 900), 1000, scales));
  const auto none = [&](const std::vector<ForceSample>& samples) {
    const auto s = force_statistics(samples, 1000, scales);
    return s && !s->shedding;
  };
  EXPECT_TRUE(none(shedding(900, 0.2, 4000)));     // too few periods
  EXPECT_TRUE(none(shedding(300, 1e-5, 4000)));    // rounding, beside a drag of 2
  EXPECT_TRUE(none(shedding(300, 0, 4000)));       // nothing at all
  EXPECT_TRUE(none(shedding(300, 0, 4000, 0.1)));  // noise
  std::vector<ForceSample> ramp;
  for (long t = 10; t <= 4000; t += 10) ramp.push_back({t, {2, 0, 1e-3 * static_cast<double>(t)}, {}});
  EXPECT_TRUE(none(ramp));
  std::vector<ForceSample> sideways = shedding(300, 0.2, 4000);
  for (ForceSample& s : sideways) std::swap(s.force[1], s.force[2]);
  const auto s = force_statistics(sideways, 1000, scales);
  ASSERT_TRUE(s && s->shedding);
  EXPECT_TRUE(s->of_side_force);
}

TEST(LbmForces, TheSizeOfABody) {
  const std::array<int, 3> cells{7, 5, 4};
  std::vector<std::uint8_t> solid(7 * 5 * 4, 0);
  const auto at = [&](int x, int y, int z) -> std::uint8_t& {
    return solid[static_cast<std::size_t>(x + 7 * (y + 5 * z))];
  };
  at(1, 0, 2) = at(3, 0, 2) = at(3, 4, 1) = at(5, 2, 1) = 1;  // two of them behind each other
  const BodySize size = body_size(solid, cells);
  EXPECT_EQ(size.extent, (std::array{5, 5, 2}));
  EXPECT_EQ(size.frontal, 3);
  EXPECT_EQ(size.at_both_ends, (std::array{false, true, false}));
}

}  // namespace
}  // namespace asterism::lbm
