// SPDX-License-Identifier: Apache-2.0
// The sums of conjugate gradient's CPU kernels: what compensation promises, whatever the split.
#include <cmath>

#include "tests/codelets/cg/vectors.hpp"

namespace asterism::cg {
namespace {

TEST(Sum, KeepsWhatDoublesLose) {
  Sum s;
  for (const double x : {1e100, 1.0, -1e100}) add(s, Sum{x, 0});
  EXPECT_EQ(value(s), 1);

  Sum product;  // (1 + 2^-30)^2 - 1 = 2^-29 + 2^-60
  const double a = 1 + std::ldexp(1, -30);
  add_product(product, a, a);
  add_product(product, -1, 1);
  EXPECT_EQ(value(product), std::ldexp(1, -29) + std::ldexp(1, -60));
}

TEST(Sum, AddsTrailingParts) {
  Sum a{1, 0x1p-60};
  add(a, Sum{-1, 0x1p-61});
  EXPECT_EQ(value(a), 0x1p-60 + 0x1p-61);
}

/// Terms of 40 binary orders of magnitude, the second half nearly the negative of the first, shuffled: the sum is
/// some 10^6 times smaller than the sum of magnitudes.
struct IllConditioned {
  Vector x;
  Vector y;
  explicit IllConditioned(std::size_t n) {
    Generator generator(2005);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::uniform_int_distribution<int> exponent(-10, 10);
    for (std::size_t i = 0; i < n / 2; ++i) {
      const double a = std::ldexp(uniform(generator), exponent(generator));
      const double b = std::ldexp(uniform(generator), exponent(generator));
      x.insert(x.end(), {a, a});
      y.insert(y.end(), {b, -b * (1 + std::ldexp(uniform(generator), -10))});
    }
    for (std::size_t i = n - 1; i > 0; --i) {
      const std::size_t j = generator() % (i + 1);
      std::swap(x[i], x[j]);
      std::swap(y[i], y[j]);
    }
  }
};

TEST(Dot, IsTheExactSumRoundedForAnySplit) {
  const std::size_t n = 1'000'000;
  const IllConditioned terms(n);
  const double exact = reference::dot(terms.x, terms.y);

  double plain = 0;
  for (std::size_t i = 0; i < n; ++i) plain += terms.x[i] * terms.y[i];
  EXPECT_GT(std::abs(plain - exact), 1e-12 * std::abs(exact)) << "the terms are too well conditioned to tell";

  EXPECT_EQ(value(cpu::dot(static_cast<std::int64_t>(n), terms.x.data(), terms.y.data())), exact);
  Generator generator(7);
  for (const std::size_t longest : {40UL, 1000UL, 30'011UL, 300'007UL}) {
    Sum total;
    for (std::size_t begin = 0; begin < n;) {
      const std::size_t rows = std::min<std::size_t>(1 + generator() % longest, n - begin);
      add(total, cpu::dot(static_cast<std::int64_t>(rows), terms.x.data() + begin, terms.y.data() + begin));
      begin += rows;
    }
    EXPECT_EQ(value(total), exact) << "chunks of at most " << longest;
  }
}

TEST(Dot, OfFusedKernelsIsTheExactSumRounded) {
  const std::int64_t n = 300'000;
  const IllConditioned terms(static_cast<std::size_t>(n));
  const double exact = reference::dot(terms.x, terms.y);
  const double squares = reference::dot(terms.x, terms.x);

  const Dots residual = cpu::residual_dots(n, terms.x.data(), terms.y.data());
  EXPECT_EQ(value(residual.rr), squares);
  EXPECT_EQ(value(residual.rz), exact);

  const Dots pipelined = cpu::pipelined_dots(n, terms.x.data(), terms.y.data(), terms.x.data());
  EXPECT_EQ(value(pipelined.rr), squares);
  EXPECT_EQ(value(pipelined.rz), exact);
  EXPECT_EQ(value(pipelined.wu), exact);

  Matrix diagonal{n, 1, {}};  // A x = y exactly
  for (std::int64_t i = 0; i < n; ++i) diagonal.entries.push_back({i, 0, terms.y[static_cast<std::size_t>(i)]});
  const double one = 1;
  Vector product(terms.x.size());
  const reference::Sell sell(diagonal, RowOrder::by_length);
  EXPECT_EQ(value(cpu::spmv_dot(sell.view(), &one, product.data(), false, terms.x.data())), exact);
  const reference::Csr csr(diagonal);
  EXPECT_EQ(value(cpu::spmv_dot(csr.view(), &one, product.data(), false, terms.x.data())), exact);

  // r = q with alpha = -1 from zero, and M^-1 = diag(y / x): z = y up to one rounding
  const Vector zero(terms.x.size());
  Vector r(terms.x.size());
  Vector inverse(terms.x.size());
  Vector z(terms.x.size());
  for (std::size_t i = 0; i < inverse.size(); ++i) inverse[i] = terms.y[i] / terms.x[i];
  const Dots updated =
      cpu::update_residual(n, -1, terms.x.data(), zero.data(), r.data(), {1, inverse.data()}, z.data());
  EXPECT_EQ(value(updated.rr), squares);
  EXPECT_EQ(value(updated.rz), reference::dot(r, z));
}

}  // namespace
}  // namespace asterism::cg
