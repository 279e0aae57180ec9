// SPDX-License-Identifier: Apache-2.0
// Cases: what a problem is when little is said about it, and which ones are refused.
#include <gtest/gtest.h>

#include <cmath>

#include "taskflows/tdbem/cases.hpp"
#include "tests/taskflows/tdbem/fixture.hpp"

namespace asterism::tdbem {
namespace {

CaseOptions small_sphere() {
  CaseOptions options;
  options.body.unknowns = 42;
  options.wave.directions = {{0, 0, 1}, {1, 0, 0}};
  return options;
}

TEST(TdbemCases, SphereByDefault) {
  const ProblemCase made = problem_case(small_sphere(), {});
  const Problem& p = made.problem;
  EXPECT_TRUE(made.is_sphere);
  EXPECT_EQ(made.description, "rigid sphere, 42 unknowns");
  EXPECT_EQ(p.surface.unknowns(), 42);
  EXPECT_EQ(p.waves.size(), 2U);
  EXPECT_DOUBLE_EQ(p.dt, 0.5 * p.surface.edges.mean / 343);
  EXPECT_EQ(p.precision, Precision::double_precision);
  EXPECT_EQ(p.limits.tolerance, 1e-12);
  // until the wave has passed, and what it scattered has crossed the body twice
  const Passage pass = passage(p);
  EXPECT_EQ(made.steps, std::ceil((pass.end - pass.begin + 2 * p.surface.diameter / p.speed) / p.dt));
}

TEST(TdbemCases, OptionsReplaceDefaults) {
  CaseOptions options = small_sphere();
  options.body.name = "box";
  options.boundary = Boundary::soft;
  options.precision = Precision::single_precision;
  options.dt = 2e-4;
  options.steps = 7;
  const ProblemCase made = problem_case(options, {});
  EXPECT_FALSE(made.is_sphere);
  EXPECT_EQ(made.description.substr(0, 9), "soft box,");
  EXPECT_EQ(made.steps, 7);
  EXPECT_EQ(made.problem.dt, 2e-4);
  EXPECT_EQ(made.problem.limits.tolerance, 1e-6);
  options.tolerance = 1e-3;
  options.steps.reset();
  options.duration = 10.5 * *options.dt;
  const ProblemCase other = problem_case(options, {});
  EXPECT_EQ(other.problem.limits.tolerance, 1e-3);
  EXPECT_EQ(other.steps, 11);
}

TEST(TdbemCases, BodiesAreTurned) {
  CaseOptions options = small_sphere();
  options.body.name = "box";
  const Surface plain = problem_case(options, {}).problem.surface;
  options.body.degrees = {90, 0, 0};
  const Surface turned = problem_case(options, {}).problem.surface;
  const auto sides = [](const Surface& s) {
    Point most = {0, 0, 0};
    for (const Point& v : s.vertices) most = {std::max(most.x, v.x), std::max(most.y, v.y), std::max(most.z, v.z)};
    return 2.0 * most;
  };
  EXPECT_NEAR(sides(plain).y, 1, 1e-12);
  EXPECT_NEAR(sides(turned).x, 1.4, 1e-12);
  EXPECT_NEAR(sides(turned).y, 0.7, 1e-12);
  EXPECT_NEAR(sides(turned).z, 1, 1e-12);
}

TEST(TdbemCases, MonopolesFollowPlaneWaves) {
  CaseOptions options = small_sphere();
  options.wave.monopoles = {{0, 3, 4}};
  const ProblemCase made = problem_case(options, {});
  ASSERT_EQ(made.problem.waves.size(), 3U);
  const IncidentWave& wave = made.problem.waves[2];
  EXPECT_EQ(wave.kind, WaveKind::monopole);
  const Point x = {0, 3, 3};  // at 1 m: the peak is 1, when the pulse has gone there
  EXPECT_DOUBLE_EQ(pressure(wave, x, 1 / 343.0), 1);
  EXPECT_DOUBLE_EQ(pressure(wave, {0, 3, 2}, 2 / 343.0), 0.5);
}

TEST(TdbemCases, AreRefused) {
  CaseOptions options = small_sphere();
  options.body.name = "cube";
  expect_names(complaint([&] { problem_case(options, {}); }), "cube");
  options = small_sphere();
  options.courant = 9;
  expect_names(complaint([&] { problem_case(options, {}); }), "too large for this pulse");
  options = small_sphere();
  options.observers = {{0, 0, 0.1}};
  expect_names(complaint([&] { problem_case(options, {}); }), "inside");
  options = small_sphere();
  options.wave.directions.clear();
  expect_names(complaint([&] { problem_case(options, {}); }), "no incident wave");
  for (const auto& [z, what] : {std::pair{0.5, "monopole 1 at (0, 0, 0.5) lies inside"}, {1.1, "(a mean edge)"}}) {
    options.wave.monopoles = {{0, 0, 4}, {0, 0, z}};
    expect_names(complaint([&] { problem_case(options, {}); }), what);
  }
}

}  // namespace
}  // namespace asterism::tdbem
