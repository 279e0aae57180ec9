// SPDX-License-Identifier: Apache-2.0
// asterism-fdtd farm as its users meet it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/recorded_run.hpp"

namespace {

using namespace asterism::tests;
using nlohmann::json;

class AsterismFdtdFarm : public RecordedTest {
 protected:
  AsterismFdtdFarm() : RecordedTest("asterism-fdtd farm", "ASTERISM_FDTD", ASTERISM_FDTD, {"--json", "run.json"}) {}

  json record(Arguments arguments) const {
    arguments.insert(arguments.begin(), "farm");
    return RecordedTest::record(arguments);
  }
};

double domains_of_units(const json& record) {
  double sum = 0;
  for (const json& unit : record["units"]) sum += unit["domains"].get<double>();
  return sum;
}

/// Formula (4.1).
double flops_of_step(double n) {
  return 18 * (n - 1) * (n - 1) + 18 * (n - 1) * (n - 1) * (n - 1) + 18 * n * n * n;
}

TEST_F(AsterismFdtdFarm, HelpTeaches) {
  const Ran ran = run({"farm", "--help"});
  EXPECT_EQ(ran.status, 0);
  for (const char* word : {"--size", "--sizes", "--domains", "--steps", "--tasks-per-domain", "--window", "--scheduler",
                           "greedy", "assignment", "--verify", "--json"})
    EXPECT_TRUE(contains(ran.out, word)) << word;
  EXPECT_TRUE(contains(run({"--help"}).out, "asterism-fdtd farm"));
}

TEST_F(AsterismFdtdFarm, EverySchedulerIsRight) {
  for (const char* scheduler : {"greedy", "assignment", "lws", "dmdas", "eager"}) {
    SCOPED_TRACE(scheduler);
    const json r =
        record({"--sizes", "12:20:4", "--domains", "31", "--steps", "50", "--scheduler", scheduler, "--verify"});
    ASSERT_FALSE(r.is_null());
    EXPECT_EQ(r["starpu"]["scheduler"], scheduler);
    EXPECT_EQ(r["verification"]["domains"], 31);
    EXPECT_LE(r["verification"]["error_by_allowed"].get<double>(), 1);
    EXPECT_EQ(r["farm"]["sizes"], json({"12x12x12", "16x16x16", "20x20x20"}));
    EXPECT_NEAR(domains_of_units(r), 31, 1e-9);
    EXPECT_EQ(r["units"].size(), 2U);
  }
}

TEST_F(AsterismFdtdFarm, TheBenchmarkGivesThePublishedSum) {
  const json r = record({"--domains", "3", "--verify", "--window", "2"});
  ASSERT_FALSE(r.is_null());
  EXPECT_EQ(r["verification"]["domains"], 3);
}

TEST_F(AsterismFdtdFarm, TheRecordSaysWhatWasRun) {
  const json r = record({"--sizes", "10,21", "--domains", "5", "--steps", "40", "--precision", "single",
                         "--tasks-per-domain", "3", "--window", "1", "--verify"});
  ASSERT_FALSE(r.is_null());
  EXPECT_EQ(r["program"], "asterism-fdtd farm");
  EXPECT_EQ(r["farm"]["precision"], "single");
  EXPECT_EQ(r["farm"]["window"], 1);
  EXPECT_EQ(r["starpu"]["scheduler"], "greedy");
  EXPECT_EQ(r["farm"]["tasks_per_domain"], 3);
  const double seconds = r["seconds"].get<double>();
  EXPECT_NEAR(r["domains_per_second"].get<double>() * seconds, 5, 1e-9);
  EXPECT_NEAR(r["mcells"].get<double>() * seconds * 1e6, 40.0 * (3 * 1000 + 2 * 9261), 1e-3);
  EXPECT_NEAR(r["gflops"].get<double>() * seconds * 1e9 / (40 * (3 * flops_of_step(10) + 2 * flops_of_step(21))), 1,
              1e-12);
  EXPECT_NEAR(domains_of_units(r), 5, 1e-9);
}

TEST_F(AsterismFdtdFarm, SaysWhatIsWrong) {
  expect_bad_input({"farm", "--size", "12x"}, {"--size", "12x"});
  expect_bad_input({"farm", "--size", "0"}, {"--size"});
  expect_bad_input({"farm", "--sizes", "10,x"}, {"--sizes", "10,x"});
  expect_bad_input({"farm", "--sizes", "10:5:1"}, {"--sizes", "10:5:1"});
  expect_bad_input({"farm", "--sizes", "10:20"}, {"--sizes", "FIRST:LAST:STEP"});
  expect_bad_input({"farm", "--sizes", "10.5"}, {"--sizes", "10.5"});
  expect_bad_input({"farm", "--sizes", "0:20:5"}, {"--sizes", "found 0"});
  expect_bad_input({"farm", "--sizes", "10", "--size", "10"}, {"--size", "--sizes"});
  expect_bad_input({"farm", "--domains", "0"}, {"--domains"});
  expect_bad_input({"farm", "--steps", "0"}, {"--steps"});
  expect_bad_input({"farm", "--size", "9", "--steps", "4", "--tasks-per-domain", "5"}, {"5 tasks", "4"});
  expect_bad_input({"farm", "--window", "0"}, {"--window"});
  expect_bad_input({"farm", "--scheduler", "none"}, {"none", "greedy", "assignment"});
  expect_bad_input({"farm", "--precision", "half"}, {"half"});
  expect_bad_input({"farm", "--size", "600", "--verify"}, {"too many"});
  expect_bad_input({"farm", "--gpu-share", "1"}, {"--gpu-share"});
  expect_bad_input({"farm", "--json", "nowhere/run.json"}, {"nowhere"}, false);
}

}  // namespace
