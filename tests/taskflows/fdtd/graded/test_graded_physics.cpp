// SPDX-License-Identifier: Apache-2.0
// Plane waves and dispersive media on graded meshes: the simple solver, every division, and theory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "taskflows/fdtd/results/fluxes.hpp"
#include "taskflows/fdtd/results/scene_results.hpp"
#include "tests/taskflows/fdtd/compared.hpp"
#include "tests/taskflows/fdtd/physics_problem.hpp"

namespace asterism::fdtd {
namespace {

/// Cells of 1 to 2 spacings, of 1 in absorbing layers; `even`: of 1.3 in the box of the wave and next to it.
void grade(Problem& p, std::size_t a, bool even = false) {
  std::vector<double>& planes = p.mesh.planes[a] = {0};
  for (int i = 0; i < p.cells[a]; ++i) {
    const bool in_layer = i < p.cpml.cells[2 * a] || i >= p.cells[a] - p.cpml.cells[2 * a + 1];
    double length = in_layer ? 1 : 1.5 + noise(i, static_cast<int>(a), 3, 1) / 2;
    if (even) {
      const Box& b = p.waves[0].planes;
      const std::array<int, 3> low{b.x0, b.y0, b.z0}, high{b.x1, b.y1, b.z1};
      if (i >= low[a] - 1 && i <= high[a]) length = 1.3;
    }
    planes.push_back(planes.back() + length);
  }
}

/// Beside rounding, what the end of a plane wave's line gives back so early: the simple solver's has no end.
constexpr double echo = 1e-10;

struct Travel {
  const char* name;
  double theta, phi;
  std::vector<std::size_t> graded;  ///< axes
  bool even = false;                ///< in the box
};
const std::vector<Travel> travels = {{"+x", std::numbers::pi / 2, 0, {0, 1, 2}},
                                     {"-y", std::numbers::pi / 2, -std::numbers::pi / 2, {0, 1, 2}},
                                     {"+z", 0, 0.7, {0, 1, 2}},
                                     {"-z", std::numbers::pi, 0.2, {2}},
                                     {"across a graded axis, along two others", 1.1, std::numbers::pi / 2, {0}},
                                     {"along all axes, cells of one length in the box", 1.1, 0.6, {0, 1, 2}, true}};

TEST(FdtdGradedPhysics, IsThatOfTheSimpleSolverInEveryDivision) {
  for (const Travel& travel : travels) {
    Problem p = everything(false);
    for (const std::size_t a : travel.graded) grade(p, a, travel.even);
    p.waves[0].wave.theta = travel.theta;
    p.waves[0].wave.phi = travel.phi;
    check(p);
    Reference reference(p);  // knows no precision
    advance(reference, 70);
    for (const bool single : {false, true}) {
      SCOPED_TRACE(fmt::format("{}, {}", travel.name, single ? "single" : "double"));
      p.precision = single ? Precision::single_precision : Precision::double_precision;
      check(p);
      EXPECT_LT(compare(p, reference, {{2, 1, 3}, {}}, 70).error, single ? 1e-5 : echo);
      if (!single) {
        Problem dark = p;
        dark.waves.clear();
        EXPECT_GT(compare(p, dark, {{1, 1, 1}, {}}, 70).error, 1e-3);
        Problem clear = p;
        clear.poles.clear();
        EXPECT_GT(compare(p, clear, {{1, 1, 1}, {}}, 70).error, 1e-3);
      }
      const Outcome whole = run(p, {{1, 1, 1}, {}}, 12, anywhere);
      for (const Cut& cut : {Cut{{1, 1, 1}, {}}, Cut{{4, 1, 1}, {}}, Cut{{2, 3, 2}, {}}})
        EXPECT_TRUE(whole == run(p, cut, 12, in_turn));
    }
  }
}

/// Cells grow by 8 % from one to the next along the wave, and have any lengths across it.
TEST(FdtdGradedPhysics, AWaveIsInItsBoxOnlyAndThatOfVacuum) {
  Problem p;
  p.cells = {14, 13, 48};
  p.spacing = {1e-3, 1.2e-3, 0.8e-3};
  p.dt = 0.9 * largest_time_step(p);
  for (const std::size_t a : {0U, 1U}) grade(p, a);
  p.mesh.planes[2] = {0};
  for (int k = 0; k < p.cells[2]; ++k)
    p.mesh.planes[2].push_back(p.mesh.planes[2].back() + std::pow(1.08, std::min(k, 47 - k)));
  PlaneWave wave{};
  wave.theta = std::numbers::pi;
  wave.tolerance = 1e-6;
  wave.waveform = {Pulse::gaussian, 3.0, 160 * p.dt, 500 * p.dt, 0};
  p.waves = {{wave, {3, 11, 2, 9, 6, 42}}};
  const std::vector<int> inside = {6, 20, 33, 42};
  for (const int k : inside) p.probes.push_back({Field::electric, 0, {5, 5, k}});
  p.probes.push_back({Field::electric, 0, {5, 5, 5}});
  p.probes.push_back({Field::electric, 0, {5, 5, 43}});
  p.probes.push_back({Field::electric, 0, {12, 5, 20}});
  p.probes.push_back({Field::electric, 0, {5, 10, 20}});
  check(p);
  constexpr long steps = 1100;
  const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 2}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.advance(steps);
  const std::vector<double> values = s.probe_values();
  const Incident incident = make_incident(wave, p.waves[0].planes, space_of(p));
  const double along = incident.electric[0];
  const double start = delay_at(incident, Field::electric, 0, 5, 5, 42);
  double most = 0;
  for (long n = 0; n < steps; ++n) {
    const double* const v = values.data() + p.probes.size() * static_cast<std::size_t>(n);
    for (std::size_t at = 0; at < inside.size(); ++at) {
      const double way = p.spacing[2] * (p.mesh.place(2, 2 * 42) - p.mesh.place(2, 2 * inside[at]));
      const double u =
          ((static_cast<double>(n) + 1 - 500) * p.dt - start - way * std::sqrt(p.eps0 * p.mu0)) / (160 * p.dt);
      EXPECT_NEAR(v[at], 3 * along * std::exp(-u * u), 0.02) << n << ' ' << inside[at];
      most = std::max(most, std::abs(v[at]));
    }
    for (std::size_t outside = inside.size(); outside < p.probes.size(); ++outside)
      EXPECT_LT(std::abs(v[outside]), 1e-12) << n << ' ' << outside;
  }
  EXPECT_NEAR(most, 3, 0.02);
}

TEST(FdtdGradedPhysics, AnObliqueWaveIsInItsBoxOnly) {
  Problem p;
  p.cells = {20, 18, 22};
  p.spacing = {1e-3, 1.2e-3, 0.8e-3};
  p.dt = 0.9 * largest_time_step(p);
  PlaneWave wave{};
  wave.theta = 0.9;
  wave.phi = 0.5;
  wave.tolerance = 0.05;
  wave.waveform = {Pulse::gaussian, 3.0, 30 * p.dt, 120 * p.dt, 0};
  p.waves = {{wave, {6, 14, 5, 13, 7, 15}}};
  for (const std::size_t a : {0U, 1U, 2U}) grade(p, a, true);
  for (const std::array<int, 3>& cell : {std::array{10, 9, 11}, {4, 9, 11}, {15, 9, 11}, {10, 3, 11}, {10, 9, 17}})
    for (int c = 0; c < 3; ++c) p.probes.push_back({Field::electric, c, cell});
  check(p);
  const std::vector<BrickPlace> bricks = decompose(p, {{2, 1, 2}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.advance(300);
  const std::vector<double> values = s.probe_values();
  double inside = 0, outside = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    double& most = n % p.probes.size() < 3 ? inside : outside;
    most = std::max(most, std::abs(values[n]));
  }
  EXPECT_GT(inside, 1);
  EXPECT_LT(outside, 1e-9);
}

/// A layer without end between vacuum, and cells of it and around it.
struct Layer {
  const char* name;
  const char* material;
  double thickness, cell;                          ///< m
  std::complex<double> (*permittivity)(double w);  ///< at e^(+i w t)
};
const std::vector<Layer> layers_of_media = {
    {"glass", "eps_r = 2.25", 100e-9, 4e-9, [](double) { return std::complex<double>(2.25, 0); }},
    {"drude", "drude = { omega_p = 1.2e16, gamma = 3e14 }", 20e-9, 2e-9,
     [](double w) { return 1.0 - 1.44e32 / std::complex<double>(w * w, -w * 3e14); }},
    {"lorentz", "eps_r = 1.5\nlorentz = { delta_eps = 1, omega_0 = 6e15, delta = 4e14 }", 100e-9, 4e-9,
     [](double w) { return 1.5 + 3.6e31 / (std::complex<double>(3.6e31 - w * w, 2 * w * 4e14)); }}};

/// Largest error of transmission and reflection from 400 to 750 THz.
struct Errors {
  double most;
  int cells;
};
/// On cells of the layer's size in it that grow to 10 nm outside, all `finer` times smaller; or on cells of 10 nm.
Errors errors_of(const Layer& layer, double finer, bool graded) {
  const double outer = graded ? 10e-9 / finer : 10e-9, inner = graded ? layer.cell / finer : 10e-9;
  const std::string band = "frequencies = { from = 400e12, to = 750e12, count = 15 }\n";
  const std::string text = fmt::format(
      "time = 50e-15\n[grid]\nx = [0, 2e-8]\ny = [0, 2e-8]\n[grid.z]\n"
      "lines = [-590e-9, -410e-9, {0}, {1}, 410e-9, 590e-9]\nspacing = [{2}, {2}, {3}, {2}, {2}]\ngrowth = {7}\n"
      "[faces]\nx = \"periodic\"\ny = \"periodic\"\nz = \"cpml\"\n[cpml]\nthickness = {4}\n"
      "[materials.layer]\n{5}\n[[geometry]]\nshape = \"box\"\nmaterial = \"layer\"\n"
      "low = [0, 0, {0}]\nhigh = [2e-8, 2e-8, {1}]\n"
      "[[sources]]\ntype = \"plane_wave\"\ndirection = [0, 0, 1]\npolarisation = [1, 0, 0]\n"
      "box = {{ low = [0, 0, -360e-9], high = [2e-8, 2e-8, 360e-9] }}\n"
      "waveform = {{ kind = \"modulated\", frequency = 550e12, width = 1.5e-15 }}\n"
      "[[fluxes]]\nname = \"transmitted\"\nlow = [0, 0, 300e-9]\nhigh = [2e-8, 2e-8, 300e-9]\n{6}"
      "[[fluxes]]\nname = \"reflected\"\nlow = [0, 0, -400e-9]\nhigh = [2e-8, 2e-8, -400e-9]\n"
      "reference = \"transmitted\"\n{6}",
      -layer.thickness / 2, layer.thickness / 2, outer, inner, std::lround(180e-9 / outer), layer.material, band,
      std::pow(1.2, 1 / finer));
  scene::Scene scene = scene::read_scene(text, "layer.toml", ".");
  EXPECT_EQ(scene.grid.graded(), graded);
  const auto through = [&](const scene::Scene& of) {
    const SceneProblem problem = make_problem(of);
    const std::vector<BrickPlace> bricks = decompose(problem.problem, {{1, 1, 1}, {}});
    Simulation s(problem.problem, bricks, anywhere(bricks));
    s.advance(of.steps);
    return fluxes(of, problem, s.spectra());
  };
  std::vector<SceneFlux> found = through(scene);
  scene::Scene empty = scene;
  empty.geometry.clear();
  normalise(found, references(scene, through(empty), "empty"));
  Errors errors{0, scene.grid.cells[2]};
  for (const SceneFlux& flux : found) {
    const double w = 2 * std::numbers::pi * flux.frequency;
    const std::complex<double> n = std::sqrt(layer.permittivity(w)), i(0, 1);
    const std::complex<double> phase = n * w * layer.thickness / scene::speed_of_light;
    const std::complex<double> t = 1.0 / (std::cos(phase) + i / 2.0 * (n + 1.0 / n) * std::sin(phase));
    const std::complex<double> r = i / 2.0 * (1.0 / n - n) * std::sin(phase) * t;
    const double exact = flux.name == "transmitted" ? std::norm(t) : -std::norm(r);
    errors.most = std::max(errors.most, std::abs(flux.normalised.value() - exact));
  }
  return errors;
}

/// Fresnel's coefficients of both surfaces and the waves between them: of second order, and nearer than on as many
/// cells of one length.
TEST(FdtdGradedPhysics, LayersTransmitAndReflectByTheory) {
  for (const Layer& layer : layers_of_media) {
    SCOPED_TRACE(layer.name);
    const Errors coarse = errors_of(layer, 1, true), fine = errors_of(layer, 2, true),
                 equal = errors_of(layer, 1, false);
    const double order = std::log2(coarse.most / fine.most);
    EXPECT_LT(coarse.most, 2e-3);
    EXPECT_GT(order, 1.8);
    EXPECT_LT(coarse.most, 0.7 * equal.most);
    EXPECT_LT(coarse.cells, 1.3 * equal.cells);
    const std::string name = layer.name;
    RecordProperty(name + "_percent", std::to_string(100 * coarse.most));
    RecordProperty(name + "_equal_percent", std::to_string(100 * equal.most));
    RecordProperty(name + "_order", std::to_string(order));
    RecordProperty(name + "_cells", coarse.cells);
    RecordProperty(name + "_equal_cells", equal.cells);
  }
}

}  // namespace
}  // namespace asterism::fdtd
