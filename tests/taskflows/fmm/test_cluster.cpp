// SPDX-License-Identifier: Apache-2.0
// Velocities of a star cluster in equilibrium against the moments of Plummer's model, units against published
// constants, and tables of energies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/error.hpp"
#include "taskflows/fmm/dynamics/energy_series.hpp"
#include "taskflows/fmm/dynamics/equilibrium.hpp"
#include "taskflows/fmm/particles/generate.hpp"
#include "taskflows/fmm/units.hpp"
#include "tests/io/files_fixture.hpp"

namespace asterism::fmm {
namespace {

constexpr double gravity = 3;
constexpr double mass = 2;

Particles cluster(std::size_t n, const Part& part = {}) {
  Particles p = plummer(n, 5, Charges::shares, part);
  set_equilibrium_velocities(p, n, 5, part, gravity, mass);
  return p;
}

/// The mean square speed at radius r is G M / (2 sqrt(r^2 + s^2)) in the model (Aarseth, Henon, Wielen 1974), a third
/// of it in each direction; nobody is faster than the escape speed.
TEST(Equilibrium, HasTheDispersionOfTheModelAtEveryRadius) {
  const Particles p = cluster(200000);
  constexpr int shells = 8;
  std::array<std::array<double, 4>, shells> found{};
  std::array<double, shells> expected{}, stars{};
  const double model = gravity * mass / plummer_share_within_cut();
  double fastest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double r = std::hypot(p.x[i] - 0.5, p.y[i] - 0.5, p.z[i] - 0.5);
    const auto shell = static_cast<std::size_t>(std::min<double>(shells - 1, r / plummer_scale * 4));
    const double depth = std::hypot(r, plummer_scale);
    const double radial = ((p.x[i] - 0.5) * p.vx[i] + (p.y[i] - 0.5) * p.vy[i] + (p.z[i] - 0.5) * p.vz[i]) / r;
    stars[shell] += 1;
    expected[shell] += model / (2 * depth);
    found[shell][0] += p.vx[i] * p.vx[i];
    found[shell][1] += p.vy[i] * p.vy[i];
    found[shell][2] += p.vz[i] * p.vz[i];
    found[shell][3] += radial * radial;
    fastest = std::max(fastest, std::hypot(p.vx[i], p.vy[i], p.vz[i]) / std::sqrt(2 * model / depth));
  }
  for (std::size_t shell = 0; shell < shells; ++shell)
    for (const double square : found[shell])  // within four deviations of the mean
      EXPECT_NEAR(3 * square / expected[shell], 1, 4 * std::sqrt(1.6 / stars[shell])) << shell;
  EXPECT_LT(fastest, 1);
  EXPECT_GT(fastest, 0.9);
}

TEST(Equilibrium, PartsAreThoseOfTheWhole) {
  const Particles whole = cluster(1000);
  std::size_t i = 0;
  for (int part = 0; part < 3; ++part) {
    const Particles p = cluster(1000, {part, 3});
    for (std::size_t k = 0; k < p.size(); ++k, ++i) {
      ASSERT_EQ(p.vx[k], whole.vx[i]);
      ASSERT_EQ(p.vz[k], whole.vz[i]);
    }
  }
  EXPECT_EQ(i, 1000U);
}

TEST(Equilibrium, CrossingTimeOfVirialUnits) {
  EXPECT_NEAR(crossing_time(1, 1, -0.25), 2 * std::numbers::sqrt2, 1e-14);
}

TEST(Units, AreThoseOfTheLiterature) {
  const auto constant = [](Law law, const char* name) { return units_of(law, name).constant; };
  EXPECT_NEAR(constant(Law::electrostatics, "kcal/mol"), 332.06371, 1e-5);               // kcal/mol angstrom / e^2
  EXPECT_NEAR(constant(Law::electrostatics, "kJ/mol"), 1389.35458, 1e-5);                // 138.935458 with nm
  EXPECT_NEAR(units_of(Law::electrostatics, "kT", 78.4, 298.15).constant, 7.149, 1e-3);  // Bjerrum length in water
  EXPECT_NEAR(units_of(Law::electrostatics, "kcal/mol", 80).constant, 332.06371 / 80, 1e-6);
  EXPECT_NEAR(constant(Law::gravity, "pc"), 4.30091e-3, 1e-8);
  EXPECT_NEAR(constant(Law::gravity, "kpc"), 4.30091e-6, 1e-11);
  EXPECT_NEAR(constant(Law::gravity, "SI"), 6.67430e-11, 1e-20);
  EXPECT_NEAR(constant(Law::gravity, "AU"), 4 * std::numbers::pi * std::numbers::pi, 2e-3);  // Kepler's third law
  EXPECT_EQ(constant(Law::gravity, "reduced"), 1);
  EXPECT_EQ(units_of(Law::electrostatics, "reduced", 4).constant, 0.25);
  EXPECT_THROW(units_of(Law::gravity, "kcal/mol"), Error);
  EXPECT_THROW(units_of(Law::electrostatics, "pc"), Error);
}

class EnergyTables : public FileTests {};

TEST_F(EnergyTables, ContinueAfterTheStepOfACheckpoint) {
  Particles p(1);
  p.x[0] = p.y[0] = p.z[0] = 0, p.charge[0] = 1;
  const auto at = [](double k) { return Invariants{k, -2 * k, 0, {k, 2 * k, 3 * k}, {4, 5, 6}}; };
  const auto written = [&](EnergySeries& series, const std::string& name) {
    series.write(folder_ / name);
    return bytes(folder_ / name);
  };
  for (const bool radii : {false, true}) {
    const Units units = units_of(Law::gravity, radii ? "kpc" : "reduced");
    EnergySeries whole(units, radii);
    for (int step = 0; step < 5; ++step) whole.append(step, 0.1 * step, at(1.0 / (step + 3)), p);
    const std::string all = written(whole, "whole.csv");
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 6);
    EXPECT_EQ(all.find("radius_50 [kpc]") != std::string::npos, radii) << all;

    EnergySeries resumed(units, radii);
    resumed.read(file("whole.csv", all), 2);
    for (int step = 2; step < 5; ++step) resumed.append(step, 0.1 * step, at(1.0 / (step + 3)), p);
    EXPECT_EQ(written(resumed, "resumed.csv"), all);
    EnergySeries none(units, radii);
    none.read("/nowhere/energies.csv", 2);  // there is nothing to continue

    EnergySeries other(units, radii);
    expect_bad_input([&] { other.read(file("other.csv", "step,time\n"), 2); }, {"other.csv", "line 1"});
    expect_bad_input([&] { other.read(file("cut.csv", all.substr(0, all.size() - 20)), 9); }, {"cut.csv", "line 6"});
  }
}

}  // namespace
}  // namespace asterism::fmm
