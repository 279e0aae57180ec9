// SPDX-License-Identifier: Apache-2.0
// Quadrature over pairs of triangles for kernels that are singular where points meet: products of two rules of a
// triangle where triangles are apart; where they touch, the transformation of S. A. Sauter and C. Schwab, Boundary
// Element Methods (Springer 2011), section 5.2, which makes the integrand smooth in four variables of (0, 1).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codelets/tdbem/kernels/assembly/surface_view.hpp"
#include "codelets/tdbem/kernels/assembly/triangle_rules.hpp"

namespace asterism::tdbem {

/// Numbers of points and where they serve. Fewer make the marching on in time unstable.
struct PairRuleOptions {
  std::int32_t far_points = 7;       ///< of the rule on each of two triangles (triangle_rule())
  std::int32_t near_points = 12;     ///< of the same for triangles that are near each other
  std::int32_t touching_points = 6;  ///< Gauss points in each of four variables for triangles with common corners
  double near_gap = 2;               ///< what is near: gaps of less than so many edges, the mean of both triangles'
};

/// Common corners of two triangles.
enum class Contact : std::uint8_t { none, vertex, edge, same };

/// Corners in the order of the rule: common ones come first, in the same order on both sides.
struct Touch {
  Contact contact = Contact::none;
  std::array<std::uint8_t, 3> x = {0, 1, 2};
  std::array<std::uint8_t, 3> y = {0, 1, 2};
};
Touch touch(const Triangle& x, const Triangle& y);

/// A vector's worth of numbers, aligned as one.
struct alignas(64) Eight {
  double lane[8] = {};
};

/// What is summed at each point of a pair of triangles: weight * (product of basis functions). Corner a of the first
/// triangle has barycentric coordinate b_a at x, corner c of the second b_c at y.
struct WeightedProducts {
  std::int32_t points = 0;
  std::vector<Eight> weight;    ///< of sum 1, eight points each; filled up with zeros
  std::vector<Eight> products;  ///< one per point: b_a(x) b_c(y) at 3 a + c; the ninth is in `last`
  std::vector<Eight> last;      ///< b_2(x) b_2(y), eight points each

  [[nodiscard]] std::int32_t vectors() const { return (points + 7) / 8; }
};

/// The product of a rule with itself: point n_x * rule.points + n_y.
struct ProductRule {
  TriangleRule rule;
  WeightedProducts table;
};

/// Points of two triangles that touch: x = v0 + (v1 - v0) x1 + (v2 - v0) x2, y alike; barycentric coordinates
/// (1 - x1 - x2, x1, x2).
struct TouchingRule {
  std::vector<Eight> x1, x2, y1, y2;  ///< eight points each; filled up with copies of the last one
  WeightedProducts table;
};

/// `points` per variable. Throws std::invalid_argument for Contact::none and unless 1 <= points <= 16.
TouchingRule touching_rule(Contact contact, std::int32_t points);
ProductRule product_rule(std::int32_t points);

/// All rules of a surface; read by all tasks.
struct PairRules {
  PairRuleOptions options;
  ProductRule far, near;
  TouchingRule vertex, edge, same;

  /// Throws std::invalid_argument for numbers of points that no rule has and gaps that are negative or not finite.
  explicit PairRules(const PairRuleOptions& options = {});
  [[nodiscard]] const TouchingRule& touching(Contact contact) const {
    return contact == Contact::same ? same : contact == Contact::edge ? edge : vertex;
  }
};

/// Gauss and Legendre's rule on (0, 1): abscissas and weights of sum 1.
struct UnitRule {
  std::vector<double> x, weight;
};
UnitRule unit_rule(std::int32_t points);

}  // namespace asterism::tdbem
