// SPDX-License-Identifier: Apache-2.0
// Periodic boxes and crystals of asterism-fmm from outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/apps/fmm/result_table.hpp"
#include "tests/apps/run_program.hpp"

namespace {

using namespace asterism::tests;
using nlohmann::json;

class AsterismFmmPeriodic : public ProgramTest {
 protected:
  AsterismFmmPeriodic()
      : ProgramTest("asterism-fmm", "ASTERISM_FMM", ASTERISM_FMM, {"--json", "run.json", "--output", "forces.csv"}) {}

  /// Runs with these and returns the record.
  json record(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--verify", "--json", output("run.json"), "--quiet"});
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return json::parse(contents(output("run.json")));
  }
};

TEST_F(AsterismFmmPeriodic, CrystalsHaveTheirMadelungConstants) {
  const json salt = record({"--distribution", "salt", "--particles", "1728", "--periodic", "xyz", "--accuracy", "5"});
  EXPECT_NEAR(salt["periodic"]["madelung"].get<double>() / 1.747564594633, 1, 1e-5);
  EXPECT_NEAR(salt["physics"]["potential_energy"].get<double>() / (-1728 * 1.747564594633 / 2), 1, 1e-5);
  const json cell = record({"--distribution", "salt", "--particles", "8", "--periodic", "xyz", "--accuracy", "5"});
  EXPECT_NEAR(cell["periodic"]["madelung"].get<double>() / 1.747564594633, 1, 1e-5);
  const json caesium = record({"--distribution", "caesium-chloride", "--particles", "1024", "--periodic", "xyz",
                               "--accuracy", "4", "--spacing", "3.57", "--units", "kcal/mol"});
  EXPECT_NEAR(caesium["periodic"]["madelung"].get<double>() / 1.762674773071, 1, 1e-4);
  EXPECT_NEAR(caesium["periodic"]["width"].get<double>(), 8 * 3.57 * 2 / std::sqrt(3.0), 1e-9);
}

TEST_F(AsterismFmmPeriodic, EveryNumberOfDirections) {
  for (const char* directions : {"x", "xy", "xyz"}) {
    const json run = record({"--particles", "1000", "--periodic", directions, "--accuracy", "4", "--targets", "100"});
    EXPECT_EQ(run["periodic"]["directions"], directions);
    EXPECT_LE(run["verification"]["force_error"].get<double>(), 1e-4);
    EXPECT_GT(run["verification"]["force_error"].get<double>(), 1e-9);
  }
}

/// A crystal in a box that is twice as long as wide has its Madelung energy, targets and motions work there, and
/// clusters have adaptive trees.
TEST_F(AsterismFmmPeriodic, BoxesOfOtherSidesAndAdaptiveTrees) {
  std::string ions;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 8; ++k)
        ions += std::to_string(i) + ',' + std::to_string(j) + ',' + std::to_string(k) +
                ((i + j + k) % 2 == 0 ? ",1\n" : ",-1\n");
  const Arguments box{"--input", file(ions, "ions.csv"), "--periodic", "xyz", "--box", "4,4,8", "--accuracy", "5"};
  const json whole = record(box);
  EXPECT_NEAR(whole["physics"]["potential_energy"].get<double>() / (-128 * 1.747564594633 / 2), 1, 1e-5);
  EXPECT_EQ(whole["periodic"]["copies"], json({2, 2, 1}));
  Arguments at = box;
  at.insert(at.end(), {"--at", file("0.5,0.5,0.25\n3,1,7\n", "at.csv")});
  EXPECT_EQ(record(at)["targets"]["count"], 2);
  Arguments moving = box;
  moving.insert(moving.end(), {"--steps", "3", "--dt", "1e-3"});
  EXPECT_LT(record(moving)["motion"]["energy_drift"].get<double>(), 1e-6);
  const json plummer = record({"--distribution", "plummer", "--particles", "4000", "--periodic", "xy", "--box", "1,1,3",
                               "--accuracy", "4", "--tree", "adaptive", "--targets", "20"});
  EXPECT_GT(plummer["tree"]["leaf_size"].get<int>(), 0);
}

/// Positions outside the box are those of their images in it, and are written so.
TEST_F(AsterismFmmPeriodic, PositionsOutsideAreWrapped) {
  const Arguments rest{"--periodic", "xyz", "--box", "2", "--accuracy", "3", "--verify", "--output"};
  std::vector<std::vector<double>> rows[2];
  const char* const text[] = {"0.5,0.5,0.5,1\n0.5,0.5,1.7,-1\n", "-1.5,4.5,0.5,1\n0.5,-7.5,-0.3,-1\n"};
  for (int i = 0; i < 2; ++i) {
    Arguments arguments{"--input", file(text[i], "two.csv")};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    arguments.push_back(output("o.csv"));
    const Ran ran = run(arguments);
    ASSERT_EQ(ran.status, 0) << ran.err;
    rows[i] = table(output("o.csv"));
  }
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t c = 0; c < rows[0][i].size(); ++c)
      EXPECT_NEAR(rows[0][i][c], rows[1][i][c], 1e-9) << i << ' ' << c;
}

/// A warm crystal keeps its energy while its ions move through the faces of the box.
TEST_F(AsterismFmmPeriodic, IonsMove) {
  const json run = record({"--distribution", "salt", "--particles", "512", "--displacement", "0.1", "--periodic", "xyz",
                           "--accuracy", "5", "--steps", "20", "--dt", "0.01", "--targets", "100"});
  EXPECT_LT(run["motion"]["energy_drift"].get<double>(), 1e-4);
  EXPECT_GT(run["motion"]["energy_drift"].get<double>(), 0);
}

TEST_F(AsterismFmmPeriodic, TargetsBetweenTheIons) {
  const std::string at = file("0.5,0.5,0.5\n8.5,-7.5,0.5\n0.25,0.5,0.75\n", "at.csv");
  const json run = record({"--distribution", "salt", "--particles", "512", "--periodic", "xyz", "--accuracy", "5",
                           "--displacement", "0.1", "--at", at, "--output", output("o.csv")});
  const auto rows = table(output("o.csv"));
  EXPECT_NEAR(rows[0][4], rows[1][4], 1e-4);  // the same place
  EXPECT_EQ(run["verification"]["targets"], 3);
}

/// Nodes with x fastest, of the box unless bounds are given; the image has a field of the table's values.
TEST_F(AsterismFmmPeriodic, TargetsOnAGrid) {
  const Arguments ions{"--distribution", "salt", "--particles", "64", "--periodic", "xyz",
                       "--accuracy",     "3",    "--verify"};
  const auto grid = [&](Arguments more) {
    more.insert(more.begin(), ions.begin(), ions.end());
    const Ran ran = run(more);
    EXPECT_EQ(ran.status, 0) << ran.err;
  };
  grid({"--at", "grid:3x2x5", "--output", output("o.csv")});
  const auto box = table(output("o.csv"));
  ASSERT_EQ(box.size(), 30U);
  EXPECT_EQ(box[1][0], 2);
  EXPECT_EQ(box[3][1], 4);
  EXPECT_EQ(box[6][2], 1);
  EXPECT_NEAR(box[0][4], box[2][4], 5e-3);  // opposite faces of the box
  grid({"--at", "grid:2x1x1", "--at-bounds", "0.5,1.5,0.25,0.75,0,1", "--output", output("o.csv")});
  const auto line = table(output("o.csv"));
  ASSERT_EQ(line.size(), 2U);
  EXPECT_EQ(line[1][0], 1.5);
  EXPECT_EQ(line[1][1], 0.5);
  EXPECT_EQ(line[1][2], 0.5);
  grid({"--at", "grid:4", "--output", output("image.pvd")});
  const std::string image = contents(output("image_0000000000.vti"));
  EXPECT_TRUE(contains(image, "WholeExtent=\"0 3 0 3 0 3\""));
  EXPECT_TRUE(contains(image, "Scalars=\"potential\" Vectors=\"field\""));
}

TEST_F(AsterismFmmPeriodic, BadInputIsOneLine) {
  const std::string charged = file("0,0,0,1\n1,1,1,1\n", "charged.csv");
  const std::string tall = file("0,0,0,1\n1,1,9,-1\n", "tall.csv");
  const std::vector<std::pair<Arguments, const char*>> cases{
      {{"--input", charged, "--periodic", "xyz", "--box", "2"}, "the charges sum to 2; expected 0"},
      {{"--input", tall, "--periodic", "xyz"}, "expected --box"},
      {{"--input", tall, "--periodic", "xy", "--box", "3"}, "extend over 9 along z"},
      {{"--input", tall, "--periodic", "xyz", "--box", "3,3,4.1"}, "--box 3,3,4.1: expected sides of which"},
      {{"--input", tall, "--periodic", "xyz", "--box", "3,3"}, "expected one length or three"},
      {{"--input", tall, "--periodic", "xyz", "--box", "0"}, "--box 0: expected more than 0"},
      {{"--input", tall, "--box", "10"}, "--box: expected --periodic"},
      {{"--particles", "100", "--periodic", "x", "--kernel", "yukawa"}, "expected --kernel laplace"},
      {{"--particles", "100", "--periodic", "x", "--softening", "0.1"}, "expected no --softening"},
      {{"--particles", "100", "--periodic", "x", "--law", "gravity"}, "found --law gravity"},
      {{"--particles", "100", "--at", "grid:3x4"}, "expected grid:NXxNYxNZ"},
      {{"--particles", "100", "--at", "grid:0"}, "expected grid:NXxNYxNZ"},
      {{"--particles", "100", "--at", "grid:2", "--at-bounds", "1,0,0,1,0,1"}, "--at-bounds: 1 to 0 along x"},
      {{"--particles", "100", "--at-bounds", "0,1,0,1,0,1"}, "expected --at grid"},
      {{"--particles", "100", "--spacing", "2"}, "expected --distribution salt"},
      {{"--distribution", "salt", "--particles", "100"}, "expected the cube of an even number"},
      {{"--distribution", "salt", "--particles", "64", "--charges", "ones"}, "the ions of salt have +1 and -1"}};
  for (const auto& [arguments, message] : cases) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2) << message << ran.out;
    EXPECT_TRUE(contains(ran.err, message)) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

}  // namespace
