// SPDX-License-Identifier: Apache-2.0
// The program asterism-fmm from outside: good runs and what they write, bad input in one line and status 2.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/fmm/result_table.hpp"
#include "tests/apps/run_program.hpp"
#include "tests/data_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace asterism::tests;
using nlohmann::json;

class AsterismFmm : public ProgramTest {
 protected:
  AsterismFmm()
      : ProgramTest("asterism-fmm", "ASTERISM_FMM", ASTERISM_FMM, {"--json", "run.json", "--output", "forces.csv"}) {}
};

// ---- good runs

TEST_F(AsterismFmm, HelpTeaches) {
  const Ran ran = run({"--help-all"});
  EXPECT_EQ(ran.status, 0);
  for (const char* word :
       {"--distribution", "--input", "--accuracy", "--order", "--kernel", "--height", "--group-size", "--reduction",
        "--steps", "--scheduler", "--verify", "--json", "--output", "--trace", "pqr", "npy", "RR-8513"})
    EXPECT_TRUE(contains(ran.out, word)) << word;
}

TEST_F(AsterismFmm, GeneratedWithRecord) {
  const Ran ran = run({"--particles", "60000", "--accuracy", "4", "--verify", "--targets", "500", "--json",
                       output("run.json"), "--seed", "3"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json record = json::parse(contents(output("run.json")));
  EXPECT_EQ(record["program"], "asterism-fmm");
  EXPECT_EQ(record["right"], true);
  EXPECT_LE(record["verification"]["potential_error"].get<double>(), 1e-4);
  EXPECT_GT(record["verification"]["potential_error"].get<double>(), 1e-9);
  EXPECT_EQ(record["verification"]["targets"], 500);
  EXPECT_EQ(record["particles"]["count"], 60000);
  EXPECT_EQ(record["options"]["ranks"].size(), 16U);
  EXPECT_EQ(record["starpu"]["scheduler"], "hprio");
  EXPECT_GT(record["seconds"].get<double>(), 0);
  EXPECT_GT(record["rates"][0]["near_pair_seconds"].get<double>(), 0);  // what the cost model was fed with
  const int height = record["tree"]["height"].get<int>();
  EXPECT_GE(height, 3);
  EXPECT_LE(height, 5);
}

/// Operators of this accuracy take half a minute.
TEST_F(AsterismFmm, FewParticlesNeedNoOperators) {
  const Ran ran = run({"--particles", "300", "--accuracy", "9", "--verify"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "laplace, all pairs")) << ran.out;
}

TEST_F(AsterismFmm, ThePapersSettingAndItsOptions) {
  for (const Arguments& more : std::vector<Arguments>{{"--reduction", "first"},
                                                      {"--reduction", "any"},
                                                      {"--m2l", "separate"},
                                                      {"--gpu-order", "near-first"},
                                                      {"--no-split"},
                                                      {"--kernel", "inverse-square"},
                                                      {"--kernel", "yukawa", "--kappa", "2"},
                                                      {"--scheduler", "lws"},
                                                      {"--scheduler", "dmdas"},
                                                      {"--scheduler", "heteroprio"}}) {
    Arguments all{"--particles",  "4000", "--distribution", "ellipsoid", "--order",         "5", "--height", "5",
                  "--group-size", "60",   "--verify",       "--json",    output("run.json")};
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run(all);
    SCOPED_TRACE(more.back());
    ASSERT_EQ(ran.status, 0) << ran.err;
    const json record = json::parse(contents(output("run.json")));
    EXPECT_EQ(record["options"]["coefficients"], 125);
    EXPECT_LE(record["verification"]["potential_error"].get<double>(), 1e-3);
  }
}

TEST_F(AsterismFmm, TreesOfClusteredParticles) {
  const auto tree_with = [&](const Arguments& more) {
    Arguments all{"--particles", "60000", "--distribution", "plummer",         "--accuracy", "4", "--verify",
                  "--targets",   "300",   "--json",         output("run.json")};
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run(all);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return json::parse(contents(output("run.json")))["tree"];
  };
  const json chosen = tree_with({});
  EXPECT_GT(chosen["leaf_size"].get<int>(), 0) << "auto is to choose an adaptive tree";
  EXPECT_LE(chosen["particles_per_leaf"]["max"].get<int>(), chosen["leaf_size"].get<int>());
  const json uniform = tree_with({"--tree", "uniform"});
  EXPECT_EQ(uniform["leaf_size"], 0);
  EXPECT_GT(uniform["near_pairs"].get<double>() + 500 * uniform["far_pairs"].get<double>(),
            1.5 * (chosen["near_pairs"].get<double>() + 500 * chosen["far_pairs"].get<double>()));
  const json fixed = tree_with({"--leaf-size", "100", "--group-size", "20"});
  EXPECT_EQ(fixed["leaf_size"], 100);
  EXPECT_GE(fixed["height"].get<int>(), 6);
}

TEST_F(AsterismFmm, ResultsInTheOrderOfTheInput) {
  // charges +1 and -1 at distance 2, and a third far away: known by hand to the accuracy of the far field
  const fs::path input = file("x,y,z,charge\n0,0,0,1\n2,0,0,-1\n1000,0,0,1e-9\n", "three.csv");
  const Ran ran = run({"--input", input, "--output", output("forces.csv"), "--quiet"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto rows = table(output("forces.csv"));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1][0], 2);
  EXPECT_EQ(rows[2][0], 1000);
  EXPECT_NEAR(rows[0][4], -0.5, 1e-9);
  EXPECT_NEAR(rows[1][4], 0.5, 1e-9);
  EXPECT_NEAR(rows[0][5], 0.25, 1e-9);  // opposite charges attract
  EXPECT_NEAR(rows[1][5], -0.25, 1e-9);
}

TEST_F(AsterismFmm, FormatsAgree) {
  for (const char* name : {"f.csv", "f.h5", "f.vtk", "f.vtp", "f.npy"}) {
    const Ran ran = run({"--particles", "500", "--output", output(name)});
    ASSERT_EQ(ran.status, 0) << name << ran.err;
    EXPECT_GT(fs::file_size(output(name)), 500 * 8 * sizeof(double) / 3) << name;
  }
  // a result is a table of particles again
  EXPECT_EQ(run({"--input", output("f.h5"), "--verify"}).status, 0);
  EXPECT_EQ(run({"--input", output("f.csv"), "--verify"}).status, 0);
}

TEST_F(AsterismFmm, ParticlesThatMove) {
  const Ran ran = run({"--particles", "3000", "--accuracy", "3", "--steps", "4", "--dt", "1e-5", "--charges", "ones",
                       "--verify", "--json", output("run.json")});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json record = json::parse(contents(output("run.json")));
  EXPECT_EQ(record["evaluation_seconds"].size(), 5U);
  EXPECT_GT(record["step_seconds"].get<double>(), 0);
}

TEST_F(AsterismFmm, MotionsGoOnToTheLastBit) {
  const auto run_to = [&](int steps, const Arguments& kind, const Arguments& more) {
    Arguments all{"--particles", "700",    "--accuracy", "2",       "--cpus",
                  "2",           "--gpus", "0",          "--steps", std::to_string(steps)};
    all.insert(all.end(), kind.begin(), kind.end());
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run(all);
    EXPECT_EQ(ran.status, 0) << ran.err;
  };
  // within the first box; out of it, which operators of this kernel depend on; tree left to the cost model
  for (const Arguments& kind : std::vector<Arguments>{{"--dt", "1e-5", "--height", "4", "--group-size", "7"},
                                                      {"--dt", "2e-3", "--charges", "ones", "--kernel", "yukawa",
                                                       "--height", "4", "--group-size", "30", "--m2l", "separate"},
                                                      {"--dt", "1e-4", "--charges", "ones", "--distribution", "plummer",
                                                       "--leaf-size", "20", "--height", "7", "--group-size", "30"},
                                                      {"--dt", "1e-4", "--charges", "uniform"}}) {
    run_to(5, kind, {"--checkpoint", output("k.h5"), "--checkpoint-every", "2"});
    run_to(9, kind, {"--restart", output("k.h5"), "--output", output("resumed.npy"), "--checkpoint", output("r.h5")});
    const bool free_tree = std::find(kind.begin(), kind.end(), "--height") == kind.end();
    if (!free_tree) {
      run_to(9, kind, {"--output", output("whole.npy"), "--checkpoint", output("w.h5")});
      EXPECT_TRUE(contents(output("resumed.npy")) == contents(output("whole.npy"))) << kind[1];
      run_to(11, kind, {"--restart", output("r.h5"), "--output", output("resumed11.npy")});
      run_to(11, kind, {"--restart", output("w.h5"), "--output", output("whole11.npy")});
      EXPECT_TRUE(contents(output("resumed11.npy")) == contents(output("whole11.npy"))) << kind[1];
    }
    // nothing left to do but an evaluation
    run_to(9, kind, {"--restart", output("r.h5"), "--output", output("again.npy")});
    EXPECT_TRUE(contents(output("again.npy")) == contents(output("resumed.npy"))) << kind[1];
  }
}

TEST_F(AsterismFmm, RealMolecule) {
  const Ran ran = run({"--input", data_file("particles/actin_dimer_11754.pqr.gz"), "--kernel", "yukawa", "--kappa",
                       "0.1", "--accuracy", "4", "--verify", "--targets", "2000"});
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(AsterismFmm, RealStars) {
  const Ran ran = run({"--input", data_file("particles/hyg_v3_stars_107857.xyzl.gz"), "--accuracy", "3", "--verify",
                       "--targets", "300"});
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(AsterismFmm, TraceOfARun) {
  const Ran ran = run({"--particles", "5000", "--height", "4", "--trace", output("trace"), "--calibrate"});
  if (contains(ran.err, "without FxT")) GTEST_SKIP() << "this StarPU does not record";
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(fs::exists(output("trace") / "trace.html"));
  const json trace = json::parse(contents(output("trace") / "trace.json"));
  EXPECT_TRUE(contains(trace.dump(), "fmm_p2p"));
  EXPECT_TRUE(contains(trace.dump(), "fmm_m2l"));
}

TEST_F(AsterismFmm, OneParticleAndCoincidentOnes) {
  EXPECT_EQ(run({"--particles", "1", "--verify"}).status, 0);
  const fs::path input = file("1 2 3 1\n1 2 3 1\n1 2 3 -1\n", "same.txt");
  const Ran ran = run({"--input", input, "--output", output("o.csv")});
  ASSERT_EQ(ran.status, 0) << ran.err;
  for (const auto& row : table(output("o.csv"))) EXPECT_EQ(row[4], 0);
}

// ---- bad input

TEST_F(AsterismFmm, BadOptions) {
  const Arguments small{"--particles", "100"};
  const auto with = [&](const Arguments& more) {
    Arguments all = small;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_bad_input({"--particles", "0"}, {"--particles 0"});
  expect_bad_input({"--particles", "-5"}, {"--particles"});
  expect_bad_input({"--particles", "1000000000000"}, {"--particles 1000000000000", "GB"});
  expect_bad_input(with({"--distribution", "torus"}), {"--distribution", "torus"});
  expect_bad_input(with({"--charges", "many"}), {"--charges", "many"});
  expect_bad_input(with({"--accuracy", "1"}), {"accuracy 1", "2 to 9"});
  expect_bad_input(with({"--accuracy", "12"}), {"accuracy 12"});
  expect_bad_input(with({"--order", "0"}), {"order 0"});
  expect_bad_input(with({"--order", "30"}), {"order 30", "16"});
  expect_bad_input(with({"--order", "5", "--epsilon", "0"}), {"--epsilon 0"});
  expect_bad_input(with({"--order", "5", "--epsilon", "nan"}), {"--epsilon"});
  expect_bad_input(with({"--epsilon", "1e-3"}), {"--epsilon", "--order"});
  expect_bad_input(with({"--height", "0"}), {"--height"});
  expect_bad_input(with({"--height", "22"}), {"--height"});
  expect_bad_input(with({"--group-size", "0"}), {"--group-size"});
  expect_bad_input(with({"--leaf-size", "0"}), {"--leaf-size"});
  expect_bad_input(with({"--leaf-size", "9", "--tree", "uniform"}), {"--leaf-size 9", "adaptive"});
  expect_bad_input(with({"--tree", "binary"}), {"--tree", "binary"});
  expect_bad_input(with({"--kernel", "gauss"}), {"--kernel", "gauss"});
  expect_bad_input(with({"--kernel", "yukawa", "--kappa", "-1"}), {"--kappa -1"});
  expect_bad_input(with({"--reduction", "never"}), {"--reduction", "never"});
  expect_bad_input(with({"--repeat", "0"}), {"--repeat"});
  expect_bad_input(with({"--targets", "0"}), {"--targets 0"});
  expect_bad_input(with({"--scheduler", "nonsense"}), {"--scheduler nonsense", "hprio", "lws"});
  expect_bad_input(with({"--input", "x.csv"}), {"--input"});
  expect_bad_input(with({"--nonsense"}), {"--nonsense"});
}

/// Known only when the tree is there: a cell per particle, 64 kB of expansions per cell.
TEST_F(AsterismFmm, WhatDoesNotFitIntoMemoryIsRefused) {
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (memory > 64e9) GTEST_SKIP() << "the tree alone would take minutes";
  const std::string particles = std::to_string(static_cast<long>(memory / 120000));
  expect_bad_input({"--particles", particles, "--height", "9", "--group-size", "500", "--order", "16"},
                   {particles, "height 9", "GB", "fewer"});
}

TEST_F(AsterismFmm, BadFiles) {
  const auto from = [&](const std::string& text, const std::string& name) {
    return Arguments{"--input", file(text, name)};
  };
  expect_bad_input({"--input", "/nowhere/p.csv"}, {"/nowhere/p.csv"});
  expect_bad_input({"--at", "/nowhere/targets.csv"}, {"/nowhere/targets.csv"});
  expect_bad_input({"--at", file("1 2 inf\n", "infinite.txt")}, {"infinite.txt", "1"});
  expect_bad_input({"--at", file("1 2 3\n", "one.txt"), "--steps", "2"}, {"--at", "one.txt", "--steps"});
  expect_bad_input(from("", "empty.csv"), {"empty.csv"});
  expect_bad_input(from("1 2 nan 1\n", "nan.txt"), {"nan.txt", "1"});
  expect_bad_input(from("1 2 3 1\n4 5\n", "short.txt"), {"short.txt", "2"});
  expect_bad_input(from("not a NumPy file", "foreign.npy"), {"foreign.npy"});
  expect_bad_input(from("\x89HDF\r\n", "cut.h5"), {"cut.h5"});
  expect_bad_input(from("1 2 3 1\n", "table.unknown"), {"table.unknown"});
}

TEST_F(AsterismFmm, CheckpointsOfOtherRunsAreRefused) {
  const std::string checkpoint = file("", "k.h5");  // not among the outputs, of which there are to be none
  const Arguments motion{"--particles", "50", "--height", "3",    "--group-size", "4",
                         "--accuracy",  "2",  "--dt",     "1e-4", "--quiet"};
  const auto with = [&](const Arguments& more) {
    Arguments all = motion;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ASSERT_EQ(run(with({"--steps", "3", "--checkpoint", checkpoint})).status, 0);
  const auto refused = [&](const Arguments& more, const std::vector<std::string>& words) {
    Arguments all = with({"--restart", checkpoint});
    all.insert(all.end(), more.begin(), more.end());
    expect_bad_input(all, words, false);
  };
  refused({"--steps", "2"}, {"k.h5", "step 3", "beyond --steps 2"});
  refused({}, {"--restart", "--steps"});
  refused({"--steps", "9", "--kernel", "inverse-square"}, {"k.h5", "inverse-square"});
  refused({"--steps", "9", "--reduction", "first"}, {"k.h5", "method"});
  refused({"--steps", "9", "--m2l", "separate"}, {"k.h5", "--m2l"});
  refused({"--steps", "9", "--tree", "adaptive"}, {"k.h5", "adaptive"});
  expect_bad_input({"--particles", "50", "--height", "4", "--accuracy", "2", "--dt", "1e-4", "--steps", "9",
                    "--restart", checkpoint},
                   {"k.h5", "--height 3", "4"}, false);
  expect_bad_input({"--particles", "50", "--accuracy", "3", "--dt", "1e-4", "--steps", "9", "--restart", checkpoint},
                   {"k.h5", "method"}, false);
  expect_bad_input(with({"--steps", "9", "--restart", file("text", "text.h5")}), {"text.h5"}, false);
  expect_bad_input(with({"--steps", "9", "--restart", "/nowhere/k.h5"}), {"/nowhere/k.h5"}, false);
  expect_bad_input(with({"--checkpoint", output("c.h5")}), {"--checkpoint", "--steps"}, false);
  expect_bad_input(with({"--steps", "2", "--checkpoint-every", "2"}), {"--checkpoint-every", "--checkpoint"}, false);
  expect_bad_input(with({"--steps", "2", "--checkpoint", "/nowhere/at/all/c.h5"}), {"--checkpoint", "/nowhere/at/all"},
                   false);
}

TEST_F(AsterismFmm, ResultsThatCannotBeWritten) {
  const Arguments small{"--particles", "100"};
  const auto with = [&](const std::string& option, const std::string& file) {
    return Arguments{"--particles", "100", option, file};
  };
  expect_bad_input(with("--json", "/nowhere/at/all/run.json"), {"--json", "/nowhere/at/all"}, false);
  expect_bad_input(with("--output", "/nowhere/at/all/f.csv"), {"/nowhere/at/all"}, false);
  expect_bad_input(with("--output", "f.docx"), {"f.docx"}, false);
}

// an accuracy that is missed is a failed run: status 1, and no time printed
TEST_F(AsterismFmm, AMissedAccuracyFails) {
  const Ran ran = run({"--particles", "3000", "--order", "1", "--height", "4", "--group-size", "50", "--charges",
                       "signs", "--verify", "--json", output("run.json"), "--output", output("f.csv")});
  EXPECT_EQ(ran.status, 1);
  expect_one_line(ran.err, {"relative L2 errors"});
  EXPECT_FALSE(contains(ran.out, "per evaluation"));
  EXPECT_FALSE(fs::exists(output("f.csv")));
  EXPECT_EQ(json::parse(contents(output("run.json")))["right"], false);
}

}  // namespace
