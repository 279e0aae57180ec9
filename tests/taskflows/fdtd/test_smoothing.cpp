// SPDX-License-Identifier: Apache-2.0
// Edges near surfaces that cross cells: their permittivity against shares and normals by hand.
#include "taskflows/fdtd/scene/surfaces/smoothing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "taskflows/fdtd/scene/to_problem.hpp"
#include "tests/taskflows/fdtd/scene_fixture.hpp"

namespace asterism::fdtd::scene {
namespace {

constexpr double rounding = 3e-4;  // 12 bits

class SmoothingTests : public SceneTests {
 protected:
  /// Edges of a scene of 6 x 5 x 4 cells of 1 x 2 x 1.5 m with glass of eps_r 4.
  std::vector<SmoothedEdge> edges(const std::string& more) const {
    return make_problem(read(text(more))).problem.smoothed;
  }
  static std::string text(const std::string& more) {
    return "smoothing = \"diagonal\"\n" + with(
                                              "[materials]\nglass = { eps_r = 4, sigma = 0.3 }\nice = { eps_r = 2 }\n"
                                              "metal = { drude = { omega_p = 1e6, gamma = 1e5 } }\n" +
                                                  more,
                                              "[6, 5, 4]", "[1, 2, 1.5]");
  }
  static std::string body(const std::string& shape, const std::string& keys, const std::string& material = "glass") {
    return fmt::format("[[geometry]]\nshape = \"{}\"\nmaterial = \"{}\"\n{}\n", shape, material, keys);
  }
  static std::optional<Medium> at(const std::vector<SmoothedEdge>& all, int component, const std::array<int, 3>& cell) {
    for (const SmoothedEdge& edge : all)
      if (edge.component == component && edge.cell == cell) return edge.medium;
    return std::nullopt;
  }
};

TEST_F(SmoothingTests, SurfacesOnPlanesOfTheGridStay) {
  EXPECT_TRUE(edges(body("box", "low = [2, 2, 1.5]\nhigh = [4, 6, 4.5]")).empty());
  EXPECT_TRUE(make_problem(read(with("[materials]\nglass = { eps_r = 4 }\n" +
                                     body("half_space", "point = [0, 0, 1]\nnormal = [0, 0, 1]"))))
                  .problem.smoothed.empty());  // without the key
}

/// A surface across z, a quarter of a cell above plane 2 (z = 3 m): the edge along z that it crosses has its parts in
/// series, those across on plane 2 have three quarters of their box below the surface, those on plane 3 none.
TEST_F(SmoothingTests, SurfacesAcrossAnAxisHaveBothMeans) {
  const auto all = edges(body("half_space", "point = [0, 0, 3.375]\nnormal = [0, 0, 1]"));
  const auto across = at(all, 2, {3, 3, 2});
  ASSERT_TRUE(across);
  EXPECT_NEAR(across->relative, 1 / (0.25 / 4 + 0.75), rounding);
  // the glass has 4 - i 0.3 / (w eps0): to first order sigma eps^2 times the mean of sigma / eps^2
  EXPECT_NEAR(across->loss, 0.25 * 0.3 / 16 * across->relative * across->relative, rounding);
  for (const int component : {0, 1}) {
    const auto along = at(all, component, {3, 3, 2});
    ASSERT_TRUE(along);
    EXPECT_NEAR(along->relative, 0.75 * 4 + 0.25, 4 * rounding);
    EXPECT_NEAR(along->loss, 0.75 * 0.3, rounding);
    EXPECT_FALSE(at(all, component, {3, 3, 3}));
    EXPECT_FALSE(at(all, component, {3, 3, 1}));
  }
  EXPECT_FALSE(at(all, 2, {3, 3, 1}));
}

/// A plane through the middle of an edge: half of the box on either side, with the normal in metres, not in cells.
TEST_F(SmoothingTests, TiltedSurfacesMixTheMeans) {
  constexpr double n[3] = {0.6, 0.48, 0.64};
  const int cell[3] = {3, 3, 2};
  for (int c = 0; c < 3; ++c) {
    const double p[3] = {3 + (c == 0 ? 0.5 : 0), 6 + (c == 1 ? 1.0 : 0), 3 + (c == 2 ? 0.75 : 0)};
    const auto found = at(edges(body("half_space", fmt::format("point = [{}, {}, {}]\nnormal = [{}, {}, {}]", p[0],
                                                               p[1], p[2], n[0], n[1], n[2]))),
                          c, {cell[0], cell[1], cell[2]});
    ASSERT_TRUE(found);
    const double square = n[c] * n[c];
    EXPECT_NEAR(1 / found->relative, square * (0.5 / 4 + 0.5) + (1 - square) / 2.5, 1e-2) << c;
  }
}

/// Half a cell thick, between the planes of the grid.
TEST_F(SmoothingTests, ThinBodiesHaveTheirShare) {
  const auto all = edges(body("box", "low = [0, 0, 1.5]\nhigh = [6, 10, 6]") +
                         body("box", "low = [0, 0, 3.375]\nhigh = [6, 10, 4.125]", "ice"));
  const auto across = at(all, 2, {2, 2, 2});
  ASSERT_TRUE(across);
  EXPECT_NEAR(across->relative, 1 / (0.5 / 4 + 0.5 / 2), 2 * rounding);
}

TEST_F(SmoothingTests, MeshesAndBoxesAgree) {
  file("cube.off",
       "OFF\n8 12 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n3 0 2 1\n3 0 3 2\n3 4 5 6\n3 4 6 7\n"
       "3 0 1 5\n3 0 5 4\n3 1 2 6\n3 1 6 5\n3 2 3 7\n3 2 7 6\n3 3 0 4\n3 3 4 7\n");
  const auto box = edges(body("box", "low = [1.3, 1.9, 1.1]\nhigh = [3.3, 3.9, 3.1]"));
  const auto mesh = edges(body("mesh", "file = \"cube.off\"\nscale = 2\ntranslation = [1.3, 1.9, 1.1]"));
  ASSERT_EQ(box.size(), mesh.size());
  EXPECT_GT(box.size(), 20U);
  for (std::size_t n = 0; n < box.size(); ++n) {
    EXPECT_EQ(box[n].component, mesh[n].component);
    EXPECT_EQ(box[n].cell, mesh[n].cell);
    EXPECT_EQ(box[n].medium.relative, mesh[n].medium.relative);
  }
}

/// Moved by a whole period, a body on a periodic face is the same.
TEST_F(SmoothingTests, PeriodicFacesGoOn) {
  const std::string periodic = "[faces]\nall = \"periodic\"\n";
  const std::string sphere = "radius = 1.7\ncentre = ";
  const auto split =
      edges(periodic + body("sphere", sphere + "[0.1, 0.2, 0.3]") + body("sphere", sphere + "[6.1, 0.2, 0.3]") +
            body("sphere", sphere + "[0.1, 10.2, 0.3]") + body("sphere", sphere + "[6.1, 10.2, 0.3]") +
            body("sphere", sphere + "[0.1, 0.2, 6.3]") + body("sphere", sphere + "[6.1, 0.2, 6.3]") +
            body("sphere", sphere + "[0.1, 10.2, 6.3]") + body("sphere", sphere + "[6.1, 10.2, 6.3]"));
  const auto whole = edges(periodic + body("sphere", sphere + "[3.1, 4.2, 3.3]"));  // 3, 2 and 2 cells on
  ASSERT_EQ(split.size(), whole.size());
  for (const SmoothedEdge& edge : split) {
    const auto same =
        at(whole, edge.component, {(edge.cell[0] + 3) % 6, (edge.cell[1] + 2) % 5, (edge.cell[2] + 2) % 4});
    ASSERT_TRUE(same);
    EXPECT_EQ(same->relative, edge.medium.relative);
  }
}

/// Conductors and poles have laws of their own.
TEST_F(SmoothingTests, ConductorsAndPolesStay) {
  for (const char* material : {"pec", "metal"})
    EXPECT_TRUE(edges(body("sphere", "centre = [3, 5, 3]\nradius = 1.9", material)).empty()) << material;
  EXPECT_FALSE(edges(body("sphere", "centre = [3, 5, 3]\nradius = 1.9")).empty());
}

}  // namespace
}  // namespace asterism::fdtd::scene
