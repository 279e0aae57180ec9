// SPDX-License-Identifier: Apache-2.0
// Targets apart from the particles (--at) from outside.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/apps/fmm/result_table.hpp"
#include "tests/apps/run_program.hpp"

namespace {

using namespace asterism::tests;
using nlohmann::json;

class AsterismFmmTargets : public ProgramTest {
 protected:
  AsterismFmmTargets()
      : ProgramTest("asterism-fmm", "ASTERISM_FMM", ASTERISM_FMM, {"--json", "run.json", "--output", "forces.csv"}) {}
};

TEST_F(AsterismFmmTargets, TargetsElsewhere) {
  // between charges +1 and -1 at distance 2 both push to the second; targets do not act on each other
  const fs::path sources = file("x,y,z,charge\n0,0,0,1\n2,0,0,-1\n", "two.csv");
  const auto rows_at = [&](const std::string& targets) {
    const Ran ran =
        run({"--input", sources, "--at", file(targets, "at.csv"), "--output", output("at-them.csv"), "--quiet"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    return table(output("at-them.csv"));
  };
  const auto fields = rows_at("x,y,z\n1,0,0\n4,0,0\n-2,0,0\n");
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[1][0], 4);
  EXPECT_NEAR(fields[0][4], 0, 1e-12);
  EXPECT_NEAR(fields[0][5], 2, 1e-12);
  EXPECT_NEAR(fields[1][4], 1. / 4 - 1. / 2, 1e-12);
  EXPECT_NEAR(fields[1][5], 1. / 16 - 1. / 4, 1e-12);
  const auto forces = rows_at("x,y,z,charge\n1,0,0,-3\n1.0001,0,0,1e9\n");
  ASSERT_EQ(forces.size(), 2U);
  EXPECT_EQ(forces[0][3], -3);
  EXPECT_NEAR(forces[0][5], -6, 1e-12);
}

TEST_F(AsterismFmmTargets, TargetsElsewhereByTheFarField) {
  ASSERT_EQ(
      run({"--particles", "1500", "--distribution", "sphere", "--output", output("sphere.csv"), "--quiet"}).status, 0);
  for (const Arguments& tree : std::vector<Arguments>{{"--height", "4", "--group-size", "20"}, {"--leaf-size", "30"}}) {
    Arguments all{"--particles", "8000",   "--accuracy",      "3", "--at", output("sphere.csv"),
                  "--verify",    "--json", output("run.json")};
    all.insert(all.end(), tree.begin(), tree.end());
    const Ran ran = run(all);
    ASSERT_EQ(ran.status, 0) << ran.err;
    const json record = json::parse(contents(output("run.json")));
    EXPECT_EQ(record["particles"]["count"], 8000);
    EXPECT_EQ(record["targets"]["count"], 1500);
    EXPECT_EQ(record["verification"]["targets"], 1500);
    EXPECT_GT(record["verification"]["potential_error"].get<double>(), 1e-9);
    EXPECT_TRUE(contains(ran.out, "1500 target(s) of sphere.csv")) << ran.out;
  }
}

/// At the particles themselves the field is that of all on all, and takes each pair once in each direction.
TEST_F(AsterismFmmTargets, TargetsAtTheParticles) {
  for (const Arguments& tree :
       std::vector<Arguments>{{"--height", "4", "--group-size", "20"}, {"--leaf-size", "40", "--group-size", "20"}}) {
    const bool adaptive = tree[0] == "--leaf-size";
    const auto result = [&](const Arguments& options, const std::string& name) {
      Arguments all{"--particles", "3000",     "--accuracy", "4",      "--charges",
                    "ones",        "--output", output(name), "--json", output("run.json")};
      all.insert(all.end(), options.begin(), options.end());
      const Ran ran = run(all);
      EXPECT_EQ(ran.status, 0) << ran.err;
      return json::parse(contents(output("run.json")))["tree"];
    };
    Arguments options = tree;
    const json mutual = result(options, "all.csv");
    options.insert(options.end(), {"--at", output("all.csv"), "--cpus", "1"});
    if (adaptive) options[1] = "80";  // targets count as well
    const json apart = result(options, "one.csv");
    options.back() = "2";
    result(options, "two.csv");
    EXPECT_EQ(contents(output("one.csv")), contents(output("two.csv")));
    EXPECT_EQ(apart["near_pairs"].get<std::int64_t>(), 2 * mutual["near_pairs"].get<std::int64_t>() + 3000);
    EXPECT_EQ(apart["far_pairs"], mutual["far_pairs"]);
    const auto expected = table(output("all.csv"));
    const auto found = table(output("one.csv"));
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      for (const std::size_t column : {4U, 5U, 6U, 7U})
        EXPECT_NEAR(found[i][column], expected[i][column], 1e-10 * expected[i][4]);
  }
}

/// The leaves of a tree that is chosen may be of any size; the accuracy is that promised.
TEST_F(AsterismFmmTargets, TargetsOnATreeThatIsChosen) {
  for (const char* particles : {"20000", "35000"}) {
    const Ran ran = run({"--particles", particles, "--accuracy", "4", "--at", "grid:30", "--tree", "uniform",
                         "--verify", "--targets", "300", "--json", output("run.json")});
    ASSERT_EQ(ran.status, 0) << ran.err;
    const json tree = json::parse(contents(output("run.json")))["tree"];
    EXPECT_GE(tree["widening"], 1);
    EXPECT_LT(tree["widening"], 2);
  }
}

}  // namespace
