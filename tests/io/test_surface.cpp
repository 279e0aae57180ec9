// SPDX-License-Identifier: Apache-2.0
// Surfaces: their defects, where they are put, and on which side of them a point lies.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "io/mesh/orientation.hpp"
#include "io/mesh/placement.hpp"
#include "io/mesh/surface.hpp"
#include "tests/io/files_fixture.hpp"
#include "tests/io/pyramid.hpp"

namespace asterism::mesh {
namespace {

TEST(Surface, FindsEveryDefect) {
  const TriangleMesh good{pyramid, pyramid_triangles};
  TriangleMesh open = good;
  open.triangles.pop_back();
  SurfaceReport report = check_closed_surface(open);
  EXPECT_FALSE(report.closed());
  EXPECT_EQ(report.open_edges.count, 3);
  EXPECT_EQ(report.open_edges.first, "edge 0-3 of triangle 0 only");
  EXPECT_EQ(report.crowded_edges.count + report.inconsistent_edges.count, 0);

  TriangleMesh turned = good;
  std::swap(turned.triangles[4][0], turned.triangles[4][1]);
  report = check_closed_surface(turned);
  EXPECT_FALSE(report.closed());
  EXPECT_EQ(report.inconsistent_edges.count, 3);
  EXPECT_EQ(report.inconsistent_edges.first, "edge 2-3 of triangles 0 and 4, which turn in opposite ways");
  EXPECT_EQ(report.open_edges.count + report.crowded_edges.count, 0);

  TriangleMesh inward = good;
  for (auto& t : inward.triangles) std::swap(t[0], t[1]);
  EXPECT_TRUE(check_closed_surface(inward).closed());
  EXPECT_NEAR(check_closed_surface(inward).signed_volume, -10, 1e-14);

  TriangleMesh fin = good;
  fin.vertices.push_back({9, 9, 9});
  fin.triangles.push_back({0, 1, 5});
  report = check_closed_surface(fin);
  EXPECT_EQ(report.crowded_edges.count, 1);
  EXPECT_EQ(report.crowded_edges.first, "edge 0-1 of 3 triangles, such as 1, 2 and 6");
  EXPECT_EQ(report.open_edges.count, 2);
  EXPECT_NE(report.describe().find("2 open edges (edge 0-5 of triangle 6 only); 1 edges of more"), std::string::npos)
      << report.describe();

  TriangleMesh flat = good;
  flat.triangles.push_back({2, 2, 1});
  flat.vertices.push_back({1, 0, 0});
  flat.triangles[2] = {0, 5, 4};
  flat.triangles.push_back({5, 1, 4});
  flat.triangles.push_back({0, 1, 5});
  report = check_closed_surface(flat);
  EXPECT_TRUE(report.closed()) << report.describe();
  EXPECT_EQ(report.degenerate_triangles.count, 2);
  EXPECT_EQ(report.degenerate_triangles.first, "triangle 6 of vertices 2, 2 and 1");
  EXPECT_NEAR(report.signed_volume, 10, 1e-14);

  TriangleMesh split = good;
  split.vertices.push_back(split.vertices[4]);
  split.vertices.push_back(split.vertices[1]);
  split.vertices.push_back(split.vertices[4]);
  split.triangles[2] = {0, 1, 5};
  report = check_closed_surface(split);
  EXPECT_EQ(report.duplicate_vertices.count, 3);
  EXPECT_EQ(report.duplicate_vertices.first, "vertex 5 where vertex 4 is");
  EXPECT_EQ(report.open_edges.count, 4);
}

TEST(Surface, VolumeIsThatOfTheBodyFarFromTheOrigin) {
  TriangleMesh mesh{pyramid, pyramid_triangles};
  for (Point& p : mesh.vertices) {
    for (double& x : p) x += 1048576;
  }
  EXPECT_NEAR(check_closed_surface(mesh).signed_volume, 10, 1e-8);
}

TEST(Placement, ScalesTurnsAndMoves) {
  TriangleMesh mesh{{{0, 0, 0}, {4, 0, 0}, {0, 2, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
  const double volume = check_closed_surface(mesh).signed_volume;
  place(mesh, {.length = 8, .degrees = {0, 0, 90}, .centre = Point{10, 20, 30}, .translation = {0, 0, 1}});
  // x becomes y, and y becomes -x: exactly
  EXPECT_EQ(mesh.vertices[0], (Point{12, 16, 30}));
  EXPECT_EQ(mesh.vertices[1], (Point{12, 24, 30}));
  EXPECT_EQ(mesh.vertices[2], (Point{8, 16, 30}));
  EXPECT_EQ(mesh.vertices[3], (Point{12, 16, 32}));
  EXPECT_DOUBLE_EQ(check_closed_surface(mesh).signed_volume, 8 * volume);
  TriangleMesh other{mesh};
  place(other, {.degrees = {30, 40, 50}});
  EXPECT_NEAR(check_closed_surface(other).signed_volume, 8 * volume, 1e-12);
  TriangleMesh segment{{{3, 5, 7}, {5, 5, 7}}, {}};
  place(segment, {.length = 4});
  EXPECT_EQ(segment.vertices[0], (Point{2, 5, 7})) << "the centre of the bounding box stays";
  EXPECT_EQ(segment.vertices[1], (Point{6, 5, 7}));
  // x first, then z: (0, 1, 0) -> (0, 0, 1) -> (0, 0, 1); the other order would give (-1, 0, 0)
  TriangleMesh axes{{{0, -1, 0}, {0, 1, 0}}, {}};
  place(axes, {.degrees = {90, 0, 90}});
  EXPECT_EQ(axes.vertices[1], (Point{0, 0, 1}));
  expect_bad_input([&] { place(mesh, {.length = 0}); }, {"length", "positive"});
  expect_bad_input([&] { place(mesh, {.degrees = {0, NAN, 0}}); }, {"rotation", "nan"});
  TriangleMesh point{{{1, 1, 1}}, {}};
  expect_bad_input([&] { place(point, {.length = 1}); }, {"no extent"});
}

TEST(Orientation, IsExactWhereRoundingIsNot) {
  // points of a line with slope 1 and their neighbours: the classic failure of rounded determinants
  const double ulp = std::ldexp(1.0, -53);
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      const std::array<double, 2> p = {0.5 + i * ulp, 0.5 + j * ulp};
      const int expected = j > i ? 1 : j < i ? -1 : 0;
      EXPECT_EQ(orientation({12.0, 12.0}, {24.0, 24.0}, p), expected);
      EXPECT_EQ(orientation({24.0, 24.0}, {12.0, 12.0}, p), -expected);
      EXPECT_EQ(orientation({12.0, 12.0, 1.0}, {24.0, 24.0, 2.0}, {24.0, 24.0, 5.0}, {p[0], p[1], 0.3}), -expected);
    }
  }
  EXPECT_EQ(orientation({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 1e-300}), 1);
  EXPECT_EQ(orientation({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {7, 3, 0}), 0);
  // points of a plane through three others, and beside it by one unit in the last place
  std::mt19937 random(3);
  const auto integer = [&] { return static_cast<double>(random() % 2000001) - 1000000; };
  for (int round = 0; round < 1000; ++round) {
    std::array<Point, 4> p;
    for (Point& q : p) q = {integer(), integer(), integer()};
    for (std::size_t d = 0; d < 3; ++d) p[3][d] = p[0][d] + 3 * (p[1][d] - p[0][d]) - 5 * (p[2][d] - p[0][d]);
    EXPECT_EQ(orientation(p[0], p[1], p[2], p[3]), 0);
    const double normal_z = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    p[3][2] = std::nextafter(p[3][2], INFINITY);
    EXPECT_EQ(orientation(p[0], p[1], p[2], p[3]), normal_z > 0 ? 1 : -1);
  }
}

}  // namespace
}  // namespace asterism::mesh
