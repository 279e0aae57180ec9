// SPDX-License-Identifier: Apache-2.0
// Graded meshes: the flow against the simple solver and in every division, resonances, a port and radiation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "taskflows/fdtd/checkpoint.hpp"
#include "taskflows/fdtd/results/scattering.hpp"
#include "taskflows/fdtd/results/scene_results.hpp"
#include "tests/io/files_fixture.hpp"
#include "tests/taskflows/fdtd/compared.hpp"

namespace asterism::fdtd {
namespace {

/// Each cell has a length of its own, 1 to 2 spacings; along y all have one.
Problem problem_on_graded_mesh(const Named& kind, const std::array<int, 3>& cells, bool single = false) {
  Problem p = problem_of(kind, cells, single);
  for (const std::size_t a : {0U, 2U}) {
    std::vector<double>& planes = p.mesh.planes[a] = {0};
    for (int i = 0; i < cells[a]; ++i) planes.push_back(planes.back() + 1.5 + noise(i, static_cast<int>(a), 5, 7) / 2);
  }
  for (std::size_t a = 0; a < 3; ++a) p.mesh.periodic[a] = p.face[2 * a] == periodic;
  for (int c = 0; c < 3; ++c)
    p.magnetic_sources.push_back({c, {cells[0] / 2, cells[1] / 2, cells[2] / 2}, [](double t) { return 1e3 * t; }});
  check(p);
  return p;
}

class FdtdGraded : public FileTests {};

TEST_F(FdtdGraded, IsThatOfTheSimpleSolverInEveryDivision) {
  for (const Named& kind : boundaries)
    for (const bool single : {false, true}) {
      SCOPED_TRACE(fmt::format("{}, {}", kind.name, single ? "single" : "double"));
      const Problem p = problem_on_graded_mesh(kind, {9, 6, 19}, single);
      const Outcome whole = run(p, {{1, 1, 1}, {}}, 12, anywhere);
      for (const Cut& cut : {Cut{{1, 1, 1}, {}}, Cut{{4, 1, 1}, {}}, Cut{{1, 2, 2}, {}}, Cut{{2, 3, 4}, {}}})
        EXPECT_TRUE(whole == run(p, cut, 12, in_turn));
      EXPECT_LT(compare(p, {{2, 1, 3}, {}}, 12).error, single ? 1e-5 : 1e-12);
    }
}

/// The sum over the domain hardly changes without losses and sources; it is that of the fields' volumes.
TEST_F(FdtdGraded, ConservesItsEnergy) {
  Problem p = problem_on_graded_mesh(boundaries[3], {9, 6, 19});
  p.sources.clear();
  p.magnetic_sources.clear();
  for (Material& m : p.materials) m = {m.eps_r, m.mu_r, 0, 0};
  const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 2}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.initialise();
  s.advance(1);
  const Energy first = s.energy();
  s.advance(200);
  const Energy last = s.energy();
  EXPECT_NEAR((last.electric + last.magnetic) / (first.electric + first.magnetic), 1, 1e-12);
}

TEST_F(FdtdGraded, GoesOnFromACheckpointOfTheSameMesh) {
  const Problem p = problem_on_graded_mesh(boundaries[1], {9, 6, 7});
  const fs::path path = folder_ / "c.h5";
  {
    const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 2}, {}});
    Simulation s(p, bricks, anywhere(bricks));
    s.initialise();
    s.advance(5);
    write_checkpoint(path, s, p, s.probe_values());
  }
  const std::vector<BrickPlace> bricks = decompose(p, {{3, 1, 1}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  std::vector<double> probes = read_checkpoint(path, p, s);
  s.advance(3);
  Outcome found = outcome(s, p);
  probes.insert(probes.end(), found.probes.begin(), found.probes.end());
  found.probes = probes;
  EXPECT_TRUE(run(p, {{1, 1, 1}, {}}, 8, anywhere) == found);
  Problem other = p;
  other.mesh.planes[0][3] *= 1.01;
  expect_bad_input([&] { (void)checkpoint_step(path, other); }, {"c.h5", "mesh graded"});
  other.mesh = {};
  expect_bad_input([&] { (void)checkpoint_step(path, other); }, {"c.h5", "mesh graded", "one spacing"});
}

/// Ez of a mode in a box of conductors, 1 m along x, and its wave number in rad/m.
struct ModeOfBox {
  double wave_number;
  std::function<double(double x, double y)> value;
};

/// Relative, of the frequency, from what is left of the mode after 3 1/4 periods.
double error_of_mode(const ModeOfBox& mode, Problem p) {
  const double phase = 6.5 * std::numbers::pi, end = phase / (mode.wave_number * scene::speed_of_light);
  const long steps = std::lround(std::ceil(end / (0.9 * largest_time_step(p))));
  p.dt = end / static_cast<double>(steps);
  const auto value = [&](int i, int j) {
    return mode.value(p.spacing[0] * p.mesh.place(0, 2 * i), p.spacing[1] * p.mesh.place(1, 2 * j));
  };
  const auto gathered = [&](Field field, long count) {
    const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 1}, {}});
    Simulation s(p, bricks, anywhere(bricks));
    s.initialise();
    s.advance(count);
    return gather(s, p, field);
  };
  const auto electric = [&](int c, int i, int j) { return c == 2 ? value(i, j) : 0; };
  p.initial = [&](Field field, int c, int i, int j, int) { return field == Field::electric ? electric(c, i, j) : 0; };
  // H half a step before and after time 0 is the same, of different sign: half of what a step makes of none
  const Array<char> h = gathered(Field::magnetic, 1);
  p.initial = [&](Field field, int c, int i, int j, int k) {
    return field == Field::electric ? electric(c, i, j) : -entry(h, p, c, i, j, k) / 2;
  };
  const Array<char> e = gathered(Field::electric, steps);
  double first = 0, last = 0;
  for (int i = 1; i < p.cells[0]; ++i)
    for (int j = 0; j < p.cells[1]; ++j) {
      const std::size_t cell = static_cast<std::size_t>(i * p.cells[1] + j);
      const double eps = p.material.empty()
                             ? 1
                             : (p.materials[p.material[cell]].eps_r +
                                p.materials[p.material[cell - static_cast<std::size_t>(p.cells[1])]].eps_r) /
                                   2;
      const double volume = eps * p.mesh.across(0, i) * p.mesh.across(1, j);
      first += volume * value(i, j) * value(i, j);
      last += volume * value(i, j) * entry(e, p, 2, i, j, 0);
    }
  return -std::asin(last / first) / phase;
}

/// Cells of lengths 1 and 2 in turn, of `n` pairs: as rough when they are finer.
std::vector<double> rough(int n) {
  std::vector<double> planes{0};
  for (int i = 0; i < 2 * n; ++i) planes.push_back(planes.back() + 1 + i % 2);
  return planes;
}

double order_from(double coarse, double fine) {
  return std::log2(std::abs(coarse / fine));
}

TEST_F(FdtdGraded, ResonancesOfABoxAreOfSecondOrder) {
  const ModeOfBox mode{std::hypot(2 * std::numbers::pi, std::numbers::pi / 0.7), [](double x, double y) {
                         return std::sin(2 * std::numbers::pi * x) * std::sin(std::numbers::pi * y / 0.7);
                       }};
  const auto error = [&](int n) {
    Problem p;
    p.cells = {2 * n, 2 * n, 1};
    p.face = {pec, pec, pec, pec, periodic, periodic};
    p.mesh.planes = {rough(n), rough(n), {}};
    p.mesh.periodic[2] = true;
    p.spacing = {1.0 / (3 * n), 0.7 / (3 * n), 1};
    return error_of_mode(mode, p);
  };
  const double coarse = error(8), middle = error(16), fine = error(32);
  EXPECT_LT(std::abs(coarse), 0.02);
  EXPECT_GT(order_from(coarse, middle), 1.9);
  EXPECT_GT(order_from(middle, fine), 1.9);
}

/// Vacuum up to 0.4 m, glass behind it, E along the interface; cells of the glass are half as long. The mean of both
/// sides without their lengths is of first order here.
TEST_F(FdtdGraded, APlaneInterfaceIsOfSecondOrder) {
  constexpr double at = 0.4;
  const auto mismatch = [](double k) {
    return 2 * std::sin(k * at) * std::cos(2 * k * (1 - at)) + std::cos(k * at) * std::sin(2 * k * (1 - at));
  };
  double low = 2.5, high = 5;
  while (mismatch(low) * mismatch(low + 0.05) > 0) low += 0.05;
  high = low + 0.05;
  for (int n = 0; n < 60; ++n) {
    const double middle = (low + high) / 2;
    (mismatch(low) * mismatch(middle) > 0 ? low : high) = middle;
  }
  const double k = low, behind = std::sin(k * at) / std::sin(2 * k * (1 - at));
  const ModeOfBox mode{k,
                       [=](double x, double) { return x < at ? std::sin(k * x) : behind * std::sin(2 * k * (1 - x)); }};
  const auto error = [&](int n) {
    Problem p;
    p.face = {pec, pec, periodic, periodic, periodic, periodic};
    p.mesh.periodic = {false, true, true};
    p.mesh.planes[0] = {0};
    p.materials = {{}, {4, 1, 0, 0}};
    for (int i = 0; i < 8 * n; ++i) {
      p.mesh.planes[0].push_back(p.mesh.planes[0].back() + (i < 2 * n ? 2 : 1));
      p.material.push_back(i < 2 * n ? 0 : 1);
      p.material.push_back(p.material.back());
    }
    p.cells = {8 * n, 2, 1};
    p.spacing = {0.1 / n, 1, 1};
    return error_of_mode(mode, p);
  };
  const double coarse = error(4), middle = error(8), fine = error(16);
  EXPECT_LT(std::abs(coarse), 0.02);
  EXPECT_GT(order_from(coarse, middle), 1.9);
  EXPECT_GT(order_from(middle, fine), 1.9);
}

/// Two plates at 8 mm, whose field does not depend on how the cells between them are long: ports along several cells.
TEST_F(FdtdGraded, APortHasTheLengthOfItsCells) {
  const auto impedance = [](const char* z, int cells) {
    const scene::Scene scene = scene::read_scene(
        fmt::format("steps = 1500\n[grid]\nx = {{ lines = [0, 0.03], spacing = 1e-3 }}\ny = [0, 1e-3]\nz = {}\n"
                    "[faces]\nx = \"pmc\"\ny = \"periodic\"\nz = \"pec\"\n"
                    "[[ports]]\naxis = \"z\"\nresistance = 200\nentry = [5, 0, 0]\ncells = {}\n"
                    "waveform = {{ kind = \"gaussian\", width = 2e-11 }}\nfrequencies = [1e9, 4e9]\n"
                    "[[ports]]\naxis = \"z\"\nresistance = 500\nentry = [23, 0, 0]\ncells = {}\n"
                    "[[conductors]]\nlow = [0.005, 0, 8e-3]\nhigh = [0.023, 0, 8e-3]\n",
                    z, cells, cells),
        "line.toml", ".");
    const SceneProblem of = make_problem(scene);
    const std::vector<BrickPlace> bricks = decompose(of.problem, {{2, 1, 1}, {}});
    Simulation s(of.problem, bricks, anywhere(bricks));
    s.advance(1500);
    return scattering(scene, of, s.spectra(), s.time());
  };
  const auto equal = impedance("{ lines = [0, 0.008], spacing = 1e-3 }", 8);
  const auto graded = impedance("[0, 1e-3, 2.5e-3, 4.5e-3, 6.5e-3, 8e-3]", 5);
  for (std::size_t f = 0; f < 2; ++f)
    for (std::size_t port = 0; port < 2; ++port) EXPECT_LT(std::abs(equal[f].s[port] - graded[f].s[port]), 1e-9);
}

/// A short dipole in the middle of cells that grow to the sides: a directivity of 1.5, by the power through the surface
/// around it; phases are those of its place.
TEST_F(FdtdGraded, ADipoleRadiatesAsOneDoes) {
  const char* axis =
      "{ lines = [-18e-3, -10e-3, -3e-3, 4e-3, 11e-3, 19e-3], spacing = [1e-3, 1e-3, 0.5e-3, 1e-3, 1e-3] }";
  const scene::Scene scene = scene::read_scene(
      fmt::format("courant = 0.95\nsteps = 400\n[grid]\nx = {0}\ny = {0}\nz = {0}\n[faces]\nall = "
                  "\"cpml\"\n[cpml]\nthickness = 8\n"
                  "[[sources]]\ntype = \"dipole\"\ncomponent = \"Ez\"\nposition = [0, 0, 0]\n"
                  "waveform = {{ kind = \"differentiated_gaussian\", width = 4e-11 }}\n"
                  "[[far_fields]]\nbox = {{ low = [-7e-3, -6e-3, -8e-3], high = [8e-3, 9e-3, 7e-3] }}\n"
                  "frequencies = 1e10\ntheta = [1, 45, 90]\nphi = [0, 70]\n",
                  axis),
      "dipole.toml", ".");
  EXPECT_TRUE(scene.grid.graded());
  const SceneProblem of = make_problem(scene);
  const std::vector<BrickPlace> bricks = decompose(of.problem, {{2, 1, 2}, {}});
  Simulation s(of.problem, bricks, anywhere(bricks));
  s.advance(400);
  const std::vector<SceneFarField> far = far_fields(scene, of, s.spectra(), s.time());
  ASSERT_EQ(far.size(), 6U);
  for (const SceneFarField& f : far) EXPECT_NEAR(f.directivity, 1.5 * std::pow(std::sin(f.towards.theta), 2), 0.03);
  const auto phase = [](const SceneFarField& f) { return std::arg(f.field.theta); };
  EXPECT_NEAR(phase(far[4]), phase(far[5]), 0.01);
  const double z = scene::position_of(scene.grid, {Field::electric, 2}, scene.dipoles[0].place.entry)[2];
  const double ahead = 2 * std::numbers::pi * 1e10 / scene::speed_of_light * z * std::cos(far[2].towards.theta);
  EXPECT_NEAR(phase(far[2]) - phase(far[4]), ahead, 0.01);
}

}  // namespace
}  // namespace asterism::fdtd
