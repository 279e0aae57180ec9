// SPDX-License-Identifier: Apache-2.0
// The decay equation: kernel, task flow, checkpoint.
#include <gtest/gtest.h>

#include <filesystem>

#include "codelets/decay/kernels/kernels.hpp"
#include "runtime/session.hpp"
#include "taskflows/decay/checkpoint.hpp"
#include "taskflows/decay/flow.hpp"
#include "taskflows/decay/verify.hpp"

namespace asterism::decay {
namespace {

TEST(DecayKernel, MultipliesEachPoint) {
  double u[3] = {1, 2, -4};
  cpu::step({3, 0.75}, {u});
  const double expected[3] = {0.75, 1.5, -3};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(u[i], expected[i]) << i;
}

Case ramp(std::int32_t points) {
  return make_case({.name = "ramp", .size = points, .dt = 0.01});
}

class DecayFlow : public testing::TestWithParam<int> {};

TEST_P(DecayFlow, AgreesWithTheReference) {
  const Session session({});
  const Case c = ramp(101);
  Simulation simulation(c.problem, GetParam());
  advance(simulation, 50);
  const Verdict verdict = verify(c, simulation);
  EXPECT_TRUE(verdict.right()) << verdict.error;
}
INSTANTIATE_TEST_SUITE_P(Blocks, DecayFlow, testing::Values(1, 2, 7));

TEST(DecayCheckpoint, ResumesToTheLastBit) {
  const Session session({});
  const std::string file = testing::TempDir() + "decay.h5";
  const Case c = ramp(64);
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
}  // namespace asterism::decay
