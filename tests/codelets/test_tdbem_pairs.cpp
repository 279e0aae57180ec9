// Pairs of triangles: their quadrature against exact integrals, their values against the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/codelets/tdbem_triangles.hpp"

namespace asterism::tdbem {
namespace {

constexpr Contact contacts[3] = {Contact::vertex, Contact::edge, Contact::same};

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

/// Triangles with 1, 2 and 3 common corners, the last two ones bent out of the plane of the first.
Patch touching_patch(Contact contact) {
  const std::vector<Point> v = {{0, 0, 0}, {1, 0.1, 0}, {0.3, 0.9, 0.2}, {-0.4, -0.8, 0.5}, {-0.9, 0.2, 0.3}};
  switch (contact) {
    case Contact::vertex:
      return {v, {{{0, 1, 2}}, {{0, 4, 3}}}};
    case Contact::edge:
      return {v, {{{0, 1, 2}}, {{1, 0, 3}}}};
    default:
      return {v, {{{0, 1, 2}}, {{0, 1, 2}}}};
  }
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

/// Two triangles apart by about `gap`, of different shapes, not parallel, and a thin one.
Patch apart(double gap) {
  return {{{0.1, 0.2, -0.1}, {1.1, 0.1, 0}, {0.4, 1.2, 0.3}, {gap, 0.9, 0.5}, {gap + 0.7, 0.3, 1.2}, {gap, -0.4, 0.1}},
          {{{0, 1, 2}}, {{4, 3, 5}}}};
}

void expect_defined(const Patch& patch, const Discretisation& d, const PairRules& rules,
                    const std::vector<PointPair>& points, PairScratch& scratch) {
  const SurfaceView s = patch.view();
  PairValues values;
  const PairTriangle x = pair_triangle(s, rules, 0), y = pair_triangle(s, rules, 1);
  pair_values(rules, d, x, y, scratch, values);
  auto expected = defined_values(s, 0, 1, d, points);
  const double scale = largest(expected);
  ASSERT_EQ(values.first, expected.begin()->first);
  ASSERT_EQ(values.first + values.count - 1, expected.rbegin()->first);
  for (std::int32_t k = 0; k < values.count; ++k)
    for (int a = 0; a < 3; ++a)
      for (int c = 0; c < 3; ++c)
        ASSERT_NEAR(values.value[3 * a + c][k], expected[values.first + k][a][c], 1e-12 * scale)
            << k << ' ' << a << ' ' << c;
  for (std::int32_t k = values.count; k < (values.count + 7) / 8 * 8; ++k)
    for (int e = 0; e < 9; ++e) ASSERT_EQ(values.value[e][k], 0);
}

void expect_defined(const Patch& patch, const Discretisation& d, const PairRules& rules,
                    const std::vector<PointPair>& points) {
  PairScratch scratch(rules);
  expect_defined(patch, d, rules, points, scratch);
}

constexpr Boundary boundaries[2] = {Boundary::rigid, Boundary::soft};
constexpr double many_steps[5] = {20, 1.37, 0.31, 0.083, 0.0391};  // from one to dozens of distances

TEST(PairValues, FarPairsAreAsDefined) {
  const PairRules rules;
  for (const Boundary boundary : boundaries)
    for (const double step : many_steps) {
      expect_defined(apart(7.3), {boundary, 1, step}, rules, product_points(7));
      expect_defined(apart(7.3), {boundary, 1.7, step}, rules, product_points(7));
    }
}

TEST(PairValues, NearPairsAreAsDefined) {
  const PairRules rules;
  for (const Boundary boundary : boundaries)
    for (const double step : many_steps) expect_defined(apart(1.4), {boundary, 0.6, step}, rules, product_points(12));
}

TEST(PairValues, TouchingPairsAreAsDefined) {
  const PairRules rules;
  for (const Boundary boundary : boundaries)
    for (const Contact contact : {Contact::vertex, Contact::edge})
      for (const double step : many_steps) {
        const Patch patch = touching_patch(contact);
        const Touch t = touch(patch.triangles[0], patch.triangles[1]);
        expect_defined(patch, {boundary, 1.3, step}, rules, touching_points(rules.touching(contact), t));
      }
}

TEST(PairValues, NothingIsLeftOfThePairBefore) {
  // fewer and fewer lags in the same memory
  const PairRules rules;
  for (const Boundary boundary : boundaries) {
    PairScratch scratch(rules);
    for (double step = 0.021; step < 3; step *= 1.07)
      expect_defined(apart(7.3), {boundary, 1, step}, rules, product_points(7), scratch);
  }
}

TEST(PairTriangle, IsPrepared) {
  const Patch patch = apart(2);
  const PairRules rules;
  const PairTriangle t = pair_triangle(patch.view(), rules, 1);
  const Point v[3] = {{2.7, 0.3, 1.2}, {2, 0.9, 0.5}, {2, -0.4, 0.1}};
  const double opposite[3] = {norm(v[2] - v[1]), norm(v[0] - v[2]), norm(v[1] - v[0])};
  EXPECT_EQ(t.index, 1);
  EXPECT_EQ(t.vertices.corner[0], 4);
  EXPECT_NEAR(norm(t.centre - 1.0 / 3 * (v[0] + v[1] + v[2])), 0, 1e-15);
  EXPECT_NEAR(t.edge, (opposite[0] + opposite[1] + opposite[2]) / 3, 1e-15);
  double reach = 0;
  for (int a = 0; a < 3; ++a) {
    EXPECT_EQ(norm(t.corner[a] - v[a]), 0);
    reach = std::max(reach, norm(v[a] - t.centre));
    // n x grad b_a runs along the edge, as corners turn, and b_a falls from 1 to 0 over the height
    EXPECT_NEAR(dot(t.curl[a], v[(a + 2) % 3] - v[(a + 1) % 3]), opposite[a] * norm(t.curl[a]), 1e-14);
    EXPECT_NEAR(norm(t.curl[a]), opposite[a] / (2 * patch.areas[1]), 1e-14);
  }
  EXPECT_EQ(t.reach, reach);
}

TEST(PairValues, ATriangleWithItselfIsSymmetric) {
  const Patch patch = touching_patch(Contact::vertex);
  const SurfaceView s = patch.view();
  const PairRules rules;
  PairScratch scratch(rules);
  PairValues values;
  const PairTriangle x = pair_triangle(s, rules, 0);
  for (const Boundary boundary : boundaries)
    for (const double step : many_steps) {
      const Discretisation d{boundary, 1.3, step};
      pair_values(rules, d, x, x, scratch, values);
      auto expected = defined_values(s, 0, 0, d, touching_points(rules.same));
      const double scale = largest(expected);
      for (std::int32_t k = 0; k < values.count; ++k)
        for (int a = 0; a < 3; ++a)
          for (int c = 0; c < 3; ++c) {
            ASSERT_EQ(values.value[3 * a + c][k], values.value[3 * c + a][k]);
            ASSERT_NEAR(values.value[3 * a + c][k], expected[values.first + k][a][c], 1e-12 * scale);
          }
    }
}

TEST(PairValues, OtherRulesServe) {
  // one point each, rules of more than one vector, and no near ones
  for (const std::int32_t points : {1, 6, 12, 16}) {
    const PairRules rules({.far_points = points, .near_points = 3, .touching_points = 2, .near_gap = 0});
    expect_defined(apart(3.3), {Boundary::rigid, 1, 0.43}, rules, product_points(points));
  }
}

TEST(PairValues, CornersMayTurn) {
  // the order of corners is the mesh's: with enough points values do not depend on it
  const PairRules rules({.touching_points = 12});
  PairScratch scratch(rules);
  PairValues first, other;
  const Discretisation d{Boundary::soft, 1, 20};  // one distance: the integral of b_a b_c / (4 pi r)
  for (const Contact contact : contacts) {
    const Patch patch = touching_patch(contact);
    const SurfaceView s = patch.view();
    pair_values(rules, d, pair_triangle(s, rules, 0), pair_triangle(s, rules, 1), scratch, first);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        Patch turned = patch;
        for (int a = 0; a < 3; ++a) {
          turned.triangles[0].corner[a] = patch.triangles[0].corner[(a + i) % 3];
          turned.triangles[1].corner[a] = patch.triangles[1].corner[(a + j) % 3];
        }
        pair_values(rules, d, pair_triangle(turned.view(), rules, 0), pair_triangle(turned.view(), rules, 1), scratch,
                    other);
        for (int a = 0; a < 3; ++a)
          for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(other.value[3 * a + c][0] / first.value[3 * ((a + i) % 3) + (c + j) % 3][0], 1, 1e-7);
        // and both triangles may change places
        pair_values(rules, d, pair_triangle(turned.view(), rules, 1), pair_triangle(turned.view(), rules, 0), scratch,
                    other);
        for (int a = 0; a < 3; ++a)
          for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(other.value[3 * c + a][0] / first.value[3 * ((a + i) % 3) + (c + j) % 3][0], 1, 1e-7);
      }
  }
}

TEST(PairValues, RulesByDistance) {
  const PairRules rules;
  const auto points = [&](const Patch& patch) {
    return pair_points(rules, pair_triangle(patch.view(), rules, 0), pair_triangle(patch.view(), rules, 1));
  };
  EXPECT_EQ(points(touching_patch(Contact::same)), 3750);
  EXPECT_EQ(points(touching_patch(Contact::edge)), 3125);
  EXPECT_EQ(points(touching_patch(Contact::vertex)), 1250);
  // equal triangles of edge 1, centres 2 / sqrt 3 + gap apart
  for (const double gap : {0.1, 1.99, 2.01}) {
    const double x = 2 / std::sqrt(3.0) + gap, h = std::sqrt(0.75);
    const Patch patch({{0, 0, 0}, {1, 0, 0}, {0.5, h, 0}, {x, 0, 0}, {x + 1, 0, 0}, {x + 0.5, h, 0}},
                      {{{0, 1, 2}}, {{3, 4, 5}}});
    EXPECT_EQ(points(patch), gap < 2 ? 144 : 49) << gap;
  }
}

TEST(PairValues, TouchingPairsAreNeverFar) {
  // common corners in the middle between the centres: the distance of the centres is that of the corners
  const PairRules rules({.near_gap = 0});
  for (int i = 0; i < 50; ++i) {
    const double c = std::cos(i), s = std::sin(i), z = 0.1 * i;
    const Point a{c - 0.1 * s, s + 0.1 * c, z}, b{c + 0.1 * s, s - 0.1 * c, z};
    const Point middle{0.2 * c, 0.2 * s, z};
    const auto mirrored = [&](const Point& p) { return 2 * middle - p; };
    const Patch patch({middle, a, b, mirrored(a), mirrored(b)}, {{{0, 1, 2}}, {{0, 3, 4}}});
    EXPECT_EQ(pair_points(rules, pair_triangle(patch.view(), rules, 0), pair_triangle(patch.view(), rules, 1)), 1250);
  }
}

TEST(PairDistances, LeastAndLargest) {
  const PairRules rules;
  PairScratch scratch(rules);
  for (const Patch& patch : {apart(7.3), apart(1.4), touching_patch(Contact::vertex), touching_patch(Contact::edge)}) {
    const SurfaceView s = patch.view();
    const PairTriangle x = pair_triangle(s, rules, 0), y = pair_triangle(s, rules, 1);
    const Touch t = touch(x.vertices, y.vertices);
    const std::int32_t points = pair_points(rules, x, y);
    const auto pairs = points == 49 || points == 144 ? product_points(points == 49 ? 7 : 12)
                                                     : touching_points(rules.touching(t.contact), t);
    double least = HUGE_VAL, most = 0;
    const Discretisation d{Boundary::rigid, 1.1, 0.0371};
    std::map<std::int32_t, bool> steps;
    for (const PointPair& p : pairs) {
      const double r = norm(at(p.x, s, x.vertices) - at(p.y, s, y.vertices));
      least = std::min(least, r);
      most = std::max(most, r);
      steps[static_cast<std::int32_t>(r / (d.speed * d.step))] = true;
    }
    const DistanceRange range = pair_distances(rules, x, y, scratch);
    EXPECT_NEAR(std::sqrt(range.least) / least, 1, 1e-12);
    EXPECT_NEAR(std::sqrt(range.largest) / most, 1, 1e-12);
    const StepSet set = pair_steps(rules, d, x, y, scratch);
    EXPECT_EQ(set.first, steps.begin()->first);
    for (std::int32_t q = 0; q < most_lags; ++q)
      EXPECT_EQ((set.bits[q / 64] >> (q % 64) & 1U) != 0, steps.count(set.first + q) > 0) << q;
  }
}

TEST(PairDistances, MultiplesOfAStepFallOnOneSideForAll) {
  // parallel triangles shifted by a multiple of c dt, where many distances are multiples, up to rounding
  const PairRules rules;
  PairScratch scratch(rules);
  PairValues values;
  for (int n = 3; n < 40; ++n) {
    const Discretisation d{Boundary::rigid, 1.0 / 3, 0.3 * n / 7.0};
    const double shift = 40 * d.speed * d.step;
    const Patch patch({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, shift}, {1, 0, shift}, {0, 1, shift}},
                      {{{0, 1, 2}}, {{3, 4, 5}}});
    const PairTriangle x = pair_triangle(patch.view(), rules, 0), y = pair_triangle(patch.view(), rules, 1);
    const DistanceRange range = pair_distances(rules, x, y, scratch);
    pair_values(rules, d, x, y, scratch, values);
    EXPECT_EQ(values.first, whole_steps(range.least, d));
    EXPECT_EQ(values.first + values.count - 1, whole_steps(range.largest, d) + 2);
    double sum = 0, most = 0;
    for (std::int32_t k = 0; k < values.count; ++k)
      for (int e = 0; e < 9; ++e) {
        sum += values.value[e][k];
        most = std::max(most, std::abs(values.value[e][k]));
      }
    EXPECT_LT(std::abs(sum), 1e-12 * most);  // of curls and of second differences
  }
}

}  // namespace
}  // namespace asterism::tdbem
