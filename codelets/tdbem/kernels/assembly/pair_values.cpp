// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/assembly/pair_values.hpp"

#include <algorithm>
#include <numbers>

#include "base/isa.hpp"
#include "base/vectors.hpp"
#include "codelets/tdbem/kernels/assembly/pair_points.hpp"

namespace asterism::tdbem {

using namespace pair_detail;

namespace {

using Four = double __attribute__((vector_size(32)));

/// Lanes 0, 2, 4, 6 of a, each with that of b after it; lanes 1, 3, 5, 7 alike.
ASTERISM_INLINE V even_lanes(V a, V b) {
  return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
}
ASTERISM_INLINE V odd_lanes(V a, V b) {
  return __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}
/// First pairs of lanes of both halves of a, each with that of b after it; second pairs alike.
ASTERISM_INLINE V first_pairs(V a, V b) {
  return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
}
ASTERISM_INLINE V second_pairs(V a, V b) {
  return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}

/// H and the moments of th by q - first, in two copies so that an addition need not wait for the one before it. Points
/// go to the copies in turn: as x and y change places from point to point in the rule of a triangle and itself, what
/// one copy has of (a, c) the other has of (c, a), and the sum of both is symmetric to the bit.
ASTERISM_INLINE void sum_points(const WeightedProducts& table, const double* squared, double per_step,
                                std::int32_t first, std::int32_t steps, double* sums) {
  const std::int32_t copy = steps * sums_of_step;
  for (std::int32_t e = 0; e < 2 * copy; e += width<double>) *reinterpret_cast<V*>(sums + e) = V{};
  for (std::int32_t v = 0; v < table.vectors(); ++v) {
    alignas(64) double rho[8], whole[8], g[8];
    alignas(64) std::int64_t place[8];
    for (int l = 0; l < 8; ++l) {
      rho[l] = steps_of(squared[8 * v + l], per_step);
      const auto q = static_cast<std::int32_t>(rho[l]);
      whole[l] = q;
      place[l] = static_cast<std::int64_t>(q - first) * sums_of_step;
    }
    const V th = vector(rho) - vector(whole);
    const V weight = vector(table.weight[v]) / vector(rho);
    *reinterpret_cast<V*>(g) = weight;
    // (g b_2 b_2, g th, g th^2, 0) of each point: a transposition, after which points come as 0, 2, 4, 6, 1, 3, 5, 7
    const V last = weight * vector(table.last[v]), linear = weight * th, square = linear * th;
    const V even = even_lanes(last, linear), even_square = even_lanes(square, V{});
    const V odd = odd_lanes(last, linear), odd_square = odd_lanes(square, V{});
    alignas(64) Four others[8];
    *reinterpret_cast<V*>(others + 0) = __builtin_shufflevector(even, even_square, 0, 1, 8, 9, 2, 3, 10, 11);
    *reinterpret_cast<V*>(others + 2) = __builtin_shufflevector(even, even_square, 4, 5, 12, 13, 6, 7, 14, 15);
    *reinterpret_cast<V*>(others + 4) = __builtin_shufflevector(odd, odd_square, 0, 1, 8, 9, 2, 3, 10, 11);
    *reinterpret_cast<V*>(others + 6) = __builtin_shufflevector(odd, odd_square, 4, 5, 12, 13, 6, 7, 14, 15);
    // lanes that fill up the last vector have any distance
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
  const std::int32_t copy = steps * sums_of_step;
  V row[8];
  Four rest[8];
  for (std::int32_t q = 0; q < 8; ++q) {
    row[q] = V{};
    rest[q] = Four{};
    if (begin + q < steps) {
      const double* const from = sums + (begin + q) * sums_of_step;
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
    lines.h[e] = __builtin_shufflevector(four[e], four[4 + e], 0, 1, 2, 3, 8, 9, 10, 11);
    lines.h[4 + e] = __builtin_shufflevector(four[e], four[4 + e], 4, 5, 6, 7, 12, 13, 14, 15);
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
  return __builtin_shufflevector(before, now, 7, 8, 9, 10, 11, 12, 13, 14);
}
ASTERISM_INLINE V two_before(V before, V now) {
  return __builtin_shufflevector(before, now, 6, 7, 8, 9, 10, 11, 12, 13);
}

}  // namespace

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
