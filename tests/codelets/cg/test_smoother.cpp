// SPDX-License-Identifier: Apache-2.0
// The steps of smoothers and the defect on CPUs: rows that are sorted by their lengths or not, nodes that straddle
// slices and windows of slices, a last node that is smaller.
#include <algorithm>

#include "base/as_size.hpp"
#include "tests/codelets/cg/vectors.hpp"

namespace asterism::cg {
namespace {

/// M^-1 u, in the order of the kernels.
Vector inverse_times(const PreconditionerView& m, const Vector& u) {
  const auto n = static_cast<std::int64_t>(u.size());
  Vector z(u.size(), 0.0);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t node = i / m.size * m.size;
    for (std::int64_t k = 0; k < std::min<std::int64_t>(m.size, n - node); ++k)
      z[as_size(i)] = std::fma(m.inverse[k * n + i], u[as_size(node + k)], z[as_size(i)]);
  }
  return z;
}

TEST(Smoother, StepsAreThoseOfTheFormulas) {
  constexpr std::int64_t window = std::int64_t{sorted_slices} * slice_height;
  Generator generator(5);
  for (const std::int64_t n :
       {std::int64_t{1}, std::int64_t{35}, std::int64_t{512}, std::int64_t{600}, window, 2 * window + 77})
    for (const int size : {1, 2, 3, 7, 32}) {
      SCOPED_TRACE(std::to_string(n) + " rows, nodes of " + std::to_string(size));
      const Matrix matrix = random_matrix(n, n, 9, Numbers::real, generator);
      // the reference sorts all rows together, a matrix block those of a window
      const RowOrder order = n <= window ? RowOrder::by_length : RowOrder::natural;
      const reference::Sell sell(matrix, order);
      const SellView a = sell.view();
      const Vector inverse = random_vector(n * size, Numbers::real, generator);
      const PreconditionerView m{size, inverse.data()};
      const Vector b = random_vector(n, Numbers::real, generator);
      const Vector x = random_vector(n, Numbers::real, generator);
      const Vector q = reference::multiply_fused(matrix, x);
      Vector defect(b.size());
      for (std::size_t i = 0; i < b.size(); ++i) defect[i] = b[i] - q[i];
      Vector t(b.size(), nan);
      cpu::defect(a, x.data(), b.data(), t.data());
      EXPECT_EQ(t, defect);
      for (const bool product : {false, true}) {
        Vector expected = inverse_times(m, product ? defect : b);
        for (double& value : expected) value = 0.7 * value;
        Vector d(b.size(), nan);
        cpu::smooth_first(n, product ? &a : nullptr, x.data(), m, 0.7, b.data(), d.data());
        EXPECT_EQ(d, expected);
        const Vector z = inverse_times(m, reference::multiply_fused(matrix, d));
        Vector y = product ? x : Vector(b.size(), nan);
        cpu::smooth_second(n, a, d.data(), m, 1.9, 0.3, d.data(), product, y.data());
        for (std::size_t i = 0; i < b.size(); ++i) {
          const double step = std::fma(1.9, d[i], -0.3 * z[i]);
          expected[i] = product ? x[i] + step : step;
        }
        EXPECT_EQ(y, expected);
      }
    }
}

}  // namespace
}  // namespace asterism::cg
