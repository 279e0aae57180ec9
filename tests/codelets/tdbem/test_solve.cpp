// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients for M^0 on CPUs: exact on what one can solve by hand, against dense Cholesky, breakdowns.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>

#include "tests/codelets/tdbem/matrices.hpp"

namespace asterism::tdbem {
namespace {

template <class T>
struct Solver {
  const Matrix<T>& m;
  std::vector<T> inverse = std::vector<T>(static_cast<std::size_t>(m.rows()));
  std::vector<T> workspace =
      std::vector<T>(static_cast<std::size_t>(solve_workspace(m.rows())), std::numeric_limits<T>::quiet_NaN());

  explicit Solver(const Matrix<T>& matrix) : m(matrix) {
    EXPECT_EQ(cpu::invert_diagonal(m.view(), inverse.data()), -1);
  }
  Convergence operator()(const SolveLimits& limits, const std::vector<T>& s, std::vector<T>& a) {
    return cpu::solve(m.view(), inverse.data(), limits, s.data(), a.data(), workspace.data());
  }
};

template <class T>
class TdbemSolve : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TdbemSolve, Precisions);

TYPED_TEST(TdbemSolve, TwoByTwo) {
  using T = TypeParam;
  const Matrix<T> m{{0, 2, 4}, {0, 1, 0, 1}, {4, 1, 1, 3}};
  Solver<T> solve(m);
  std::vector<T> a = {0, 0};
  const Convergence c = solve({1e-6, 10}, {6, 7}, a);  // of (1, 2)
  EXPECT_NEAR(a[0], 1, 4 * std::numeric_limits<T>::epsilon());
  EXPECT_NEAR(a[1], 2, 4 * std::numeric_limits<T>::epsilon());
  EXPECT_EQ(c.iterations, 2);
  EXPECT_EQ(c.ending, Ending::converged);
  // the first step by hand: z = (1.5, 7/3), alpha = (6 z0 + 7 z1) / (z . M z)
  a = {0, 0};
  const Convergence first = solve({1e-6, 1}, {6, 7}, a);
  const double alpha = (9 + 49 / 3.) / (4 * 2.25 + 2 * 3.5 + 3 * 49 / 9.);
  EXPECT_NEAR(a[0], alpha * 1.5, 1e-6);
  EXPECT_NEAR(a[1], alpha * 7 / 3, 1e-6);
  EXPECT_EQ(first.ending, Ending::most_iterations);
  EXPECT_EQ(first.iterations, 1);
}

TYPED_TEST(TdbemSolve, DiagonalsTakeOneIteration) {
  using T = TypeParam;
  const Matrix<T> m{{0, 1, 2, 3}, {0, 1, 2}, {2, 8, 0.5}};
  Solver<T> solve(m);
  std::vector<T> a = {5, 5, 5};
  EXPECT_EQ(solve({1e-6, 10}, {2, 8, 4}, a).iterations, 1);
  EXPECT_EQ(a, (std::vector<T>{1, 1, 8}));
}

TYPED_TEST(TdbemSolve, AlreadySolvedAndZero) {
  using T = TypeParam;
  const Matrix<T> m = small_condition<T>(101, 1);
  Solver<T> solve(m);
  std::vector<T> a = random_vector<T>(101, 3), s;
  for (const long double v : m.times(a)) s.push_back(static_cast<T>(v));
  const std::vector<T> before = a;
  const Convergence done = solve({sizeof(T) == 8 ? 1e-14 : 1e-6, 10}, s, a);
  EXPECT_EQ(done.iterations, 0);
  EXPECT_EQ(a, before);
  const Convergence zero = solve({1e-10, 10}, std::vector<T>(101), a);
  EXPECT_EQ(zero.iterations, 0);
  EXPECT_EQ(zero.residual, 0);
  EXPECT_EQ(a, std::vector<T>(101));
}

TYPED_TEST(TdbemSolve, IsCholeskys) {
  using T = TypeParam;
  const double tolerance = sizeof(T) == 8 ? 1e-13 : 1e-6;
  for (const std::int32_t rows : {1, 2, 3, 15, 16, 17, 33, 200, 597}) {
    SCOPED_TRACE(rows);
    const Matrix<T> m = small_condition<T>(rows, 7);
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(rows, rows);
    for (std::int32_t i = 0; i < rows; ++i)
      for (std::int32_t k = m.start[static_cast<std::size_t>(i)]; k < m.start[static_cast<std::size_t>(i) + 1]; ++k)
        dense(i, m.column[static_cast<std::size_t>(k)]) = static_cast<double>(m.value[static_cast<std::size_t>(k)]);
    const std::vector<T> s = random_vector<T>(rows, 11);
    const Eigen::VectorXd right =
        Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(s.data(), rows).template cast<double>();
    const Eigen::VectorXd expected = dense.llt().solve(right);
    Solver<T> solve(m);
    std::vector<T> a = random_vector<T>(rows, 5);
    const Convergence c = solve({tolerance, 60}, s, a);
    EXPECT_EQ(c.ending, Ending::converged);
    EXPECT_LE(c.residual, tolerance);
    EXPECT_LE(true_residual(m, s, a), 10 * tolerance);
    for (std::int32_t i = 0; i < rows; ++i)
      EXPECT_NEAR(static_cast<double>(a[static_cast<std::size_t>(i)]), expected(i),
                  100 * tolerance * expected.cwiseAbs().maxCoeff());
  }
}

/// Residual after residual is the textbook's, so no step is wasted.
TYPED_TEST(TdbemSolve, StepsAreTheTextbooks) {
  using T = TypeParam;
  const Matrix<T> m = small_condition<T>(1000, 2);
  const std::vector<T> s = random_vector<T>(1000, 4);
  const std::vector<double> expected = textbook_residuals(m, s, 12);
  Solver<T> solve(m);
  for (std::int32_t n = 1; n <= (sizeof(T) == 8 ? 12 : 5); ++n) {
    std::vector<T> a(1000);
    const Convergence c = solve({0, n}, s, a);
    EXPECT_EQ(c.iterations, n);
    EXPECT_EQ(c.ending, Ending::most_iterations);
    const double of = expected[static_cast<std::size_t>(n) - 1];
    EXPECT_NEAR(c.residual, of, (sizeof(T) == 8 ? 1e-9 : 3e-3) * of);
    EXPECT_NEAR(true_residual(m, s, a), of, (sizeof(T) == 8 ? 1e-6 : 3e-2) * of + 1e-16);
  }
  EXPECT_LT(expected[11], 1e-6) << "M^0 is of small condition";
}

TYPED_TEST(TdbemSolve, AGoodGuessSavesIterations) {
  using T = TypeParam;
  const Matrix<T> m = small_condition<T>(500, 3);
  Solver<T> solve(m);
  std::vector<T> s = random_vector<T>(500, 4), a(500);
  const SolveLimits limits{sizeof(T) == 8 ? 1e-11 : 1e-5, 100};
  const std::int32_t cold = solve(limits, s, a).iterations;
  for (T& v : s) v += static_cast<T>(1e-3) * v * v;
  EXPECT_LT(solve(limits, s, a).iterations, cold);
}

TYPED_TEST(TdbemSolve, Breakdowns) {
  using T = TypeParam;
  const Matrix<T> indefinite{{0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}};
  Solver<T> solve(indefinite);
  std::vector<T> a = {0, 0};
  EXPECT_EQ(solve({1e-10, 10}, {1, -1}, a).ending, Ending::breakdown);
  const T nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(solve({1e-10, 10}, {1, nan}, a).ending, Ending::breakdown);
  Matrix<T> bad = indefinite;
  std::vector<T> inverse(2);
  bad.value = {1, 2, 2, 0};
  EXPECT_EQ(cpu::invert_diagonal(bad.view(), inverse.data()), 1);
  bad.value = {-1, 2, 2, 1};
  EXPECT_EQ(cpu::invert_diagonal(bad.view(), inverse.data()), 0);
  const Matrix<T> hollow{{0, 1, 2}, {1, 1}, {1, 1}};
  EXPECT_EQ(cpu::invert_diagonal(hollow.view(), inverse.data()), 0);
}

}  // namespace
}  // namespace asterism::tdbem
