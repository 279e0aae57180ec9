// SPDX-License-Identifier: Apache-2.0
// The points of a pair of triangles and the squares of their distances, inlined into what has versions for several
// instruction sets. Internal to pair_distances.cpp and pair_values.cpp, which are compiled without contraction.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/isa.hpp"
#include "base/vectors.hpp"
#include "codelets/tdbem/kernels/assembly/pair_distances.hpp"

namespace asterism::tdbem::pair_detail {

using V = Vector<double>;

ASTERISM_INLINE const V& vector(const Eight& e) {
  return *reinterpret_cast<const V*>(e.lane);
}
ASTERISM_INLINE const V& vector(const double* p) {
  return *reinterpret_cast<const V*>(p);
}
ASTERISM_INLINE V smaller(V a, V b) {
  return a < b ? a : b;
}
ASTERISM_INLINE V larger(V a, V b) {
  return a > b ? a : b;
}

/// One expression for all: what the structure of tiles and their values must agree on.
ASTERISM_INLINE double steps_of(double squared, double per_step) {
  return std::sqrt(squared) * per_step;
}
inline double steps_per_metre(const Discretisation& d) {
  return 1 / (d.speed * d.step);
}

/// The rule of a pair: the product of two rules or, if they touch, that of their contact.
struct Choice {
  const ProductRule* product = nullptr;
  const TouchingRule* touching = nullptr;
  Touch touch;
  [[nodiscard]] const WeightedProducts& table() const { return product != nullptr ? product->table : touching->table; }
};
ASTERISM_INLINE Choice choose(const PairRules& rules, const PairTriangle& x, const PairTriangle& y) {
  const Point between = y.centre - x.centre;
  const double squared = dot(between, between);
  // triangles that meet in their farthest corners are not far, whatever the rounding
  const double near = (1 + 1e-9) * (x.reach + y.reach) + rules.options.near_gap * 0.5 * (x.edge + y.edge);
  if (squared > near * near) return {&rules.far, nullptr, {}};
  const Touch t = touch(x.vertices, y.vertices);
  if (t.contact != Contact::none) return {nullptr, &rules.touching(t.contact), t};
  return {&rules.near, nullptr, {}};
}

/// The points of a rule on a triangle, filled up with copies of the last one.
ASTERISM_INLINE void place_points(const TriangleRule& rule, const Point (&corner)[3],
                                  double (&points)[3][most_triangle_points]) {
  for (int p = 0; p < most_triangle_points; ++p) {
    const double(&b)[3] = rule.point[std::min(p, rule.points - 1)].coordinate;
    const Point at = b[0] * corner[0] + b[1] * corner[1] + b[2] * corner[2];
    points[0][p] = at.x;
    points[1][p] = at.y;
    points[2][p] = at.z;
  }
}

struct Extremes {
  V least, largest;
  ASTERISM_INLINE void take(V squared) {
    least = smaller(least, squared);
    largest = larger(largest, squared);
  }
  [[nodiscard]] ASTERISM_INLINE DistanceRange range() const {
    DistanceRange r{least[0], largest[0]};
    for (int l = 1; l < width<double>; ++l) {
      r.least = std::min(r.least, least[l]);
      r.largest = std::max(r.largest, largest[l]);
    }
    return r;
  }
};

/// r^2 of n x n points; rows of `vectors` vectors overlap, as the next row overwrites what fills a row up.
template <int vectors>
ASTERISM_INLINE void product_distances(int n, const double (&x)[3][most_triangle_points],
                                       const double (&y)[3][most_triangle_points], double* squared, Extremes& e) {
  V at[3][vectors];
  for (int c = 0; c < 3; ++c)
    for (int v = 0; v < vectors; ++v) at[c][v] = vector(y[c] + v * width<double>);
  for (int i = 0; i < n; ++i) {
    for (int v = 0; v < vectors; ++v) {
      const V dx = at[0][v] - x[0][i], dy = at[1][v] - x[1][i], dz = at[2][v] - x[2][i];
      const V s = dx * dx + dy * dy + dz * dz;
      *reinterpret_cast<Lanes<double>::Unaligned*>(squared + i * n + v * width<double>) = s;
      e.take(s);
    }
  }
}

ASTERISM_INLINE void touching_distances(const TouchingRule& rule, const Touch& t, const PairTriangle& x,
                                        const PairTriangle& y, double* squared, Extremes& e) {
  // differences of corners, from the first common one, keep their digits where points come close
  const Point& origin = x.corner[t.x[0]];
  const Point x1 = x.corner[t.x[1]] - origin, x2 = x.corner[t.x[2]] - origin;
  const Point y1 = y.corner[t.y[1]] - origin, y2 = y.corner[t.y[2]] - origin;
  for (std::int32_t v = 0; v < rule.table.vectors(); ++v) {
    const V &a = vector(rule.x1[v]), &b = vector(rule.x2[v]), &c = vector(rule.y1[v]), &d = vector(rule.y2[v]);
    const V dx = (a * x1.x + b * x2.x) - (c * y1.x + d * y2.x);
    const V dy = (a * x1.y + b * x2.y) - (c * y1.y + d * y2.y);
    const V dz = (a * x1.z + b * x2.z) - (c * y1.z + d * y2.z);
    const V s = dx * dx + dy * dy + dz * dz;
    *reinterpret_cast<V*>(squared + v * width<double>) = s;
    e.take(s);
  }
}

ASTERISM_INLINE DistanceRange distances(const Choice& choice, const PairRules& rules, const PairTriangle& x,
                                        const PairTriangle& y, double* squared) {
  Extremes e{V{} + HUGE_VAL, V{}};
  if (choice.touching != nullptr) {
    touching_distances(*choice.touching, choice.touch, x, y, squared, e);
  } else {
    const int n = choice.product->rule.points;
    alignas(64) double near_x[3][most_triangle_points], near_y[3][most_triangle_points];
    const bool far = choice.product == &rules.far;
    if (!far) {
      place_points(choice.product->rule, x.corner, near_x);
      place_points(choice.product->rule, y.corner, near_y);
    }
    const auto& px = far ? x.points : near_x;
    const auto& py = far ? y.points : near_y;
    if (n <= width<double>)
      product_distances<1>(n, px, py, squared, e);
    else
      product_distances<2>(n, px, py, squared, e);
  }
  return e.range();
}

}  // namespace asterism::tdbem::pair_detail
