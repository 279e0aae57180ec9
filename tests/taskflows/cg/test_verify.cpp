// SPDX-License-Identifier: Apache-2.0
// The checks themselves: residuals on integers that are exact, right answers that pass, wrong ones that do not.
#include "taskflows/cg/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "taskflows/cg/matrix/stencil.hpp"

namespace asterism::cg {
namespace {

/// From all n x n values; zeros are left out.
CsrMatrix dense(std::int64_t n, const std::vector<double>& values) {
  CsrMatrix a;
  a.n = n;
  a.name = "dense";
  a.row_begin = Array<std::int64_t>(static_cast<std::size_t>(n + 1));
  a.row_begin[0] = 0;
  std::vector<std::int32_t> columns;
  std::vector<double> kept;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const double value = values[static_cast<std::size_t>(i * n + j)];
      if (value == 0) continue;
      columns.push_back(static_cast<std::int32_t>(j));
      kept.push_back(value);
    }
    a.row_begin[static_cast<std::size_t>(i + 1)] = static_cast<std::int64_t>(kept.size());
  }
  a.column = Array<std::int32_t>(kept.size());
  a.value = Array<double>(kept.size());
  std::copy(columns.begin(), columns.end(), a.column.begin());
  std::copy(kept.begin(), kept.end(), a.value.begin());
  return a;
}

std::vector<double> as_vector(const Array<double>& values) {
  return {values.begin(), values.end()};
}

/// Why the answer is wrong; empty: it is right.
std::string complaint_of(const Verification& v) {
  for (const Verdict& verdict : v.verdicts())
    if (!verdict.right()) return verdict.complaint;
  return {};
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ExtendedResidual, ExactOnIntegers) {
  const CsrMatrix a = dense(2, {4, 1, 1, 3});
  EXPECT_EQ(extended_residual(a, std::vector<double>{6, 7}, std::vector<double>{1, 2}), 0);
  // b - A x = (3, 4) - (0, 0)
  EXPECT_EQ(extended_residual(a, std::vector<double>{3, 4}, std::vector<double>{0, 0}), 1);
  // b = (0, 5), A x = (4, 1): |(-4, 4)| / 5
  EXPECT_EQ(extended_residual(a, std::vector<double>{0, 5}, std::vector<double>{1, 0}),
            static_cast<double>(std::sqrt(32.0L / 25)));
  // b = 0: not relative. |-(3, -4)|: x = (13, -19) / 11 is not representable; take A x = (5, 4), (-3, -1)
  EXPECT_EQ(extended_residual(a, std::vector<double>{0, 0}, std::vector<double>{1, 1}),
            static_cast<double>(std::sqrt(41.0L)));
  EXPECT_EQ(extended_residual(dense(2, {3, 0, 0, 4}), std::vector<double>{0, 0}, std::vector<double>{1, 1}), 5);
  EXPECT_EQ(extended_residual(a, std::vector<double>{0, 0}, std::vector<double>{0, 0}), 0);
}

TEST(ExtendedResidual, CarriesMoreThanDouble) {
  // (2^30 + 1)^2 = 2^60 + 2^31 + 1 needs 61 bits: in double precision the 1 is lost
  const double big = 0x1p30 + 1;
  const CsrMatrix a = dense(2, {big, -1, -1, big});
  EXPECT_EQ(
      extended_residual(a, std::vector<double>{0x1p60, 0}, std::vector<double>{big, 0}),
      static_cast<double>(std::sqrt((0x1p31L + 1) * (0x1p31L + 1) + static_cast<long double>(big) * big) / 0x1p60L));
  // one row: b - A x = -(2^31 + 1) exactly
  const CsrMatrix one = dense(1, {big});
  EXPECT_EQ(extended_residual(one, std::vector<double>{0x1p60}, std::vector<double>{big}), (0x1p31 + 1) / 0x1p60);
}

TEST(ExtendedResidual, NotANumberIsSeen) {
  const CsrMatrix a = dense(2, {4, 1, 1, 3});
  EXPECT_TRUE(std::isnan(extended_residual(a, std::vector<double>{6, 7}, std::vector<double>{nan, 2})));
  EXPECT_FALSE(extended_residual(a, std::vector<double>{6, 7}, std::vector<double>{1, infinity}) <= 1);
}

TEST(Multiply, ExactOnIntegers) {
  // not symmetric on purpose: rows, not columns
  const CsrMatrix a = dense(3, {1, 2, 0, 0, 3, 4, 5, 0, 6});
  EXPECT_EQ(as_vector(multiply(a, std::vector<double>{1, 10, 100})), (std::vector<double>{21, 430, 605}));
  // 2^60 + 1 - 2^60: in double precision 0
  EXPECT_EQ(as_vector(multiply(dense(3, {0x1p60, 1, -0x1p60, 1, 1, 0, 0, 0, 1}), std::vector<double>{1, 1, 1})),
            (std::vector<double>{1, 2, 1}));
}

class Verify : public testing::Test {
 protected:
  const CsrMatrix a_ = assemble_stencil(parse_stencil("11pts-9x8x7"));
  std::vector<double> x_;
  std::vector<double> b_;

  Verify() : x_(static_cast<std::size_t>(a_.n)) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = static_cast<double>(i % 13) - 5.5;
    b_ = as_vector(multiply(a_, x_));
  }
};

TEST_F(Verify, PassesTheRightAnswer) {
  const Verification v = verify(a_, b_, x_, 1e-12);
  EXPECT_TRUE(v.right()) << complaint_of(v);
  EXPECT_TRUE(v.by_answer.has_value());
  EXPECT_TRUE(complaint_of(v).empty()) << complaint_of(v);
  EXPECT_TRUE(v.not_compared.empty()) << v.not_compared;
  EXPECT_LT(v.residual, 1e-15);
  EXPECT_LT(v.by_answer->error, 1e-13);
  EXPECT_LE(v.by_answer->error, v.by_answer->allowed);
  EXPECT_LT(v.by_answer->allowed, 1e-11);
}

TEST_F(Verify, PassesWhatTheResidualAllows) {
  std::vector<double> x = x_;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= 1 + 1e-9 * std::sin(static_cast<double>(i));
  const Verification v = verify(a_, b_, x, 1e-8);
  EXPECT_TRUE(v.right()) << complaint_of(v);
  EXPECT_GT(v.by_answer->error, 1e-10);
  EXPECT_LE(v.by_answer->error, v.by_answer->allowed);
}

TEST_F(Verify, FailsOneWrongEntry) {
  for (const std::size_t k : {std::size_t{0}, x_.size() / 2, x_.size() - 1}) {
    std::vector<double> x = x_;
    x[k] += 1e-5;
    const Verification v = verify(a_, b_, x, 1e-8);
    EXPECT_FALSE(v.right()) << k;
    EXPECT_NE(complaint_of(v).find("||b - Ax||"), std::string::npos) << complaint_of(v);
    EXPECT_GT(v.residual, 1e-8);
  }
}

TEST_F(Verify, FailsEverySmallPerturbationBeyondTheTolerance) {
  double last = 0;
  for (const double size : {1e-14, 1e-11, 1e-8, 1e-5, 1e-2}) {
    std::vector<double> x = x_;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += size * (i % 2 == 0 ? 1 : -1);
    const Verification v = verify(a_, b_, x, 1e-9);
    EXPECT_EQ(v.right(), size < 1e-10) << size;
    EXPECT_GT(v.residual, last);  // grows with the perturbation
    last = v.residual;
  }
}

TEST_F(Verify, FailsShiftedZeroAndNotFinite) {
  std::vector<double> shifted = x_;
  std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
  EXPECT_FALSE(verify(a_, b_, shifted, 1e-8).right());
  EXPECT_FALSE(verify(a_, b_, std::vector<double>(x_.size()), 1e-8).right());
  for (const double wrong : {nan, infinity}) {
    std::vector<double> x = x_;
    x[17] = wrong;
    EXPECT_FALSE(verify(a_, b_, x, 1e-8).right()) << wrong;
  }
}

TEST_F(Verify, RightHandSideZero) {
  const std::vector<double> zero(x_.size());
  EXPECT_TRUE(verify(a_, zero, zero, 1e-8).right());
  std::vector<double> x = zero;
  x[3] = 1e-3;
  EXPECT_FALSE(verify(a_, zero, x, 1e-8).right());
}

TEST_F(Verify, EstimatesTheCondition) {
  // 7-point stencil: eigenvalues are sums of 2 - 2 cos(pi k / (n + 1))
  const CsrMatrix a = assemble_stencil(parse_stencil("7pts-9x8x7"));
  const double pi = std::acos(-1.0);
  double smallest = 6;
  double largest = 6;
  for (const int n : {9, 8, 7}) {
    smallest -= 2 * std::cos(pi / (n + 1));
    largest -= 2 * std::cos(pi * n / (n + 1));
  }
  const std::vector<double> b = as_vector(multiply(a, x_));
  const Verification v = verify(a, b, x_, 1e-8);
  EXPECT_TRUE(v.right()) << complaint_of(v);
  EXPECT_NEAR(v.condition, largest / smallest, 0.1 * largest / smallest);
  EXPECT_LE(v.condition, largest / smallest * (1 + 1e-10));  // both eigenvalues from inside
}

TEST_F(Verify, NotPositiveDefinite) {
  const Verification v = verify(dense(2, {1, 2, 2, 1}), std::vector<double>{3, 3}, std::vector<double>{1, 1}, 1e-8);
  EXPECT_EQ(v.residual, 0);
  EXPECT_FALSE(v.right());
  EXPECT_NE(complaint_of(v).find("not positive definite"), std::string::npos) << complaint_of(v);
  EXPECT_FALSE(v.by_answer.has_value());
}

TEST_F(Verify, IllConditionedButRight) {
  // Hilbert matrix of order 8, condition 1.5e10: x from a right-hand side with rounding errors is off by more than
  // the residual suggests, and that is allowed
  constexpr std::int64_t n = 8;
  std::vector<double> values;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) values.push_back(1.0 / (i + j + 1));
  const CsrMatrix a = dense(n, values);
  const std::vector<double> x(n, 1.0);
  const Verification v = verify(a, multiply(a, x), x, 1e-14);
  EXPECT_TRUE(v.right()) << complaint_of(v);
  EXPECT_NEAR(std::log10(v.condition), std::log10(1.526e10), 0.3);
  EXPECT_GT(v.by_answer->allowed, 1e-7);
}

TEST_F(Verify, SaysWhyItDidNotCompare) {
  const CsrMatrix a = assemble_stencil(parse_stencil("5pts-600x501"));  // 300,600 rows
  const std::vector<double> x(static_cast<std::size_t>(a.n), 1.0);
  const Array<double> b = multiply(a, x);
  const Verification v = verify(a, b, x, 1e-8);
  EXPECT_TRUE(v.right());
  EXPECT_FALSE(v.by_answer.has_value());
  EXPECT_NE(v.not_compared.find("300600 rows"), std::string::npos) << v.not_compared;
  std::vector<double> wrong = x;
  wrong[300'000] = 1.5;
  EXPECT_FALSE(verify(a, b, wrong, 1e-8).right());
}

}  // namespace
}  // namespace asterism::cg
