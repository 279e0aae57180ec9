// SPDX-License-Identifier: Apache-2.0
// A problem with everything that a scene may have, for tests of its decompositions.
#pragma once

#include "base/error.hpp"
#include "tests/taskflows/fdtd/problems.hpp"

namespace asterism::fdtd {

/// Layers on four faces, a dispersive body that reaches into one of them and into a corner, smoothed edges, a plane
/// wave, currents of both kinds, monitors through all bricks.
inline Problem everything(bool single, std::array<Face, 2> along_z = {Face::electric, Face::magnetic}) {
  Problem p;
  p.cells = {23, 19, 16};
  p.spacing = {1e-3, 1.3e-3, 0.8e-3};
  p.dt = 0.9 * largest_time_step(p);
  p.face[4] = along_z[0];
  p.face[5] = along_z[1];
  p.precision = single ? Precision::single_precision : Precision::double_precision;
  p.cpml = {{3, 4, 5, 3, 0, 0}, {}};
  if (along_z[0] == Face::electric) p.cpml.cells[4] = 2;
  p.materials = {{}, {2, 1, 0.1, 0}, {1.5, 2, 0, 0}, {1, 1, INFINITY, 0}};
  p.poles = {{}, {drude(1e10, 1e9), lorentz(1.5, 4e10, 3e9)}, {debye(2, 4e-11)}};
  for (int i = 0; i < p.cells[0]; ++i)
    for (int j = 0; j < p.cells[1]; ++j)
      for (int k = 0; k < p.cells[2]; ++k) {
        const bool body = i >= 10 && i < 14 && j >= 9 && j < 12 && k >= 6 && k < 10;
        const bool in_layer = i < 5 && k < 2;
        const bool rod = i == 16 && j == 13 && k >= 6 && k < 12;
        p.material.push_back(static_cast<std::uint16_t>(rod ? 3 : body ? (i + j + k) % 3 : in_layer ? 2 : 0));
      }
  p.smoothed = {{0, {5, 7, 9}, {1.7, 0.02}}, {2, {16, 5, 8}, {3.1, 0}}, {1, {11, 6, 12}, {1.25, 0}}};
  const double dt = p.dt;
  const auto pulse = [dt](double t) { return 1e-6 * std::sin(0.5 * t / dt) * std::exp(-t / (20 * dt)); };
  p.sources = {{0, {5, 7, 8}, pulse}, {2, {11, 10, 7}, pulse}};
  p.magnetic_sources = {{1, {12, 10, 8}, [pulse](double t) { return 377 * pulse(t); }}};
  PlaneWave wave{};
  wave.theta = 1.1;
  wave.phi = 0.4;
  wave.polarisation = 0.3;
  wave.tolerance = 0.3;
  wave.waveform = {Pulse::gaussian, 2.0, 6 * dt, 15 * dt, 0};
  p.waves = {{wave, {6, 18, 7, 15, 4, 14}}};
  p.probes = {{Field::electric, 2, {17, 14, 13}}, {Field::magnetic, 0, {4, 5, 6}}};
  p.monitors = {
      {Field::electric, {{0, {0, 23, 9, 10, 0, 16}}, {2, {2, 21, 3, 15, 7, 8}}}, {0, 1e9, 3e9}, 1},
      {Field::magnetic, {{1, {9, 10, 0, 19, 0, 16}}}, {2e9}, 2},
  };
  check(p);
  return p;
}

/// What is at the faces of a domain that is periodic along x, of which a strip may see parts more than once.
enum class Beside { layers, periodic_y, magnetic_z };

/// A dispersive body through the faces across x, and up to another one; smoothed edges, currents and a wave beside the
/// first, another wave through them, monitors through all.
inline Problem everything_around(bool single, Beside beside) {
  Problem p = everything(single, {Face::electric, beside == Beside::magnetic_z ? Face::magnetic : Face::electric});
  p.face[0] = p.face[1] = Face::neighbour;
  p.cpml.cells[0] = p.cpml.cells[1] = 0;
  if (beside == Beside::periodic_y) {
    p.face[2] = p.face[3] = Face::neighbour;
    p.cpml.cells[2] = p.cpml.cells[3] = 0;
  }
  const int y = beside == Beside::periodic_y ? 16 : 8, z = beside == Beside::magnetic_z ? 13 : 6;
  for (int i = 0; i < p.cells[0]; ++i)
    for (int j = 0; j < p.cells[1]; ++j)
      for (int k = 0; k < p.cells[2]; ++k) {
        const bool body = (i < 2 || i > 20) && j >= y && j < y + 3 && k >= z && k < z + 3;
        const std::size_t cell = static_cast<std::size_t>((i * p.cells[1] + j) * p.cells[2] + k);
        p.material[cell] = static_cast<std::uint16_t>(body ? (i + j + k) % 3 : i < 5 && k < 2 ? 2 : 0);
      }
  p.smoothed = {{0, {0, 5, 9}, {1.7, 0.02}}, {2, {22, 5, 8}, {3.1, 0}}, {1, {11, 6, 12}, {1.25, 0}}};
  p.sources[0].cell = {0, 7, 8};
  p.sources[1].cell = {22, 10, 7};
  p.magnetic_sources[0].cell = {22, 5, 9};
  p.waves[0].planes = {4, 18, 6, 12, 5, 11};
  PlaneWave along_y = p.waves[0].wave;
  along_y.theta = along_y.phi = 1.57;
  p.waves.push_back({along_y, {0, 23, 13, 15, 4, 11}});
  p.probes.push_back({Field::electric, 1, {0, 14, 8}});
  check(p);
  return p;
}

}  // namespace asterism::fdtd
