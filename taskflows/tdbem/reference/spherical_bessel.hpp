// SPDX-License-Identifier: Apache-2.0
// Spherical Bessel functions of all orders up to some, of real argument: what series on the sphere are made of.
#pragma once

#include <complex>
#include <vector>

namespace asterism::tdbem {

/// j_0(x) ... j_top(x), x > 0, by the recurrence downward from far above (J. C. P. Miller), where it is stable.
std::vector<double> spherical_j(int top, double x);

/// h_0(x) ... h_top(x) of the first kind, j + i y, x > 0, by the recurrence upward, stable as y grows: exact relative
/// to |h|, so that j is lost in it where y is much larger.
std::vector<std::complex<double>> spherical_h(int top, double x);

/// f_l' = l / x f_l - f_(l+1), which holds for both: as many as f has but one.
template <class T>
std::vector<T> spherical_derivative(const std::vector<T>& f, double x) {
  std::vector<T> d;
  for (std::size_t l = 0; l + 1 < f.size(); ++l) d.push_back(static_cast<double>(l) / x * f[l] - f[l + 1]);
  return d;
}

}  // namespace asterism::tdbem
