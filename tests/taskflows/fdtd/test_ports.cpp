// SPDX-License-Identifier: Apache-2.0
// Ports and thin conductors of a scene: a line between two plates, whose equations on the grid are solved by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "taskflows/fdtd/results/scattering.hpp"
#include "tests/taskflows/fdtd/problems.hpp"

namespace asterism::fdtd {
namespace {

using Complex = std::complex<double>;

constexpr int cells = 40, first = 5, second = 33;
constexpr double edge = 1e-3;
constexpr double resistances[2] = {200, 500};
constexpr long steps = 6000;

/// Plates at both ends of z, `height` cells apart, periodic along y, open at both ends of x.
std::string line(int height, const std::string& more = "") {
  const std::string end = ", 0, 0]\ncells = " + std::to_string(height) + "\n";
  return "precision = \"double\"\nsteps = 6000\n[grid]\ncells = [" + std::to_string(cells) + ", 1, " +
         std::to_string(more.empty() ? height : 2 * height) +
         "]\nspacing = 1e-3\n[faces]\nx = \"pmc\"\ny = \"periodic\"\nz = \"pec\"\n" +
         "[[ports]]\nname = \"near\"\naxis = \"z\"\nresistance = 200\nentry = [" + std::to_string(first) + end +
         "waveform = { kind = \"gaussian\", width = 2e-11 }\nfrequencies = [1e9, 4e9, 9e9]\n" +
         "[[ports]]\nname = \"far\"\naxis = \"z\"\nresistance = 500\nentry = [" + std::to_string(second) + end + more;
}

struct Seen {
  SceneProblem of;
  std::vector<Scattering> all;
  std::vector<double> probes;
};

Seen run(const std::string& text, const Cut& cut) {
  const scene::Scene scene = scene::read_scene(text, "line.toml", ".");
  Seen seen{make_problem(scene), {}, {}};
  const std::vector<BrickPlace> bricks = decompose(seen.of.problem, cut);
  Simulation s(seen.of.problem, bricks, anywhere(bricks));
  s.advance(steps);
  seen.all = scattering(scene, seen.of, s.spectra(), s.time());
  seen.probes = s.probe_values();
  return seen;
}

/// Voltages at the ports for 1 V of the generator: currents of the nodes of E, with what the time step makes of
/// derivatives and of means, are those of a ladder of inductances and capacitances.
std::array<Complex, 2> ladder(const Problem& p, int height, double frequency) {
  const double half = std::numbers::pi * frequency * p.dt;
  const Complex derivative(0, 2 / p.dt * std::sin(half));
  const double mean = std::cos(half);
  const Complex series = 1.0 / (derivative * p.mu0 * edge * static_cast<double>(height));
  const Complex shunt = derivative * p.eps0 * edge / static_cast<double>(height);
  std::vector<Complex> diagonal(cells + 1), right(cells + 1);
  for (int n = 0; n <= cells; ++n) {
    const bool end = n == 0 || n == cells;
    diagonal[static_cast<std::size_t>(n)] = (end ? 0.5 : 1.0) * shunt + (end ? 1.0 : 2.0) * series;
  }
  diagonal[first] += mean / resistances[0];
  diagonal[second] += mean / resistances[1];
  right[first] = 1 / resistances[0];
  for (std::size_t n = 1; n <= cells; ++n) {  // a row from the next
    const Complex factor = -series / diagonal[n - 1];
    diagonal[n] += factor * series;
    right[n] -= factor * right[n - 1];
  }
  std::vector<Complex> v(cells + 1);
  for (std::size_t n = cells + 1; n-- > 0;) v[n] = (right[n] + (n == cells ? 0.0 : series * v[n + 1])) / diagonal[n];
  return {mean * v[first], mean * v[second]};
}

void expect_ladder(const Seen& seen, int height) {
  ASSERT_EQ(seen.all.size(), 3U);
  for (const Scattering& at : seen.all) {
    SCOPED_TRACE(at.frequency);
    const auto [near, far] = ladder(seen.of.problem, height, at.frequency);
    constexpr double tolerance = 1e-7;  // of what has not yet died away
    EXPECT_LT(std::abs(at.s[0] - (2.0 * near - 1.0)), tolerance);
    EXPECT_LT(std::abs(at.s[1] - 2.0 * far * std::sqrt(resistances[0] / resistances[1])), tolerance);
    EXPECT_LT(std::abs(at.impedance - resistances[0] * near / (1.0 - near)), 1000 * tolerance);
    // without losses, all power that is not reflected arrives
    EXPECT_NEAR(std::norm(at.s[0]) + std::norm(at.s[1]), 1, 1e-6);
    EXPECT_GT(std::abs(at.s[1]), 0.1);
  }
}

TEST(FdtdPorts, ALineBetweenPlates) {
  for (const int height : {1, 3}) {
    SCOPED_TRACE(height);
    const Seen whole = run(line(height), {{1, 1, 1}, {}});
    expect_ladder(whole, height);
    const Seen cut = run(line(height), {{3, 1, 1}, {}});
    for (std::size_t f = 0; f < 3; ++f) EXPECT_EQ(cut.all[f].s, whole.all[f].s);
  }
}

/// The upper plate is a sheet, as long as the line; nothing gets through it.
TEST(FdtdPorts, ASheetIsAPlate) {
  const std::string sheet = "[[conductors]]\nlow = [0, 0, 1e-3]\nhigh = [0.04, 1e-3, 1e-3]\n";
  const std::string probe = "[[probes]]\ncomponents = \"Ez\"\nentry = [9, 0, 1]\n";
  const Seen seen = run(line(1, sheet + probe), {{2, 1, 1}, {}});
  expect_ladder(seen, 1);
  for (const double value : seen.probes) EXPECT_EQ(value, 0);
  const Seen open =
      run(line(1, "[[conductors]]\nlow = [0, 0, 1e-3]\nhigh = [0.03, 1e-3, 1e-3]\n" + probe), {{1, 1, 1}, {}});
  EXPECT_NE(open.probes.back(), 0);
}

TEST(FdtdPorts, WhatCannotBe) {
  const auto refused = [](const std::string& more, const std::string& fragment) {
    const std::string text = "steps = 5\n[grid]\ncells = [9, 8, 7]\nspacing = 1\n" + more;
    try {
      make_problem(scene::read_scene(text, "s.toml", "."));
      ADD_FAILURE() << "taken: " << more;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(fragment), std::string::npos) << e.what();
    }
  };
  const std::string port = "[[ports]]\naxis = \"z\"\nentry = [4, 4, 3]\n";
  const std::string drive = "waveform = { kind = \"gaussian\", width = 1e-8 }\nfrequencies = 1e6\n";
  refused(port, "no generator");
  refused(port + drive + port + drive, "a second generator");
  refused(port + "cells = 5\n" + drive, "cells from plane 3");
  refused(port + "resistance = 0\n" + drive, "ports[0].resistance: found 0");
  refused(port + drive + "[[conductors]]\nlow = [4, 4, 2]\nhigh = [4, 4, 5]\n", "on a perfect conductor");
  refused(port + drive + "[[geometry]]\nshape = \"box\"\nmaterial = \"pec\"\nlow = [4, 4, 2]\nhigh = [5, 5, 5]\n",
          "on a perfect conductor");
  refused("[[ports]]\naxis = \"z\"\nentry = [0, 4, 3]\n" + drive, "on a face of the domain");
  refused("[[conductors]]\nlow = [4, 4, 2]\nhigh = [5, 5, 5]\n", "a wire");
  refused("[[conductors]]\nlow = [4, 4, 2]\nhigh = [4, 4, 2]\n", "a wire");
  refused("[[conductors]]\nlow = [4, 4, 2]\nhigh = [4, 3, 5]\n", "as much as `low` along y");
  refused(port + drive + "[materials.m]\ndebye = { delta_eps = 1, tau = 1e-8 }\n", "dispersive media");
}

}  // namespace
}  // namespace asterism::fdtd
