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
#include "tests/taskflows/fdtd/compared.hpp"

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

enum class Mesh { uniform, graded };

/// Planes of n cells; of a graded mesh one cell is twice as long as the next, however fine it is.
std::string planes(double first, double length, int n, Mesh mesh) {
  std::string text;
  double all = 0;
  const auto cell = [&](int i) { return mesh == Mesh::graded ? 1 + i % 2 : 1; };
  for (int i = 0; i < n; ++i) all += cell(i);
  double at = 0;
  for (int i = 0; i <= n; at += cell(i++)) text += fmt::format("{}{}", i == 0 ? "[" : ", ", first + length * at / all);
  return text + "]";
}

/// Relative, of the frequency of a mode of a cylinder of 1 m radius, n cells in 2.3 m, along x one that is periodic:
/// rows are along z.
double error_of_mode(Mode mode, int n, double courant, bool conformal, Mesh mesh = Mesh::uniform) {
  const bool te = mode == Mode::te11;
  const double h = 2.3 / n, root = te ? 1.8411837813406593 : 2.404825557695773;  // of J1' and of J0
  const std::string text = fmt::format(
      "conformal = {}\ncourant = {}\nsteps = 1\nbackground = \"pec\"\n[grid]\nx = [0, {}]\ny = {}\nz = {}\n"
      "[faces]\nx = \"periodic\"\n[[geometry]]\nshape = \"cylinder\"\nmaterial = \"vacuum\"\naxis = \"x\"\n"
      "centre = [{}, 0, 0]\nradius = 1\nheight = {}\n[[probes]]\nposition = [0, 0.4, 0.1]\ncomponents = \"{}\"\n",
      conformal, courant, h, planes(-1.1371, 2.3, n, mesh), planes(-1.1613, 2.3, n, mesh), h / 2, 2 * h,
      te ? "Hx" : "Ex");
  Problem p = make_problem(scene::read_scene(text, "cavity.toml", ".")).problem;
  EXPECT_EQ(p.mesh.graded(), mesh == Mesh::graded);
  p.initial = [&](Field field, int c, int /*i*/, int j, int k) {
    if (c != 0 || (field == Field::magnetic) != te) return 0.0;
    const int half = te ? 1 : 0;
    const double y = -1.1371 + p.spacing[1] * p.mesh.place(1, 2 * j + half);
    const double z = -1.1613 + p.spacing[2] * p.mesh.place(2, 2 * k + half);
    const double r = std::hypot(y, z);
    if (r > 1) return 0.0;
    return te ? std::cyl_bessel_j(1, root * r) * y / r : std::cyl_bessel_j(0, root * r);
  };
  const std::vector<BrickPlace> bricks = decompose(p, {{1, 1, 1}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  s.advance(std::lround(2e-7 / p.dt));
  const double exact = root * speed_of_light / (2 * std::numbers::pi);
  return frequency_of(s.probe_values(), p.dt, exact) / exact - 1;
}

TEST(FdtdConformal, RoundCavitiesAreOfSecondOrder) {
  for (const Mesh mesh : {Mesh::uniform, Mesh::graded})
    for (const Mode mode : {Mode::te11, Mode::tm010}) {
      SCOPED_TRACE(mesh == Mesh::graded ? "graded" : "uniform");
      const double coarse = error_of_mode(mode, 16, 0.35, true, mesh), fine = error_of_mode(mode, 64, 0.35, true, mesh);
      EXPECT_LT(std::abs(coarse), mesh == Mesh::graded ? 0.008 : 0.005);
      const double order = std::log2(std::abs(coarse / fine)) / 2;
      EXPECT_GT(order, mesh == Mesh::graded ? 1.65 : 1.75) << coarse << ' ' << fine;
      const std::string name = mode == Mode::te11 ? "te11" : "tm010";
      RecordProperty(mesh == Mesh::graded ? name + "_graded" : name, std::to_string(order));
      EXPECT_LT(std::abs(coarse), 0.2 * std::abs(error_of_mode(mode, 16, 0.99, false, mesh)));
    }
}

/// A sphere of vacuum, partly filled, in a conductor.
Problem sphere(double courant, Mesh mesh) {
  const std::string text = fmt::format(
      "conformal = true\ncourant = {}\nsteps = 1\nbackground = \"pec\"\n[grid]\nx = {}\ny = {}\nz = {}\n"
      "[materials]\noil = {{ eps_r = 2, sigma = 1e-4 }}\n[[geometry]]\nshape = \"sphere\"\nmaterial = "
      "\"vacuum\"\ncentre = [6.6, 6.3, 6.1]\nradius = 5.2\n[[geometry]]\nshape = \"sphere\"\nmaterial = "
      "\"oil\"\ncentre = [7, 6, 6]\nradius = 2\n[[geometry]]\nshape = \"cylinder\"\nmaterial = \"pec\"\nfrom = [3, 4, "
      "6]\nto = [10, 9, 8]\nradius = 0.8\n[[probes]]\nposition = [8, 5, 4]\n",
      courant, planes(0, 13, 13, mesh), planes(0, 13.2, 12, mesh), planes(0, 12.6, 14, mesh));
  Problem p = make_problem(scene::read_scene(text, "sphere.toml", ".")).problem;
  p.initial = [](Field field, int c, int i, int j, int k) {
    return noise(i, j, k, c) * (field == Field::electric ? 1 : 1 / 376.7);
  };
  return p;
}

TEST(FdtdConformal, StaysStable) {
  for (const auto& [courant, mesh] : {std::pair{0.99, Mesh::uniform},
                                      {0.7, Mesh::uniform},
                                      {0.4, Mesh::uniform},
                                      {0.99, Mesh::graded},
                                      {0.5, Mesh::graded}}) {
    const Problem p = sphere(courant, mesh);
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
  for (const Mesh mesh : {Mesh::uniform, Mesh::graded}) {
    const Problem p = sphere(0.8, mesh);
    const Outcome whole = run(p, {{1, 1, 1}, {}}, 12, anywhere);
    for (const std::array<int, 3>& parts : {std::array{1, 1, 1}, {3, 1, 1}, {2, 2, 2}})
      EXPECT_TRUE(run(p, {parts, {}}, 12, in_turn) == whole) << parts[0];
    if (mesh == Mesh::uniform) {
      EXPECT_TRUE(run(p, {{3, 1, 1}, {}}, 12, fixed, 2) == whole);
    }
  }
}

TEST(FdtdConformal, SimpleSolverAgrees) {
  for (const Mesh mesh : {Mesh::uniform, Mesh::graded}) {
    const Problem p = sphere(0.8, mesh);
    EXPECT_LT(compare(p, {{2, 1, 2}, {}}, 20).error, 1e-13);
  }
}

}  // namespace
}  // namespace asterism::fdtd
