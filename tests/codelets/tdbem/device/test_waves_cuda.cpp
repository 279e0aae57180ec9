// SPDX-License-Identifier: Apache-2.0
// Right-hand sides and conjugate gradients on a GPU give what CPUs do. Without a GPU every test is skipped.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>

#include "codelets/tdbem/kernels/march/group_march_cuda.hpp"
#include "codelets/tdbem/kernels/march/solve_cuda.hpp"
#include "codelets/tdbem/kernels/waves/illumination_cuda.hpp"
#include "codelets/tdbem/kernels/waves/observe_cuda.hpp"
#include "tests/codelets/cuda_fixture.hpp"
#include "tests/codelets/tdbem/group_march.hpp"
#include "tests/codelets/tdbem/observers.hpp"
#include "tests/codelets/tdbem/surfaces.hpp"

namespace asterism::tdbem {
namespace {

template <class T>
class TdbemWavesCuda : public CudaTest {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TdbemWavesCuda, Precisions);

TYPED_TEST(TdbemWavesCuda, IlluminationIsThatOfCpus) {
  using T = TypeParam;
  const TestSurface s = bent_spindle(17, 23);
  const auto vertices = this->upload(s.vertices);
  const auto triangles = this->upload(s.triangles);
  const auto normals = this->upload(s.normals);
  const auto areas = this->upload(s.areas);
  const auto start = this->upload(s.start);
  const auto around = this->upload(s.around);
  SurfaceView view = s.view();
  view.vertices = vertices.data();
  view.triangles = triangles.data();
  view.normals = normals.data();
  view.areas = areas.data();
  view.start = start.data();
  view.around = around.data();
  for (const IncidentWave& wave :
       {plane_wave(ricker(2, 3), {1, -2, 0.5}, 0.9), plane_wave(modulated_gaussian(2, 0.5, 4), {1, -2, 0.5}, 0.9),
        monopole(modulated_gaussian(0, 0.5, 4), {2, -2, 0.5}, 0.9)})
    for (const Boundary b : {Boundary::rigid, Boundary::soft})
      for (const auto& [begin, end] : {std::pair{0, s.unknowns()}, std::pair{5, 148}, std::pair{3, 4}, std::pair{6, 6}})
        for (const std::int32_t count : {1, 8, 19}) {
          const Illumination incident = illumination(b, wave, triangle_rule(7));
          const Steps steps{0.13, 4, count};
          const auto size = static_cast<std::size_t>((end - begin) * count);
          std::vector<T> expected(size);
          cpu::illuminate(s.view(), incident, steps, begin, end, expected.data());
          const DeviceArray<T> out(this->stream_, size, 1);
          cuda::illuminate(view, incident, steps, begin, end, out.data(), this->stream_);
          const std::vector<T> got = out.values();
          for (std::size_t k = 0; k < size; ++k) EXPECT_NEAR(got[k], expected[k], sizeof(T) == 8 ? 1e-15 : 1e-8);
        }
}

TYPED_TEST(TdbemWavesCuda, ObserversAreThoseOfCpus) {
  using T = TypeParam;
  for (const std::int32_t unknowns : {1, 255, 256, 6001}) {
    const RandomObservers<T> r(3, unknowns);
    const auto start = this->upload(r.start);
    const auto first = this->upload(r.first);
    const auto weight = this->upload(r.weight);
    const auto history = this->upload(r.history);
    const ObserverView<T> view{3, unknowns, start.data(), first.data(), weight.data()};
    for (const auto& [begin, end] : {std::pair{0, 3}, std::pair{1, 2}, std::pair{2, 2}})
      for (const std::int32_t steps : {1, 4}) {
        std::vector<T> expected(static_cast<std::size_t>((end - begin) * steps));
        cpu::observe(r.view(), r.past(), begin, end, steps, expected.data());
        const DeviceArray<T> p(this->stream_, expected.size(), 1);
        cuda::observe(view, {history.data(), r.stride, r.position}, begin, end, steps, p.data(), this->stream_);
        const std::vector<T> got = p.values();
        for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], expected[k], sizeof(T) == 8 ? 1e-10 : 1e-2);
      }
  }
}

template <class T>
struct OnDevice {
  DeviceArray<std::int32_t> start, column;
  DeviceArray<T> value, inverse;
  CsrView<T> view;

  OnDevice(cudaStream_t stream, const Matrix<T>& m, const std::vector<T>& inverse_diagonal)
      : start(stream, m.start),
        column(stream, m.column),
        value(stream, m.value),
        inverse(stream, inverse_diagonal),
        view{m.rows(), start.data(), column.data(), value.data()} {}
};

TYPED_TEST(TdbemWavesCuda, ConjugateGradientsAreThoseOfCpus) {
  using T = TypeParam;
  for (const std::int32_t rows : {1, 31, 257, 597, 24001}) {
    SCOPED_TRACE(rows);
    const Matrix<T> m = small_condition<T>(rows, 5);
    const std::vector<T> s = random_vector<T>(rows, 6);
    std::vector<T> inverse(s.size()), workspace(4 * s.size());
    cpu::invert_diagonal(m.view(), inverse.data());
    const OnDevice<T> device(this->stream_, m, inverse);
    const auto right = this->upload(s);
    const SolveLimits limits{sizeof(T) == 8 ? 1e-12 : 1e-5, 60};
    std::vector<T> expected = random_vector<T>(rows, 8);
    const std::vector<T> guess = expected;
    const Convergence of_cpu =
        cpu::solve(m.view(), inverse.data(), limits, s.data(), expected.data(), workspace.data());
    const std::int32_t most = cuda::solve_blocks<T>(rows);
    for (const std::int32_t blocks : {(most + 15) / 16, (most + 3) / 4, std::max(1, most - 1), most}) {
      std::vector<T> first;
      for (int repeat = 0; repeat < 5; ++repeat) {
        const auto a = this->upload(std::vector<T>(guess.size(), std::numeric_limits<T>::quiet_NaN()));
        const auto first_guess = this->upload(guess);
        const DeviceArray<T> work(this->stream_, static_cast<std::size_t>(solve_workspace(rows)), 0);
        const DeviceArray<double> partials(this->stream_, static_cast<std::size_t>(cuda::solve_partials(blocks)), 0);
        const auto tally = this->upload(std::vector<SolveTally>(1));
        cuda::solve(device.view, device.inverse.data(), limits, right.data(),
                    Guess<T>{first_guess.data(), first_guess.data()}, a.data(), work.data(), partials.data(), blocks,
                    tally.data(), 3, this->stream_);
        const SolveTally c = tally.values()[0];
        EXPECT_EQ(c.ending, Ending::converged);
        EXPECT_LE(c.residual, limits.tolerance);
        EXPECT_NEAR(c.iterations, of_cpu.iterations, 1);
        static_cast<void>(work.values());
        static_cast<void>(partials.values());
        const std::vector<T> got = a.values();
        EXPECT_LT(true_residual(m, s, got), 20 * limits.tolerance);
        if (repeat == 0) first = got;
        expect_same(got, first, "the same sums every time");
      }
    }
  }
}

TYPED_TEST(TdbemWavesCuda, GroupsMarchAsStepByStep) {
  using T = TypeParam;
  for_each_group<T>({1, 150, 900}, [this](GroupCase<T> c, const std::string& what) {
    GroupCase<T> expected = c;
    expected.march_on_cpu();
    const OnDevice<T> device(this->stream_, c.matrix, c.inverse);
    const auto totals = this->upload(c.totals);
    const auto solutions = this->upload(c.solutions);
    const auto other = this->upload(c.other);
    const auto begin = this->upload(c.near.begin);
    const auto reached = this->upload(c.near.reached);
    const auto column = this->upload(c.near.column);
    const auto values = this->upload(c.near.values);
    const DeviceArray<T> rhs(this->stream_, c.inverse.size(), 0, Guard::nan);
    const DeviceArray<double> shared(this->stream_, 2 * c.inverse.size(), 0, Guard::nan);
    const DeviceArray<double> partial(
        this->stream_, static_cast<std::size_t>(cuda::solve_partials(cuda::solve_blocks<T>(c.shape.rows))), 0);
    const auto tally = this->upload(std::vector<SolveTally>(1));
    GroupMarch<T> m = c.march();
    m.matrix = device.view;
    m.inverse_diagonal = device.inverse.data();
    m.totals = totals.data();
    m.solutions = solutions.data();
    m.other = other.data();
    m.near = {0, c.near.rows, c.near.lags, begin.data(), reached.data(), column.data(), values.data()};
    std::vector<std::unique_ptr<DeviceArray<T>>> incident;
    for (std::size_t w = 0; w < c.incident.size(); ++w) {
      incident.push_back(std::make_unique<DeviceArray<T>>(this->stream_, c.incident[w]));
      m.incident[w] = incident.back()->data();
    }
    m.rhs = rhs.data();
    m.shared = shared.data();
    m.partial = partial.data();
    m.tally = tally.data();
    cuda::march_group(m, this->stream_);
    expected.expect(solutions.values(), totals.values(), what);
    EXPECT_EQ(tally.values()[0].solves, c.shape.group * c.shape.waves);
    EXPECT_EQ(tally.values()[0].failed_step, -1);
    static_cast<void>(shared.values());
    static_cast<void>(partial.values());
  });
}

TYPED_TEST(TdbemWavesCuda, EndingsOfConjugateGradients) {
  using T = TypeParam;
  const Matrix<T> indefinite{{0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}};
  const OnDevice<T> device(this->stream_, indefinite, {1, 1});
  const auto ending = [&](const std::vector<T>& s, std::int32_t most) {
    const auto right = this->upload(s);
    const auto a = this->upload(std::vector<T>{0, 0});
    const DeviceArray<T> work(this->stream_, 8, 0);
    const DeviceArray<double> partials(this->stream_, 12, 0);
    const auto tally = this->upload(std::vector<SolveTally>(1));
    cuda::solve(device.view, device.inverse.data(), {1e-10, most}, right.data(), Guess<T>{a.data(), a.data()}, a.data(),
                work.data(), partials.data(), 2, tally.data(), 3, this->stream_);
    return tally.values()[0];
  };
  EXPECT_EQ(ending({1, -1}, 9).ending, Ending::breakdown);
  EXPECT_EQ(ending({1, std::numeric_limits<T>::quiet_NaN()}, 9).ending, Ending::breakdown);
  EXPECT_EQ(ending({1, 0.5}, 0).ending, Ending::most_iterations);
  EXPECT_EQ(ending({0, 0}, 9).ending, Ending::converged);
}

}  // namespace
}  // namespace asterism::tdbem
