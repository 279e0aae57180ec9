// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "taskflows/fmm/particles/coincident.hpp"

namespace asterism::fmm {
namespace {

Particles random_particles(std::size_t n) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place;
  Particles p(n);
  for (std::size_t i = 0; i < n; ++i) {
    p.x[i] = place(random);
    p.y[i] = place(random);
    p.z[i] = place(random);
    p.charge[i] = 1;
  }
  return p;
}

TEST(Coincident, ParticlesAtTheSamePlaceAreCounted) {
  Particles p = random_particles(20000);
  EXPECT_EQ(coincident_particles(p), 0U);
  const auto copy = [&](std::size_t from, std::size_t to) {
    p.x[to] = p.x[from];
    p.y[to] = p.y[from];
    p.z[to] = p.z[from];
  };
  copy(5, 19000);
  EXPECT_EQ(coincident_particles(p), 2U);
  copy(5, 7);
  copy(100, 101);
  EXPECT_EQ(coincident_particles(p), 5U);
  p.x[0] = 0.0;
  p.x[1] = -0.0;
  p.y[1] = p.y[0];
  p.z[1] = p.z[0];
  EXPECT_EQ(coincident_particles(p), 7U);
  EXPECT_EQ(coincident_particles(Particles(0)), 0U);
}

}  // namespace
}  // namespace asterism::fmm
