// SPDX-License-Identifier: Apache-2.0
// The heat equation: kernel, task flow, checkpoint.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "codelets/heat/kernels/kernels.hpp"
#include "runtime/session.hpp"
#include "taskflows/heat/checkpoint.hpp"
#include "taskflows/heat/flow.hpp"
#include "taskflows/heat/reference.hpp"
#include "taskflows/heat/verify.hpp"

namespace asterism::heat {
namespace {

// A point of 1 among zeros, by hand: rx = 1/8, ry = 1/4.
TEST(HeatKernel, SpreadsAPointAlongBothAxes) {
  const double u[9] = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  double v[9];
  double first[3];
  double last[3];
  cpu::step({3, 3, 0.125, 0.25}, {u, nullptr, nullptr, v, first, last});
  const double expected[9] = {0, 0.25, 0, 0.125, 0.25, 0.125, 0, 0.25, 0};
  for (int k = 0; k < 9; ++k) EXPECT_EQ(v[k], expected[k]) << k;
  EXPECT_EQ(first[1], 0.25);
  EXPECT_EQ(last[1], 0.25);
}

// Rows of neighbours count as rows of the block do.
TEST(HeatKernel, TakesTheRowsOfItsNeighbours) {
  const double u[1] = {0};
  const double below[1] = {3};
  const double above[1] = {5};
  double v, first, last;
  cpu::step({1, 1, 0.125, 0.25}, {u, below, above, &v, &first, &last});
  EXPECT_EQ(v, 2.0);
}

Case spot(std::int32_t columns, std::int32_t rows) {
  return make_case({.name = "spot", .size = {columns, rows}, .mode = {1, 1}, .dt = {}});
}

class HeatFlow : public testing::TestWithParam<int> {};

// Unequal spacings, any number of blocks: what the reference has.
TEST_P(HeatFlow, AgreesWithTheReference) {
  const Session session({});
  const Case c = spot(33, 17);
  Simulation simulation(c.problem, GetParam());
  advance(simulation, 50);
  const Verdict verdict = verify(c, simulation);
  EXPECT_TRUE(verdict.right()) << verdict.error;
}

TEST_P(HeatFlow, GivesTheSameBitsInAnyNumberOfBlocks) {
  const Session session({});
  const Case c = spot(21, 30);
  Simulation whole(c.problem, 1);
  Simulation divided(c.problem, GetParam());
  advance(whole, 31);
  advance(divided, 31);
  EXPECT_EQ(whole.values(), divided.values());
}
INSTANTIATE_TEST_SUITE_P(Blocks, HeatFlow, testing::Values(1, 2, 5, 17));

TEST(HeatCases, AModeDecaysAsTheGridSays) {
  const Session session({});
  const Case c = make_case({.name = "mode", .size = {20, 31}, .mode = {3, 2}, .dt = {}});
  Simulation simulation(c.problem, 3);
  advance(simulation, 40);
  EXPECT_TRUE(verify(c, simulation).right());
}

// Against the differential equation the error falls with the square of the spacing.
TEST(HeatCases, ConvergesWithSecondOrder) {
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    const std::int32_t n = k == 0 ? 19 : 39;
    const long steps = k == 0 ? 200 : 800;
    const Case c = make_case({.name = "mode", .size = {n, n}, .mode = {1, 1}, .dt = 0.1 / static_cast<double>(steps)});
    const double exact = std::exp(-2 * std::numbers::pi * std::numbers::pi * 0.1);
    errors[k] = std::abs(reference(c.problem, steps)[static_cast<std::size_t>(n * n / 2)] - exact);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.1);
}

TEST(HeatCheckpoint, ResumesToTheLastBit) {
  const Session session({});
  const std::string file = testing::TempDir() + "heat.h5";
  const Case c = spot(16, 16);
  Simulation whole(c.problem, 2);
  advance(whole, 20);
  Simulation begun(c.problem, 3);
  advance(begun, 9);
  write_checkpoint(file, begun);
  Simulation resumed(c.problem, 4);
  read_checkpoint(file, resumed);
  advance(resumed, 11);
  EXPECT_EQ(whole.values(), resumed.values());
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace asterism::heat
