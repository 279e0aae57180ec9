// SPDX-License-Identifier: Apache-2.0
#include "taskflows/fmm/periodic/lattice_sum.hpp"

#include <cmath>
#include <cstdlib>
#include <numbers>

namespace asterism::fmm {
namespace {

using std::numbers::pi;

/// Ewald's splitting parameter, for which both sums converge alike: exp(-alpha^2 r^2) and exp(-(2 pi m)^2 / (2
/// alpha)^2).
const double alpha = std::sqrt(pi);
constexpr int real_images = 5;  ///< exp(-pi 4^2) = 1e-22 at |x| = 1
constexpr int waves = 4;        ///< exp(-pi 4^2)

/// erfc(alpha r) / r, of nearest images without their 1 / r: -erf(alpha r) / r.
double screened(double r, bool nearest) {
  if (!nearest) return std::erfc(alpha * r) / r;
  return r < 1e-8 ? -2 * alpha / std::sqrt(pi) : -std::erf(alpha * r) / r;
}

double real_part(int directions, double x, double y, double z) {
  const int z_images = directions > 2 ? real_images : 0;
  double sum = 0;
  for (int i = -real_images; i <= real_images; ++i)
    for (int j = -real_images; j <= real_images; ++j)
      for (int k = -z_images; k <= z_images; ++k)
        sum += screened(std::hypot(x + i, y + j, z + k), std::abs(i) <= 1 && std::abs(j) <= 1 && std::abs(k) <= 1);
  return sum;
}

// sum over m != 0 of 1/(pi m^2) exp(-pi^2 m^2 / alpha^2) cos(2 pi m.r) - pi / alpha^2
double waves_in_space(double x, double y, double z) {
  double sum = -pi / (alpha * alpha);
  for (int i = -waves; i <= waves; ++i)
    for (int j = -waves; j <= waves; ++j)
      for (int k = -waves; k <= waves; ++k) {
        const double m2 = i * i + j * j + k * k;
        if (m2 == 0) continue;
        sum += std::exp(-pi * pi * m2 / (alpha * alpha)) / (pi * m2) * std::cos(2 * pi * (i * x + j * y + k * z));
      }
  return sum;
}

// sum over m != 0 of 1/(2 |m|) cos(2 pi m.r) (e^(kz) erfc(k/(2a) + a z) + e^(-kz) erfc(k/(2a) - a z)), k = 2 pi |m|,
// and of m = 0: -2 pi (z erf(a z) + exp(-a^2 z^2) / (a sqrt(pi)))
double waves_in_plane(double x, double y, double z) {
  double sum = -2 * pi * (z * std::erf(alpha * z) + std::exp(-alpha * alpha * z * z) / (alpha * std::sqrt(pi)));
  for (int i = -waves; i <= waves; ++i)
    for (int j = -waves; j <= waves; ++j) {
      if (i == 0 && j == 0) continue;
      const double m = std::hypot(i, j);
      const double k = 2 * pi * m;
      const double side = std::exp(k * z) * std::erfc(k / (2 * alpha) + alpha * z) +
                          std::exp(-k * z) * std::erfc(k / (2 * alpha) - alpha * z);
      sum += side / (2 * m) * std::cos(2 * pi * (i * x + j * y));
    }
  return sum;
}

/// sum of n^-s over n >= first, Euler's and Maclaurin's formula.
double zeta_from(double s, double first) {
  double sum = std::pow(first, 1 - s) / (s - 1) + std::pow(first, -s) / 2;
  constexpr double bernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66};
  double factor = s;  // s (s+1) .. (s + 2k - 2) / (2k)!
  double power = std::pow(first, -s - 1);
  for (int k = 1; k <= 5; ++k) {
    factor /= k == 1 ? 2 : (2 * k - 1) * (2 * k);
    sum += bernoulli[k - 1] * factor * power;
    factor *= (s + 2 * k - 1) * (s + 2 * k);
    power /= first * first;
  }
  return sum;
}

// 1/|r + n| + 1/|r - n| - 2/n = 2 sum over even l > 0 of r^l P_l(x / r) / n^(l + 1)
double line_images(double x, double y, double z) {
  constexpr int expanded_from = 30;
  constexpr int highest = 26;
  const double r2 = x * x + y * y + z * z;
  double sum = 0;
  for (int n = 2; n < expanded_from; ++n) sum += 1 / std::hypot(x + n, y, z) + 1 / std::hypot(x - n, y, z) - 2.0 / n;
  // s_l = r^l P_l: (l + 1) s_(l+1) = (2 l + 1) x s_l - l r^2 s_(l-1)
  double before = 1;
  double solid = x;
  for (int l = 1; l < highest; ++l) {
    const double next = ((2 * l + 1) * x * solid - l * r2 * before) / (l + 1);
    before = solid;
    solid = next;
    if (l % 2 == 1) sum += 2 * solid * zeta_from(l + 2, expanded_from);
  }
  return sum;
}

}  // namespace

double farther_images(int directions, double x, double y, double z) {
  if (directions == 1) return line_images(x, y, z);
  return real_part(directions, x, y, z) + (directions == 3 ? waves_in_space(x, y, z) : waves_in_plane(x, y, z));
}

}  // namespace asterism::fmm
