// SPDX-License-Identifier: Apache-2.0
// What the flow makes of absorbing layers, dispersive media, plane waves, magnetic currents and monitors, against
// physics.
#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include "tests/taskflows/fdtd/physics_problem.hpp"

namespace asterism::fdtd {
namespace {

Problem empty_domain(const std::array<int, 3>& cells) {
  Problem p;
  p.cells = cells;
  p.spacing = {1e-3, 1.2e-3, 0.9e-3};
  p.dt = 0.95 * largest_time_step(p);
  return p;
}

/// Values of the probes, steps x probes.
std::vector<double> probed(const Problem& p, const Cut& cut, long steps) {
  check(p);
  const std::vector<BrickPlace> bricks = decompose(p, cut);
  Simulation s(p, bricks, anywhere(bricks));
  s.advance(steps);
  return s.probe_values();
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t n = 0; n < a.size() && n < b.size(); ++n)
    if (const double d = std::abs(a[n] - b[n]); !(d <= most)) most = d;
  return most;
}

/// A dipole and two probes, as far from the faces as `margin` says.
Problem dipole_in_box(int margin) {
  Problem p = empty_domain({20 + 2 * margin, 20 + 2 * margin, 20 + 2 * margin});
  const double width = 8 * p.dt;
  p.sources = {{2, {margin + 10, margin + 8, margin + 9}, [width](double t) {
                  const double u = (t - 4 * width) / width;
                  return -u * std::exp(-u * u);
                }}};
  p.probes = {{Field::electric, 2, {margin + 16, margin + 12, margin + 9}},
              {Field::magnetic, 0, {margin + 10, margin + 3, margin + 4}}};
  return p;
}

TEST(FdtdPhysicsEffects, LayersAbsorbWhatALargerDomainLetsGo) {
  constexpr long steps = 105;
  const std::vector<double> open = probed(dipole_in_box(30), {{1, 1, 1}, {}}, steps);  // no echo until then
  Problem p = dipole_in_box(12);
  for (std::int32_t& cells : p.cpml.cells) cells = default_cpml_cells;
  EXPECT_LT(largest_difference(probed(p, {{2, 1, 2}, {}}, steps), open), 1e-3 * largest(open));
  p.cpml = {};
  EXPECT_GT(largest_difference(probed(p, {{2, 1, 2}, {}}, steps), open), 0.02 * largest(open));
}

TEST(FdtdPhysicsEffects, ALayerOnOneFaceAbsorbsThereOnly) {
  constexpr long steps = 105;
  for (std::size_t face = 0; face < 6; ++face) {
    Problem p = dipole_in_box(12);
    const std::vector<double> closed = probed(p, {{1, 1, 1}, {}}, steps);
    p.cpml.cells[face] = 10;
    const std::vector<double> absorbed = probed(p, {{1, 1, 1}, {}}, steps);
    Problem longer = dipole_in_box(12);  // the face out of reach instead
    longer.cells[face / 2] += 30;
    if (face % 2 == 0) {
      longer.sources[0].cell[face / 2] += 30;
      for (Probe& probe : longer.probes) probe.cell[face / 2] += 30;
    }
    const std::vector<double> far = probed(longer, {{1, 1, 1}, {}}, steps);
    EXPECT_LT(largest_difference(absorbed, far), 2e-3 * largest(far)) << face;
    EXPECT_GT(largest_difference(closed, far), 10 * largest_difference(absorbed, far)) << face;
  }
}

/// A Drude pole whose electrons collide much more often than fields change is a conductor, sigma = eps0 omega_p^2 /
/// gamma.
TEST(FdtdPhysicsEffects, ManyCollisionsMakeAConductor) {
  Problem p = dipole_in_box(6);
  p.material.assign(static_cast<std::size_t>(cells_of(p)), 0);
  for (std::size_t n = 0; n < p.material.size(); ++n) p.material[n] = n < p.material.size() / 2 ? 1 : 0;  // x below
  const double sigma = 0.6;
  const double gamma = 5e4 / p.dt;
  p.materials = {{}, {2, 1, sigma, 0}};
  const std::vector<double> expected = probed(p, {{1, 1, 1}, {}}, 80);
  p.materials[1].sigma = 0;
  const std::vector<double> insulator = probed(p, {{1, 1, 1}, {}}, 80);
  EXPECT_GT(largest_difference(insulator, expected), 0.05 * largest(expected));
  p.poles = {{}, {drude(std::sqrt(sigma * gamma / p.eps0), gamma)}};
  EXPECT_LT(largest_difference(probed(p, {{2, 1, 1}, {}}, 80), expected), 1e-3 * largest(expected));
}

/// One periodic cell of plasma, where nothing turns: E and the current of electrons by the trapezoidal rule, which see
/// what a kick adds to E in the same step. With h = (omega_p dt)^2 / 2, J = h E after the first step, and so
/// E2 (1 + h/2) = E1 (1 - 3h/2); then E(n+1) + E(n-1) = 2 E(n) (1 - h/2) / (1 + h/2).
TEST(FdtdPhysicsEffects, AKickedPlasmaOscillates) {
  Problem p = empty_domain({1, 1, 1});
  p.face.fill(periodic);
  p.material = {0};
  const double omega_p = 0.4 / p.dt;
  const double h = 0.08;
  p.sources = {{2, {0, 0, 0}, [dt = p.dt](double t) { return t < dt ? 1.0 : 0.0; }}};
  p.probes = {{Field::electric, 2, {0, 0, 0}}};
  p.materials = {{}};
  p.poles = {{drude(omega_p, 0)}};
  const std::vector<double> e = probed(p, {{1, 1, 1}, {}}, 30);
  EXPECT_NEAR(e[1] / e[0], (1 - 1.5 * h) / (1 + 0.5 * h), 1e-12);
  for (std::size_t n = 1; n + 1 < e.size(); ++n)
    EXPECT_NEAR((e[n + 1] + e[n - 1]) / e[0], 2 * e[n] / e[0] * (1 - h / 2) / (1 + h / 2), 1e-12) << n;
}

TEST(FdtdPhysicsEffects, APlaneWaveIsInItsBoxOnly) {
  Problem p = empty_domain({24, 20, 22});
  for (std::int32_t& cells : p.cpml.cells) cells = 5;
  PlaneWave wave{};
  wave.theta = std::numbers::pi / 2;
  wave.tolerance = 1e-6;
  wave.waveform = {Pulse::gaussian, 3.0, 10 * p.dt, 30 * p.dt, 0};
  p.waves = {{wave, {8, 16, 7, 13, 8, 15}}};
  p.probes = {{Field::electric, 2, {12, 10, 11}}, {Field::magnetic, 1, {12, 10, 11}},
              {Field::electric, 2, {6, 10, 11}},  {Field::electric, 2, {18, 10, 11}},
              {Field::electric, 0, {12, 10, 11}}, {Field::magnetic, 2, {12, 5, 11}}};
  const std::vector<double> values = probed(p, {{2, 2, 1}, {}}, 90);
  const double impedance = std::sqrt(p.mu0 / p.eps0);
  const Incident incident = make_incident(wave, p.waves[0].planes, space_of(p));
  const double delay = delay_at(incident, Field::electric, 2, 12, 10, 11);
  const double half_cell = p.spacing[0] / 2 * std::sqrt(p.eps0 * p.mu0);
  double strongest = 0;
  for (std::size_t s = 0; s < 90; ++s) {
    const double* const v = values.data() + 6 * s;
    const double t = static_cast<double>(s + 1) * p.dt;
    const double u = (t - delay - 30 * p.dt) / (10 * p.dt);
    const double expected = -3 * std::exp(-u * u);  // polarised along growing theta: down
    strongest = std::max(strongest, std::abs(v[0]));
    EXPECT_NEAR(v[0], expected, 0.03) << s;
    const double h = (t - p.dt / 2 - delay - half_cell - 30 * p.dt) / (10 * p.dt);
    EXPECT_NEAR(v[1], 3 * std::exp(-h * h) / impedance, 0.03 / impedance) << s;
    for (const int none : {2, 3, 4}) EXPECT_NEAR(v[none], 0, 1e-12) << s;
    EXPECT_NEAR(v[5] * impedance, 0, 1e-12) << s;
  }
  EXPECT_NEAR(strongest, 3, 0.02);
}

/// Faraday's law on one face: dB/dt = -M where there is no E yet.
TEST(FdtdPhysicsEffects, MagneticCurrentsChangeH) {
  Problem p = empty_domain({7, 8, 6});
  p.materials = {{1, 2.5, 0, 0}};
  p.material.assign(static_cast<std::size_t>(cells_of(p)), 0);
  p.magnetic_sources = {{1, {3, 4, 2}, [](double t) { return 2 + t * 1e12; }}};
  p.probes = {{Field::magnetic, 1, {3, 4, 2}}, {Field::magnetic, 1, {3, 4, 3}}, {Field::electric, 0, {3, 4, 2}}};
  const std::vector<double> values = probed(p, {{2, 1, 1}, {}}, 1);
  const double volume = p.spacing[0] * p.spacing[1] * p.spacing[2];
  EXPECT_NEAR(values[0] / (-2 * p.dt / (2.5 * p.mu0 * volume)), 1, 1e-12);
  EXPECT_EQ(values[1], 0);
  // eps dE_x/dt = dH_z/dy - dH_y/dz
  EXPECT_NEAR(values[2] / (-p.dt / p.eps0 * values[0] / p.spacing[2]), 1, 1e-12);
}

TEST(FdtdPhysicsEffects, MonitorsAreTheTransformsOfProbes) {
  Problem p = dipole_in_box(4);
  const std::vector<double> frequencies{0, 2e9, 11e9};
  for (const Probe& probe : p.probes) {
    const auto [i, j, k] = probe.cell;
    p.monitors.push_back({probe.field, {{probe.component, {i, i + 1, j, j + 1, k, k + 1}}}, frequencies, 1});
  }
  const std::vector<BrickPlace> bricks = decompose(p, {{2, 2, 1}, {}});
  Simulation s(p, bricks, anywhere(bricks));
  s.advance(70);
  const std::vector<double> values = s.probe_values();
  const std::vector<Spectrum> spectra = s.spectra();
  for (std::size_t m = 0; m < 2; ++m)
    for (std::size_t f = 0; f < frequencies.size(); ++f) {
      std::complex<double> expected = 0;
      double scale = 0;
      for (std::size_t n = 0; n < 70; ++n) {
        const double t = (static_cast<double>(n) + (m == 0 ? 1.0 : 0.5)) * p.dt;
        expected += p.dt * values[2 * n + m] * std::polar(1.0, -2 * std::numbers::pi * frequencies[f] * t);
        scale += p.dt * std::abs(values[2 * n + m]);
      }
      const auto [i, j, k] = p.probes[m].cell;
      EXPECT_LT(std::abs(spectra[m].at(0, static_cast<int>(f), i, j, k) - expected), 1e-12 * scale);
      EXPECT_GT(scale, 0);
    }
}

void expect_refused(const Problem& p, const std::string& word) {
  try {
    check(p);
    ADD_FAILURE() << "accepted; expected a complaint about " << word;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(FdtdPhysicsEffects, WhatDoesNotFitIsRefused) {
  const auto refused = [](const std::function<void(Problem&)>& change, const std::string& word) {
    Problem p = everything(false);
    change(p);
    expect_refused(p, word);
  };
  refused([](Problem& p) { p.cpml.cells[0] = -1; }, "-1 cells");
  refused([](Problem& p) { p.cpml.cells[5] = 3; }, "+z");
  refused([](Problem& p) { p.cpml.cells[2] = 16; }, "along y");
  refused([](Problem& p) { p.cpml.grading.kappa = 0.5; }, "layers");
  refused([](Problem& p) { p.poles.resize(9); }, "poles of 9 materials");
  refused([](Problem& p) { p.smoothed[0].cell[0] = 99; }, "smoothed edge ex");
  refused([](Problem& p) { p.smoothed[0].medium.relative = 0.9; }, "smoothed edge with permittivity 0.9");
  refused([](Problem& p) { p.smoothed[0].medium.loss = -1; }, "conductivity -1");
  refused([](Problem& p) { p.smoothed[0].cell = {12, 10, 7}; }, "dispersive");
  refused([](Problem& p) { p.smoothed[1].cell = {17, 14, 8}; }, "perfect conductor");
  refused([](Problem& p) { p.initial = [](Field, int, int, int, int) { return 1.0; }; }, "initial");
  refused([](Problem& p) { p.waves[0].planes.x0 = 2; }, "along x");
  refused([](Problem& p) { p.waves[0].planes.x0 = 11; }, "vacuum");
  refused([](Problem& p) { p.waves[0].planes.x0 = 11, p.materials[1] = p.materials[2] = {}; }, "vacuum");  // but poles
  refused([](Problem& p) { p.waves[0].planes.y1 = 20; }, "plane wave");
  refused([](Problem& p) { p.waves[0].wave.waveform.width = 0; }, "plane wave");
  refused([](Problem& p) { p.monitors[0].components[0].entries.x1 = 99; }, "monitor 0");
  refused([](Problem& p) { p.monitors[1].frequencies = {1e30}; }, "monitor 1");
  refused([](Problem& p) { p.magnetic_sources[0].cell[0] = 23; }, "source hy");
}

}  // namespace
}  // namespace asterism::fdtd
