// SPDX-License-Identifier: Apache-2.0
// The polynomials in which far fields are written: products T_a(x) T_b(y) T_c(z) of Chebyshev polynomials on a cell
// scaled to [-1, 1]^3.
//
// A multipole expansion holds the moments M_abc = sum_j w_j T_a(x_j) T_b(y_j) T_c(z_j), a local expansion the
// coefficients of phi(x) = sum_abc L_abc T_a T_b T_c. Equations 2 and 3 of the paper interpolate at the l^3 Chebyshev
// nodes; S_l(x, x_m) = sum_a c_a T_a(x_m) T_a(x) with c_0 = 1/l, c_a = 2/l, so the two forms differ by a discrete
// cosine transform that is part of the M2L operators here. The coefficients have two advantages: the symmetries of the
// cube act on them by permutation and sign, and those of high degree in several directions at once, which the
// interpolation carries along without getting more accurate by them (Trefethen, Cubature, approximation, and isotropy
// in the hypercube, SIAM Review 59, 2017), can be left out.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/fmm/kernels/far/views.hpp"

namespace asterism::fmm {

/// Which products make up a basis.
struct BasisChoice {
  int order = 5;  ///< l: degrees 0 .. l - 1 in each direction
  /// Largest a^2 + b^2 + c^2; negative: all l^3 products, the paper's interpolation.
  double radius_squared = -1;

  bool operator==(const BasisChoice&) const = default;
};

class Basis {
 public:
  /// Throws Error (bad input) for an order outside 1 .. max_order.
  explicit Basis(const BasisChoice& choice);

  [[nodiscard]] BasisView view() const noexcept;
  [[nodiscard]] int order() const noexcept { return order_; }
  [[nodiscard]] int size() const noexcept { return row_begin_.back(); }
  [[nodiscard]] int stride() const noexcept { return (size() + 7) / 8 * 8; }
  [[nodiscard]] int rows() const noexcept { return static_cast<int>(row_a_.size()); }
  /// Index of T_a T_b T_c, -1 when it is left out.
  [[nodiscard]] int index(int a, int b, int c) const noexcept;

 private:
  int order_;
  std::vector<std::int32_t> row_begin_{0};
  std::vector<std::int32_t> row_a_;
  std::vector<std::int32_t> row_b_;
  std::vector<std::int32_t> row_of_;
};

/// T_a((x + 1) / 2) = sum_{b <= a} S[a * order + b] T_b(x): from a parent's coordinate to that of its upper child. For
/// the lower child, (x - 1) / 2, entries with a + b odd change sign.
std::vector<double> shift_matrix(int order);

}  // namespace asterism::fmm
