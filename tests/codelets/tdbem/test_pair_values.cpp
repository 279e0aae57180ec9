// SPDX-License-Identifier: Apache-2.0
// Values and distances of pairs of triangles against the definition.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/codelets/tdbem/triangles.hpp"

namespace asterism::tdbem {
namespace {

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
    return points_of(rules, pair_triangle(patch.view(), rules, 0), pair_triangle(patch.view(), rules, 1));
  };
  EXPECT_EQ(points(touching_patch(Contact::same)), 7776);
  EXPECT_EQ(points(touching_patch(Contact::edge)), 6480);
  EXPECT_EQ(points(touching_patch(Contact::vertex)), 2592);
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
    EXPECT_EQ(points_of(rules, pair_triangle(patch.view(), rules, 0), pair_triangle(patch.view(), rules, 1)), 2592);
  }
}

TEST(PairDistances, LeastAndLargest) {
  const PairRules rules;
  PairScratch scratch(rules);
  for (const Patch& patch : {apart(7.3), apart(1.4), touching_patch(Contact::vertex), touching_patch(Contact::edge)}) {
    const SurfaceView s = patch.view();
    const PairTriangle x = pair_triangle(s, rules, 0), y = pair_triangle(s, rules, 1);
    const Touch t = touch(x.vertices, y.vertices);
    const std::int32_t points = points_of(rules, x, y);
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
    const DistanceRange range = pair_distances(rules, x, y, scratch).squared;
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
    const DistanceRange range = pair_distances(rules, x, y, scratch).squared;
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
