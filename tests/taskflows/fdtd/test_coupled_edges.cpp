// SPDX-License-Identifier: Apache-2.0
// The matrix of the permittivity around a node that a surface crosses, and edges that it couples.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "taskflows/fdtd/physics/coupled_energy.hpp"
#include "taskflows/fdtd/scene/surfaces/surface_matrix.hpp"
#include "taskflows/fdtd/scene/to_problem.hpp"
#include "tests/taskflows/fdtd/compared.hpp"

namespace asterism::fdtd {
namespace {

using scene::DualCell;
using scene::surface_matrix;
using scene::SurfaceMatrix;
using scene::SurfacePlane;

const std::array<double, 3> spacing{1, 1.3, 0.8};
const DualCell equal_halves{{0.5, 0.65, 0.4}, {0.5, 0.65, 0.4}};

double quadratic(const SurfaceMatrix& m, const std::array<double, 6>& x) {
  double sum = 0;
  for (std::size_t f = 0; f < 6; ++f)
    for (std::size_t g = 0; g < 6; ++g) sum += x[f] * m[f][g] * x[g];
  return sum;
}

/// Across an axis both laws are those of circuits: what lies between both nodes of an edge along it is in series, from
/// the mean potential of one cell to that of the next, and on the faces across it the parts are side by side.
TEST(FdtdSurfaceMatrix, PlanesOfTheGridCoupleNothing) {
  const auto m = surface_matrix({{0, 0, 1}, 0.1, 4, 1}, equal_halves);
  ASSERT_TRUE(m);
  const double share = 0.5 / 0.8;  // of 4 in the cell: from -0.4 m to 0.1 m
  const double mean = share * 4 + (0.4 - 0.1) / 0.8;
  const double low = (share * 0.25 - (1 - share) * 0.15) / mean;  // potential of the plane, less that of the node
  const double diagonal[6] = {0.5 / mean, 0.5 / mean, 0.5 / mean, 0.5 / mean, (0.5 / 4 - low) / 0.8, (0.3 + low) / 0.8};
  for (std::size_t f = 0; f < 6; ++f)
    for (std::size_t g = 0; g < 6; ++g) EXPECT_NEAR((*m)[f][g], f == g ? diagonal[f] : 0, 1e-14) << f << ' ' << g;
}

TEST(FdtdSurfaceMatrix, HasNoneWhereThePlaneIsOutside) {
  EXPECT_FALSE(surface_matrix({{1, 0, 0}, 0.51, 4, 1}, equal_halves));
  EXPECT_TRUE(surface_matrix({{1, 0, 0}, 0.49, 4, 1}, equal_halves));
}

/// Fields that are constant on both sides of a plane n x = 0.2 m along z. Cells have a spacing and `ratio` spacings in
/// turn, node 0 is at 0.
struct Piecewise {
  double normal_d, tangential_e, ratio;
  std::array<double, 3> n{0.6, 0.8, 0}, t{-0.8, 0.6, 0};
  std::array<double, 2> eps{1, 7};

  /// Its gradient is E.
  [[nodiscard]] double potential(double x, double y) const {
    const double u = n[0] * x + n[1] * y - 0.2;
    return normal_d * u / eps[u < 0 ? 0 : 1] + tangential_e * (t[0] * x + t[1] * y);
  }
  [[nodiscard]] double length(std::size_t axis, int cell) const { return spacing[axis] * (cell % 2 == 0 ? 1 : ratio); }
  [[nodiscard]] double node(std::size_t axis, int i) const {
    double x = 0;
    for (int cell = 0; cell < i; ++cell) x += length(axis, cell);
    for (int cell = -1; cell >= i; --cell) x -= length(axis, cell);
    return x;
  }
  /// What the matrices of both nodes make of D on faces, of the edge from node (i, j) along x or y.
  [[nodiscard]] double voltage(int i, int j, std::size_t axis) const {
    double sum = 0;
    for (const int end : {0, 1}) {
      const std::array<int, 2> at{i + (axis == 0 ? end : 0), j + (axis == 1 ? end : 0)};
      const double offset = 0.2 - n[0] * node(0, at[0]) - n[1] * node(1, at[1]);
      DualCell cell{{0, 0, 0.4}, {0, 0, 0.4}};
      for (std::size_t a = 0; a < 2; ++a) {
        cell.below[a] = length(a, at[a] - 1) / 2;
        cell.above[a] = length(a, at[a]) / 2;
      }
      std::array<double, 6> d{};
      for (std::size_t f = 0; f < 4; ++f)
        for (int p = 0; p < 4000; ++p) {
          const std::size_t a = f / 2, b = 1 - a;
          const double across = f % 2 == 0 ? -cell.below[a] : cell.above[a];
          const double u = n[a] * across + n[b] * (cell.length(b) * (p + 0.5) / 4000 - cell.below[b]) - offset;
          d[f] += (normal_d * n[a] + tangential_e * t[a] * eps[u < 0 ? 0 : 1]) / 4000;
        }
      const std::size_t half = 2 * axis + (end == 0 ? 1 : 0);
      const double alone = cell.half(half) / cell.length(axis) / eps[offset > 0 ? 0 : 1];
      const auto m = surface_matrix({n, offset, eps[0], eps[1]}, cell);
      for (std::size_t g = 0; g < 6; ++g) sum += (m ? (*m)[half][g] : half == g ? alone : 0) * d[g] * cell.length(axis);
    }
    return sum;
  }
};

TEST(FdtdSurfaceMatrix, IsExactForFieldsThatAreConstantOnBothSides) {
  for (const double ratio : {1.0, 1.6, 0.5})
    for (const auto& [normal_d, tangential_e] : {std::pair{1.0, 0.0}, {0.0, 1.0}}) {
      SCOPED_TRACE(ratio);
      const Piecewise field{normal_d, tangential_e, ratio};
      for (int i = -2; i < 2; ++i)
        for (int j = -2; j < 2; ++j)
          EXPECT_NEAR(
              field.voltage(i, j, 0) + field.voltage(i + 1, j, 1) - field.voltage(i, j + 1, 0) - field.voltage(i, j, 1),
              0, 2e-3);
      double across = 0;
      for (int i = -3; i < 3; ++i) across += field.voltage(i, 0, 0);
      EXPECT_NEAR(across, field.potential(field.node(0, 3), 0) - field.potential(field.node(0, -3), 0), 2e-3);
    }
}

TEST(FdtdSurfaceMatrix, IsSymmetricAndPositive) {
  const DualCell other_halves{{0.5, 0.65, 0.4}, {0.8, 0.4, 0.4}};
  for (int trial = 0; trial < 200; ++trial) {
    SurfacePlane plane{{noise(trial, 0, 0, 1), noise(trial, 0, 0, 2), noise(trial, 0, 0, 3)}, 0, 1, 12};
    const double length = std::hypot(plane.normal[0], plane.normal[1], plane.normal[2]);
    for (double& x : plane.normal) x /= length;
    plane.offset = 0.3 * noise(trial, 0, 0, 4);
    const DualCell& cell = trial % 2 == 0 ? equal_halves : other_halves;
    const auto m = surface_matrix(plane, cell);
    ASSERT_TRUE(m);
    for (std::size_t f = 0; f < 6; ++f)
      for (std::size_t g = 0; g < 6; ++g) EXPECT_NEAR((*m)[f][g], (*m)[g][f], 1e-14);
    for (int direction = 0; direction < 50; ++direction) {
      std::array<double, 6> x{};
      double norm = 0;  // of the energy in a cell of eps = 1
      for (std::size_t f = 0; f < 6; ++f) {
        x[f] = noise(trial, direction, static_cast<int>(f), 5);
        norm += x[f] * x[f] * cell.half(f) / cell.length(f / 2);
      }
      EXPECT_GT(quadratic(*m, x), 1.0 / 12 * 0.3 * norm);
    }
  }
}

enum class Cells { uniform, graded };
constexpr Cells every_mesh[] = {Cells::uniform, Cells::graded};

/// A sphere of glass of which half lies beyond periodic faces, in the beginning random fields.
Problem sphere(const char* faces, bool single, Cells cells = Cells::uniform) {
  const std::string text = fmt::format(
      "smoothing = true\ncourant = 0.99\nsteps = 1\nprecision = \"{}\"\n[grid]\n{}\n[faces]\nall = "
      "\"{}\"\n[cpml]\nthickness = 2\n[materials]\nglass.eps_r = 6\n[[geometry]]\nshape = "
      "\"sphere\"\nmaterial = \"glass\"\ncentre = [5.2, 5.1, 4.3]\nradius = 3.3\n[[probes]]\nposition = [8, 5, "
      "4]\n[[monitors]]\nfrequencies = 1e7\n",
      single ? "single" : "double",
      cells == Cells::uniform ? "cells = [11, 9, 10]\nspacing = [1, 1.2, 0.9]"
                              : "x = [0, 1, 2, 3.2, 4, 5.3, 6.3, 7.1, 8.6, 9.6, 10.6]\n"
                                "y = [0, 1.2, 2.4, 3.2, 4.5, 6.2, 7.2, 8.6, 9.8, 11]\n"
                                "z = [0, 0.9, 1.8, 2.4, 3.6, 4.8, 5.4, 6.2, 7.2, 8.1, 9]",
      faces);
  Problem p = make_problem(scene::read_scene(text, "sphere.toml", ".")).problem;
  p.initial = [](Field field, int c, int i, int j, int k) {
    return noise(i, j, k, c) * (field == Field::electric ? 1 : 1 / 376.7);
  };
  return p;
}

TEST(FdtdCoupledEdges, EveryCutHasTheSameBits) {
  for (const Cells cells : every_mesh)
    for (const bool single : {false, true})
      for (const char* faces : {"periodic", "pec", "pmc", "cpml"}) {
        const Problem p = sphere(faces, single, cells);
        EXPECT_GT(p.couplings.size(), 500U);
        const Outcome whole = run(p, {{1, 1, 1}, {}}, 12, anywhere);
        for (const std::array<int, 3>& parts :
             {std::array{1, 1, 1}, {2, 1, 1}, {5, 1, 1}, {2, 2, 2}, {1, 3, 2}, {10, 1, 1}})
          EXPECT_TRUE(run(p, {parts, {}}, 12, in_turn) == whole) << faces << ' ' << single << ' ' << parts[0];
      }
}

/// Steps that go together wait for the edges of the next plane and row; strips couple what they have of others, too.
TEST(FdtdCoupledEdges, StripsThatOverlapHaveTheSameBits) {
  for (const bool single : {false, true})
    for (const char* faces : {"periodic", "pec", "pmc", "cpml"}) {
      const Problem p = sphere(faces, single);
      const std::vector<BrickPlace> two = decompose(p, {{1, 2, 1}, {}});  // that take one step after the other
      Simulation halves(p, two, anywhere(two));
      halves.initialise();
      halves.advance(17);
      const Outcome whole = outcome(halves, p);
      const Energy energy = halves.energy();
      for (const auto& [strips, overlap] : {std::pair{1, 0}, {1, 6}, {2, 2}, {2, 5}, {3, 3}}) {
        const std::vector<BrickPlace> bricks = decompose(p, {{strips, 1, 1}, {}});
        Simulation s(p, bricks, fixed(bricks), overlap);
        s.initialise();
        s.advance(17);
        EXPECT_TRUE(outcome(s, p) == whole) << faces << ' ' << single << ' ' << strips << ' ' << overlap;
        EXPECT_NEAR(s.energy().electric, energy.electric, 1e-12 * energy.electric);
        const bool around = p.face[0] == Face::neighbour && overlap == 0;
        if (Runtime::session().devices() == 0) {
          EXPECT_EQ(s.steps_in_passes() > 0, !around && overlap != 2 && overlap != 3);
        }
      }
    }
}

TEST(FdtdCoupledEdges, SimpleSolverAgrees) {
  for (const Cells cells : every_mesh)
    for (const char* faces : {"periodic", "cpml"}) {
      const Problem p = sphere(faces, false, cells);
      EXPECT_LT(compare(p, {{2, 1, 2}, {}}, 20).error, 1e-13) << faces;
    }
}

/// The step is 0.99 of the largest one of the grid: with random fields, all of its waves are there. The energy with the
/// matrix is kept, whatever its sign of rounding; with its diagonal alone it would not be.
TEST(FdtdCoupledEdges, KeepTheEnergy) {
  for (const Cells cells : every_mesh)
    for (const char* faces : {"periodic", "pmc"}) {
      const Problem p = sphere(faces, false, cells);
      const std::vector<BrickPlace> bricks = decompose(p, {{1, 1, 1}, {}});
      Simulation s(p, bricks, anywhere(bricks));
      s.initialise();
      const Energy first = s.energy();
      const double before = first.electric + first.magnetic;
      double most = 0;
      double exchanged = 0;
      for (int round = 0; round < 20; ++round) {
        s.advance(500);
        const Energy now = s.energy();
        most = std::max(most, std::abs((now.electric + now.magnetic) / before - 1));
        exchanged = std::max(exchanged, std::abs(now.electric - first.electric) / before);
      }
      EXPECT_LT(most, 1e-11) << faces;
      EXPECT_GT(exchanged, 1e-3) << faces;
    }
}

TEST(FdtdCoupledEdges, TheEnergyHasTheSameBitsInEveryCut) {
  for (const Cells cells : every_mesh)
    for (const bool single : {false, true}) {
      const Problem p = sphere("periodic", single, cells);
      const auto energy = [&](const std::array<int, 3>& parts) {
        const std::vector<BrickPlace> bricks = decompose(p, {parts, {}});
        Simulation s(p, bricks, anywhere(bricks));
        s.initialise();
        s.advance(7);
        return s.energy().electric;
      };
      const double whole = energy({1, 1, 1});
      for (const std::array<int, 3>& parts : {std::array{2, 1, 1}, {5, 1, 1}, {10, 1, 1}})
        EXPECT_EQ(energy(parts), whole) << single << ' ' << parts[0];
    }
}

/// Two edges: xi = [1/2, 1/10; 1/10, 1/4], so its inverse is [5/23, -2/23; -2/23, 10/23] times 10.
TEST(FdtdCoupledEdges, EnergyOfTwo) {
  const std::vector<Coupling> couplings{{0, {1, 2, 3}, 2, {3, 2, 1}, 0.1 * 4}, {2, {3, 2, 1}, 0, {1, 2, 3}, 0.1 * 2}};
  const double x = 3, y = -2;
  const double expected = (50 * x * x - 40 * x * y + 100 * y * y) / 23 - 2 * x * x - 4 * y * y;
  EXPECT_NEAR(coupled_part(couplings, {{2, {3, 2, 1}, 4, y}, {0, {1, 2, 3}, 2, x}}), expected, 1e-13);
}

/// Conductors, losses and wires have no part in it.
TEST(FdtdCoupledEdges, LieInPlainDielectrics) {
  const auto couplings = [](const std::string& material, const std::string& more = "") {
    return make_problem(
               scene::read_scene("smoothing = true\nsteps = 1\n[grid]\ncells = [12, 12, 12]\nspacing = 1\n[materials]\n"
                                 "glass.eps_r = 6\nwet = { eps_r = 6, sigma = 1 }\n[[geometry]]\nshape = "
                                 "\"sphere\"\ncentre = [6, 6, 6]\nradius = 3.3\nmaterial = "
                                 "\"" +
                                     material + "\"\n" + more,
                                 "sphere.toml", "."))
        .problem.couplings;
  };
  const auto all = couplings("glass");
  EXPECT_GT(all.size(), 100U);
  for (const char* material : {"wet", "pec", "vacuum"}) EXPECT_TRUE(couplings(material).empty()) << material;
  const auto beside = couplings("glass", "[[conductors]]\nlow = [8, 6, 7]\nhigh = [8, 6, 10]\n");
  EXPECT_LT(beside.size(), all.size());
  for (const Coupling& c : beside) EXPECT_FALSE(c.component == 2 && c.cell == (std::array{8, 6, 8}));
}

}  // namespace
}  // namespace asterism::fdtd
