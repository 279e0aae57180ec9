// SPDX-License-Identifier: Apache-2.0
// The surface prepared for TD-BEM: its quantities on bodies one can check by hand, what is refused, renumbering.
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <random>

#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/surface.hpp"
#include "tests/taskflows/tdbem/fixture.hpp"

namespace asterism::tdbem {
namespace {

TEST(TdbemSurface, QuantitiesOfATetrahedron) {
  const Surface s = prepare_surface(tetrahedron(2, 3, 6));
  ASSERT_EQ(s.unknowns(), 4);
  EXPECT_EQ(s.bodies, 1);
  EXPECT_DOUBLE_EQ(s.volume, 6);
  EXPECT_DOUBLE_EQ(s.areas[0], 3);
  EXPECT_DOUBLE_EQ(s.areas[1], 6);
  EXPECT_DOUBLE_EQ(s.areas[2], 9);
  EXPECT_DOUBLE_EQ(s.areas[3], std::sqrt(9. * 9 + 6 * 6 + 3 * 3));  // de Gua: squares of areas add up
  EXPECT_DOUBLE_EQ(s.area, 18 + std::sqrt(126.));
  expect_near(s.normals[0], {0, 0, -1}, 1e-15);
  expect_near(s.normals[1], {0, -1, 0}, 1e-15);
  expect_near(s.normals[2], {-1, 0, 0}, 1e-15);
  expect_near(s.normals[3], (1 / std::sqrt(126.)) * Point{9, 6, 3}, 1e-15);
  EXPECT_DOUBLE_EQ(s.edges.shortest, 2);
  EXPECT_DOUBLE_EQ(s.edges.longest, std::sqrt(45.));
  EXPECT_DOUBLE_EQ(s.edges.mean, (11 + std::sqrt(13.) + std::sqrt(40.) + std::sqrt(45.)) / 6);
  EXPECT_DOUBLE_EQ(s.diameter, std::sqrt(45.));
  EXPECT_EQ(s.start, (std::vector<std::int32_t>{0, 3, 6, 9, 12}));
  EXPECT_EQ(s.around, (std::vector<std::int32_t>{0, 3, 6, 2, 4, 9, 1, 8, 10, 5, 7, 11}));
  // triangle 0 is (0, 0, 0), (0, 3, 0), (2, 0, 0): opposite of its first corner is (2, -3, 0)
  expect_near(s.curls[0][0], (1.0 / 6) * Point{2, -3, 0}, 1e-15);
  expect_near(s.curls[0][1], (1.0 / 6) * Point{-2, 0, 0}, 1e-15);
  expect_near(s.curls[0][2], (1.0 / 6) * Point{0, 3, 0}, 1e-15);
}

/// grad b_i x n: b_i falls from 1 at its corner to 0 at the opposite edge.
TEST(TdbemSurface, CurlsAreTurnedGradients) {
  const Surface s = prepare_surface(ellipsoid(1, {1, 0.7, 0.5}));
  for (std::size_t t = 0; t < s.triangles.size(); ++t) {
    const auto corner = [&](std::size_t c) {
      return s.vertices[static_cast<std::size_t>(s.triangles[t].corner[c % 3])];
    };
    for (std::size_t c = 0; c < 3; ++c) {
      const Point gradient = cross(s.normals[t], s.curls[t][c]);  // as n x (g x n) = g
      EXPECT_NEAR(dot(gradient, s.normals[t]), 0, 1e-13);
      EXPECT_NEAR(dot(gradient, corner(c) - corner(c + 1)), 1, 1e-13);
      EXPECT_NEAR(dot(gradient, corner(c) - corner(c + 2)), 1, 1e-13);
      EXPECT_NEAR(dot(s.curls[t][c], s.normals[t]), 0, 1e-13);
    }
  }
}

TEST(TdbemSurface, SpheresConverge) {
  double before = 0;
  for (int level = 0; level <= 4; ++level) {
    const Surface s = prepare_surface(icosphere(level, 2));
    EXPECT_EQ(s.unknowns(), (10 << 2 * level) + 2);
    EXPECT_EQ(s.bodies, 1);
    EXPECT_NEAR(s.diameter, 4, 1e-14);
    const double error = 16 * std::numbers::pi - s.area;
    EXPECT_GT(s.volume, 0);
    if (level > 1) {
      EXPECT_NEAR(before / error, 4, 0.3);
    }
    before = error;
    for (std::size_t t = 0; t < s.triangles.size(); ++t)
      EXPECT_GT(dot(s.normals[t], s.vertices[static_cast<std::size_t>(s.triangles[t].corner[0])]), 0);
  }
}

TEST(TdbemSurface, BoxesAndEllipsoids) {
  const Surface s = prepare_surface(box({1, 2, 5}, {2, 3, 7}));
  EXPECT_EQ(s.unknowns(), 2 * (6 + 21 + 14) + 2);
  EXPECT_NEAR(s.area, 34, 1e-12);
  EXPECT_NEAR(s.volume, 10, 1e-12);
  EXPECT_NEAR(s.diameter, std::sqrt(30.), 1e-14);
  const Surface e = prepare_surface(ellipsoid(4, {1, 0.7, 0.5}));
  EXPECT_NEAR(e.volume, 4 * std::numbers::pi / 3 * 0.35, 0.01);
  for (const Point& p : e.vertices) EXPECT_NEAR(p.x * p.x + p.y * p.y / 0.49 + p.z * p.z / 0.25, 1, 1e-14);
  for (const char* name : {"sphere", "box", "ellipsoid"}) {
    const Surface at_least = prepare_surface(named_body(name, 163));
    EXPECT_GE(at_least.unknowns(), 163) << name;
    EXPECT_LE(at_least.unknowns(), 642) << name;
    EXPECT_EQ(at_least.volume > 0, true);
  }
  EXPECT_EQ(named_body("sphere", 162).vertices.size(), 162U);
  expect_names(complaint([] { named_body("cone", 10); }), "'cone'");
  expect_names(complaint([] { icosphere(-1, 1); }), "level");
  expect_names(complaint([] { icosphere(1, 0); }), "radius");
  expect_names(complaint([] { ellipsoid(1, {1, -1, 1}); }), "semi-axis");
  expect_names(complaint([] { box({1, 1, 0}, {1, 1, 1}); }), "side");
  expect_names(complaint([] { box({1, 1, 1}, {1, 0, 1}); }), "divisions");
}

TEST(TdbemSurface, WhatIsRefused) {
  const auto refused = [](const mesh::TriangleMesh& mesh, const char* why) {
    SCOPED_TRACE(why);
    expect_names(complaint([&] { prepare_surface(mesh); }), why);
  };
  refused({}, "0 triangles");
  mesh::TriangleMesh m = box({1, 2, 3}, {1, 1, 1});
  m.triangles.pop_back();
  refused(m, "open edges");
  m = box({1, 2, 3}, {1, 1, 1});
  std::swap(m.triangles[4][0], m.triangles[4][1]);
  refused(m, "opposite orientation");
  m = tetrahedron(1, 1, 1);
  append(m, tetrahedron(1, 1, 1), 5);
  for (auto& t : m.triangles)
    for (auto& v : t)
      if (v >= 4 && v < 6) v -= 4;  // two bodies with a common edge
  refused(m, "more than two triangles");
  m = tetrahedron(1, 1, 1);
  m.vertices.push_back({9, 9, 9});
  refused(m, "vertex 4 is the corner of no triangle");
  m.vertices.back() = {1, 0, 0};
  refused(m, "duplicate vertices");
  m = box({1, 1, 1}, {2, 1, 1});
  for (auto& v : m.vertices)
    if (v[0] == 0) v[0] = -0.5;  // the middle moves to one end
  refused(m, "without area");
}

TEST(TdbemSurface, OrientationOfEachPiece) {
  mesh::TriangleMesh m = tetrahedron(1, 2, 3);
  append(m, box({1, 1, 1}, {1, 2, 1}), 1 << 30);  // coordinates are exact, products of them are not
  const std::size_t second = 4;
  const Surface expected = prepare_surface(m);
  EXPECT_EQ(expected.bodies, 2);
  EXPECT_NEAR(expected.volume, 2, 1e-12);
  for (std::size_t t = second; t < m.triangles.size(); ++t) std::swap(m.triangles[t][0], m.triangles[t][1]);
  const std::string line = complaint([&] { prepare_surface(m); });
  expect_names(line, "triangle 4");
  expect_names(line, "inward");
  const Surface turned = prepare_surface(m, Inward::turned);
  EXPECT_NEAR(turned.volume, 2, 1e-12);
  for (std::size_t t = 0; t < m.triangles.size(); ++t) expect_near(turned.normals[t], expected.normals[t], 1e-9);
  EXPECT_EQ(turned.start, expected.start);
  for (std::int32_t v = 0; v < turned.unknowns(); ++v)
    for (std::int32_t a = turned.start[static_cast<std::size_t>(v)]; a < turned.start[static_cast<std::size_t>(v) + 1];
         ++a) {
      const std::int32_t entry = turned.around[static_cast<std::size_t>(a)];
      EXPECT_EQ(turned.triangles[static_cast<std::size_t>(entry / 3)].corner[entry % 3], v);
    }
}

TEST(TdbemSurface, Renumbering) {
  const Surface s = prepare_surface(ellipsoid(2, {1, 0.7, 0.5}));
  std::vector<std::int32_t> order(s.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  const Surface r = renumbered(s, order);
  const Surface twice = renumbered(r, order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    expect_near(r.vertices[i], s.vertices[static_cast<std::size_t>(order[i])], 0);
    expect_near(twice.vertices[i], s.vertices[static_cast<std::size_t>(twice.mesh_vertices[i])], 0);
  }
  EXPECT_EQ(r.bodies, s.bodies);
  EXPECT_NEAR(r.area, s.area, 1e-13);
  EXPECT_EQ(r.volume, s.volume);
  EXPECT_EQ(r.diameter, s.diameter);
  EXPECT_EQ(r.edges.mean, s.edges.mean);
  // the triangles are the same ones: each is found by its corners' places
  std::map<std::array<double, 3>, Point> normal_at;
  const auto centre = [](const Surface& of, std::size_t t) {
    Point sum;
    for (const std::int32_t v : of.triangles[t].corner) sum = sum + of.vertices[static_cast<std::size_t>(v)];
    return std::array<double, 3>{std::round(1e9 * sum.x), std::round(1e9 * sum.y), std::round(1e9 * sum.z)};
  };
  for (std::size_t t = 0; t < s.triangles.size(); ++t) normal_at[centre(s, t)] = s.normals[t];
  for (std::size_t t = 0; t < r.triangles.size(); ++t) {
    ASSERT_EQ(normal_at.count(centre(r, t)), 1U);
    expect_near(r.normals[t], normal_at[centre(r, t)], 1e-13);
    if (t > 0) {
      EXPECT_LE(r.triangles[t - 1].corner[0], r.triangles[t].corner[0]);
    }
  }
  std::vector<float> values;
  for (const Point& p : twice.vertices) values.push_back(static_cast<float>(p.x));
  const std::vector<float> back = in_mesh_order<float>(twice, values);
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_EQ(back[i], static_cast<float>(s.vertices[i].x));

  const auto refused = [&](std::vector<std::int32_t> bad) {
    expect_names(complaint([&] { renumbered(s, bad); }), "numbering");
  };
  refused({0, 1, 2});
  std::vector<std::int32_t> bad = order;
  bad[3] = bad[7];
  refused(bad);
  bad[3] = s.unknowns();
  refused(bad);
  bad[3] = -1;
  refused(bad);
}

TEST(TdbemSurface, ViewOfTheArrays) {
  const Surface s = prepare_surface(box({1, 2, 5}, {2, 3, 1}));
  const SurfaceView v = s.view();
  EXPECT_EQ(v.vertex_count, s.unknowns());
  EXPECT_EQ(v.triangle_count, 2 * (s.unknowns() - 2));
  EXPECT_EQ(v.vertices, s.vertices.data());
  EXPECT_EQ(v.triangles, s.triangles.data());
  EXPECT_EQ(v.normals, s.normals.data());
  EXPECT_EQ(v.areas, s.areas.data());
  EXPECT_EQ(v.start, s.start.data());
  EXPECT_EQ(v.around, s.around.data());
}

/// All pairs.
double farthest(const std::vector<Point>& points) {
  double most = 0;
  for (const Point& a : points)
    for (const Point& b : points) most = std::max(most, norm(a - b));
  return most;
}

TEST(TdbemSurface, DiameterIsThatOfAllPairs) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const std::size_t count : {1U, 2U, 31U, 33U, 100U, 777U, 2000U})
    for (const Point scale : {Point{1, 1, 1}, Point{0.1, 3, 1}, Point{1, 0, 0.2}, Point{0, 0, 0}}) {
      std::vector<Point> cloud(count), shell(count);
      for (std::size_t i = 0; i < count; ++i) {
        const Point p = {normal(random), normal(random), normal(random)};
        cloud[i] = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
        shell[i] = (1 / norm(p)) * p;
      }
      EXPECT_DOUBLE_EQ(diameter(cloud), farthest(cloud));
      EXPECT_DOUBLE_EQ(diameter(shell), farthest(shell));
    }
}

}  // namespace
}  // namespace asterism::tdbem
