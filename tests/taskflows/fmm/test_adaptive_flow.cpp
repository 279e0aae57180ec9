// SPDX-License-Identifier: Apache-2.0
// The fast multipole method with adaptive trees, against direct summation and against uniform trees.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "taskflows/fmm/flow.hpp"
#include "taskflows/fmm/simulation.hpp"
#include "taskflows/fmm/verify.hpp"
#include "tests/runtime/starpu_environment.hpp"
#include "tests/taskflows/fmm/clouds.hpp"
#include "tests/taskflows/fmm/results.hpp"

namespace asterism::fmm {
namespace {

constexpr std::size_t particles_of_cloud = 4000;
constexpr int leaf_size = 25;

Options with(const TreeShape& shape) {
  Options options;
  options.shape = shape;
  return options;
}
Options adaptive(int group_size) {
  return with({max_height, group_size, FarTasks::joined, leaf_size});
}

Result solve(const Particles& p, const Interaction& interaction, int acc, const Options& options) {
  Simulation simulation({interaction, accuracy(acc)}, options, p);
  Flow(simulation).evaluate();
  Result r(p.size());
  simulation.collect(r);
  return r;
}

Errors errors_of(const Particles& p, const Interaction& interaction, const Result& r) {
  return direct_errors(interaction, p, r, 1000, 3);
}

class AdaptivePromise : public testing::TestWithParam<int> {};

TEST_P(AdaptivePromise, IsKeptWhateverTheDistribution) {
  const Interaction laplace = interaction(Laplace{});
  for (const auto& [name, p] : clouds(particles_of_cloud)) {
    if (GetParam() == 7 && name != "plummer" && name != "two clusters") continue;  // operators that take seconds
    SCOPED_TRACE(name);
    const Errors e = errors_of(p, laplace, solve(p, laplace, GetParam(), adaptive(40)));
    EXPECT_LE(e.potential, std::pow(10.0, -GetParam()));
    EXPECT_LE(e.force, std::pow(10.0, -GetParam()));
  }
}
INSTANTIATE_TEST_SUITE_P(Accuracies, AdaptivePromise, testing::Values(3, 5, 7));

TEST(AdaptiveFlow, ScreenedChargesOnEveryLevel) {
  const Interaction yukawa = interaction(Yukawa{3});
  const Particles p = plummer(particles_of_cloud, 5, Charges::random_signs, {});
  const Errors e = errors_of(p, yukawa, solve(p, yukawa, 4, with({7, 40, FarTasks::joined, leaf_size})));
  EXPECT_LE(e.potential, 1e-4);
  EXPECT_LE(e.force, 1e-4);
}

TEST(AdaptiveFlow, EqualsTheUniformTree) {
  const Interaction laplace = interaction(Laplace{});
  const Particles p = plummer(particles_of_cloud, 6, Charges::uniform01, {});
  EXPECT_LT(difference(solve(p, laplace, 5, adaptive(40)), solve(p, laplace, 5, with({6, 40}))), 1e-5);
}

TEST(AdaptiveFlow, GroupsAndOrdersDoNotChangeTheAnswer) {
  const Interaction laplace = interaction(Laplace{});
  const Particles p = plummer(2000, 2, Charges::random_signs, {});
  const Result whole = solve(p, laplace, 4, adaptive(100000));
  for (const int group_size : {3, 17, 64}) {
    SCOPED_TRACE(group_size);
    for (const ReductionOrder order : {ReductionOrder::last, ReductionOrder::first, ReductionOrder::any}) {
      Options options = adaptive(group_size);
      options.reduction = order;
      options.shape.far_tasks = order == ReductionOrder::first ? FarTasks::separate : FarTasks::joined;
      EXPECT_LT(difference(solve(p, laplace, 4, options), whole), 1e-11);
    }
  }
}

/// To the bit on one kind of unit: elsewhere a task's unit is the scheduler's choice.
TEST(AdaptiveFlow, MovingParticlesEqualNewOnes) {
  const Interaction laplace = interaction(Laplace{});
  Particles p = plummer(1500, 4, Charges::random_signs, {});
  Options options = adaptive(30);
  options.box = Box{-1, -1, -1, 3};
  Simulation simulation({laplace, accuracy(4)}, options, p);
  Flow flow(simulation);
  flow.evaluate();
  for (std::size_t i = 0; i < p.size(); ++i) p.x[i] += 0.1 * std::sin(static_cast<double>(i));
  simulation.move(p);
  flow.evaluate();
  Result moved(p.size());
  simulation.collect(moved);
  const Result fresh = solve(p, laplace, 4, options);
  EXPECT_LE(difference(moved, fresh), starpu_cuda_worker_get_count() > 0 ? 1e-12 : 0);
}

TEST(AdaptiveFlow, FewParticles) {
  const Interaction laplace = interaction(Laplace{});
  Particles two(2);
  two.x[1] = 2;
  two.charge[0] = 3, two.charge[1] = -4;
  for (const int height : {1, 2, 3, max_height}) {
    const Result r = solve(two, laplace, 4, with({height, 10, FarTasks::joined, 1}));
    EXPECT_NEAR(r.potential[0], -2, 1e-3);
    EXPECT_NEAR(r.potential[1], 1.5, 1e-3);
  }
}

}  // namespace
}  // namespace asterism::fmm
