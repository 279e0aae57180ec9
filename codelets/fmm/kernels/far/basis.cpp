// SPDX-License-Identifier: Apache-2.0
#include "codelets/fmm/kernels/far/basis.hpp"

#include <cmath>

#include "base/error.hpp"

namespace asterism::fmm {

Basis::Basis(const BasisChoice& choice) : order_(choice.order) {
  if (order_ < 1 || order_ > max_order) bad_input("order {}: expected 1 to {}", order_, max_order);
  row_of_.assign(static_cast<std::size_t>(order_) * static_cast<std::size_t>(order_), -1);
  for (int a = 0; a < order_; ++a) {
    for (int b = 0; b < order_; ++b) {
      int count = 0;
      for (int c = 0; c < order_; ++c)
        if (choice.radius_squared < 0 || a * a + b * b + c * c <= choice.radius_squared) ++count;
      if (count == 0 && a + b > 0) continue;
      row_of_[static_cast<std::size_t>(a * order_ + b)] = rows();
      row_a_.push_back(a);
      row_b_.push_back(b);
      row_begin_.push_back(row_begin_.back() + std::max(count, 1));
    }
  }
}

BasisView Basis::view() const noexcept {
  return {order_, size(), stride(), rows(), row_begin_.data(), row_a_.data(), row_b_.data(), row_of_.data()};
}

int Basis::index(int a, int b, int c) const noexcept {
  if (a < 0 || b < 0 || c < 0 || a >= order_ || b >= order_) return -1;
  const int row = row_of_[static_cast<std::size_t>(a * order_ + b)];
  if (row < 0) return -1;
  const int i = row_begin_[static_cast<std::size_t>(row)] + c;
  return i < row_begin_[static_cast<std::size_t>(row) + 1] ? i : -1;
}

std::vector<double> shift_matrix(int order) {
  const auto n = static_cast<std::size_t>(order);
  std::vector<double> s(n * n, 0.0);
  s[0] = 1;
  if (order > 1) s[n] = s[n + 1] = 0.5;
  // T_{a+1}(X) = 2 X T_a(X) - T_{a-1}(X) with 2 X = x + 1, and x T_b = (T_{b+1} + T_{|b-1|}) / 2
  for (std::size_t a = 1; a + 1 < n; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const double v = s[a * n + b];
      s[(a + 1) * n + b] += v;
      s[(a + 1) * n + b + 1] += b == 0 ? v : v / 2;
      if (b > 0) s[(a + 1) * n + b - 1] += v / 2;
    }
    for (std::size_t b = 0; b < a; ++b) s[(a + 1) * n + b] -= s[(a - 1) * n + b];
  }
  return s;
}

}  // namespace asterism::fmm
