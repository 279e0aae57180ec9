// SPDX-License-Identifier: Apache-2.0
// asterism-heat, the method of docs/new-method.md, from its command line: verified answers, bad input, trace and
// bounds.
#include <gtest/gtest.h>

#include "tests/apps/recorded_run.hpp"

namespace {

using namespace asterism::tests;

class AsterismHeat : public RecordedTest {
 protected:
  AsterismHeat()
      : RecordedTest("asterism-heat", "ASTERISM_HEAT", ASTERISM_HEAT,
                     {"--json", "run.json", "--checkpoint", "end.h5"}) {}
};

TEST_F(AsterismHeat, AnswersAreRight) {
  for (const Arguments& run :
       {Arguments{"--size", "33", "--steps", "200", "--verify"},
        Arguments{"--case", "spot", "--size", "20", "--blocks", "7", "--steps", "90", "--verify"}}) {
    const nlohmann::json found = record(run);
    EXPECT_TRUE(found["right"].get<bool>());
    EXPECT_LE(found["verification"]["error"].get<double>(), found["verification"]["allowed"].get<double>());
  }
}

TEST_F(AsterismHeat, BadInputIsRefusedInOneLine) {
  expect_bad_input({"--case", "atlantis"}, {"--case atlantis", "mode or spot"});
  expect_bad_input({"--size", "20", "--dt", "1"}, {"--dt 1", "stable up to"});
  expect_bad_input({"--restart", file("no HDF5", "none.h5")}, {"none.h5"});
}

// A recording, its page and the bounds that no schedule can beat.
TEST_F(AsterismHeat, IsTracedWithItsBounds) {
  const nlohmann::json found =
      record({"--size", "200", "--blocks", "8", "--steps", "40", "--calibrate", "--trace", "recording", "--verify"});
  EXPECT_TRUE(found["right"].get<bool>());
  ASSERT_TRUE(fs::exists(output("recording/trace.html")));
  const nlohmann::json trace = nlohmann::json::parse(contents(output("recording/trace.json")));
  EXPECT_TRUE(contents(output("recording/trace.csv")).find("heat_step") != std::string::npos);
  ASSERT_TRUE(trace.contains("bounds")) << trace.dump().substr(0, 500);
}

}  // namespace
