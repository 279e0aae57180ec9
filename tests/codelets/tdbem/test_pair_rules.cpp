// SPDX-License-Identifier: Apache-2.0
// Quadrature over pairs of triangles against exact integrals.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/codelets/tdbem/triangles.hpp"

namespace asterism::tdbem {
namespace {

double factorial(int n) {
  return n <= 1 ? 1 : n * factorial(n - 1);
}

TEST(UnitRule, IntegratesPolynomials) {
  for (const int n : {1, 2, 5, 11}) {
    const UnitRule rule = unit_rule(n);
    for (int power = 0; power <= 2 * n; ++power) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += rule.weight[i] * std::pow(rule.x[i], power);
      if (power < 2 * n)
        EXPECT_NEAR(sum * (power + 1), 1, 1e-13) << n << ' ' << power;
      else
        EXPECT_GT(std::abs(sum * (power + 1) - 1), 1e-13);
    }
  }
}

/// Integrals of x1^a x2^b y1^c y2^d over a pair of triangles of area 1 each, all powers with a sum of `degree`.
double worst_moment(const std::vector<PointPair>& points, int degree) {
  double worst = 0;
  for (int a = 0; a <= degree; ++a)
    for (int b = 0; a + b <= degree; ++b)
      for (int c = 0; a + b + c <= degree; ++c) {
        const int d = degree - a - b - c;
        double sum = 0;
        for (const PointPair& p : points)
          sum += p.weight * std::pow(p.x[1], a) * std::pow(p.x[2], b) * std::pow(p.y[1], c) * std::pow(p.y[2], d);
        const double exact =
            4 * factorial(a) * factorial(b) / factorial(a + b + 2) * factorial(c) * factorial(d) / factorial(c + d + 2);
        worst = std::max(worst, std::abs(sum / exact - 1));
      }
  return worst;
}

TEST(TouchingRule, IntegratesPolynomials) {
  // s^3 beside the polynomial leaves degree 2 n - 4
  for (const Contact contact : contacts)
    for (const int n : {3, 5})
      for (int degree = 0; degree <= 2 * n - 4; ++degree)
        EXPECT_LT(worst_moment(touching_points(touching_rule(contact, n)), degree), 1e-12)
            << static_cast<int>(contact) << ' ' << n << ' ' << degree;
}

TEST(TouchingRule, HasAsManyPointsAsSubRegionsAskFor) {
  EXPECT_EQ(touching_rule(Contact::vertex, 3).table.points, 2 * 81);
  EXPECT_EQ(touching_rule(Contact::edge, 3).table.points, 5 * 81);
  EXPECT_EQ(touching_rule(Contact::same, 3).table.points, 6 * 81);
  EXPECT_EQ(touching_rule(Contact::edge, 3).x1.size(), 51U);  // 405 points, in vectors
  EXPECT_THROW(touching_rule(Contact::none, 3), std::invalid_argument);
  EXPECT_THROW(touching_rule(Contact::edge, 0), std::invalid_argument);
  EXPECT_THROW(touching_rule(Contact::edge, 17), std::invalid_argument);
  EXPECT_THROW(PairRules({.near_gap = -1}), std::invalid_argument);
  EXPECT_THROW(PairRules({.far_points = 5}), std::invalid_argument);
}

TEST(TouchingRule, ProductsAreThoseOfItsPoints) {
  for (const Contact contact : contacts) {
    const TouchingRule rule = touching_rule(contact, 3);
    const std::vector<PointPair> points = touching_points(rule);
    for (std::size_t p = 0; p < points.size(); ++p)
      for (std::size_t e = 0; e < 9; ++e) {
        const double product = e < 8 ? rule.table.products[p].lane[e] : rule.table.last[p / 8].lane[p % 8];
        ASSERT_NEAR(product, points[p].x[e / 3] * points[p].y[e % 3], 1e-15);
      }
  }
}

TEST(ProductRule, PointsOfBothTriangles) {
  const ProductRule rule = product_rule(7);
  const std::vector<PointPair> points = product_points(7);
  ASSERT_EQ(rule.table.points, 49);
  double sum = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    EXPECT_EQ(rule.table.weight[p / 8].lane[p % 8], points[p].weight);
    sum += points[p].weight;
    for (std::size_t e = 0; e < 9; ++e)
      EXPECT_EQ(e < 8 ? rule.table.products[p].lane[e] : rule.table.last[p / 8].lane[p % 8],
                points[p].x[e / 3] * points[p].y[e % 3]);
  }
  EXPECT_NEAR(sum, 1, 1e-14);
  for (std::size_t p = points.size(); p < 56; ++p) EXPECT_EQ(rule.table.weight[p / 8].lane[p % 8], 0);
}

/// The potential of a triangle of charge 1 per area: D. R. Wilton and others, IEEE Trans. Antennas Propag. 32 (1984).
double potential(const Point& x, const std::array<Point, 3>& t) {
  Point n = cross(t[1] - t[0], t[2] - t[0]);
  n = 1 / norm(n) * n;
  const double height = dot(x - t[0], n);
  const Point foot = x - height * n;
  double sum = 0;
  for (std::size_t e = 0; e < 3; ++e) {
    const Point &a = t[e], &b = t[(e + 1) % 3];
    const Point along = 1 / norm(b - a) * (b - a);
    const double distance = dot(a - foot, cross(along, n)), la = dot(a - foot, along), lb = dot(b - foot, along);
    const double ra = norm(x - a), rb = norm(x - b), nearest = distance * distance + height * height;
    if (nearest < 1e-28) continue;  // on the line of the edge and in the plane
    sum += distance * std::log((rb + lb) / (ra + la)) -
           std::abs(height) * (std::atan(distance * lb / (nearest + std::abs(height) * rb)) -
                               std::atan(distance * la / (nearest + std::abs(height) * ra)));
  }
  return sum;
}

/// Integral of the potential of `source` over `t`, quartered `levels` times.
double mutual(const std::array<Point, 3>& t, const std::array<Point, 3>& source, int levels) {
  if (levels > 0) {
    const Point m[3] = {0.5 * (t[1] + t[2]), 0.5 * (t[2] + t[0]), 0.5 * (t[0] + t[1])};
    return mutual({t[0], m[2], m[1]}, source, levels - 1) + mutual({m[2], t[1], m[0]}, source, levels - 1) +
           mutual({m[1], m[0], t[2]}, source, levels - 1) + mutual({m[0], m[1], m[2]}, source, levels - 1);
  }
  const TriangleRule rule = triangle_rule(16);
  double sum = 0;
  for (std::int32_t p = 0; p < rule.points; ++p) {
    const auto& b = rule.point[p].coordinate;
    sum += rule.point[p].weight * potential(b[0] * t[0] + b[1] * t[1] + b[2] * t[2], source);
  }
  return sum * norm(cross(t[1] - t[0], t[2] - t[0])) / 2;
}

std::array<Point, 3> corners(const Patch& patch, std::size_t t) {
  const auto& c = patch.triangles[t].corner;
  return {patch.vertices[c[0]], patch.vertices[c[1]], patch.vertices[c[2]]};
}

double sum_over_distance(const Patch& patch, const std::vector<PointPair>& points) {
  const SurfaceView s = patch.view();
  double sum = 0;
  for (const PointPair& p : points) sum += p.weight / norm(at(p.x, s, s.triangles[0]) - at(p.y, s, s.triangles[1]));
  return sum * s.areas[0] * s.areas[1];
}

TEST(TouchingRule, ConvergesToMutualPotentials) {
  for (const Contact contact : contacts) {
    const Patch patch = touching_patch(contact);
    const double exact = mutual(corners(patch, 0), corners(patch, 1), 5);
    const Touch t = touch(patch.triangles[0], patch.triangles[1]);
    ASSERT_EQ(t.contact, contact);
    double before = 1;
    for (const int n : {2, 4, 6}) {
      const double error =
          std::abs(sum_over_distance(patch, touching_points(touching_rule(contact, n), t)) / exact - 1);
      EXPECT_LT(error, n == 2 ? 3e-2 : n == 4 ? 1e-3 : 5e-5) << static_cast<int>(contact) << ' ' << n;
      EXPECT_LT(error, before / 4) << static_cast<int>(contact) << ' ' << n;
      before = error;
    }
  }
}

TEST(TouchingRule, SelfPotentialOfATriangle) {
  // (4 A^2 / 3) sum ln(p / (p - 2 a)) / a over sides a, p their sum: T. F. Eibert, V. Hansen, IEEE Trans. Antennas
  // Propag. 43 (1995)
  const Patch patch = touching_patch(Contact::same);
  const std::array<Point, 3> c = corners(patch, 0);
  const double sides[3] = {norm(c[1] - c[0]), norm(c[2] - c[1]), norm(c[0] - c[2])};
  const double p = sides[0] + sides[1] + sides[2];
  double exact = 0;
  for (const double a : sides) exact += std::log(p / (p - 2 * a)) / a;
  exact *= 4 * patch.areas[0] * patch.areas[0] / 3;
  EXPECT_NEAR(sum_over_distance(patch, touching_points(touching_rule(Contact::same, 10))) / exact, 1, 1e-8);
}

TEST(Touch, CommonCornersComeFirst) {
  // any triangle with corners of 0..4 against another
  int seen[4] = {};
  for (int i = 0; i < 125; ++i)
    for (int j = 0; j < 125; ++j) {
      const Triangle x{{i % 5, i / 5 % 5, i / 25}}, y{{j % 5, j / 5 % 5, j / 25}};
      const auto valid = [](const Triangle& t) {
        return t.corner[0] != t.corner[1] && t.corner[1] != t.corner[2] && t.corner[2] != t.corner[0];
      };
      if (!valid(x) || !valid(y)) continue;
      const Touch t = touch(x, y);
      const auto common = static_cast<std::size_t>(t.contact);
      ++seen[common];
      std::array<std::uint8_t, 3> px = t.x, py = t.y;
      std::sort(px.begin(), px.end());
      std::sort(py.begin(), py.end());
      ASSERT_EQ(px, (std::array<std::uint8_t, 3>{0, 1, 2}));
      ASSERT_EQ(py, (std::array<std::uint8_t, 3>{0, 1, 2}));
      for (std::size_t a = 0; a < common; ++a) ASSERT_EQ(x.corner[t.x[a]], y.corner[t.y[a]]);
      for (std::size_t a = common; a < 3; ++a)
        for (std::size_t b = common; b < 3; ++b) ASSERT_NE(x.corner[t.x[a]], y.corner[t.y[b]]);
    }
  for (int contact = 1; contact < 4; ++contact) EXPECT_GT(seen[contact], 0);
}

}  // namespace
}  // namespace asterism::tdbem
