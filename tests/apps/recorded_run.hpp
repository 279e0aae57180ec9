// SPDX-License-Identifier: Apache-2.0
// Tests of programs that look at the record of a run.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/apps/run_program.hpp"

namespace asterism::tests {

class RecordedTest : public ProgramTest {
 protected:
  using ProgramTest::ProgramTest;

  /// The record of a run without a progress line; null when the run failed, which also fails the test.
  nlohmann::json record(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--quiet", "--json", output("run.json")});
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.status == 0 ? nlohmann::json::parse(contents(output("run.json"))) : nlohmann::json();
  }
};

}  // namespace asterism::tests
