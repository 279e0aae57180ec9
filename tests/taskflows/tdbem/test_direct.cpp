// SPDX-License-Identifier: Apache-2.0
// MUMPS for M^0: tiny exact systems, against conjugate gradients, what it refuses.
#include <cmath>
#include <utility>

#include "taskflows/tdbem/matrices/direct.hpp"
#include "tests/codelets/tdbem/matrices.hpp"
#include "tests/taskflows/tdbem/fixture.hpp"

namespace asterism::tdbem {
namespace {

template <class T>
class TdbemDirect : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TdbemDirect, Precisions);

TYPED_TEST(TdbemDirect, TinyOnes) {
  using T = TypeParam;
  const Matrix<T> one{{0, 1}, {0}, {4}};
  DirectSolver<T> by_four(one.view());
  std::vector<T> x = {6};
  by_four.solve(x);
  EXPECT_EQ(x[0], T{1.5});
  const Matrix<T> m{{0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {4, 2, 2, 5, 2, 2, 5}};  // L = (2), (1 2), (0 1 2)
  DirectSolver<T> solver(m.view());
  EXPECT_EQ(solver.rows(), 3);
  std::vector<T> two = {8, 18, 19, 4, 2, 0};  // of (1, 2, 3) and (1, 0, 0)
  solver.solve(two);
  const std::vector<T> expected = {1, 2, 3, 1, 0, 0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(two[i], expected[i], 8 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(TdbemDirect, SolvesMatricesLikeM0) {
  using T = TypeParam;
  const double epsilon = std::numeric_limits<T>::epsilon();
  const std::int32_t rows = 1003;
  const Matrix<T> m = small_condition<T>(rows, 9);
  DirectSolver<T> first(m.view());
  DirectSolver<T> solver = std::move(first);
  EXPECT_GT(solver.factor_entries(), static_cast<std::int64_t>(m.value.size() / 2));
  for (unsigned seed = 0; seed < 3; ++seed) {
    const std::vector<T> s = random_vector<T>(rows, seed);
    std::vector<T> a = s;
    solver.solve(a);
    EXPECT_LT(true_residual(m, s, a), 10 * epsilon);
    std::vector<T> inverse(s.size()), iterated(s.size()), workspace(3 * s.size());
    cpu::invert_diagonal(m.view(), inverse.data());
    cpu::solve(m.view(), inverse.data(), {20 * epsilon, 60}, s.data(), iterated.data(), workspace.data());
    double most = 0;
    for (const T v : a) most = std::max(most, static_cast<double>(std::abs(v)));
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], iterated[i], 200 * epsilon * most);
  }
}

TYPED_TEST(TdbemDirect, Refuses) {
  using T = TypeParam;
  const auto failure = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::failed);
      return error.what();
    }
    return "nothing";
  };
  const Matrix<T> indefinite{{0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}};
  expect_names(failure([&] { DirectSolver<T> s(indefinite.view()); }), "not positive definite");
  const Matrix<T> singular{{0, 2, 4}, {0, 1, 0, 1}, {1, 1, 1, 1}};
  expect_names(failure([&] { DirectSolver<T> s(singular.view()); }), "not positive definite");
  const Matrix<T> fine{{0, 1, 2}, {0, 1}, {1, 2}};
  DirectSolver<T> solver(fine.view());
  std::vector<T> three(3), none;
  expect_names(failure([&] { solver.solve(three); }), "3 values");
  expect_names(failure([&] { solver.solve(none); }), "0 values");
  expect_names(complaint([] { DirectSolver<T> s(CsrView<T>{}); }), "no rows");
}

}  // namespace
}  // namespace asterism::tdbem
