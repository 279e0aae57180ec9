// SPDX-License-Identifier: Apache-2.0
// Rounded arithmetic with a bound of its error first; where that does not tell the sign, the exact sum of all products
// of coordinates (Shewchuk, Discrete & Computational Geometry 18, 1997). Exact unless products under- or overflow.
#include "io/mesh/orientation.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

namespace asterism::mesh {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon() / 2;

int sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/// An exact sum as components that do not overlap, the smallest first.
class Sum {
 public:
  void add(double x) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const double sum = x + component_[i];
      const double part = sum - x;
      const double error = (x - (sum - part)) + (component_[i] - part);
      if (error != 0) component_[kept++] = error;
      x = sum;
    }
    if (x != 0) component_[kept++] = x;
    size_ = kept;
  }
  void add_product(double x, double y) {
    const double product = x * y;
    add(std::fma(x, y, -product));
    add(product);
  }
  void add_product(double x, double y, double z) {
    const double product = x * y;
    add_product(std::fma(x, y, -product), z);
    add_product(product, z);
  }
  [[nodiscard]] int sign_of_sum() const { return size_ == 0 ? 0 : sign(component_[size_ - 1]); }

 private:
  std::array<double, 100> component_;  // at most 4 for each of 24 products
  std::size_t size_ = 0;
};

void add_determinant(Sum& sum, double factor, const std::array<double, 3>& a, const std::array<double, 3>& b,
                     const std::array<double, 3>& c) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    sum.add_product(factor * a[i], b[j], c[k]);
    sum.add_product(-factor * a[i], b[k], c[j]);
  }
}

}  // namespace

int orientation(const std::array<double, 2>& a, const std::array<double, 2>& b, const std::array<double, 2>& p) {
  const double left = (a[0] - p[0]) * (b[1] - p[1]);
  const double right = (a[1] - p[1]) * (b[0] - p[0]);
  const double bound = (3 + 16 * epsilon) * epsilon * (std::abs(left) + std::abs(right));
  if (std::abs(left - right) > bound) return sign(left - right);
  Sum sum;
  sum.add_product(a[0], b[1]);
  sum.add_product(-a[1], b[0]);
  sum.add_product(b[0], p[1]);
  sum.add_product(-b[1], p[0]);
  sum.add_product(p[0], a[1]);
  sum.add_product(-p[1], a[0]);
  return sum.sign_of_sum();
}

int orientation(const std::array<double, 3>& a, const std::array<double, 3>& b, const std::array<double, 3>& c,
                const std::array<double, 3>& p) {
  std::array<std::array<double, 3>, 3> d;
  for (std::size_t i = 0; i < 3; ++i) d[0][i] = a[i] - p[i], d[1][i] = b[i] - p[i], d[2][i] = c[i] - p[i];
  double determinant = 0;
  double magnitude = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = d[1][(i + 1) % 3] * d[2][(i + 2) % 3];
    const double y = d[1][(i + 2) % 3] * d[2][(i + 1) % 3];
    determinant += d[0][i] * (x - y);
    magnitude += std::abs(d[0][i]) * (std::abs(x) + std::abs(y));
  }
  if (std::abs(determinant) > (8 + 64 * epsilon) * epsilon * magnitude) return -sign(determinant);
  Sum sum;
  add_determinant(sum, 1, b, c, p);
  add_determinant(sum, -1, a, c, p);
  add_determinant(sum, -1, b, a, p);
  add_determinant(sum, -1, b, c, a);
  return sum.sign_of_sum();
}

}  // namespace asterism::mesh
