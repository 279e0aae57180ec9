// SPDX-License-Identifier: Apache-2.0
// Targets apart from sources (equation 1 of RR-8513, M targets and N sources): against direct summation, against all on
// all with the sources as targets, and that no more is computed than these pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "taskflows/fmm/flow.hpp"
#include "taskflows/fmm/periodic/periodic_box.hpp"
#include "taskflows/fmm/periodic/periodic_reference.hpp"
#include "taskflows/fmm/simulation.hpp"
#include "taskflows/fmm/targets/nearness.hpp"
#include "taskflows/fmm/tree/tree_choice.hpp"
#include "taskflows/fmm/verify.hpp"
#include "tests/runtime/starpu_environment.hpp"
#include "tests/taskflows/fmm/clouds.hpp"
#include "tests/taskflows/fmm/results.hpp"

namespace asterism::fmm {
namespace {

/// The sources, then the targets, which have no charges there.
Particles joined(const Particles& sources, const Particles& targets) {
  Particles all(sources.size() + targets.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool source = i < sources.size();
    const Particles& from = source ? sources : targets;
    const std::size_t k = source ? i : i - sources.size();
    all.x[i] = from.x[k], all.y[i] = from.y[k], all.z[i] = from.z[k];
    all.charge[i] = source ? from.charge[k] : 0;
  }
  return all;
}

/// Nodes of a grid from `low` to `high`, with charges of 1: forces are fields.
Particles grid(int nx, int ny, int nz, double low, double high) {
  Particles nodes(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz));
  std::size_t next = 0;
  const auto place = [&](int i, int n) { return low + (high - low) * i / (n - 1); };
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i, ++next)
        nodes.x[next] = place(i, nx), nodes.y[next] = place(j, ny), nodes.z[next] = place(k, nz);
  for (double& q : nodes.charge) q = 1;
  return nodes;
}

Options shaped(const TreeShape& shape) {
  Options options;
  options.shape = shape;
  return options;
}

/// Potential and field of the targets.
Result results_of(const Simulation& simulation, std::size_t sources, std::size_t targets) {
  Result of_all(sources + targets);
  simulation.collect(of_all, FieldTimes::one);
  Result result(targets);
  for (Array<double> Result::*const values : {&Result::potential, &Result::fx, &Result::fy, &Result::fz})
    std::copy((of_all.*values).begin() + static_cast<std::ptrdiff_t>(sources), (of_all.*values).end(),
              (result.*values).begin());
  return result;
}

struct Solved {
  Result result;  ///< potential and field
  WorkSummary work;
  std::size_t tasks = 0;
};
Solved solve(const Particles& sources, const Particles& targets, const Problem& problem, Options options) {
  const Particles all = joined(sources, targets);
  options.sources = sources.size();
  Simulation simulation(problem, options, all);
  Flow flow(simulation);
  flow.evaluate();
  return {results_of(simulation, sources.size(), targets.size()), simulation.work(), flow.tasks()};
}

/// Particles acting on each other; the field.
Solved solve_mutual(const Particles& particles, const Problem& problem, const Options& options) {
  Simulation simulation(problem, options, particles);
  Flow flow(simulation);
  flow.evaluate();
  Solved solved{Result(particles.size()), simulation.work(), flow.tasks()};
  simulation.collect(solved.result, FieldTimes::one);
  return solved;
}

/// To the bit on CPUs: elsewhere a task's unit is the scheduler's choice.
double to_the_bit() {
  return starpu_cuda_worker_get_count() > 0 ? 1e-12 : 0;
}

const TreeShape uniform{4, 30};
const TreeShape adaptive{max_height, 12, FarTasks::joined, 40};

class ApartPromise : public testing::TestWithParam<int> {};

TEST_P(ApartPromise, IsKeptOnGridsWhateverTheDistribution) {
  const int acc = GetParam();
  const Interaction laplace = interaction(Laplace{});
  std::vector<std::pair<std::string, Particles>> all = clouds(4000);
  all.emplace_back("ellipsoid", ellipsoid(4000, 3, Charges::random_signs));
  for (const auto& [name, sources] : all) {
    if (acc > 3 && name != "plummer" && name != "cube") continue;  // operators that take seconds
    for (const auto& [low, high] : {std::pair{0.03, 0.98}, std::pair{-2.0, 3.0}})
      for (const TreeShape& shape : {uniform, adaptive}) {
        SCOPED_TRACE(name + (shape.adaptive() ? ", adaptive" : ", uniform") + ", grid from " + std::to_string(low));
        const Particles targets = grid(17, 13, 15, low, high);
        const Problem problem{laplace, accuracy(setting_for_targets(acc, share_near_sources(sources, targets)))};
        const Solved solved = solve(sources, targets, problem, shaped(shape));
        const Errors e = direct_errors(laplace, sources, targets, solved.result, 1000, 3);
        EXPECT_LE(e.potential, std::pow(10.0, -acc));
        EXPECT_LE(e.force, std::pow(10.0, -acc));
      }
  }
}
INSTANTIATE_TEST_SUITE_P(Accuracies, ApartPromise, testing::Values(3, 4, 5));

/// Potential and field at the sources themselves are those of all on all: the same tree, the same pairs, each once.
TEST(Apart, SourcesAsTargets) {
  struct Case {
    const char* name;
    Problem problem;
  };
  for (const auto& [name, problem] : {Case{"laplace", {interaction(Laplace{}), accuracy(4)}},
                                      Case{"inverse square", {interaction(InverseSquare{}), accuracy(4)}},
                                      Case{"yukawa", {interaction(Yukawa{3}), accuracy(4)}}})
    for (const bool several : {false, true}) {
      SCOPED_TRACE(std::string(name) + (several ? ", adaptive" : ", uniform"));
      const Particles p = several ? plummer(3000, 6, Charges::random_signs, {}) : cube(3000, 6, Charges::random_signs);
      TreeShape shape = several ? adaptive : uniform;
      const Solved mutual = solve_mutual(p, problem, shaped(shape));
      shape.leaf_size *= 2;  // a leaf has as many targets as sources
      const Solved apart = solve(p, p, problem, shaped(shape));
      EXPECT_LT(difference(apart.result, mutual.result), 1e-11);
      EXPECT_EQ(apart.work.near_pairs, 2 * mutual.work.near_pairs + 3000);  // both ways, and each with itself
      EXPECT_EQ(apart.work.far_pairs, mutual.work.far_pairs);
      EXPECT_DOUBLE_EQ(apart.work.p2m, mutual.work.p2m);
      EXPECT_DOUBLE_EQ(apart.work.l2p, mutual.work.l2p);
      EXPECT_DOUBLE_EQ(apart.work.l2l, mutual.work.l2l);
    }
}

/// Softened sources act on targets at their own places, with K(epsilon).
TEST(Apart, SoftenedSourcesActWhereTheyAre) {
  const double epsilon = 0.05;
  const Problem problem{interaction(Softened<Laplace>{{Laplace{}, epsilon * epsilon}}), softened_accuracy(4)};
  const Particles p = cube(2000, 6, Charges::random_signs);
  Result mutual = solve_mutual(p, problem, shaped(uniform)).result;
  for (std::size_t i = 0; i < p.size(); ++i) mutual.potential[i] += p.charge[i] / epsilon;
  EXPECT_LT(difference(solve(p, p, problem, shaped(uniform)).result, mutual), 1e-11);
}

/// Targets far outside of the sources have no near field, and no cell without targets has local expansions.
TEST(Apart, TargetsFarFromTheSources) {
  const Problem problem{interaction(Laplace{}), accuracy(3)};
  const Particles sources = cube(3000, 2, Charges::ones);
  Particles targets = cube(2000, 3, Charges::ones);
  for (std::size_t i = 0; i < targets.size(); ++i) targets.x[i] += 30;
  for (const TreeShape& shape : {TreeShape{8, 25}, TreeShape{8, 1, FarTasks::separate}, adaptive}) {
    SCOPED_TRACE(shape.group_size);
    for (const ReductionOrder order : {ReductionOrder::last, ReductionOrder::first, ReductionOrder::any}) {
      Options options = shaped(shape);
      options.reduction = order;
      const Solved solved = solve(sources, targets, problem, options);
      EXPECT_EQ(solved.work.near_pairs, 0);
      const Errors e = direct_errors(problem.interaction, sources, targets, solved.result, 1000, 3);
      EXPECT_LE(e.potential, 1e-3);
      EXPECT_LE(e.force, 1e-2);  // the setting of targets among sources
    }
    const Solved all = solve_mutual(joined(sources, targets), problem, shaped(shape));
    const Solved apart = solve(sources, targets, problem, shaped(shape));
    EXPECT_LT(apart.work.far_pairs, all.work.far_pairs / 20);
    EXPECT_LT(apart.work.l2l, 0.8 * all.work.l2l);
    EXPECT_LT(apart.work.m2m, all.work.m2m);
    EXPECT_LT(apart.tasks, all.tasks);
  }
}

/// Few targets in few cells, few sources in few cells: nearly every cell lacks one or the other.
TEST(Apart, LeavesOfOneKindOnly) {
  const Problem problem{interaction(Laplace{}), accuracy(5)};
  for (const auto& [n, m] : {std::pair{1, 1}, std::pair{1, 500}, std::pair{500, 1}, std::pair{40, 30}}) {
    SCOPED_TRACE(std::to_string(n) + " sources, " + std::to_string(m) + " targets");
    const Particles sources = cube(static_cast<std::size_t>(n), 2, Charges::ones);
    const Particles targets = cube(static_cast<std::size_t>(m), 3, Charges::ones);
    for (const TreeShape& shape : {TreeShape{1, 1}, TreeShape{2, 1}, TreeShape{3, 5}, TreeShape{5, 1}, TreeShape{5, 64},
                                   TreeShape{max_height, 7, FarTasks::joined, 2}}) {
      const Solved solved = solve(sources, targets, problem, shaped(shape));
      const Errors e = direct_errors(problem.interaction, sources, targets, solved.result, m, 3);
      EXPECT_LE(e.potential, 1e-4) << shape.height;  // a particle or two per leaf
      EXPECT_LE(e.force, 1e-4) << shape.height;
    }
  }
}

/// Groups, orders of tasks and pieces of the near field; every evaluation of one division has the same bits.
TEST(Apart, DivisionsDoNotChangeTheAnswer) {
  const Problem problem{interaction(Laplace{}), accuracy(4)};
  const Particles sources = plummer(2500, 2, Charges::random_signs, {});
  const Particles targets = grid(14, 11, 12, -0.2, 1.1);
  for (const bool several : {false, true}) {
    const auto divided = [&](int group_size) {
      return several ? TreeShape{max_height, group_size, FarTasks::joined, 40} : TreeShape{5, group_size};
    };
    const Result whole = solve(sources, targets, problem, shaped(divided(100000))).result;
    for (const int group_size : {1, 17, 64})
      for (const ReductionOrder order : {ReductionOrder::last, ReductionOrder::first}) {
        Options options = shaped(divided(group_size));
        options.reduction = order;
        options.shape.far_tasks = order == ReductionOrder::first ? FarTasks::separate : FarTasks::joined;
        const Result result = solve(sources, targets, problem, options).result;
        EXPECT_LT(difference(result, whole), 1e-11);
        EXPECT_LE(difference(solve(sources, targets, problem, options).result, result), to_the_bit());
        options.pieces = {0.6, 5};
        EXPECT_LT(difference(solve(sources, targets, problem, options).result, whole), 1e-11);
      }
  }
}

TEST(Apart, PeriodicBoxes) {
  const Problem problem{interaction(Laplace{}), periodic_accuracy(4)};
  const Particles ions = cube(1500, 4, Charges::neutral);
  const Particles targets = grid(6, 9, 7, 0.0, 0.999);
  for (const int directions : {1, 2, 3}) {
    SCOPED_TRACE(directions);
    Options options = shaped({3, 11});
    options.shape.periodic = directions;
    options.box = Box{0, 0, 0, 1};
    const Solved solved = solve(ions, targets, problem, options);
    const PeriodicReference reference(ions, directions, 1.0, 300);
    const Errors e = errors_against([&](double x, double y, double z) { return reference.at(x, y, z); },
                                    problem.interaction, targets, false, solved.result, 300, 1, {}, {});
    EXPECT_LE(e.potential, 1e-4);
    EXPECT_LE(e.force, 1e-4);
    const Solved mutual = solve_mutual(ions, problem, options);
    const Solved at_ions = solve(ions, ions, problem, options);
    EXPECT_LT(difference(at_ions.result, mutual.result), 1e-11);
    EXPECT_EQ(at_ions.work.near_pairs, 2 * mutual.work.near_pairs + 1500);
  }
}

/// Sources and targets at new places, in the same leaves and in others.
TEST(Apart, MovedParticlesEqualNewOnes) {
  const Problem problem{interaction(Laplace{}), accuracy(4)};
  Particles sources = cube(1200, 4, Charges::random_signs);
  Particles targets = cube(900, 5, Charges::ones);
  for (const TreeShape& shape : {uniform, adaptive}) {
    Options options = shaped(shape);
    options.box = Box{-1, -1, -1, 3};
    options.sources = sources.size();
    Simulation simulation(problem, options, joined(sources, targets));
    Flow flow(simulation);
    flow.evaluate();
    for (std::size_t i = 0; i < targets.size(); ++i) targets.x[i] += 0.1 * std::sin(static_cast<double>(i));
    for (std::size_t i = 0; i < sources.size(); ++i) sources.y[i] += 0.05 * std::cos(static_cast<double>(i));
    simulation.move(joined(sources, targets));
    flow.evaluate();
    const Result moved = results_of(simulation, sources.size(), targets.size());
    const Result expected = solve(sources, targets, problem, options).result;
    EXPECT_LE(difference(moved, expected), shape.adaptive() ? to_the_bit() : 1e-12);
  }
}

TEST(Apart, NearnessOfTargets) {
  const Particles sources = cube(5000, 4, Charges::ones);
  EXPECT_DOUBLE_EQ(share_near_sources(sources, sources), 1);
  EXPECT_DOUBLE_EQ(share_near_sources(sources, grid(20, 20, 20, 0.02, 0.98)), 1);
  EXPECT_DOUBLE_EQ(share_near_sources(sources, grid(10, 10, 10, 3, 4)), 0);
  EXPECT_NEAR(share_near_sources(sources, grid(21, 21, 21, -1, 2)), 1. / 27, 0.05);  // and those around the cube
  EXPECT_LT(share_near_sources(plummer(5000, 4, Charges::ones, {}), grid(20, 20, 20, 0.02, 0.98)), 0.3);
  EXPECT_EQ(setting_for_targets(5, 0.9), 5);
  EXPECT_EQ(setting_for_targets(3, 0.9), 4);
  EXPECT_EQ(setting_for_targets(5, 0.2), 7);
  EXPECT_EQ(setting_for_targets(8, 0), 9);
}

TEST(Apart, NeedsSourcesAndTargets) {
  const Problem problem{interaction(Laplace{}), accuracy(3)};
  const Particles p = cube(10, 1, Charges::ones);
  for (const std::size_t sources : {std::size_t{0}, std::size_t{10}, std::size_t{11}}) {
    Options options = shaped({2, 4});
    options.sources = sources;
    EXPECT_THROW(Simulation(problem, options, p), Error);
  }
}

/// What the choice of a tree counts is what the tree has.
TEST(Apart, WorkloadsAreThoseOfTheTrees) {
  const Problem problem{interaction(Laplace{}), accuracy(3)};
  const Particles sources = plummer(3000, 2, Charges::ones, {});
  const Particles targets = grid(12, 12, 12, 0.2, 0.9);
  const Particles all = joined(sources, targets);
  const Box box = box_around(extent(all.x, all.y, all.z));
  const std::vector<Workload> loads = estimate_workloads(all, box, 4, Ranks::one, sources.size());
  const auto compare = [&](const Workload& load, const TreeShape& shape) {
    const Tree tree(all.x, all.y, all.z, box, shape, {}, sources.size());
    EXPECT_DOUBLE_EQ(load.near_pairs, static_cast<double>(tree.near_pairs()));
    EXPECT_DOUBLE_EQ(load.far_pairs, static_cast<double>(tree.far_pairs()));
    EXPECT_DOUBLE_EQ(load.leaves, static_cast<double>(tree.leaf_begin().size() - 1));
    EXPECT_DOUBLE_EQ(load.particles, tree.has_far_field() ? static_cast<double>(all.size()) / 2 : 0);
  };
  for (const Workload& load : loads) compare(load, {load.height, 50});
  // between two heights: the work as a power of the width of leaves
  const Particles even = joined(cube(6000, 3, Charges::ones), cube(6000, 4, Charges::ones));
  const Box around = box_around(extent(even.x, even.y, even.z));
  const std::vector<Workload> of_even = estimate_workloads(even, around, 5, Ranks::one, 6000);
  UnitRates core{1, 1e-9, 1e-6, 1e-7, 1e-7};
  const ChosenTree one_height = best_uniform_tree({}, of_even, {core});
  core.near_pair =
      1e-6 * of_even[4].far_pairs / of_even[3].near_pairs;  // near field as dear at a height as far field below
  const ChosenTree widened = best_widened_tree({}, of_even, {core});
  EXPECT_EQ(one_height.shape.widening, 1);
  EXPECT_EQ(widened.shape.height, 5);
  EXPECT_GT(widened.shape.widening, 1.1);
  EXPECT_LT(widened.shape.widening, 1.9);
  EXPECT_LT(widened.seconds, 0.97 * best_uniform_tree({}, of_even, {core}).seconds);
  const Tree tree(even.x, even.y, even.z, asterism::fmm::widened(around, widened.shape.widening), widened.shape, {},
                  6000);
  EXPECT_NEAR(widened.load.near_pairs / static_cast<double>(tree.near_pairs()), 1, 0.35);
  EXPECT_NEAR(widened.load.far_pairs / static_cast<double>(tree.far_pairs()), 1, 0.35);
  TreeShape wanted;
  wanted.height = 4;
  EXPECT_EQ(best_widened_tree(wanted, {of_even.begin(), of_even.begin() + 4}, {core}).shape.widening, 1);

  const std::vector<LeafCount> finest = finest_counts(all, box);
  const std::vector<std::int64_t> of_sources = finest_sources(finest, all, box, sources.size());
  for (const int leaf_size : {20, 90}) {
    const Workload load = adaptive_workload(finest, max_height, leaf_size, of_sources);
    compare(load, {load.height, 50, FarTasks::joined, leaf_size});
  }
}

}  // namespace
}  // namespace asterism::fmm
