// SPDX-License-Identifier: Apache-2.0
// Named cases, direct summation and judgement: values known by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "taskflows/fmm/cases.hpp"
#include "taskflows/fmm/particles/generate.hpp"
#include "taskflows/fmm/reference.hpp"
#include "taskflows/fmm/verify.hpp"

namespace asterism::fmm {
namespace {

TEST(Cases, HaveTheParticlesOfTheirNames) {
  const Particles named = generate({"ellipsoid", 50, 7, "uniform"}, {1, 2});
  const Particles expected = ellipsoid(50, 7, Charges::uniform01, {1, 2});
  ASSERT_EQ(named.size(), expected.size());
  for (std::size_t i = 0; i < named.size(); ++i)
    EXPECT_TRUE(named.x[i] == expected.x[i] && named.charge[i] == expected.charge[i]);
  for (const std::string& distribution : distribution_names())
    for (const std::string& charges : charge_names()) {
      const std::size_t n = is_crystal({distribution}) ? 16 : 3;
      if (distribution == "salt") continue;  // no cube of an even number is 16
      EXPECT_EQ(generate({distribution, n, 1, charges}, {}).size(), n) << distribution << ' ' << charges;
    }
  EXPECT_EQ(generate({"salt", 64, 1, "signs"}, {}).size(), 64U);
  EXPECT_THROW(generate({"torus", 3, 1, "signs"}, {}), Error);
  EXPECT_THROW(generate({"cube", 3, 1, "many"}, {}), Error);
}

/// Charges 2 and 5 at the origin and at (2, 3, 6), which are 7 apart.
Particles two_particles() {
  Particles p(2);
  p.x[0] = p.y[0] = p.z[0] = 0;
  p.x[1] = 2, p.y[1] = 3, p.z[1] = 6;
  p.charge[0] = 2, p.charge[1] = 5;
  return p;
}

TEST(Reference, TwoParticles) {
  const FieldSums at_origin = direct_sums(interaction(Laplace{}), two_particles(), 0, 0, 0);
  EXPECT_DOUBLE_EQ(at_origin.potential, 5.0 / 7);
  EXPECT_DOUBLE_EQ(at_origin.fx, -5.0 * 2 / 343);  // equal charges repel
  EXPECT_DOUBLE_EQ(at_origin.fy, -5.0 * 3 / 343);
  EXPECT_DOUBLE_EQ(at_origin.fz, -5.0 * 6 / 343);
}

TEST(Verify, ErrorsAreRelativeAndSeparate) {
  Result right(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const double sign = i == 0 ? -1 : 1;
    right.potential[i] = (i == 0 ? 5.0 : 2.0) / 7;
    right.fx[i] = sign * 20.0 / 343;
    right.fy[i] = sign * 30.0 / 343;
    right.fz[i] = sign * 60.0 / 343;
  }
  const Errors none = direct_errors(interaction(Laplace{}), two_particles(), right, 2, 1);
  EXPECT_LT(none.potential, 1e-15);
  EXPECT_LT(none.force, 1e-15);
  EXPECT_EQ(none.targets, 2);
  for (std::size_t i = 0; i < 2; ++i) right.potential[i] *= 1.01;
  const Errors one_percent = direct_errors(interaction(Laplace{}), two_particles(), right, 2, 1);
  EXPECT_NEAR(one_percent.potential, 0.01, 1e-12);
  EXPECT_LT(one_percent.force, 1e-15);
}

TEST(Verify, VerdictsAreOnPotentialAndForce) {
  const auto right = [](const Errors& errors) {
    const std::vector<Verdict> verdicts = judge(errors, 1e-5);
    return std::vector<bool>{verdicts.at(0).right(), verdicts.at(1).right()};
  };
  EXPECT_EQ(right({1e-6, 1e-5, 10}), (std::vector<bool>{true, true}));
  EXPECT_EQ(right({2e-5, 1e-5, 10}), (std::vector<bool>{false, true}));
  EXPECT_EQ(right({1e-6, 2e-5, 10}), (std::vector<bool>{true, false}));
  EXPECT_EQ(right({std::numeric_limits<double>::quiet_NaN(), 0, 10}), (std::vector<bool>{false, true}));
  EXPECT_EQ(judge({2e-5, 3e-6, 10}, 1e-5)[0].complaint,
            "relative L2 errors: potential 2.000e-05, force 3.000e-06; expected at most 1e-05");
}

TEST(Verify, TargetsAreAffordable) {
  EXPECT_EQ(affordable_targets(1), 1);
  EXPECT_EQ(affordable_targets(100), 100);
  EXPECT_EQ(affordable_targets(100000), 10000);
  EXPECT_EQ(affordable_targets(1000000000), 50);
}

}  // namespace
}  // namespace asterism::fmm
