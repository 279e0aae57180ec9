#include "codelets/tdbem/pair_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "codelets/isa.hpp"
#include "codelets/vectors.hpp"

namespace asterism::tdbem {
namespace {

using V = Vector<double>;
using Four = double __attribute__((vector_size(32)));
using Places = std::int64_t __attribute__((vector_size(64)));

constexpr int sum_lanes = 16;  // of each q: nine H, first and second moment of th, which fill up two vectors

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
double steps_per_metre(const Discretisation& d) {
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

/// Lanes 0, 2, 4, 6 of a, each with that of b after it; lanes 1, 3, 5, 7 alike.
ASTERISM_INLINE V even_lanes(V a, V b) {
  return __builtin_shuffle(a, b, Places{0, 8, 2, 10, 4, 12, 6, 14});
}
ASTERISM_INLINE V odd_lanes(V a, V b) {
  return __builtin_shuffle(a, b, Places{1, 9, 3, 11, 5, 13, 7, 15});
}
/// First pairs of lanes of both halves of a, each with that of b after it; second pairs alike.
ASTERISM_INLINE V first_pairs(V a, V b) {
  return __builtin_shuffle(a, b, Places{0, 1, 8, 9, 4, 5, 12, 13});
}
ASTERISM_INLINE V second_pairs(V a, V b) {
  return __builtin_shuffle(a, b, Places{2, 3, 10, 11, 6, 7, 14, 15});
}

/// H and the moments of th by q - first, in two copies so that an addition need not wait for the one before it. Points
/// go to the copies in turn: as x and y change places from point to point in the rule of a triangle and itself, what
/// one copy has of (a, c) the other has of (c, a), and the sum of both is symmetric to the bit.
ASTERISM_INLINE void sum_points(const WeightedProducts& table, const double* squared, double per_step,
                                std::int32_t first, std::int32_t steps, double* sums) {
  const std::int32_t copy = steps * sum_lanes;
  for (std::int32_t e = 0; e < 2 * copy; e += width<double>) *reinterpret_cast<V*>(sums + e) = V{};
  for (std::int32_t v = 0; v < table.vectors(); ++v) {
    alignas(64) double rho[8], whole[8], g[8];
    alignas(64) std::int64_t place[8];
    for (int l = 0; l < 8; ++l) {
      rho[l] = steps_of(squared[8 * v + l], per_step);
      const auto q = static_cast<std::int32_t>(rho[l]);
      whole[l] = q;
      place[l] = static_cast<std::int64_t>(q - first) * sum_lanes;
    }
    const V th = vector(rho) - vector(whole);
    const V weight = vector(table.weight[v]) / vector(rho);
    *reinterpret_cast<V*>(g) = weight;
    // (g b_2 b_2, g th, g th^2, 0) of each point: a transposition, after which points come as 0, 2, 4, 6, 1, 3, 5, 7
    const V last = weight * vector(table.last[v]), linear = weight * th, square = linear * th;
    const V even = even_lanes(last, linear), even_square = even_lanes(square, V{});
    const V odd = odd_lanes(last, linear), odd_square = odd_lanes(square, V{});
    alignas(64) Four others[8];
    *reinterpret_cast<V*>(others + 0) = __builtin_shuffle(even, even_square, Places{0, 1, 8, 9, 2, 3, 10, 11});
    *reinterpret_cast<V*>(others + 2) = __builtin_shuffle(even, even_square, Places{4, 5, 12, 13, 6, 7, 14, 15});
    *reinterpret_cast<V*>(others + 4) = __builtin_shuffle(odd, odd_square, Places{0, 1, 8, 9, 2, 3, 10, 11});
    *reinterpret_cast<V*>(others + 6) = __builtin_shuffle(odd, odd_square, Places{4, 5, 12, 13, 6, 7, 14, 15});
    const std::int32_t lanes = std::min(8, table.points - 8 * v);
    for (std::int32_t l = 0; l < lanes; ++l) {
      double* const to = sums + place[l] + (l & 1) * copy;
      *reinterpret_cast<V*>(to) += g[l] * vector(table.products[8 * v + l]);
      *reinterpret_cast<Four*>(to + 8) += others[(l & 1) * 4 + l / 2];
    }
  }
}

/// The nine H and the moments of th of eight q.
struct Lines {
  V h[9] = {};
  V moment[3] = {};
};

/// Those of q from `begin` on; zeros from `steps` on. In registers, as loads that do not match a store before wait.
ASTERISM_INLINE Lines lines_of(const double* sums, std::int32_t steps, std::int32_t begin) {
  const std::int32_t copy = steps * sum_lanes;
  V row[8];
  Four rest[8];
  for (std::int32_t q = 0; q < 8; ++q) {
    row[q] = V{};
    rest[q] = Four{};
    if (begin + q < steps) {
      const double* const from = sums + (begin + q) * sum_lanes;
      row[q] = vector(from) + vector(from + copy);
      rest[q] = *reinterpret_cast<const Four*>(from + 8) + *reinterpret_cast<const Four*>(from + copy + 8);
    }
  }
  Lines lines;
  V two[8], four[8];
  for (int q = 0; q < 8; q += 2) {
    two[q] = even_lanes(row[q], row[q + 1]);
    two[q + 1] = odd_lanes(row[q], row[q + 1]);
  }
  for (int q = 0; q < 8; q += 4)
    for (int e = 0; e < 2; ++e) {
      four[q + e] = first_pairs(two[q + e], two[q + e + 2]);
      four[q + e + 2] = second_pairs(two[q + e], two[q + e + 2]);
    }
  for (int e = 0; e < 4; ++e) {
    lines.h[e] = __builtin_shuffle(four[e], four[4 + e], Places{0, 1, 2, 3, 8, 9, 10, 11});
    lines.h[4 + e] = __builtin_shuffle(four[e], four[4 + e], Places{4, 5, 6, 7, 12, 13, 14, 15});
  }
  V both[4];
  for (int q = 0; q < 4; ++q) both[q] = __builtin_shufflevector(rest[q], rest[q + 4], 0, 1, 2, 3, 4, 5, 6, 7);
  const V even[2] = {even_lanes(both[0], both[1]), even_lanes(both[2], both[3])};
  lines.h[8] = first_pairs(even[0], even[1]);
  lines.moment[1] = first_pairs(odd_lanes(both[0], both[1]), odd_lanes(both[2], both[3]));
  lines.moment[2] = second_pairs(even[0], even[1]);
  for (const V& h : lines.h) lines.moment[0] += h;
  return lines;
}

/// Values of eight lags from those of the same q and of the eight before.
ASTERISM_INLINE V one_before(V before, V now) {
  return __builtin_shuffle(before, now, Places{7, 8, 9, 10, 11, 12, 13, 14});
}
ASTERISM_INLINE V two_before(V before, V now) {
  return __builtin_shuffle(before, now, Places{6, 7, 8, 9, 10, 11, 12, 13});
}

}  // namespace

PairTriangle pair_triangle(const SurfaceView& surface, const PairRules& rules, std::int32_t index) {
  PairTriangle t;
  t.index = index;
  t.vertices = surface.triangles[index];
  t.normal = surface.normals[index];
  t.area = surface.areas[index];
  for (int a = 0; a < 3; ++a) t.corner[a] = surface.vertices[t.vertices.corner[a]];
  t.centre = 1.0 / 3 * (t.corner[0] + t.corner[1] + t.corner[2]);
  for (int a = 0; a < 3; ++a) {
    const Point opposite = t.corner[(a + 2) % 3] - t.corner[(a + 1) % 3];
    t.curl[a] = 1 / (2 * t.area) * opposite;
    t.edge += norm(opposite) / 3;
    t.reach = std::max(t.reach, norm(t.corner[a] - t.centre));
  }
  place_points(rules.far.rule, t.corner, t.points);
  return t;
}

PairScratch::PairScratch(const PairRules& rules) {
  std::int32_t most = 0;
  for (const WeightedProducts* table :
       {&rules.far.table, &rules.near.table, &rules.vertex.table, &rules.edge.table, &rules.same.table})
    most = std::max(most, table->vectors());
  squared.resize(static_cast<std::size_t>(most) + 2);
  sums.resize(static_cast<std::size_t>(2 * most_lags * sum_lanes / 8));
}

std::int32_t pair_points(const PairRules& rules, const PairTriangle& x, const PairTriangle& y) {
  return choose(rules, x, y).table().points;
}

ASTERISM_CLONES DistanceRange pair_distances(const PairRules& rules, const PairTriangle& x, const PairTriangle& y,
                                             PairScratch& scratch) {
  return distances(choose(rules, x, y), rules, x, y, scratch.squared.data()->lane);
}

std::int32_t whole_steps(double squared_distance, const Discretisation& d) {
  return static_cast<std::int32_t>(steps_of(squared_distance, steps_per_metre(d)));
}

StepSet pair_steps(const PairRules& rules, const Discretisation& d, const PairTriangle& x, const PairTriangle& y,
                   PairScratch& scratch) {
  const Choice choice = choose(rules, x, y);
  const double* const squared = scratch.squared.data()->lane;
  StepSet set{whole_steps(pair_distances(rules, x, y, scratch).least, d)};
  for (std::int32_t p = 0; p < choice.table().points; ++p) {
    const std::int32_t q = whole_steps(squared[p], d) - set.first;
    set.bits[q / 64] |= std::uint64_t{1} << (q % 64);
  }
  return set;
}

ASTERISM_CLONES void pair_values(const PairRules& rules, const Discretisation& d, const PairTriangle& x,
                                 const PairTriangle& y, PairScratch& scratch, PairValues& out) {
  const Choice choice = choose(rules, x, y);
  double* const squared = scratch.squared.data()->lane;
  double* const sums = scratch.sums.data()->lane;
  const double per_step = steps_per_metre(d);
  const DistanceRange range = distances(choice, rules, x, y, squared);
  const auto first = static_cast<std::int32_t>(steps_of(range.least, per_step));
  const std::int32_t steps = static_cast<std::int32_t>(steps_of(range.largest, per_step)) - first + 1;
  sum_points(choice.table(), squared, per_step, first, steps, sums);

  // w / rho was summed: g = w / (4 pi r) has the factor |T| |T'| / (4 pi c dt)
  const double scale = x.area * y.area * per_step / (4 * std::numbers::pi);
  const std::int32_t count = steps + lags_of_distance(d.boundary) - 1;
  out.first = first;
  out.count = count;
  const Touch& t = choice.touch;
  const double normal =
      d.boundary == Boundary::soft ? scale : scale * dot(x.normal, y.normal) / (d.speed * d.speed * d.step);
  double* to[9];
  double tangential[9];
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c < 3; ++c) {
      to[3 * a + c] = out.value[3 * t.x[a] + t.y[c]];
      tangential[3 * a + c] = scale * d.step * dot(x.curl[t.x[a]], y.curl[t.y[c]]);
    }
  Lines before;
  for (std::int32_t k = 0; k < count; k += width<double>) {
    const Lines now = lines_of(sums, steps, k);
    if (d.boundary == Boundary::soft) {
      for (int e = 0; e < 9; ++e)
        *reinterpret_cast<V*>(to[e] + k) = normal * (now.h[e] - one_before(before.h[e], now.h[e]));
    } else {
      // B summed: (m0 - 2 m1 + m2) / 2, m0 / 2 + m1 - m2, m2 / 2 with the moments of th
      V moment[3][3];
      for (int m = 0; m < 3; ++m) {
        moment[m][0] = now.moment[m];
        moment[m][1] = one_before(before.moment[m], now.moment[m]);
        moment[m][2] = two_before(before.moment[m], now.moment[m]);
      }
      const V s = 0.5 * (moment[0][0] + moment[0][1]) - (moment[1][0] - moment[1][1]) +
                  0.5 * ((moment[2][0] - moment[2][1]) - (moment[2][1] - moment[2][2]));
      for (int e = 0; e < 9; ++e) {
        const V second = now.h[e] - 2 * one_before(before.h[e], now.h[e]) + two_before(before.h[e], now.h[e]);
        *reinterpret_cast<V*>(to[e] + k) = tangential[e] * s + normal * second;
      }
    }
    before = now;
  }
}

}  // namespace asterism::tdbem
