// SPDX-License-Identifier: Apache-2.0
// Device code of right-hand sides and conjugate gradients run on the host.
#include "tests/codelets/cuda_on_host.hpp"
//
#include <gtest/gtest.h>

#include <limits>

#include "codelets/tdbem/kernels/march/group_march.cuh"
#include "codelets/tdbem/kernels/product/with_group.hpp"
#include "codelets/tdbem/kernels/waves/illumination.cuh"
#include "codelets/tdbem/kernels/waves/observe.cuh"
#include "tests/codelets/tdbem/group_march.hpp"
#include "tests/codelets/tdbem/observers.hpp"
#include "tests/codelets/tdbem/surfaces.hpp"

namespace asterism::tdbem {
namespace {

template <class T>
class TdbemWavesEmulated : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TdbemWavesEmulated, Precisions);

TYPED_TEST(TdbemWavesEmulated, Illumination) {
  using T = TypeParam;
  const TestSurface s = bent_spindle(7, 9);
  for (const IncidentWave& wave :
       {plane_wave(ricker(2, 3), {1, -2, 0.5}, 0.9), monopole(ricker(0, 3), {2, -2, 0.5}, 0.9)})
    for (const Boundary b : {Boundary::rigid, Boundary::soft})
      for (const auto& [begin, end] : {std::pair{0, s.unknowns()}, std::pair{5, 48}, std::pair{3, 4}})
        for (const std::int32_t count : {1, 5}) {
          const Illumination incident = illumination(b, wave, triangle_rule(7));
          const Steps steps{0.13, 4, count};
          const auto size = static_cast<std::size_t>((end - begin) * count);
          std::vector<T> expected(size), out(size + 8, T{7});
          cpu::illuminate(s.view(), incident, steps, begin, end, expected.data());
          const auto blocks = static_cast<unsigned>((size + cuda::illuminate_threads - 1) / cuda::illuminate_threads);
          cuda_on_host::launch(blocks, cuda::illuminate_threads, [&, first = begin, last = end] {
            cuda::illuminate_kernel(s.view(), incident, steps, first, last, out.data());
          });
          for (std::size_t k = 0; k < size; ++k) EXPECT_NEAR(out[k], expected[k], 1e-15);
          for (std::size_t k = size; k < out.size(); ++k) EXPECT_EQ(out[k], T{7});
        }
}

TYPED_TEST(TdbemWavesEmulated, Observers) {
  using T = TypeParam;
  for (const std::int32_t unknowns : {1, 255, 256, 600}) {
    const RandomObservers<T> r(3, unknowns);
    for (const auto& [begin, end] : {std::pair{0, 3}, std::pair{1, 2}})
      for (const std::int32_t steps : {1, 4}) {
        std::vector<T> expected(static_cast<std::size_t>((end - begin) * steps)), p(expected.size());
        cpu::observe(r.view(), r.past(), begin, end, steps, expected.data());
        cuda_on_host::launch(static_cast<unsigned>(p.size()), cuda::observe_threads,
                             [&, first = begin] { cuda::observe_kernel(r.view(), r.past(), first, steps, p.data()); });
        for (std::size_t k = 0; k < p.size(); ++k) EXPECT_NEAR(p[k], expected[k], sizeof(T) == 8 ? 1e-11 : 1e-3);
      }
  }
}

/// One block, for which a barrier of the block is one of the grid.
template <class T>
Convergence emulated_solve(const Matrix<T>& m, const SolveLimits& limits, const std::vector<T>& s, std::vector<T>& a) {
  std::vector<T> inverse(s.size());
  cpu::invert_diagonal(m.view(), inverse.data());
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> shared(2 * s.size(), nothing), partial(6, nothing);
  // a guess that is a straight line's next point
  std::vector<T> last(a.size()), before(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    before[i] = static_cast<T>(static_cast<double>(i % 5) - 2);
    last[i] = (a[i] + before[i]) / 2;
  }
  SolveTally tally;
  const cuda::System<T> system{m.view(), inverse.data(), limits,         s.data(), {last.data(), before.data()},
                               a.data(), shared.data(),  partial.data(), &tally,   17};
  cuda_on_host::launch(1, cuda::solve_threads, [&] {
    const auto barrier = [] { __syncthreads(); };
    if (s.size() <= cuda::solve_threads)
      cuda::conjugate_gradients<1>(system, 1, barrier);
    else
      cuda::conjugate_gradients<cuda::most_rows_of_thread>(system, 1, barrier);
  });
  EXPECT_EQ(tally.solves, 1);
  EXPECT_EQ(tally.failed_step, tally.ending == Ending::converged ? -1 : 17);
  return {tally.residual, static_cast<std::int32_t>(tally.iterations), tally.ending};
}

TYPED_TEST(TdbemWavesEmulated, GroupsMarchAsStepByStep) {
  using T = TypeParam;
  for_each_group<T>({1, 37, 64, 150}, [](GroupCase<T> c, const std::string& what) {
    GroupCase<T> expected = c;
    const std::int64_t iterations = expected.march_on_cpu();
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> shared(2 * c.inverse.size(), nothing), partial(6, nothing);
    std::vector<T> rhs(c.inverse.size());
    SolveTally tally;
    GroupMarch<T> m = c.march();
    m.rhs = rhs.data();
    m.shared = shared.data();
    m.partial = partial.data();
    m.tally = &tally;
    cuda_on_host::launch(1, cuda::solve_threads, [&] {
      const auto barrier = [] { __syncthreads(); };
      if (c.shape.rows <= static_cast<std::int32_t>(cuda::solve_threads))
        cuda::march_group<1>(m, 1, barrier);
      else
        cuda::march_group<4>(m, 1, barrier);
    });
    if (c.shape.width > c.shape.group)
      with_group<max_group / 2>(c.shape.group, [&](auto n) {
        cuda_on_host::launch(cuda::radiate_on_blocks(c.shape), cuda::radiate_on_threads,
                             [&] { cuda::radiate_on_kernel<T, n.value>(m); });
      });
    expected.expect(c.solutions, c.totals, what);
    EXPECT_EQ(tally.solves, c.shape.group * c.shape.waves);
    EXPECT_EQ(tally.failed_step, -1);
    EXPECT_NEAR(static_cast<double>(tally.iterations), static_cast<double>(iterations),
                static_cast<double>(tally.solves));
  });
}

TYPED_TEST(TdbemWavesEmulated, ConjugateGradients) {
  using T = TypeParam;
  for (const std::int32_t rows : {1, 2, 31, 256, 257, 597}) {
    const Matrix<T> m = small_condition<T>(rows, 5);
    const std::vector<T> s = random_vector<T>(rows, 6);
    std::vector<T> inverse(s.size()), workspace(4 * s.size());
    cpu::invert_diagonal(m.view(), inverse.data());
    for (const std::int32_t iterations : {1, 4, 60}) {
      const SolveLimits limits{sizeof(T) == 8 ? 1e-12 : 1e-5, iterations};
      std::vector<T> a = random_vector<T>(rows, 8), b = a;
      const Convergence expected = cpu::solve(m.view(), inverse.data(), limits, s.data(), b.data(), workspace.data());
      const Convergence c = emulated_solve(m, limits, s, a);
      EXPECT_EQ(c.iterations, expected.iterations);
      EXPECT_EQ(c.ending, expected.ending);
      EXPECT_NEAR(c.residual, expected.residual,
                  (sizeof(T) == 8 ? 1e-9 : 1e-2) * expected.residual + (sizeof(T) == 8 ? 1e-15 : 1e-7));
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], (sizeof(T) == 8 ? 1e-10 : 1e-3) * 100);
    }
    std::vector<T> a = s;
    EXPECT_EQ(emulated_solve(m, {1e-10, 9}, std::vector<T>(s.size()), a).iterations, 0);
    EXPECT_EQ(a, std::vector<T>(s.size()));
  }
  const Matrix<T> indefinite{{0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}};
  std::vector<T> a = {0, 0};
  EXPECT_EQ(emulated_solve(indefinite, {1e-10, 9}, {1, -1}, a).ending, Ending::breakdown);
  EXPECT_EQ(emulated_solve(indefinite, {1e-10, 9}, {1, std::numeric_limits<T>::quiet_NaN()}, a).ending,
            Ending::breakdown);
}

}  // namespace
}  // namespace asterism::tdbem
