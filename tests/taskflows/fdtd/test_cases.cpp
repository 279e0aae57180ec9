// SPDX-License-Identifier: Apache-2.0
// What is known about the answers: the published sum, cavities, energy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "taskflows/fdtd/cases.hpp"
#include "tests/taskflows/fdtd/problems.hpp"

namespace asterism::fdtd {
namespace {

TEST(FdtdBenchmark, ThePublishedSum) {
  for (const bool single : {false, true}) {
    CaseOptions options;
    options.precision = single ? Precision::single_precision : Precision::double_precision;
    const Case c = make_case(options);
    ASSERT_TRUE(c.validation);
    for (const Cut& cut : {Cut{{1, 1, 1}, {}}, Cut{{3, 1, 1}, {2, 1, 2}}, Cut{{1, 2, 2}, {}}}) {
      const std::vector<BrickPlace> bricks = decompose(c.problem, cut);
      Simulation s(c.problem, bricks, anywhere(bricks));
      s.initialise();
      s.advance(validation_steps);
      EXPECT_NEAR(s.sums(Field::electric)[2], -0.0692134169831, single ? 1e-4 : 1e-12 * 0.0692134169831);
    }
  }
}

TEST(FdtdBenchmark, OperationsByTheFormula) {
  // N = 2, by hand: 3 x 6 + 18 + 8 x 18
  EXPECT_EQ(benchmark_flops({2, 2, 2}, 3), 3 * (18 + 18 + 144));
  EXPECT_EQ(benchmark_flops({4, 3, 2}, 1), 2 * 6 + 3 * 6 + 6 * 6 + 6 * 18 + 24 * 18);
}

CaseOptions cavity(const std::array<int, 3>& mode) {
  CaseOptions options;
  options.name = "cavity";
  options.cells = {14, 11, 17};
  options.spacing = {1e-3, 1.4e-3, 0.7e-3};
  options.mode = mode;
  return options;
}

TEST(FdtdCavity, AModeStaysTheMode) {
  for (const std::array<int, 3>& mode : {std::array<int, 3>{1, 2, 3}, {2, 1, 0}, {0, 1, 1}, {3, 0, 2}})
    for (const bool single : {false, true}) {
      CaseOptions options = cavity(mode);
      options.precision = single ? Precision::single_precision : Precision::double_precision;
      const Case c = make_case(options);
      const Problem& p = c.problem;
      const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 2}, {}});
      Simulation s(p, bricks, anywhere(bricks));
      s.initialise();
      s.advance(701);
      const Array<char> e = gather(s, p, Field::electric);
      double worst = 0;
      for (int component = 0; component < 3; ++component)
        for (int i = 0; i < p.cells[0]; ++i)
          for (int j = 0; j < p.cells[1]; ++j)
            for (int k = 0; k < p.cells[2]; ++k)
              worst = std::max(worst, std::abs(entry(e, p, component, i, j, k) - c.exact(701, component, i, j, k)));
      EXPECT_LT(worst, (single ? 1e-3 : 1e-11) * c.amplitude) << fmt::format("{}", fmt::join(mode, ", "));
    }
}

/// Where the spectrum of a series has its maximum near a frequency: golden section on |sum of x w exp(-2 pi i f t)|.
double peak(const std::vector<double>& series, double dt, double near, double width) {
  const auto spectrum = [&](double f) {
    std::complex<double> sum = 0;
    for (std::size_t t = 0; t < series.size(); ++t) {
      const double window =
          0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(t) / static_cast<double>(series.size()));
      sum += series[t] * window * std::polar(1.0, -2 * std::numbers::pi * f * dt * static_cast<double>(t));
    }
    return std::abs(sum);
  };
  double lower = near - width, upper = near + width;
  const double golden = (std::sqrt(5.0) - 1) / 2;
  while (upper - lower > 1e-7 * near) {
    const double left = upper - golden * (upper - lower), right = lower + golden * (upper - lower);
    (spectrum(left) > spectrum(right) ? upper : lower) = spectrum(left) > spectrum(right) ? right : left;
  }
  return (lower + upper) / 2;
}

/// A pulse rings the cavity; its lines are at the frequencies of the grid, not at those of space.
TEST(FdtdCavity, RingsAtTheFrequenciesOfTheGrid) {
  CaseOptions options = cavity({1, 1, 1});
  options.name = "box";
  Case c = make_case(options);
  Problem& p = c.problem;
  p.sources = {{2, {4, 3, 5}, gaussian(10 * p.dt)}};
  p.probes = {{Field::electric, 2, {9, 7, 12}}};
  const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 1}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.advance(40000);
  const std::vector<double>& all = s.probe_values();
  const std::vector<double> ringing(all.begin() + 100, all.end());
  const double resolution = 1 / (p.dt * static_cast<double>(ringing.size()));
  for (const std::array<int, 3>& mode : {std::array<int, 3>{1, 1, 0}, {1, 1, 1}, {2, 1, 0}, {1, 1, 2}, {1, 2, 1}}) {
    const double expected = resonance_on_grid(p, mode);
    const double found = peak(ringing, p.dt, expected, 1.5 * resolution);
    const double dispersion = std::abs(resonance(p, mode) / expected - 1);
    EXPECT_GT(dispersion, 2e-4);
    EXPECT_LT(std::abs(found / expected - 1), 0.1 * dispersion) << fmt::format("{}", fmt::join(mode, ", "));
  }
}

/// Lossless, with dielectric and magnetic cells.
Problem lossless(const Named& kind) {
  Problem p = problem_of(kind, {7, 6, 8});
  p.sources.clear();
  p.probes.clear();
  if (kind.materials) p.materials = {{}, {4, 1, 0, 0}, {2, 3, 0, 0}, {1, 1, INFINITY, 0}, {5, 2, 0, 0}};
  return p;
}

/// How far the energy goes away from that after the first step, by that, in `rounds` of `steps` each.
double largest_drift(const Named& kind, int rounds, long steps) {
  const Problem p = lossless(kind);
  const std::vector<BrickPlace> bricks = decompose(p, {{1, 1, 1}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  s.advance();  // what lies in perfect conductors is gone
  const auto energy = [&s] {
    const Energy now = s.energy();
    return now.electric + now.magnetic;
  };
  const double first = energy();
  double drift = first > 0 ? 0 : INFINITY;
  for (int t = 0; t < rounds; ++t) {
    s.advance(steps);
    if (const double off = std::abs(energy() / first - 1); !(off <= drift)) drift = off;
  }
  return drift;
}

TEST(FdtdEnergy, StaysOverManySteps) {
  for (const Named& kind : boundaries) EXPECT_LT(largest_drift(kind, 5, 2000), 1e-12) << kind.name;
}

/// Each step rounds every entry a few times, by up to u = 2^-53 of it. Roundings of one sign would take the energy away
/// by 4 u a step or so, 4e-11 in all; as they go up and down, the root of the number of steps and u, 3.5e-14, is what
/// to expect of one entry, and the energy is a mean over many.
TEST(FdtdEnergy, StaysOverAHundredThousandSteps) {
  for (const Named& kind : boundaries)
    if (kind.name == std::string("electric") || kind.name == std::string("periodic y")) {
      EXPECT_LT(largest_drift(kind, 4, 25000), 1e-13) << kind.name;
    }
}

}  // namespace
}  // namespace asterism::fdtd
