// SPDX-License-Identifier: Apache-2.0
// Conductors whose surface crosses cells: resonances of round cavities, stability, bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include "taskflows/fdtd/reference/reference.hpp"
#include "taskflows/fdtd/scene/to_problem.hpp"
#include "tests/taskflows/fdtd/problems.hpp"

namespace asterism::fdtd {
namespace {

using scene::speed_of_light;

/// The maximum of the spectrum, through a window, near a frequency.
double frequency_of(const std::vector<double>& values, double dt, double near) {
  const double length = static_cast<double>(values.size()) * dt;
  const auto spectrum = [&](double frequency) {
    std::complex<double> sum = 0;
    for (std::size_t n = 0; n < values.size(); ++n) {
      const double t = static_cast<double>(n) * dt;
      sum += std::pow(std::sin(std::numbers::pi * t / length), 4) * values[n] *
             std::polar(1.0, -2 * std::numbers::pi * frequency * t);
    }
    return std::abs(sum);
  };
  double best = near, step = 0.01 * near;
  for (int n = -9; n <= 9; ++n)
    if (spectrum(near + n * step) > spectrum(best)) best = near + n * step;
  for (; step > 1e-7 * near; step /= 2)
    for (const double other : {best - step, best + step})
      if (spectrum(other) > spectrum(best)) best = other;
  return best;
}

enum class Mode { te11, tm010 };

/// Relative, of the frequency of a mode of a cylinder of 1 m radius, n cells in 2.3 m, along z one that is periodic.
double error_of_mode(Mode mode, int n, double courant, bool conformal) {
  const bool te = mode == Mode::te11;
  const double h = 2.3 / n, root = te ? 1.8411837813406593 : 2.404825557695773;  // of J1' and of J0
  const std::string text = fmt::format(
      "conformal = {}\ncourant = {}\nsteps = 1\nbackground = \"pec\"\n[grid]\ncells = [{}, {}, 1]\nspacing = "
      "{}\norigin "
      "= [-1.1371, -1.1613, 0]\n[faces]\nz = \"periodic\"\n[[geometry]]\nshape = \"cylinder\"\nmaterial = "
      "\"vacuum\"\naxis = \"z\"\ncentre = [0, 0, {}]\nradius = 1\nheight = {}\n[[probes]]\nposition = [0.4, 0.1, "
      "0]\ncomponents = \"{}\"\n",
      conformal, courant, n, n, h, h / 2, 2 * h, te ? "Hz" : "Ez");
  Problem p = make_problem(scene::read_scene(text, "cavity.toml", ".")).problem;
  p.initial = [&](Field field, int c, int i, int j, int /*k*/) {
    if (c != 2 || (field == Field::magnetic) != te) return 0.0;
    const double x = -1.1371 + (i + (te ? 0.5 : 0)) * h, y = -1.1613 + (j + (te ? 0.5 : 0)) * h;
    const double r = std::hypot(x, y);
    if (r > 1) return 0.0;
    return te ? std::cyl_bessel_j(1, root * r) * x / r : std::cyl_bessel_j(0, root * r);
  };
  const std::vector<BrickPlace> bricks = decompose(p, {{1, 1, 1}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  s.advance(std::lround(2e-7 / p.dt));
  const double exact = root * speed_of_light / (2 * std::numbers::pi);
  return frequency_of(s.probe_values(), p.dt, exact) / exact - 1;
}

TEST(FdtdConformal, RoundCavitiesAreOfSecondOrder) {
  for (const Mode mode : {Mode::te11, Mode::tm010}) {
    const double coarse = error_of_mode(mode, 16, 0.35, true), fine = error_of_mode(mode, 64, 0.35, true);
    EXPECT_LT(std::abs(coarse), 0.005);
    const double order = std::log2(std::abs(coarse / fine)) / 2;
    EXPECT_GT(order, 1.75) << coarse << ' ' << fine;
    RecordProperty(mode == Mode::te11 ? "te11" : "tm010", std::to_string(order));
    EXPECT_LT(std::abs(coarse), 0.2 * std::abs(error_of_mode(mode, 16, 0.99, false)));
  }
}

/// A sphere of vacuum, partly filled, in a conductor.
Problem sphere(double courant) {
  const std::string text = fmt::format(
      "conformal = true\ncourant = {}\nsteps = 1\nbackground = \"pec\"\n[grid]\ncells = [13, 12, 14]\nspacing = [1, "
      "1.1, 0.9]\n[materials]\noil = {{ eps_r = 2, sigma = 1e-4 }}\n[[geometry]]\nshape = \"sphere\"\nmaterial = "
      "\"vacuum\"\ncentre = [6.6, 6.3, 6.1]\nradius = 5.2\n[[geometry]]\nshape = \"sphere\"\nmaterial = "
      "\"oil\"\ncentre = [7, 6, 6]\nradius = 2\n[[geometry]]\nshape = \"cylinder\"\nmaterial = \"pec\"\nfrom = [3, 4, "
      "6]\nto = [10, 9, 8]\nradius = 0.8\n[[probes]]\nposition = [8, 5, 4]\n",
      courant);
  Problem p = make_problem(scene::read_scene(text, "sphere.toml", ".")).problem;
  p.initial = [](Field field, int c, int i, int j, int k) {
    return noise(i, j, k, c) * (field == Field::electric ? 1 : 1 / 376.7);
  };
  return p;
}

TEST(FdtdConformal, StaysStable) {
  for (const double courant : {0.99, 0.7, 0.4}) {
    const Problem p = sphere(courant);
    EXPECT_GT(p.cut.size(), 1000U);
    const std::vector<BrickPlace> bricks = decompose(p, {{1, 1, 1}, {}});
    Simulation s(p, bricks, anywhere(bricks));
    s.initialise();
    s.advance(10);
    const Energy before = s.energy();
    s.advance(10000);
    const Energy after = s.energy();
    EXPECT_LT(after.electric + after.magnetic, 2 * (before.electric + before.magnetic)) << courant;
  }
}

TEST(FdtdConformal, EveryCutHasTheSameBits) {
  const Problem p = sphere(0.8);
  const Outcome whole = run(p, {{1, 1, 1}, {}}, 12, anywhere);
  for (const std::array<int, 3>& parts : {std::array{3, 1, 1}, {2, 2, 2}})
    EXPECT_TRUE(run(p, {parts, {}}, 12, fixed) == whole) << parts[0];
  EXPECT_TRUE(run(p, {{3, 1, 1}, {}}, 12, fixed, 2) == whole);
}

TEST(FdtdConformal, SimpleSolverAgrees) {
  const Problem p = sphere(0.8);
  const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 2}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  s.advance(20);
  Reference reference(p);
  for (int n = 0; n < 20; ++n) reference.advance();
  const Array<char> e = gather(s, p, Field::electric);
  double largest = 0;
  for (int c = 0; c < 3; ++c)
    for (int i = 1; i < p.cells[0]; ++i)
      for (int j = 1; j < p.cells[1]; ++j)
        for (int k = 1; k < p.cells[2]; ++k) {
          const double expected = reference.at(Field::electric, c, i, j, k);
          ASSERT_NEAR(entry(e, p, c, i, j, k), expected, 1e-13 * reference.largest(Field::electric));
          largest = std::max(largest, std::abs(expected));
        }
  EXPECT_GT(largest, 0.1);
}

}  // namespace
}  // namespace asterism::fdtd
