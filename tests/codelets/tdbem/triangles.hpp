// SPDX-License-Identifier: Apache-2.0
// Triangles for tests of TD-BEM's kernels: surfaces from lists, and the definition of the values of a pair evaluated
// point by point.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "codelets/tdbem/kernels/assembly/pair_values.hpp"
#include "codelets/tdbem/kernels/assembly/surface_view.hpp"

namespace asterism::tdbem {

/// The ways in which two triangles touch.
inline constexpr Contact contacts[3] = {Contact::vertex, Contact::edge, Contact::same};

/// Any triangles: they need not close.
struct Patch {
  std::vector<Point> vertices;
  std::vector<Triangle> triangles;
  std::vector<Point> normals;
  std::vector<double> areas;
  std::vector<std::int32_t> start, around;

  Patch(std::vector<Point> v, std::vector<Triangle> t) : vertices(std::move(v)), triangles(std::move(t)) {
    std::vector<std::vector<std::int32_t>> lists(vertices.size());
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      const auto& corner = triangles[i].corner;
      const Point n = cross(vertices[corner[1]] - vertices[corner[0]], vertices[corner[2]] - vertices[corner[0]]);
      normals.push_back(1 / norm(n) * n);
      areas.push_back(norm(n) / 2);
      for (int a = 0; a < 3; ++a) lists[corner[a]].push_back(static_cast<std::int32_t>(3 * i) + a);
    }
    start.push_back(0);
    for (const auto& list : lists) {
      around.insert(around.end(), list.begin(), list.end());
      start.push_back(static_cast<std::int32_t>(around.size()));
    }
  }
  [[nodiscard]] SurfaceView view() const {
    return {static_cast<std::int32_t>(vertices.size()),
            static_cast<std::int32_t>(triangles.size()),
            vertices.data(),
            triangles.data(),
            normals.data(),
            areas.data(),
            start.data(),
            around.data()};
  }
};

/// Triangles with 1, 2 and 3 common corners, the last two ones bent out of the plane of the first.
inline Patch touching_patch(Contact contact) {
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

/// Point pairs of the rule that the library takes for two triangles.
inline std::int32_t points_of(const PairRules& rules, const PairTriangle& x, const PairTriangle& y) {
  PairScratch scratch(rules);
  return pair_distances(rules, x, y, scratch).points;
}

/// A point of both triangles: barycentric coordinates and weight, of sum 1.
struct PointPair {
  std::array<double, 3> x, y;
  double weight;
};

/// Those of the product of two rules of so many points.
inline std::vector<PointPair> product_points(std::int32_t points) {
  const TriangleRule rule = triangle_rule(points);
  std::vector<PointPair> pairs;
  for (std::int32_t i = 0; i < points; ++i)
    for (std::int32_t j = 0; j < points; ++j) {
      const auto &p = rule.point[i], &q = rule.point[j];
      pairs.push_back({{p.coordinate[0], p.coordinate[1], p.coordinate[2]},
                       {q.coordinate[0], q.coordinate[1], q.coordinate[2]},
                       p.weight * q.weight});
    }
  return pairs;
}

/// Those of a rule for touching triangles, corners put back from its order into theirs.
inline std::vector<PointPair> touching_points(const TouchingRule& rule, const Touch& t = {}) {
  std::vector<PointPair> pairs(static_cast<std::size_t>(rule.table.points));
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto of = [&](const std::vector<Eight>& list) { return list[p / 8].lane[p % 8]; };
    pairs[p].weight = of(rule.table.weight);
    const double x[3] = {1 - of(rule.x1) - of(rule.x2), of(rule.x1), of(rule.x2)};
    const double y[3] = {1 - of(rule.y1) - of(rule.y2), of(rule.y1), of(rule.y2)};
    for (std::size_t a = 0; a < 3; ++a) {
      pairs[p].x[t.x[a]] = x[a];
      pairs[p].y[t.y[a]] = y[a];
    }
  }
  return pairs;
}

inline Point at(const std::array<double, 3>& b, const SurfaceView& s, const Triangle& t) {
  return b[0] * s.vertices[t.corner[0]] + b[1] * s.vertices[t.corner[1]] + b[2] * s.vertices[t.corner[2]];
}

using Matrix3 = std::array<std::array<double, 3>, 3>;

/// The definition: for every point pair its lags and what they get. Distances on the edge of two steps are not
/// expected.
inline std::map<std::int32_t, Matrix3> defined_values(const SurfaceView& s, std::int32_t tx, std::int32_t ty,
                                                      const Discretisation& d, const std::vector<PointPair>& points) {
  const Triangle &x = s.triangles[tx], &y = s.triangles[ty];
  const auto curl = [&](std::int32_t t, int a) {
    // n x grad b_a, with the gradient from the height over the opposite edge
    const auto& corner = s.triangles[t].corner;
    const Point b = s.vertices[corner[(a + 1) % 3]], c = s.vertices[corner[(a + 2) % 3]];
    const Point along = 1 / norm(c - b) * (c - b);
    const Point rise = s.vertices[corner[a]] - b;
    const Point height = rise - dot(rise, along) * along;
    return cross(s.normals[t], 1 / dot(height, height) * height);
  };
  std::map<std::int32_t, Matrix3> values;
  for (const PointPair& p : points) {
    const double r = norm(at(p.x, s, x) - at(p.y, s, y));
    const double g = p.weight * s.areas[tx] * s.areas[ty] / (4 * std::numbers::pi * r);
    const double rho = r / (d.speed * d.step);
    const auto q = static_cast<std::int32_t>(std::floor(rho));
    const double th = rho - q;
    for (int a = 0; a < 3; ++a)
      for (int c = 0; c < 3; ++c) {
        const double bb = p.x[a] * p.y[c];
        if (d.boundary == Boundary::soft) {
          values[q][a][c] += g * bb;
          values[q + 1][a][c] -= g * bb;
          continue;
        }
        const double b[3] = {(1 - th) * (1 - th) / 2, 0.5 + th - th * th, th * th / 2};
        const double second[3] = {1, -2, 1};
        for (int lag = 0; lag < 3; ++lag)
          values[q + lag][a][c] +=
              d.step * dot(curl(tx, a), curl(ty, c)) * g * b[lag] +
              dot(s.normals[tx], s.normals[ty]) / (d.speed * d.speed * d.step) * g * bb * second[lag];
      }
  }
  return values;
}

/// The largest value of all lags.
inline double largest(const std::map<std::int32_t, Matrix3>& values) {
  double most = 0;
  for (const auto& [lag, matrix] : values)
    for (const auto& row : matrix)
      for (const double v : row) most = std::max(most, std::abs(v));
  return most;
}

}  // namespace asterism::tdbem
