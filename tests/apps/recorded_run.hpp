// Tests of programs that look at the record of a run.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/apps/run_program.hpp"

namespace asterism::tests {

class RecordedTest : public ProgramTest {
 protected:
  using ProgramTest::ProgramTest;

  /// Of a run without a line of progress; null after one that failed, which is an error.
  nlohmann::json record(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--quiet", "--json", output("run.json")});
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.status == 0 ? nlohmann::json::parse(contents(output("run.json"))) : nlohmann::json();
  }
};

}  // namespace asterism::tests
