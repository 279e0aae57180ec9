// SPDX-License-Identifier: Apache-2.0
// asterism-platform as its users meet it: measures this machine, and shows what a platform says.
#include <gtest/gtest.h>

#include "runtime/environment.hpp"
#include "runtime/machine/known_rates.hpp"
#include "runtime/machine/platform.hpp"
#include "tests/apps/run_program.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;

class AsterismPlatform : public ProgramTest {
 protected:
  AsterismPlatform() : ProgramTest("asterism-platform", "ASTERISM_PLATFORM", ASTERISM_PLATFORM, {}) {}
};

TEST_F(AsterismPlatform, HelpTeaches) {
  const Ran ran = run({"--help"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(contains(ran.out, "asterism-platform calibrate here.toml"));
}

TEST_F(AsterismPlatform, MakesAPlatformOfThisMachine) {
  const Ran ran = run({"calibrate", output("here.toml"), "--methods", "none", "--run",
                       "asterism-cg --stencil 7pts-24 --iterations 20 --gpus 0", "--work", folder_ / "work",
                       "--description", "the machine at hand", "--quiet"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const asterism::Platform here = asterism::read_platform(output("here.toml"));
  EXPECT_EQ(here.description, "the machine at hand");
  EXPECT_GE(here.cores, 1);
  EXPECT_GT(here.cpu.bytes, 1e8);
  ASSERT_TRUE(here.codelets.contains("cg_spmv_dot_double"));
  const asterism::TaskCost& product = *here.codelets.at("cg_spmv_dot_double").cpu;
  ASSERT_FALSE(product.samples.empty());
  EXPECT_FALSE(product.of_class.empty());
  // two operations per non-zero of the rows of a block, at a rate that a core may have
  EXPECT_GT(product.samples.front().size / product.samples.front().seconds, 1e6);
  EXPECT_LT(product.samples.front().size / product.samples.front().seconds, 1e12);
  // what was recorded serves again, without running anything
  const Ran again = run({"calibrate", output("again.toml"), "--methods", "none", "--from", folder_ / "work" / "01"});
  ASSERT_EQ(again.status, 0) << again.err;
  const asterism::Platform second = asterism::read_platform(output("again.toml"));
  EXPECT_EQ(second.codelets.at("cg_spmv_dot_double").cpu->of_class, product.of_class);
  const Ran shown = run({"show", output("here.toml")});
  EXPECT_EQ(shown.status, 0);
  EXPECT_TRUE(contains(shown.out, "cg_spmv_dot_double")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "the machine at hand"));
}

TEST_F(AsterismPlatform, AQuickCalibrationGoesOnWhereItWasStopped) {
  const Arguments quick = {
      "calibrate", output("here.toml"), "--quick", "--methods",
      "none",      "--quiet",           "--run",   "asterism-cg --stencil 7pts-16 --iterations 20 --gpus 0",
      "--run"};
  Arguments stopped = quick;
  stopped.emplace_back("asterism-cg --stencil 7pts-x");
  EXPECT_EQ(run(stopped).status, 1);
  // what was known then is a platform
  EXPECT_TRUE(asterism::read_platform(output("here.toml")).codelets.contains("cg_spmv_dot_double"));
  EXPECT_TRUE(contains(contents(output("here.toml")), "After 1 of 2 runs."));
  const fs::path first = output("here.toml.work") / "01" / "completed";
  const auto made = fs::last_write_time(first);
  EXPECT_EQ(run(stopped).status, 1);
  EXPECT_EQ(fs::last_write_time(first), made);  // not run again
  Arguments whole = quick;
  whole.emplace_back("asterism-cg --stencil 7pts-20 --iterations 20 --gpus 0");
  const Ran ran = run(whole);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_FALSE(contains(contents(output("here.toml")), "After "));
  EXPECT_FALSE(fs::exists(output("here.toml.work")));
}

TEST_F(AsterismPlatform, ShowsWhatIsShipped) {
  const Ran ran = run({"show", std::string(ASTERISM_SOURCE_DIR) + "/experiments/machines/h200x4.toml"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(contains(ran.out, "4 x NVIDIA H200 of 150.1 GB")) << ran.out;
}

TEST_F(AsterismPlatform, ShowsAndForgetsRates) {
  asterism::Environment environment;
  environment.set("ASTERISM_RATES", output("rates.json"));
  asterism::known_rates().keep("copy/cpu", 1.26e9);
  const Ran shown = run({"rates"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_TRUE(contains(shown.out, "copy/cpu")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "1.3e+09"));
  EXPECT_TRUE(contains(shown.out, "rates.json"));
  const Ran forgotten = run({"rates", "--forget"});
  EXPECT_EQ(forgotten.status, 0);
  EXPECT_TRUE(contains(forgotten.out, "1 rates")) << forgotten.out;
  EXPECT_FALSE(contains(run({"rates"}).out, "copy/cpu"));
}

TEST_F(AsterismPlatform, SaysWhatIsWrong) {
  const std::string file = output("here.toml");
  expect_bad_input({"calibrate", output("here.txt")}, {"here.txt", ".toml"});
  expect_bad_input({"calibrate", "nowhere/here.toml"}, {"nowhere"});
  expect_bad_input({"calibrate", file, "--methods", "dem"}, {"dem", "tdbem"});
  expect_bad_input({"calibrate", file, "--methods", "none"}, {"--run"});
  expect_bad_input({"calibrate", file, "--methods", "none", "--run", "  "}, {"--run"});
  expect_bad_input({"calibrate", file, "--methods", "none", "--run", "asterism-nothing"}, {"asterism-nothing"});
  expect_bad_input({"calibrate", file, "--methods", "none", "--from", "nowhere"}, {"nowhere"});
  expect_bad_input({"show", "atlantis"}, {"show atlantis", "h200x4"});
  const Ran failing = run({"calibrate", file, "--methods", "none", "--run", "asterism-cg --stencil 7pts-x"});
  EXPECT_EQ(failing.status, 1);
  expect_one_line(failing.err, {"asterism-cg", "7pts-x"});
  EXPECT_EQ(outputs(), 0U);
}

}  // namespace
