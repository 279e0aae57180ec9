// SPDX-License-Identifier: Apache-2.0
// Where links cross the surface of a body: against formulas, for every link.
#include "taskflows/lbm/geometry/wall_distances.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/as_size.hpp"

namespace asterism::lbm {
namespace {

using Point = std::array<double, 3>;

/// `exact(centre of a cell, direction)` for all links from fluid to solid.
template <class Exact>
std::map<std::int64_t, double> expected(const Voxels& solid, const std::array<int, 3>& n,
                                        const std::array<bool, 3>& periodic, const Exact& exact) {
  std::map<std::int64_t, double> links;
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x)
        for (int j = 1; j < q; ++j) {
          const Velocity c = velocity(j);
          std::array<int, 3> to{x + c.x, y + c.y, z + c.z};
          bool inside = true;
          for (std::size_t a = 0; a < 3; ++a) {
            inside = inside && (periodic[a] || (to[a] >= 0 && to[a] < n[a]));
            to[a] = (to[a] + n[a]) % n[a];
          }
          const auto number = [&](const std::array<int, 3>& at) { return at[0] + n[0] * (at[1] + n[1] * at[2]); };
          const int cell = number({x, y, z});
          if (!inside || solid[as_size(cell)] != 0 || solid[as_size(number(to))] == 0) continue;
          links[std::int64_t{q} * cell + j] = exact(Point{x + 0.5, y + 0.5, z + 0.5}, c);
        }
  return links;
}

void expect_same(const std::vector<WallDistance>& found, const std::map<std::int64_t, double>& exact) {
  ASSERT_EQ(found.size(), exact.size());
  ASSERT_GT(found.size(), 100U);
  auto at = exact.begin();
  for (const WallDistance& d : found) {
    EXPECT_EQ(d.link, at->first);
    EXPECT_NEAR(d.distance, at->second, 1e-12);
    ++at;
  }
}

TEST(LbmWallDistances, OfASphere) {
  const std::array<int, 3> n{16, 13, 14};
  const Sphere ball{{7.9, 6.3, 6.6}, 4.7};
  const Voxels solid = voxelise(ball, {n[0], n[1], n[2]});
  // by bisection
  const auto exact = [&](const Point& x, const Velocity& c) {
    double outside = 0;
    double inside = 1;
    for (int k = 0; k < 60; ++k) {
      const double t = (outside + inside) / 2;
      const double r =
          std::hypot(x[0] + t * c.x - ball.centre[0], x[1] + t * c.y - ball.centre[1], x[2] + t * c.z - ball.centre[2]);
      (r < ball.radius ? inside : outside) = t;
    }
    return outside;
  };
  expect_same(wall_distances(ball, solid, n, {}), expected(solid, n, {}, exact));
}

TEST(LbmWallDistances, OfACylinder) {
  const std::array<int, 3> n{16, 5, 14};
  const Cylinder rod{1, {7.9, 0, 6.6}, 4.7, 5};
  const Voxels solid = voxelise(rod, {n[0], n[1], n[2]});
  for (const bool periodic : {false, true}) {
    // t of |x + t c - centre| = radius across y, by Newton's method from outside
    const auto exact = [&](const Point& x, const Velocity& c) {
      double t = 0;
      for (int k = 0; k < 100; ++k) {
        const double u = x[0] + t * c.x - rod.centre[0];
        const double w = x[2] + t * c.z - rod.centre[2];
        t -= (u * u + w * w - rod.radius * rod.radius) / (2 * (u * c.x + w * c.z));
      }
      return t;
    };
    const std::array<bool, 3> along_y{false, periodic, false};
    expect_same(wall_distances(rod, solid, n, along_y), expected(solid, n, along_y, exact));
  }
}

/// A turned block of 12 triangles; the second one reaches through the periodic faces along y.
TEST(LbmWallDistances, OfABlock) {
  const std::array<int, 3> n{17, 12, 15};
  for (const bool through : {false, true}) {
    const Point centre{8.2, 6, 7.1};
    const Point half{4.1, through ? 6.0 : 3.3, 2.2};
    const double angle = 0.35;  // about y
    const std::array<Point, 3> axes{
        {{std::cos(angle), 0, -std::sin(angle)}, {0, 1, 0}, {std::sin(angle), 0, std::cos(angle)}}};
    mesh::TriangleMesh block;
    for (int i = 0; i < 8; ++i) {
      Point p = centre;
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t k = 0; k < 3; ++k) p[k] += ((i >> a & 1) != 0 ? half[a] : -half[a]) * axes[a][k];
      block.vertices.push_back(p);
    }
    for (const std::array<std::int32_t, 4>& f : std::vector<std::array<std::int32_t, 4>>{
             {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
      block.triangles.push_back({f[0], f[1], f[2]});
      block.triangles.push_back({f[0], f[2], f[3]});
    }
    const std::array<bool, 3> periodic{false, through, false};
    const Voxels solid = voxelise(block, {n[0], n[1], n[2]});
    // the last of the planes that a link enters through
    const auto exact = [&](const Point& x, const Velocity& c) {
      double last = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        if (through && a == 1) continue;
        const double from =
            (x[0] - centre[0]) * axes[a][0] + (x[1] - centre[1]) * axes[a][1] + (x[2] - centre[2]) * axes[a][2];
        const double along = c.x * axes[a][0] + c.y * axes[a][1] + c.z * axes[a][2];
        if (std::abs(from) > half[a]) last = std::max(last, (std::abs(from) - half[a]) / std::abs(along));
      }
      return last;
    };
    expect_same(wall_distances(block, solid, n, periodic), expected(solid, n, periodic, exact));
  }
}

}  // namespace
}  // namespace asterism::lbm
