// SPDX-License-Identifier: Apache-2.0
#include "codelets/tdbem/kernels/assembly/pair_rules.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace asterism::tdbem {
namespace {

/// A point of the reference triangle 0 <= second <= first <= 1, which the book maps to v0 + first (v1 - v0) +
/// second (v2 - v1).
struct Place {
  double first, second;
};
Place operator*(double s, Place p) {
  return {s * p.first, s * p.second};
}

/// Adds points one by one.
class Builder {
 public:
  explicit Builder(TouchingRule& rule) : rule_(rule) {}

  /// weight: of the reference pair, whose volume is 1/4.
  void add(double weight, Place x, Place y) {
    const double bx[3] = {1 - x.first, x.first - x.second, x.second};
    const double by[3] = {1 - y.first, y.first - y.second, y.second};
    WeightedProducts& table = rule_.table;
    const std::int32_t lane = table.points++ % 8;
    if (lane == 0)
      for (auto* list : {&rule_.x1, &rule_.x2, &rule_.y1, &rule_.y2, &table.weight, &table.last}) list->emplace_back();
    for (std::int32_t l = lane; l < 8; ++l) {
      rule_.x1.back().lane[l] = bx[1];
      rule_.x2.back().lane[l] = bx[2];
      rule_.y1.back().lane[l] = by[1];
      rule_.y2.back().lane[l] = by[2];
    }
    add_products(table, lane, 4 * weight, bx, by);
  }
  static void add_products(WeightedProducts& table, std::int32_t lane, double weight, const double (&bx)[3],
                           const double (&by)[3]) {
    table.weight.back().lane[lane] = weight;
    table.last.back().lane[lane] = bx[2] * by[2];
    Eight& products = table.products.emplace_back();
    for (int e = 0; e < 8; ++e) products.lane[e] = bx[e / 3] * by[e % 3];
  }

 private:
  TouchingRule& rule_;
};

/// Sauter and Schwab, section 5.2.1: six sub-regions, which pairwise exchange x and y.
void add_same(Builder& to, double weight, double s, double e1, double e2, double e3) {
  const double w = weight * s * s * s * e1 * e1 * e2;
  const Place pairs[3][2] = {{{1, 1 - e1 + e1 * e2}, {1 - e1 * e2 * e3, 1 - e1}},
                             {{1, e1 * (1 - e2 + e2 * e3)}, {1 - e1 * e2, e1 * (1 - e2)}},
                             {{1 - e1 * e2 * e3, e1 * (1 - e2 * e3)}, {1, e1 * (1 - e2)}}};
  for (const auto& pair : pairs) {
    to.add(w, s * pair[0], s * pair[1]);
    to.add(w, s * pair[1], s * pair[0]);
  }
}

/// Section 5.2.2: the common edge is second = 0; five sub-regions.
void add_edge(Builder& to, double weight, double s, double e1, double e2, double e3) {
  const double w = weight * s * s * s * e1 * e1;
  to.add(w, s * Place{1, e1 * e3}, s * Place{1 - e1 * e2, e1 * (1 - e2)});
  to.add(w * e2, s * Place{1, e1}, s * Place{1 - e1 * e2 * e3, e1 * e2 * (1 - e3)});
  to.add(w * e2, s * Place{1 - e1 * e2, e1 * (1 - e2)}, s * Place{1, e1 * e2 * e3});
  to.add(w * e2, s * Place{1 - e1 * e2 * e3, e1 * e2 * (1 - e3)}, s * Place{1, e1});
  to.add(w * e2, s * Place{1 - e1 * e2 * e3, e1 * (1 - e2 * e3)}, s * Place{1, e1 * e2});
}

/// Section 5.2.3: the common vertex is the origin; two sub-regions.
void add_vertex(Builder& to, double weight, double s, double e1, double e2, double e3) {
  const double w = weight * s * s * s * e2;
  to.add(w, s * Place{1, e1}, s * e2 * Place{1, e3});
  to.add(w, s * e2 * Place{1, e3}, s * Place{1, e1});
}

}  // namespace

Touch touch(const Triangle& x, const Triangle& y) {
  Touch t;
  int common = 0;
  bool used_x[3] = {}, used_y[3] = {};
  for (std::uint8_t a = 0; a < 3; ++a)
    for (std::uint8_t b = 0; b < 3; ++b)
      if (x.corner[a] == y.corner[b]) {
        t.x[static_cast<std::size_t>(common)] = a;
        t.y[static_cast<std::size_t>(common)] = b;
        used_x[a] = used_y[b] = true;
        ++common;
      }
  int nx = common, ny = common;
  for (std::uint8_t a = 0; a < 3; ++a) {
    if (!used_x[a]) t.x[static_cast<std::size_t>(nx++)] = a;
    if (!used_y[a]) t.y[static_cast<std::size_t>(ny++)] = a;
  }
  t.contact = static_cast<Contact>(common);
  return t;
}

UnitRule unit_rule(std::int32_t points) {
  UnitRule rule{std::vector<double>(static_cast<std::size_t>(points)), std::vector<double>(points)};
  for (std::int32_t i = 0; i < points; ++i) {
    // Newton's method on the Legendre polynomial, from the asymptotic zeros
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (points + 0.5)), slope = 1;
    for (int iteration = 0; iteration < 8; ++iteration) {
      double p = 1, before = 0;
      for (std::int32_t n = 1; n <= points; ++n) {
        const double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
        before = p;
        p = next;
      }
      slope = points * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    rule.x[static_cast<std::size_t>(i)] = 0.5 * (1 + x);
    rule.weight[static_cast<std::size_t>(i)] = 1 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

TouchingRule touching_rule(Contact contact, std::int32_t points) {
  if (contact == Contact::none || points < 1 || points > 16)
    throw std::invalid_argument("touching_rule: 1 to 16 points per variable for triangles with common corners");
  const auto add = contact == Contact::same ? add_same : contact == Contact::edge ? add_edge : add_vertex;
  const UnitRule unit = unit_rule(points);
  TouchingRule rule;
  Builder builder(rule);
  const auto n = static_cast<std::size_t>(points);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t l = 0; l < n; ++l)
          add(builder, unit.weight[i] * unit.weight[j] * unit.weight[k] * unit.weight[l], unit.x[i], unit.x[j],
              unit.x[k], unit.x[l]);
  return rule;
}

ProductRule product_rule(std::int32_t points) {
  ProductRule product{triangle_rule(points), {}};
  WeightedProducts& table = product.table;
  for (std::int32_t i = 0; i < points; ++i)
    for (std::int32_t j = 0; j < points; ++j) {
      const TrianglePoint &x = product.rule.point[i], &y = product.rule.point[j];
      const std::int32_t lane = table.points++ % 8;
      if (lane == 0) {
        table.weight.emplace_back();
        table.last.emplace_back();
      }
      Builder::add_products(table, lane, x.weight * y.weight, x.coordinate, y.coordinate);
    }
  return product;
}

PairRules::PairRules(const PairRuleOptions& o)
    : options(o),
      far(product_rule(o.far_points)),
      near(product_rule(o.near_points)),
      vertex(touching_rule(Contact::vertex, o.touching_points)),
      edge(touching_rule(Contact::edge, o.touching_points)),
      same(touching_rule(Contact::same, o.touching_points)) {
  if (!(o.near_gap >= 0) || !std::isfinite(o.near_gap))
    throw std::invalid_argument("PairRules: a gap that is not negative");
}

}  // namespace asterism::tdbem
