// SPDX-License-Identifier: Apache-2.0
// Time-domain boundary elements from end to end: against plain marching with the same matrices in every way of working,
// against the exact series on spheres, and for many steps. The scheduler comes from STARPU_SCHED.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "runtime/machine/busy_time.hpp"
#include "taskflows/tdbem/reference/reference.hpp"
#include "taskflows/tdbem/reference/sphere_series.hpp"
#include "taskflows/tdbem/simulation.hpp"
#include "taskflows/tdbem/surface/bodies.hpp"
#include "taskflows/tdbem/surface/ordering.hpp"
#include "tests/runtime/starpu_environment.hpp"
#include "tests/taskflows/tdbem/fixture.hpp"

namespace asterism::tdbem {
namespace {

Surface hilbert(const mesh::TriangleMesh& mesh) {
  const Surface s = prepare_surface(mesh);
  return renumbered(s, order_of(s.vertices, Ordering::hilbert));
}

/// No symmetries, c other than 1, two waves from different sides.
Problem ellipsoid_problem(Boundary boundary) {
  Problem p;
  p.surface = hilbert(ellipsoid(2, {1, 0.7, 0.5}));
  p.boundary = boundary;
  p.speed = 1.3;
  p.dt = 0.5 * p.surface.edges.mean / p.speed;
  p.waves = {plane_wave(modulated_gaussian(3, 0.8, 2), {1, -2, 0.5}, p.speed),
             plane_wave(ricker(2.5, 3), {0, 0.3, -1}, p.speed)};
  p.limits.tolerance = 1e-13;
  p.first_step = first_step_of(p);
  return p;
}

double largest(const std::vector<std::vector<double>>& a) {
  double most = 0;
  for (const auto& step : a)
    for (const double v : step) most = std::max(most, std::abs(v));
  return most;
}

/// All steps of a wave.
template <class T>
std::vector<std::vector<double>> march(Simulation<T>& s, std::int64_t steps, std::int32_t wave) {
  std::vector<std::vector<double>> a;
  while (static_cast<std::int64_t>(a.size()) < steps) {
    s.advance();
    for (std::int64_t n = s.steps() - s.group(); n < s.steps() && n < steps; ++n) a.push_back(s.solution(n, wave));
  }
  return a;
}

double difference(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  double most = 0;
  for (std::size_t n = 0; n < a.size(); ++n)
    for (std::size_t i = 0; i < a[n].size(); ++i) most = std::max(most, std::abs(a[n][i] - b[n][i]));
  return most;
}

template <class T>
class TdbemFlow : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TdbemFlow, Precisions);

/// Every group, ahead or not, both ways of sharing (in turn), both solvers, several cuts.
TYPED_TEST(TdbemFlow, EveryWayOfWorkingGivesTheSame) {
  using T = TypeParam;
  constexpr std::int64_t steps = 75;
  int turn = 0;
  for (const Boundary boundary : {Boundary::rigid, Boundary::soft}) {
    Problem p = ellipsoid_problem(boundary);
    p.limits.tolerance = sizeof(T) == 8 ? 1e-13 : 1e-6;
    std::vector<std::vector<double>> expected;
    for (const std::int32_t block_size : {32, 192}) {
      Matrices<T> matrices(p, block_size);
      matrices.assemble([](double) {});
      EXPECT_LT(identity_error(p, matrices), sizeof(T) == 8 ? 1e-12 : 1e-5);
      for (const std::int32_t wave : {0, 1}) {
        if (expected.empty() || wave == 1) expected = reference_march(p, matrices, wave, steps);
        const double tolerance = (sizeof(T) == 8 ? 1e-11 : 2e-4) * largest(expected);
        ASSERT_GT(largest(expected), 0.1);
        for (const Method& method :
             {Method{8, false, 0}, Method{1, false, 0}, Method{3, false, 0}, Method{16, false, 0}, Method{1, true, 0},
              Method{5, true, 0}, Method{8, true, 0}}) {
          const Sharing sharing = turn++ % 2 == 0 ? Sharing::intervals : Sharing::scheduler;  // seven methods
          Simulation<T> s(p, method, matrices, Runtime::session(), sharing);
          EXPECT_LT(difference(expected, march(s, steps, wave)), tolerance)
              << "group " << method.group << (method.ahead ? " ahead" : "") << ", block size " << block_size
              << ", wave " << wave << (sharing == Sharing::scheduler ? ", scheduler" : "");
          EXPECT_EQ(s.tally().failed_step, -1);
        }
        expected.clear();
      }
    }
    p.solver = Solver::factorisation;
    if (Runtime::session().cpus() == 0) continue;
    Matrices<T> matrices(p, 96);
    matrices.assemble([](double) {});
    expected = reference_march(p, matrices, 1, steps);
    Simulation<T> s(p, {4, false, 0}, matrices, Runtime::session());
    EXPECT_LT(difference(expected, march(s, steps, 1)), (sizeof(T) == 8 ? 1e-11 : 2e-4) * largest(expected));
  }
}

/// The paper's other kernels, with two waves, groups that are narrower than blocks, ahead or not, both ways of sharing.
TYPED_TEST(TdbemFlow, EveryKernelGivesTheSame) {
  using T = TypeParam;
  constexpr std::int64_t steps = 60;
  Problem p = ellipsoid_problem(Boundary::rigid);
  p.limits.tolerance = sizeof(T) == 8 ? 1e-13 : 1e-6;
  for (const Kernel kernel : kernels) {
    if (Runtime::session().devices() > 0 && !runs_on_gpus(kernel)) continue;
    Matrices<T> matrices(p, 64, kernel == Kernel::contiguous_blocking ? Widths::uniform : Widths::of_panels);
    matrices.assemble([](double) {});
    for (const std::int32_t wave : {0, 1}) {
      const auto expected = reference_march(p, matrices, wave, steps);
      ASSERT_GT(largest(expected), 0.1);
      for (const bool ahead : {false, true})
        for (const Sharing sharing : {Sharing::intervals, Sharing::scheduler})
          for (const BlockShape shape : {BlockShape{32, 16}, BlockShape{128, 64}}) {
            Method method{5, ahead, 0};
            method.kernel = kernel;
            method.shape_of_full_blocks = shape;
            Simulation<T> s(p, method, matrices, Runtime::session(), sharing);
            EXPECT_LT(difference(expected, march(s, steps, wave)), (sizeof(T) == 8 ? 1e-11 : 2e-4) * largest(expected))
                << name_of(kernel) << (ahead ? " ahead" : "") << ", wave " << wave
                << (sharing == Sharing::scheduler ? ", scheduler" : "");
            if (kernel != Kernel::full_blocking) break;
          }
    }
  }
}

TEST(TdbemKernels, AreRefused) {
  const Problem p = ellipsoid_problem(Boundary::rigid);
  Matrices<double> matrices(p, 64);
  matrices.assemble([](double) {});
  expect_names(complaint([] { (void)kernel_named("scaler"); }), "nearest is scalar");
  EXPECT_EQ(kernel_named("full-blocking"), Kernel::full_blocking);
  Method method;
  method.kernel = Kernel::full_blocking;
  method.shape_of_full_blocks = {64, 24};
  expect_names(complaint([&] { Simulation<double>(p, method, matrices, Runtime::session()); }), "columns");
  Problem longer = p;  // row-vectors of more than 16 values
  longer.dt = 0.2 * p.surface.edges.mean / p.speed;
  Matrices<double> with_longer(longer, 64);
  method.shape_of_full_blocks = {64, 16};
  expect_names(complaint([&] { Simulation<double>(longer, method, with_longer, Runtime::session()); }), "row-vectors");
}

/// From the first submission to the last end, whatever is between; then nothing.
TEST(TdbemSharing, TimesOfWorkersAreSpans) {
  ProductSpan span;
  EXPECT_EQ(span.take(), 0);
  span.add(5'000'000'000, 7'000'000'000);
  span.add(4'000'000'000, 5'500'000'000);
  span.add(6'000'000'000, 9'000'000'000);
  EXPECT_DOUBLE_EQ(span.take(), 5);
  EXPECT_EQ(span.take(), 0);
}

/// Blocks that change hands between groups, down to none for a worker, leave the answer as it is.
TEST(TdbemSharing, MovesWhileTheFlowRuns) {
  const Problem p = ellipsoid_problem(Boundary::rigid);
  Matrices<double> matrices(p, 32);
  matrices.assemble([](double) {});
  const auto expected = reference_march(p, matrices, 0, 90);
  Simulation<double> s(p, {6, false, 0}, matrices, Runtime::session());
  const BusyTime profiling(Runtime::session());
  std::vector<std::vector<double>> a;
  for (int group = 0; group < 15; ++group) {
    Sizes sizes(static_cast<std::size_t>(s.workers()), 0);
    const auto blocks = static_cast<std::int64_t>(matrices.blocks());
    sizes[static_cast<std::size_t>(group) % sizes.size()] = blocks - std::min<std::int64_t>(group % 3, blocks);
    sizes.back() += std::min<std::int64_t>(group % 3, blocks);
    s.share(sizes);
    s.advance();
    for (std::int64_t n = s.steps() - 6; n < s.steps(); ++n) a.push_back(s.solution(n, 0));
  }
  starpu_task_wait_for_all();
  const std::vector<double> seconds = s.product_seconds();
  EXPECT_GT(std::accumulate(seconds.begin(), seconds.end(), 0.0), 0);
  EXPECT_LT(difference(expected, a), 1e-11 * largest(expected));
  EXPECT_NE(complaint([&] { s.share(Sizes(static_cast<std::size_t>(s.workers()), 1)); }), "");
}

/// A state continues to the last bit, in the middle of the pulse, with the pressure at observers.
TEST(TdbemState, ContinuesBitForBit) {
  for (const bool ahead : {false, true}) {
    Problem p = ellipsoid_problem(Boundary::rigid);
    p.observers = {{3, 0.2, -0.4}, {-1, 2, 2}};
    Matrices<double> matrices(p, 64);
    matrices.assemble([](double) {});
    const Method method{5, ahead, 0};
    std::vector<double> expected, observed_pressure;
    Simulation<double>::State state;
    {
      Simulation<double> s(p, method, matrices, Runtime::session());
      for (int group = 0; group < 34; ++group) {
        s.advance();
        if (group == 19) state = s.state();
      }
      expected = s.solution(169, 1);
      observed_pressure.assign(s.observed_pressure(1, 1), s.observed_pressure(1, 1) + 170);
    }
    EXPECT_EQ(state.steps, 100);
    Simulation<double> s(p, method, matrices, Runtime::session());
    s.set(state);
    for (int group = 20; group < 34; ++group) s.advance();
    EXPECT_EQ(s.solution(169, 1), expected);
    EXPECT_EQ(std::vector<double>(s.observed_pressure(1, 1), s.observed_pressure(1, 1) + 170), observed_pressure);
    EXPECT_GT(*std::max_element(observed_pressure.begin(), observed_pressure.end()), 1e-2);
  }
}

struct Accuracy {
  std::int32_t level;
  double rigid, soft;
};

/// Relative L2 error on the unit sphere for the pulse exp(-(t - 7)^2 / 2) cos 2 (t - 7), t up to 19, c dt / h = 1/2,
/// and at observers.
TEST(TdbemSphere, ApproachesTheSeries) {
  for (const auto& [level, rigid, soft] : {Accuracy{2, 0.06, 0.06}, Accuracy{3, 0.016, 0.016}}) {
    double far = 0;
    for (const Boundary boundary : {Boundary::rigid, Boundary::soft}) {
      Problem p;
      p.surface = hilbert(icosphere(level, 1));
      p.boundary = boundary;
      p.dt = 0.5 * p.surface.edges.mean;
      p.waves = {plane_wave(modulated_gaussian(7, 1, 2), {0, 0, 1}, 1)};
      p.first_step = first_step_of(p);
      p.observers = {{0, 0, -3}, {2.5, 1, 0}, {0, 0.3, 4}};
      Matrices<double> matrices(p, 96);
      matrices.assemble([](double) {});
      Simulation<double> s(p, {8, true, 0}, matrices, Runtime::session());
      const auto steps = static_cast<std::int64_t>(19 / p.dt) - p.first_step;
      const auto a = march(s, steps, 0);
      std::vector<double> computed, times;
      for (std::int64_t n = 0; n < steps; ++n) {
        times.push_back((static_cast<double>(p.first_step + n) - (boundary == Boundary::soft ? 0.5 : 0)) * p.dt);
        computed.insert(computed.end(), a[static_cast<std::size_t>(n)].begin(), a[static_cast<std::size_t>(n)].end());
      }
      const auto exact = sphere_surface_field(boundary, 1, p.waves[0], p.surface.vertices, times);
      const double error = relative_error(vertex_areas(p.surface), computed, exact);
      EXPECT_LT(error, boundary == Boundary::rigid ? rigid : soft) << "level " << level;
      // the pressure at observers is what the series radiates
      std::vector<double> ticks, observed_pressure;
      for (std::int64_t n = 0; n < steps; ++n) {
        ticks.push_back(static_cast<double>(p.first_step + n) * p.dt);
        for (std::int32_t o = 0; o < 3; ++o) observed_pressure.push_back(s.observed_pressure(0, o)[n]);
      }
      const auto radiated = sphere_scattered_pressure(boundary, 1, p.waves[0], p.observers, ticks);
      far = relative_error(std::vector<double>(3, 1), observed_pressure, radiated);
      EXPECT_LT(far, boundary == Boundary::rigid ? 1.5 * rigid : 1.5 * soft) << "level " << level;
      RecordProperty("error_at_observers", std::to_string(far));
    }
  }
}

/// Twenty thousand steps, long after the wave has passed: nothing grows. What the coarse box keeps of it decays slowly:
/// 1e-6 of the wave after 2,000 steps, the more so the finer the quadrature, 1e-11 after 4,000.
TEST(TdbemStability, TwentyThousandSteps) {
  const std::vector<mesh::TriangleMesh> bodies = {icosphere(1, 1), box({1.4, 1, 0.7}, {4, 3, 2}),
                                                  ellipsoid(1, {1, 0.7, 0.5})};
  for (const mesh::TriangleMesh& body : bodies)
    for (const Boundary boundary : {Boundary::rigid, Boundary::soft}) {
      Problem p;
      p.surface = hilbert(body);
      p.boundary = boundary;
      p.dt = 0.5 * p.surface.edges.mean;
      p.waves = {plane_wave(ricker(4, 2), {1, 0.4, -0.3}, 1)};
      p.first_step = first_step_of(p);
      p.limits.tolerance = 1e-14;
      Matrices<double> matrices(p, 64);
      matrices.assemble([](double) {});
      Simulation<double> s(p, {16, false, 0}, matrices, Runtime::session());
      double during = 0, after = 0;
      while (s.steps() < 20000) {
        s.advance();
        if (s.steps() > 200 && (s.steps() < 4000 || s.steps() % 2000 > 16)) continue;  // looked at now and then
        for (const double v : s.solution(s.steps() - 1, 0))
          (s.steps() <= 200 ? during : after) = std::max(s.steps() <= 200 ? during : after, std::abs(v));
      }
      EXPECT_GT(during, 0.5);
      EXPECT_LT(after, 1e-9 * during) << p.surface.unknowns() << (boundary == Boundary::rigid ? " rigid" : " soft");
    }
}

}  // namespace
}  // namespace asterism::tdbem
