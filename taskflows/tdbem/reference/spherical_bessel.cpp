// SPDX-License-Identifier: Apache-2.0
#include "taskflows/tdbem/reference/spherical_bessel.hpp"

#include <cmath>

namespace asterism::tdbem {

std::vector<double> spherical_j(int top, double x) {
  // j falls by more than 2 per order beyond x and by far more from there on: 60 orders are enough for any start
  const int far = std::max(top, static_cast<int>(x)) + 60 + static_cast<int>(8 * std::cbrt(x));
  std::vector<double> j(static_cast<std::size_t>(top) + 1);
  double above = 0, here = 1e-300;
  for (int l = far; l >= 0; --l) {
    if (l <= top) j[static_cast<std::size_t>(l)] = here;
    const double below = (2 * l + 1) / x * here - above;
    above = here;
    here = below;
    if (std::abs(here) > 1e200) {
      here *= 1e-200;
      above *= 1e-200;
      for (int k = l; k <= top; ++k) j[static_cast<std::size_t>(k)] *= 1e-200;
    }
  }
  // `above` stands for j_0 = sin(x) / x, `here` for j_-1 = cos(x) / x: the larger one gives the scale
  const double scale = std::abs(std::sin(x)) > std::abs(std::cos(x)) ? std::sin(x) / x / above : std::cos(x) / x / here;
  for (double& value : j) value *= scale;
  return j;
}

std::vector<std::complex<double>> spherical_h(int top, double x) {
  std::vector<std::complex<double>> h;
  // h_-1 = exp(i x) / x, h_0 = -i exp(i x) / x
  std::complex<double> below = std::polar(1 / x, x), here = std::complex<double>(0, -1) * below;
  for (int l = 0; l <= top; ++l) {
    h.push_back(here);
    const std::complex<double> above = (2 * l + 1) / x * here - below;
    below = here;
    here = above;
  }
  return h;
}

}  // namespace asterism::tdbem
