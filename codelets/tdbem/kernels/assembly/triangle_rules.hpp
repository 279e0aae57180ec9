// SPDX-License-Identifier: Apache-2.0
// Symmetric quadrature on triangles: points in barycentric coordinates, weights of sum 1, so that the integral of f
// over a triangle is its area times the sum of weight * f(point). All weights are positive and all points inside. Rules
// of 1 and 3 points are the classical ones; 6, 12, 16: D. A. Dunavant, Int. J. Numer. Methods Eng. 21 (1985); 7: J.
// Radon, Monatsh. Math. 52 (1948). Digits polished by Newton's method on the moment equations.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace asterism::tdbem {

struct TrianglePoint {
  double coordinate[3];  ///< barycentric, of sum 1
  double weight;
};

inline constexpr std::int32_t most_triangle_points = 16;

/// Plain data, for arguments of tasks and kernels.
struct TriangleRule {
  std::int32_t points = 0;
  std::int32_t degree = 0;  ///< of the polynomials that it integrates exactly
  TrianglePoint point[most_triangle_points] = {};
};

/// Adds points to a rule, by orbit of the symmetries of a triangle.
namespace triangle_rule_detail {

constexpr void add(TriangleRule& rule, double weight, double a, double b, double c) {
  TrianglePoint& p = rule.point[rule.points++];
  p.coordinate[0] = a;
  p.coordinate[1] = b;
  p.coordinate[2] = c;
  p.weight = weight;
}
constexpr void centre(TriangleRule& rule, double weight) {
  add(rule, weight, 1.0 / 3, 1.0 / 3, 1.0 / 3);
}
/// (a, a, 1 - 2a) and what permutations make of it.
constexpr void three(TriangleRule& rule, double weight, double a) {
  const double c = 1 - 2 * a;
  add(rule, weight, a, a, c);
  add(rule, weight, a, c, a);
  add(rule, weight, c, a, a);
}
/// (a, b, 1 - a - b) and what permutations make of it.
constexpr void six(TriangleRule& rule, double weight, double a, double b) {
  const double c = 1 - a - b;
  add(rule, weight, a, b, c);
  add(rule, weight, b, c, a);
  add(rule, weight, c, a, b);
  add(rule, weight, a, c, b);
  add(rule, weight, c, b, a);
  add(rule, weight, b, a, c);
}

}  // namespace triangle_rule_detail

/// The rule of 1, 3, 6, 7, 12 or 16 points: exact for degrees 1, 2, 4, 5, 6, 8. Throws std::invalid_argument for
/// others.
constexpr TriangleRule triangle_rule(std::int32_t points) {
  namespace detail = triangle_rule_detail;
  TriangleRule rule;
  switch (points) {
    case 1:
      rule.degree = 1;
      detail::centre(rule, 1);
      return rule;
    case 3:
      rule.degree = 2;
      detail::three(rule, 1.0 / 3, 1.0 / 6);
      return rule;
    case 6:
      rule.degree = 4;
      detail::three(rule, 0.2233815896780114657, 0.44594849091596488632);
      detail::three(rule, 0.10995174365532186764, 0.09157621350977074346);
      return rule;
    case 7:
      rule.degree = 5;
      detail::centre(rule, 0.225);
      detail::three(rule, 0.13239415278850618074, 0.47014206410511508977);
      detail::three(rule, 0.1259391805448271526, 0.1012865073234563388);
      return rule;
    case 12:
      rule.degree = 6;
      detail::three(rule, 0.11678627572637936603, 0.24928674517091042129);
      detail::three(rule, 0.050844906370206816921, 0.06308901449150222834);
      detail::six(rule, 0.082851075618373575194, 0.31035245103378440542, 0.63650249912139864723);
      return rule;
    case 16:
      rule.degree = 8;
      detail::centre(rule, 0.14431560767778716825);
      detail::three(rule, 0.095091634267284624794, 0.45929258829272315603);
      detail::three(rule, 0.10321737053471825028, 0.17056930775176020662);
      detail::three(rule, 0.032458497623198080311, 0.050547228317030975458);
      detail::six(rule, 0.027230314174434994265, 0.0083947774099576053372, 0.26311282963463811342);
      return rule;
    default:
      throw std::invalid_argument("triangle_rule: rules have 1, 3, 6, 7, 12 or 16 points");
  }
}

}  // namespace asterism::tdbem
