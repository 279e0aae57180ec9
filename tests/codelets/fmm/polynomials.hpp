// SPDX-License-Identifier: Apache-2.0
// Chebyshev polynomials by their definition and the products that a basis is to have, shared by the tests of operators.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "codelets/fmm/kernels/far/basis.hpp"

namespace asterism::fmm::cases {

using Real = long double;

inline Real polynomial(int a, Real x) {
  return std::cos(a * std::acos(std::clamp<Real>(x, -1, 1)));
}

struct Degree {
  int a, b, c;
};
/// The products that a basis is to have, in its order.
inline std::vector<Degree> degrees_of(const BasisChoice& choice) {
  std::vector<Degree> out;
  for (int a = 0; a < choice.order; ++a)
    for (int b = 0; b < choice.order; ++b)
      for (int c = 0; c < choice.order; ++c)
        if (choice.radius_squared < 0 || a * a + b * b + c * c <= choice.radius_squared) out.push_back({a, b, c});
  return out;
}

}  // namespace asterism::fmm::cases
