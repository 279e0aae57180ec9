// SPDX-License-Identifier: Apache-2.0
// Graded meshes of scenes: planes from lists and rules, what lies where, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "taskflows/fdtd/scene/to_problem.hpp"
#include "taskflows/fdtd/scene/voxelise.hpp"
#include "tests/taskflows/fdtd/scene_fixture.hpp"

namespace asterism::fdtd::scene {
namespace {

class GradedAxes : public SceneTests {
 protected:
  static std::string grid(const std::string& x, const std::string& more = "") {
    return "steps = 5\n" + more + "[grid]\nx = " + x + "\ny = { lines = [0, 1], spacing = 0.1 }\nz = [0, 0.5, 1]\n";
  }
};

TEST_F(GradedAxes, AList) {
  const Scene scene = read(grid("[-1, 0, 1, 1.5, 3]"));
  const Grid& g = scene.grid;
  EXPECT_EQ(g.cells, (std::array<std::int32_t, 3>{4, 10, 2}));
  EXPECT_EQ(g.planes[0], (std::vector<double>{-1, 0, 1, 1.5, 3}));
  EXPECT_TRUE(g.planes[1].empty() && g.planes[2].empty());
  EXPECT_EQ(g.origin, (Vector{-1, 0, 0}));
  EXPECT_EQ(g.spacing[0], 0.5);  // of the smallest cell
  EXPECT_EQ(g.centre(0, 3), 2.25);
  EXPECT_EQ(g.end(0), 3);
  EXPECT_EQ(nearest_entry(scene, {Field::electric, 1}, {2.1, 0.55, 0}), (std::array<std::int32_t, 3>{3, 5, 0}));
  EXPECT_EQ(position_of(g, {Field::electric, 0}, {3, 1, 1}), (Vector{2.25, 0.1, 0.5}));
  const Problem p = make_problem(scene).problem;
  EXPECT_EQ(p.mesh.planes[0], (std::vector<double>{0, 2, 4, 5, 8}));
  EXPECT_EQ(volume_of(p, Field::electric, 2, {3, 1, 1}), (0.5 + 1.5) / 2 * 0.1 * 0.5);
  EXPECT_NEAR(volume_of(p, Field::magnetic, 2, {3, 1, 1}), 1.5 * 0.1 * 0.5, 1e-16);
}

TEST_F(GradedAxes, CellsOfOneLengthAreAGridAsOthersAre) {
  const Scene scene =
      read("steps = 5\n[grid]\nx = { lines = [0, 0.3, 1], spacing = 0.1 }\ny = [0, 0.1, 0.2, 0.3]\nz = [1, 2]\n");
  EXPECT_FALSE(scene.grid.graded());
  EXPECT_EQ(scene.grid.cells, (std::array<std::int32_t, 3>{10, 3, 1}));
}

TEST_F(GradedAxes, ARuleKeepsLinesLengthsAndGrowth) {
  const Grid g = read(grid("{ lines = [-10, -1, 0.07, 1, 10], spacing = [2, 0.1, 0.2, 1.5], growth = 1.3 }")).grid;
  const std::vector<double>& p = g.planes[0];
  const auto length = [&](std::size_t i) { return p[i + 1] - p[i]; };
  for (const double line : {-10.0, -1.0, 0.07, 1.0, 10.0}) EXPECT_EQ(std::count(p.begin(), p.end(), line), 1) << line;
  double longest = 0;
  for (std::size_t i = 0; i + 1 < p.size(); ++i) {
    const double middle = (p[i] + p[i + 1]) / 2;
    const double most = middle < -1 ? 2 : middle < 0.07 ? 0.1 : middle < 1 ? 0.2 : 1.5;
    EXPECT_LE(length(i), most * (1 + 1e-12));
    longest = std::max(longest, length(i));
    if (i == 0) continue;
    EXPECT_LT(std::abs(std::log(length(i) / length(i - 1))), std::log(1.3) * 1.15) << i;
  }
  EXPECT_GT(longest, 1.5);
  EXPECT_LT(g.cells[0], 50);
}

TEST_F(GradedAxes, BodiesAreWhereTheirCentresAre) {
  const std::string body = "[[geometry]]\nmaterial = \"pec\"\nshape = ";
  const std::string octahedron =
      file("o.off",
           "OFF\n6 8 0\n2.9 0.5 0.5\n1.1 0.5 0.5\n2 1.4 0.5\n2 -0.4 0.5\n2 0.5 1.4\n2 0.5 -0.4\n"
           "3 0 2 4\n3 2 1 4\n3 1 3 4\n3 3 0 4\n3 2 0 5\n3 1 2 5\n3 3 1 5\n3 0 3 5\n")
          .filename()
          .string();
  for (const std::string& shape : {std::string("\"sphere\"\ncentre = [2, 0.5, 0.5]\nradius = 0.6\n"),
                                   "\"mesh\"\nfile = \"" + octahedron + "\"\n"}) {
    const Scene scene = read(grid("[-1, 0, 1, 1.5, 3, 3.5]") + body + shape);
    const std::vector<std::uint16_t> material = Geometry(scene).fill();
    // the centre of cell 3 is 2.25, of its neighbours 1.25 and 3.25
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(material[static_cast<std::size_t>((i * 10 + 5) * 2)] == 1, i == 3) << shape << i;
  }
}

/// Glass up to 4.25, in a cell from 4 to 5 beside one of 2.
TEST_F(GradedAxes, SmoothingCountsLengths) {
  const Problem p = make_problem(read(grid("[0, 2, 4, 5, 6]", "smoothing = \"diagonal\"\n") +
                                      "[materials.glass]\neps_r = 4\n[[geometry]]\nshape = \"half_space\"\n"
                                      "material = \"glass\"\npoint = [4.25, 0, 0]\nnormal = [1, 0, 0]\n"))
                        .problem;
  const auto permittivity = [&](int component, const std::array<int, 3>& cell) {
    for (const SmoothedEdge& e : p.smoothed)
      if (e.component == component && e.cell == cell) return e.medium.relative;
    return 0.0;
  };
  EXPECT_NEAR(permittivity(1, {2, 3, 1}), (4 * 1.25 + 0.25) / 1.5, 1e-3);  // from 3 to 4.5, E along the surface
  EXPECT_NEAR(permittivity(0, {2, 3, 1}), 1 / (0.25 / 4 + 0.75), 1e-3);    // from 4 to 5, E across it
}

/// Beside planes of unequal cells the medium of an edge is the mean by their areas.
TEST_F(GradedAxes, MediaCountByAreas) {
  const std::vector<fdtd::Material> materials = {{}, {4, 3, 0, 0}};
  const std::vector<std::uint16_t> cells = {0, 1};
  const Cells two{{2, 1, 1}, {}, cells.data()};
  GradedMesh mesh;
  mesh.planes[0] = {0, 2, 3};
  const Shares electric = weighted_shares(Field::electric, 2, {1, 0, 0}, two, mesh);
  const Shares magnetic = weighted_shares(Field::magnetic, 0, {1, 0, 0}, two, mesh);
  EXPECT_EQ(electric, (Shares{{0, 2 / 3.0}, {1, 1 / 3.0}}));
  EXPECT_DOUBLE_EQ(mean(Field::electric, electric, materials).relative, (2 * 1 + 1 * 4) / 3.0);
  EXPECT_DOUBLE_EQ(mean(Field::magnetic, magnetic, materials).relative, 3 / (2 + 1 / 3.0));
  const std::vector<fdtd::Pole> poles = mean_poles(electric, {{}, {debye(3, 1e-9)}});
  ASSERT_EQ(poles.size(), 1U);
  EXPECT_DOUBLE_EQ(poles[0].strength, 1);
  EXPECT_TRUE(weighted_shares(Field::electric, 2, {0, 0, 0}, two, mesh).empty());
  mesh.planes[0] = {0, 1, 2};
  EXPECT_TRUE(weighted_shares(Field::electric, 2, {1, 0, 0}, two, mesh).empty());
}

TEST_F(GradedAxes, WhatCannotBeIsRefused) {
  const auto refused = [&](const std::string& text, const std::vector<std::string>& words) {
    expect_bad_input([&] { (void)make_problem(read(text)); }, words);
  };
  const std::string graded = "[-1, 0, 1, 1.5, 3]";
  refused(grid("[0, 1, 1]"), {"grid.x", "found 1; expected more than 1"});
  refused(grid("[0]"), {"grid.x", "two coordinates"});
  refused(grid("1"), {"grid.x", "array of coordinates"});
  refused(grid("{ lines = [0, 1, 2], spacing = [1] }"), {"grid.x.spacing", "found 1 numbers", "expected 2"});
  refused(grid("{ lines = [0, 1], spacing = 0.1, growth = 1 }"), {"growth", "more than 1"});
  refused(grid("{ lines = [0, 1], spacing = 1e-9 }"), {"grid.x", "a rule of at most 16777216 cells"});
  refused("steps = 5\n[grid]\nx = [0, 1]\ny = [0, 1]\n", {"grid.z: found none"});
  refused(grid(graded) + "spacing = 1\n", {"unknown key"});
  refused(grid(graded) + "[faces]\nx = \"cpml\"\n[cpml]\nthickness = 1\n[faces2]\n", {"unknown key"});
  refused(grid("[0, 1, 2, 2.5, 3, 4, 5.1]") + "[faces]\nx = \"cpml\"\n[cpml]\nthickness = 2\n",
          {"absorbing layer before +x", "1 m", "1.1 m", "2 of one length"});
  refused(
      "steps = 5\n[grid]\nx = [0, 1, 2, 2.5, 3.5]\ny = { lines = [0, 1], spacing = 0.1 }\n"
      "z = { lines = [0, 1], spacing = 0.1 }\n"
      "[[sources]]\ntype = \"plane_wave\"\ndirection = [3, 0, 4]\npolarisation = [0, 1, 0]\n"
      "box = { from = [1, 1, 1], to = [3, 9, 9] }\nwaveform = { kind = \"gaussian\", width = 1e-8 }\n",
      {"plane wave", "along several axes", "cells of its box along x have several lengths"});
  refused(grid(graded) + "[[fields]]\nfile = \"a.vtkhdf\"\n", {".vtkhdf of a graded mesh", ".pvd or .h5"});
}

}  // namespace
}  // namespace asterism::fdtd::scene
