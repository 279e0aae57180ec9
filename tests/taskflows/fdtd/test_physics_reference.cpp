// SPDX-License-Identifier: Apache-2.0
// Absorbing layers, dispersive media, plane waves and magnetic currents, in the flow and in the simple solver.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/taskflows/fdtd/compared.hpp"
#include "tests/taskflows/fdtd/physics_problem.hpp"

namespace asterism::fdtd {
namespace {

const Cut one_brick{{1, 1, 1}, {}};
const Cut bricks{{2, 1, 3}, {}};

constexpr double rounding = 1e-12;
/// Beside rounding, what the end of a plane wave's line gives back of waves of 20 cells and more: the simple solver's
/// has no end.
constexpr double echo = 1e-7;

/// In both precisions, whole and cut; and the simple solver sees what `change` takes away.
void expect_agreement(Problem p, long steps, const std::function<void(Problem&)>& change, double tolerance = rounding) {
  check(p);
  Reference reference(p);  // knows no precision
  advance(reference, steps);
  for (const bool single : {false, true}) {
    p.precision = single ? Precision::single_precision : Precision::double_precision;
    check(p);
    for (const Cut& cut : {one_brick, bricks}) {
      const Compared found = compare(p, reference, cut, steps);
      EXPECT_LT(found.error, single ? 1e-5 : tolerance) << (single ? "float" : "double");
      EXPECT_GT(found.largest, 1e-3);
    }
  }
  Problem other = p;
  change(other);
  EXPECT_GT(compare(p, other, one_brick, steps).error, 100 * echo);
}

/// Vacuum between electric conductors, a pulse of current along each axis.
Problem driven(const std::array<int, 3>& cells) {
  Problem p;
  p.cells = cells;
  p.spacing = {1e-3, 1.3e-3, 0.8e-3};
  p.dt = 0.9 * largest_time_step(p);
  const double dt = p.dt;
  for (int c = 0; c < 3; ++c)
    p.sources.push_back({c, {cells[0] / 2 + c, cells[1] / 3 + c, cells[2] / 2 - c}, [dt, c](double t) {
                           return 1e-6 * (c + 1) * std::sin(0.6 * t / dt + c) * std::exp(-t / (15 * dt));
                         }});
  return p;
}

/// Any material in any cell.
void fill(Problem& p, const std::vector<Material>& materials) {
  p.materials = materials;
  for (int i = 0; i < p.cells[0]; ++i)
    for (int j = 0; j < p.cells[1]; ++j)
      for (int k = 0; k < p.cells[2]; ++k)
        p.material.push_back(
            static_cast<std::uint16_t>((noise(i, j, k, 7) + 1) / 2 * static_cast<double>(materials.size())));
}

TEST(FdtdPhysicsReference, LayersOfEachFace) {
  for (std::size_t face = 0; face < 6; ++face) {
    SCOPED_TRACE(face);
    Problem p = driven({13, 11, 15});
    p.cpml.cells[face] = 5;
    expect_agreement(p, 60, [&](Problem& o) { o.cpml.cells[face] = 4; });
  }
}

TEST(FdtdPhysicsReference, ResistorsAndThinConductors) {
  Problem p = driven({13, 11, 15});
  p.cpml.cells[1] = 4;
  fill(p, {{}, {4, 1, 1e-2, 0}});
  p.resistors = {{0, {3, 4, 5}, 30}, {2, {6, 3, 6}, 200}, {2, {6, 3, 7}, 200}, {1, {11, 5, 9}, 5}};
  for (int n = 2; n < 9; ++n) p.resistors.push_back({1, {5, n, 9}, 0});
  expect_agreement(p, 60, [](Problem& o) { o.resistors[0].resistance = 60; });
  expect_agreement(p, 60, [](Problem& o) { o.resistors.pop_back(); });
}

TEST(FdtdPhysicsReference, LayersInCornersThroughMaterials) {
  Problem p = driven({13, 11, 15});
  p.cpml = {{3, 4, 2, 5, 6, 1}, {}};
  fill(p, {{}, {4, 1, 0, 0}, {2.5, 3, 0.8, 3e4}, {1, 1, INFINITY, 0}});
  for (CurrentSource& s : p.sources) p.material[0] = 0, s.component = 2;
  p.sources.resize(1);
  const auto& at = p.sources[0].cell;  // not in a conductor
  for (int i = at[0] - 1; i <= at[0]; ++i)
    for (int j = at[1] - 1; j <= at[1]; ++j) p.material[static_cast<std::size_t>((i * 11 + j) * 15 + at[2])] = 1;
  expect_agreement(p, 60, [](Problem& o) { o.cpml.cells[5] = 0; });
}

TEST(FdtdPhysicsReference, EachParameterOfTheGrading) {
  Problem p = driven({13, 11, 15});
  p.cpml = {{5, 4, 5, 3, 6, 5}, {3.2, 0.8, 2.5, 0.4, 1.7}};
  expect_agreement(p, 60, [](Problem& o) { o.cpml.grading.order = 2; });
  for (const auto change : {+[](Grading& g) { g.sigma = 1.2; }, +[](Grading& g) { g.kappa = 1; },
                            +[](Grading& g) { g.alpha = 0; }, +[](Grading& g) { g.alpha_order = 0.5; }}) {
    Problem other = p;
    change(other.cpml.grading);
    EXPECT_LT(compare(other, one_brick, 60).error, 1e-12);
    EXPECT_GT(compare(p, other, one_brick, 60).error, 1e-4);
  }
}

/// omega in units of 1/dt, so that a step turns the poles by much.
std::vector<Pole> poles_of_kind(Pole::Kind kind, double dt) {
  if (kind == Pole::Kind::drude) return {drude(0.4 / dt, 0.1 / dt)};
  if (kind == Pole::Kind::lorentz) return {lorentz(1.7, 0.5 / dt, 0.03 / dt)};
  return {debye(2.2, 5 * dt)};
}

TEST(FdtdPhysicsReference, EachKindOfPole) {
  for (const Pole::Kind kind : {Pole::Kind::drude, Pole::Kind::lorentz, Pole::Kind::debye}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Problem p = driven({9, 7, 11});
    fill(p, {{}, {2, 1.5, 0.3, 0}});
    p.poles = {{}, poles_of_kind(kind, p.dt)};
    expect_agreement(p, 50, [](Problem& o) { o.poles.clear(); });
  }
}

TEST(FdtdPhysicsReference, ManyPolesSideBySide) {
  for (const Named& kind : boundaries) {
    SCOPED_TRACE(kind.name);
    Problem p = driven({9, 7, 11});
    p.face = kind.face;
    fill(p, {{}, {2, 1, 0.1, 0}, {1, 2, 0, 0}, {3, 1, 0, 1e4}});
    const auto of = [&](Pole::Kind k) { return poles_of_kind(k, p.dt)[0]; };
    p.poles = {{},
               {of(Pole::Kind::drude), of(Pole::Kind::lorentz), of(Pole::Kind::debye)},
               {of(Pole::Kind::lorentz), lorentz(0.8, 0.9 / p.dt, 0)}};
    expect_agreement(p, 50, [](Problem& o) { o.poles[2].pop_back(); });
  }
}

TEST(FdtdPhysicsReference, PolesGoOnThroughLayers) {
  Problem p = driven({13, 11, 15});
  p.cpml = {{3, 4, 2, 5, 6, 0}, {}};
  fill(p, {{}, {2, 1, 0.1, 0}});
  p.poles = {{}, {drude(0.3 / p.dt, 0.1 / p.dt), debye(1.1, 4 * p.dt)}};
  expect_agreement(p, 60, [](Problem& o) { o.cpml = {}; });
}

TEST(FdtdPhysicsReference, MagneticCurrents) {
  Problem p = driven({9, 7, 11});
  p.face = {pmc, pec, periodic, periodic, pec, pmc};
  fill(p, {{}, {2, 1.5, 0.3, 2e4}});
  p.magnetic_sources = p.sources;
  for (CurrentSource& s : p.magnetic_sources) --s.cell[1], ++s.cell[2];
  p.sources.clear();
  expect_agreement(p, 40, [](Problem& o) { o.magnetic_sources.pop_back(); });
}

WaveInBox wave_towards(const Problem& p, double theta, double phi, double polarisation, const Box& planes) {
  WaveInBox w{};
  w.wave = {theta, phi, polarisation, 0.2, {Pulse::gaussian, 2.0, 6 * p.dt, 12 * p.dt, 0}};
  w.planes = planes;
  return w;
}

TEST(FdtdPhysicsReference, WavesInBoxes) {
  const std::vector<std::array<double, 3>> waves{{0, 0.6, 0.2},
                                                 {std::numbers::pi, 0, 1.1},
                                                 {std::numbers::pi / 2, 0, 0.4},
                                                 {std::numbers::pi / 2, std::numbers::pi, 0.4},
                                                 {std::numbers::pi / 2, std::numbers::pi / 2, 2},
                                                 {1.0, 0.5, 0.3},
                                                 {2.2, 2.6, 1.3},
                                                 {0.7, 4.0, 5.0}};
  for (const auto& [theta, phi, polarisation] : waves) {
    SCOPED_TRACE(testing::Message() << theta << ", " << phi);
    Problem p = driven({15, 13, 16});
    p.sources.clear();
    p.waves = {wave_towards(p, theta, phi, polarisation, {3, 11, 4, 9, 2, 13})};
    expect_agreement(
        p, 60, [](Problem& o) { o.waves[0].wave.polarisation += 0.01, --o.waves[0].planes.x1; }, echo);
    const Compared before_any_echo = compare(p, bricks, 20);
    EXPECT_LT(before_any_echo.error, rounding);
    EXPECT_GT(before_any_echo.largest, 1e-6);
  }
}

TEST(FdtdPhysicsReference, WavesThroughPeriodicDomains) {
  Problem p = driven({5, 4, 60});
  p.sources.clear();
  p.face = {periodic, periodic, periodic, periodic, pec, pec};
  p.cpml.cells[4] = p.cpml.cells[5] = 8;
  p.waves = {wave_towards(p, 0, 0, 0.3, {0, 5, 0, 4, 15, 40})};
  expect_agreement(
      p, 150, [](Problem& o) { o.waves[0].planes.z0 = 16; }, echo);
  p.cells = {5, 40, 30};  // one axis only
  p.face = {periodic, periodic, pec, pec, pec, pec};
  p.cpml = {};
  p.waves = {wave_towards(p, 1.0, std::numbers::pi / 2, 0.9, {0, 5, 7, 33, 6, 25})};
  expect_agreement(
      p, 100, [](Problem& o) { o.waves[0].planes.y0 = 8; }, echo);
}

/// So many steps that the wave, had the simple solver's line an end, would have come back from it.
TEST(FdtdPhysicsReference, AWaveOverManySteps) {
  Problem p = driven({3, 2, 24});
  p.sources.clear();
  p.face = {periodic, periodic, periodic, periodic, pec, pec};
  p.cpml.cells[4] = p.cpml.cells[5] = 5;
  p.waves = {wave_towards(p, 0, 0, 0.3, {0, 3, 0, 2, 8, 16})};
  p.waves[0].wave.waveform = {Pulse::ramped_sine, 2.0, 130 * p.dt, 0, 0.015 / p.dt};
  expect_agreement(
      p, 1500, [](Problem& o) { o.waves[0].planes.z0 = 9; }, echo);
}

TEST(FdtdPhysicsReference, TwoWavesWhoseBoxesOverlap) {
  Problem p = driven({15, 13, 16});
  p.waves = {wave_towards(p, 1.0, 0.5, 0.3, {3, 11, 4, 9, 2, 13}),
             wave_towards(p, 2.0, 3.5, 0.9, {5, 13, 2, 8, 4, 14})};
  expect_agreement(
      p, 60, [](Problem& o) { o.waves.pop_back(); }, echo);
}

TEST(FdtdPhysicsReference, AllTogether) {
  for (const std::array<Face, 2> along_z : {std::array{pec, pmc}, std::array{periodic, periodic}, std::array{pec, pec}})
    expect_agreement(
        everything(false, along_z), 90, [](Problem& o) { o.poles[2].clear(); }, echo);
}

TEST(FdtdPhysicsReference, SmoothedEdges) {
  Problem p = driven({11, 9, 8});
  fill(p, {{}, {4, 1, 0.2, 0}, {2, 3, 0, 1e4}});
  p.smoothed = {{0, {5, 3, 4}, {1.7, 0.02}}, {1, {6, 4, 3}, {3.1, 0}}, {2, {7, 4, 2}, {1.25, 0.3}}};
  expect_agreement(p, 60, [](Problem& q) { q.smoothed[1].medium.relative = 3; });
}

}  // namespace
}  // namespace asterism::fdtd
