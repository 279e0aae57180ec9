// SPDX-License-Identifier: Apache-2.0
// The fast multipole method from end to end, against direct summation in long double that shares no code with it. The
// scheduler comes from STARPU_SCHED; StarPU is started once.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "taskflows/fmm/flow.hpp"
#include "taskflows/fmm/particles/generate.hpp"
#include "taskflows/fmm/scheduling.hpp"
#include "taskflows/fmm/simulation.hpp"
#include "taskflows/fmm/verify.hpp"
#include "tests/codelets/fmm/user_kernel.hpp"
#include "tests/runtime/starpu_environment.hpp"

namespace asterism::fmm {
namespace {

struct Sums {
  std::vector<long double> potential, fx, fy, fz;
};

/// K(r) and K'(r) of each kernel, written down again.
struct Formula {
  long double (*value)(long double r);
  long double (*slope)(long double r);  ///< dK/dr
};
const Formula laplace{[](long double r) { return 1 / r; }, [](long double r) { return -1 / (r * r); }};
const Formula inverse_square{[](long double r) { return 1 / (r * r); }, [](long double r) { return -2 / (r * r * r); }};
constexpr long double screening = 3;
const Formula yukawa{[](long double r) { return std::exp(-screening * r) / r; },
                     [](long double r) { return -std::exp(-screening * r) * (screening * r + 1) / (r * r); }};
constexpr double softening = 0.3;
const Formula softened{[](long double r) { return 1 / (r * r + static_cast<long double>(softening) * softening); },
                       [](long double r) {
                         const long double d = r * r + static_cast<long double>(softening) * softening;
                         return -2 * r / (d * d);
                       }};

Sums direct(const Particles& p, const Formula& k) {
  const std::size_t n = p.size();
  Sums s{std::vector<long double>(n), std::vector<long double>(n), std::vector<long double>(n),
         std::vector<long double>(n)};
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const long double x = static_cast<long double>(p.x[i]) - p.x[j];
      const long double y = static_cast<long double>(p.y[i]) - p.y[j];
      const long double z = static_cast<long double>(p.z[i]) - p.z[j];
      const long double r = std::sqrt(x * x + y * y + z * z);
      if (r == 0) continue;
      s.potential[i] += p.charge[j] * k.value(r);
      const long double f = -p.charge[i] * p.charge[j] * k.slope(r) / r;
      s.fx[i] += f * x;
      s.fy[i] += f * y;
      s.fz[i] += f * z;
    }
  return s;
}

struct Error2 {
  double potential, force;
};
Error2 error_of(const Result& r, const Sums& s) {
  long double e[2] = {0, 0};
  long double n[2] = {0, 0};
  const auto add = [&](int which, double a, long double b) {
    e[which] += (a - b) * (a - b);
    n[which] += b * b;
  };
  for (std::size_t i = 0; i < s.potential.size(); ++i) {
    add(0, r.potential[i], s.potential[i]);
    add(1, r.fx[i], s.fx[i]);
    add(1, r.fy[i], s.fy[i]);
    add(1, r.fz[i], s.fz[i]);
  }
  return {static_cast<double>(std::sqrt(e[0] / n[0])), static_cast<double>(std::sqrt(e[1] / n[1]))};
}

struct Setting : Options {
  Accuracy accuracy;
};

Result solve(const Particles& p, const Interaction& interaction, const Setting& setting) {
  Simulation simulation({interaction, setting.accuracy}, setting, p);
  Flow(simulation).evaluate();
  Result r(p.size());
  simulation.collect(r);
  return r;
}

Setting with(const Accuracy& a, int height, int group_size) {
  Setting setting;
  setting.accuracy = a;
  setting.shape = {height, group_size};
  return setting;
}

double largest_difference(const Result& a, const Result& b) {
  double largest = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.potential.size(); ++i) {
    largest = std::max({largest, std::abs(a.potential[i] - b.potential[i])});
    size = std::max(size, std::abs(b.potential[i]));
  }
  double largest_force = 0;
  double force = 0;
  for (std::size_t i = 0; i < a.fx.size(); ++i) {
    largest_force = std::max(
        {largest_force, std::abs(a.fx[i] - b.fx[i]), std::abs(a.fy[i] - b.fy[i]), std::abs(a.fz[i] - b.fz[i])});
    force = std::max({force, std::abs(b.fx[i]), std::abs(b.fy[i]), std::abs(b.fz[i])});
  }
  return std::max(largest / size, largest_force / force);
}

/// Charges of both signs in a cube or on an ellipsoid, summed once for all accuracies.
struct Summed {
  Particles particles;
  Sums right;
};
const Summed& summed(bool volume) {
  const auto make = [](Particles p) {
    Sums right = direct(p, laplace);
    return Summed{std::move(p), std::move(right)};
  };
  static const Summed in_cube = make(cube(6000, 11, Charges::random_signs));
  static const Summed on_ellipsoid = make(ellipsoid(6000, 11, Charges::random_signs));
  return volume ? in_cube : on_ellipsoid;
}

class Promise : public testing::TestWithParam<int> {};

TEST_P(Promise, IsKeptOnCubeAndEllipsoid) {
  const int acc = GetParam();
  for (const bool volume : {true, false}) {
    SCOPED_TRACE(volume ? "cube" : "ellipsoid");
    const auto& [p, right] = summed(volume);
    const Result r = solve(p, interaction(Laplace{}), with(accuracy(acc), volume ? 4 : 5, 60));
    const Error2 e = error_of(r, right);
    const double promised = std::pow(10.0, -acc);
    EXPECT_LE(e.potential, promised);
    EXPECT_LE(e.force, promised);
    if (volume) {
      EXPECT_GT(e.potential, promised / 30) << "more accurate, and hence slower, than asked for";
    }
    // the check that --verify makes agrees
    const Errors checked = direct_errors(interaction(Laplace{}), p, r, 6000, 1);
    EXPECT_NEAR(checked.potential, e.potential, 0.01 * e.potential + 1e-15);
    EXPECT_NEAR(checked.force, e.force, 0.01 * e.force + 1e-15);
  }
}
INSTANTIATE_TEST_SUITE_P(Accuracies, Promise, testing::Range(lowest_accuracy, highest_accuracy + 1));

TEST(Accuracy, OfThePapersSettingFallsWithTheOrder) {
  const Particles p = cube(5000, 4, Charges::random_signs);
  const Sums right = direct(p, laplace);
  double before = 1;
  for (int l = 2; l <= 8; ++l) {
    const Error2 e = error_of(solve(p, interaction(Laplace{}), with(paper_accuracy(l), 4, 100)), right);
    EXPECT_LT(e.potential, before / 3) << l;  // measured: 5 to 8 times per order
    EXPECT_LT(e.potential, 60 * std::pow(10.0, -l)) << l;
    EXPECT_LT(e.force, 60 * std::pow(10.0, -l)) << l;
    before = e.potential;
  }
}

TEST(Kernels, OthersThanLaplace) {
  const Particles p = cube(4000, 6, Charges::random_signs);
  const Setting o = with(accuracy(5), 4, 37);
  const double allowed = 2e-5;
  const Error2 square = error_of(solve(p, interaction(InverseSquare{}), o), direct(p, inverse_square));
  EXPECT_LE(square.potential, 10 * allowed);  // steeper: interpolated less well at equal order
  EXPECT_LE(square.force, 10 * allowed);
  const Error2 screened = error_of(solve(p, interaction(Yukawa{static_cast<double>(screening)}), o), direct(p, yukawa));
  EXPECT_LE(screened.potential, allowed);
  EXPECT_LE(screened.force, allowed);
}

TEST(Kernels, AUsersOwn) {
  Particles p = cube(3000, 8, Charges::uniform01);
  const Error2 e =
      error_of(solve(p, interaction(user::Plummer{softening}), with(accuracy(5), 4, 37)), direct(p, softened));
  EXPECT_LE(e.potential, 1e-5);
  EXPECT_LE(e.force, 1e-4);
}

constexpr long double plummer_softening = 0.05L;
const Formula plummer_laplace{
    [](long double r) { return 1 / std::sqrt(r * r + plummer_softening * plummer_softening); },
    [](long double r) {
      const long double d = r * r + plummer_softening * plummer_softening;
      return -r / (d * std::sqrt(d));
    }};
const Formula plummer_yukawa{[](long double r) {
                               const long double s = std::sqrt(r * r + plummer_softening * plummer_softening);
                               return std::exp(-screening * s) / s;
                             },
                             [](long double r) {
                               const long double s = std::sqrt(r * r + plummer_softening * plummer_softening);
                               return -std::exp(-screening * s) * (screening * s + 1) / (s * s) * r / s;
                             }};

/// Near and far field, and the sum that --verify makes; all with the factor of a law.
TEST(Kernels, Softened) {
  const double squared = static_cast<double>(plummer_softening * plummer_softening);
  for (const bool clustered : {false, true}) {
    const Particles p = clustered ? plummer(3000, 6, Charges::shares) : cube(3000, 6, Charges::random_signs);
    Setting o = with(softened_accuracy(4), clustered ? 6 : 4, 37);
    if (clustered) o.shape.leaf_size = 30;
    // with charges of both signs, softening takes the near pairs that make most of the norm of the force
    const double promised = clustered ? 1e-4 : 4e-4;
    Interaction gravity = interaction(Softened<Laplace>{{Laplace{}, squared}});
    gravity.coupling = -2.5;
    Result r = solve(p, gravity, o);
    const Errors checked = direct_errors(gravity, p, r, 3000, 1);
    EXPECT_LE(checked.potential, promised);
    EXPECT_LE(checked.force, promised);
    for (Array<double>* const values : {&r.potential, &r.fx, &r.fy, &r.fz})
      for (double& value : *values) value /= -2.5;
    const Error2 e = error_of(r, direct(p, plummer_laplace));
    EXPECT_NEAR(e.potential, checked.potential, 0.01 * checked.potential);
    EXPECT_NEAR(e.force, checked.force, 0.01 * checked.force);
    EXPECT_GT(e.force, 1e-9) << "there is to be a far field";
    const Error2 screened =
        error_of(solve(p, interaction(Softened<Yukawa>{{Yukawa{3}, squared}}), o), direct(p, plummer_yukawa));
    EXPECT_LE(screened.potential, promised);
    EXPECT_LE(screened.force, promised);
  }
}

/// Three charges at one place: each has the potential of the two others at the distance epsilon, and no force.
TEST(Kernels, SoftenedParticlesAtTheSamePlaceAct) {
  Particles p(3);
  for (std::size_t i = 0; i < 3; ++i) {
    p.x[i] = 0.25, p.y[i] = 0.5, p.z[i] = -1;
    p.charge[i] = static_cast<double>(i + 1);
  }
  const Interaction softened_by_two = interaction(Softened<Laplace>{{Laplace{}, 4}});
  const Result r = solve(p, softened_by_two, with(accuracy(5), 2, 8));
  EXPECT_NEAR(r.potential[0], 2.5, 1e-11);
  EXPECT_NEAR(r.potential[1], 2, 1e-11);
  EXPECT_NEAR(r.potential[2], 1.5, 1e-11);
  EXPECT_EQ(r.fx[1], 0);
  EXPECT_LT(direct_errors(softened_by_two, p, r, 3, 1).potential, 1e-11);
}

TEST(Groups, DoNotChangeTheAnswer) {
  for (const bool volume : {true, false}) {
    const Particles p = volume ? cube(3000, 2, Charges::random_signs) : ellipsoid(3000, 2, Charges::random_signs);
    const int height = volume ? 4 : 5;
    const Result whole = solve(p, interaction(Laplace{}), with(accuracy(4), height, 100000));
    for (const int group_size : {1, 3, 17, 64, 65, 200}) {
      SCOPED_TRACE(group_size);
      if (group_size == 1 && volume) continue;  // 500 tasks of 189 sources each
      Setting o = with(accuracy(4), height, group_size);
      EXPECT_LT(largest_difference(solve(p, interaction(Laplace{}), o), whole), 1e-12);
      o.reduction = ReductionOrder::first;
      o.reduction = ReductionOrder::any;
      EXPECT_LT(largest_difference(solve(p, interaction(Laplace{}), o), whole), 1e-12);
      o.pieces = {0.3, 11};
      EXPECT_LT(largest_difference(solve(p, interaction(Laplace{}), o), whole), 1e-12);
      o.reduction = ReductionOrder::first;
      o.split_near = false;
      o.shape.far_tasks = FarTasks::separate;
      EXPECT_LT(largest_difference(solve(p, interaction(Laplace{}), o), whole), 1e-12);
    }
  }
}

TEST(Heights, AllAgreeWithDirectSummation) {
  const Particles p = plummer(2500, 3, Charges::uniform01);
  const Sums right = direct(p, laplace);
  for (int height = 1; height <= 7; ++height) {
    SCOPED_TRACE(height);
    const Error2 e = error_of(solve(p, interaction(Laplace{}), with(accuracy(6), height, 50)), right);
    EXPECT_LT(e.potential, 1e-6);
    EXPECT_LT(e.force, 1e-5);
    if (height <= 2) {
      EXPECT_LT(e.potential, 1e-13);  // nothing but P2P
    }
  }
}

TEST(Boxes, FarFromTheOriginAndFlat) {
  Particles p = cube(3000, 12, Charges::random_signs);
  for (std::size_t i = 0; i < p.size(); ++i) {
    p.x[i] = 1000 + 7 * p.x[i];
    p.y[i] = -500 + 3 * p.y[i];
    p.z[i] = 0.2 * p.z[i];
  }
  const Error2 e = error_of(solve(p, interaction(Laplace{}), with(accuracy(5), 5, 40)), direct(p, laplace));
  EXPECT_LE(e.potential, 1e-5);
  EXPECT_LE(e.force, 1e-5);
}

TEST(Evaluations, RepeatedGiveTheSame) {
  const Particles p = cube(2000, 5, Charges::random_signs);
  Simulation simulation({interaction(Laplace{}), accuracy(4)}, with(accuracy(4), 4, 50), p);
  Flow flow(simulation);
  Result first(p.size());
  Result second(p.size());
  flow.evaluate();
  simulation.collect(first);
  flow.evaluate();
  simulation.collect(second);
  EXPECT_LT(largest_difference(first, second), 1e-13);
  EXPECT_GT(simulation.work().far_pairs, 0);
}

TEST(Evaluations, OfMovingParticlesEqualThoseOfNewOnes) {
  Particles p = cube(2500, 7, Charges::random_signs);
  Simulation simulation({interaction(Laplace{}), accuracy(5)}, with(accuracy(5), 4, 40), p);
  Flow flow(simulation);
  flow.evaluate();
  Result r(p.size());
  for (int step = 0; step < 5; ++step) {
    // a little, more, then out of the box; charges change too
    const double reach = step == 0 ? 1e-9 : step < 3 ? 0.01 : 0.3;
    for (std::size_t i = 0; i < p.size(); ++i) {
      p.x[i] += reach * std::sin(static_cast<double>(i) + step);
      p.z[i] += reach * std::cos(static_cast<double>(3 * i) + step);
      p.charge[i] = -p.charge[i];
    }
    simulation.move(p);
    flow.evaluate();
    simulation.collect(r);
    const Error2 e = error_of(r, direct(p, laplace));
    EXPECT_LE(e.potential, 1e-5) << step;
    EXPECT_LE(e.force, 1e-5) << step;
  }
}

TEST(Few, OneTwoAndCoincidentParticles) {
  Particles one(1);
  one.x[0] = 3, one.y[0] = -2, one.z[0] = 1, one.charge[0] = 5;
  const Result alone = solve(one, interaction(Laplace{}), with(accuracy(3), 4, 10));
  EXPECT_EQ(alone.potential[0], 0);
  EXPECT_EQ(alone.fx[0], 0);

  Particles two(2);
  two.x[0] = two.y[0] = two.z[0] = 0;
  two.x[1] = 2, two.y[1] = 0, two.z[1] = 0;
  two.charge[0] = 3, two.charge[1] = -4;
  for (const int height : {1, 2, 3, 6}) {
    const Result r = solve(two, interaction(Laplace{}), with(accuracy(7), height, 10));
    EXPECT_NEAR(r.potential[0], -2, 1e-6);
    EXPECT_NEAR(r.potential[1], 1.5, 1e-6);
    // the accuracy is that of many particles on average; these two are at the worst places, corners of their cells
    EXPECT_NEAR(r.fx[0], 3.0, 1e-4);  // opposite charges attract: towards +x
    EXPECT_NEAR(r.fx[1], -3.0, 1e-4);
    EXPECT_NEAR(r.fy[0], 0, 1e-4);
  }

  Particles pile(40);
  for (std::size_t i = 0; i < 40; ++i) pile.x[i] = pile.y[i] = pile.z[i] = 0.25, pile.charge[i] = 1;
  const Result together = solve(pile, interaction(Laplace{}), with(accuracy(3), 5, 10));
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(together.potential[i], 0);
}

TEST(Bad, WhatDoesNotFitIsRefused) {
  const Particles p = cube(100, 1, Charges::ones);
  EXPECT_THROW(solve(p, interaction(Laplace{}), with(accuracy(3), 0, 10)), Error);
  EXPECT_THROW(accuracy(1), Error);
  EXPECT_THROW(accuracy(10), Error);
  EXPECT_THROW(paper_accuracy(17), Error);
}

TEST(Priorities, FollowTable3) {
  const Priorities p{6};
  EXPECT_GT(p.p2m(), p.m2m(5));
  EXPECT_GT(p.m2m(5), p.m2m(3));
  EXPECT_GT(p.m2m(3), p.l2l(3));
  EXPECT_GT(p.l2l(3), p.l2l(5));
  EXPECT_GT(p.l2l(5), p.p2p_large());
  EXPECT_GT(p.p2p_large(), p.m2l(2));
  EXPECT_GT(p.m2l(2), p.m2l(5));
  EXPECT_GT(p.m2l(5), p.p2p_small());
  EXPECT_GT(p.p2p_small(), p.l2p());
  EXPECT_GT(p.l2p(), p.reduction());
  EXPECT_LT(p.p2m(), 100);
  EXPECT_LT(Priorities{max_height}.p2m(), 100);  // StarPU's heteroprio has a hundred buckets
}

}  // namespace
}  // namespace asterism::fmm
